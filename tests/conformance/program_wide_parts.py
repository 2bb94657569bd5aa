"""How the holes in the lines of program_wide.py are filled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from program_parts import SHAPES, Holes, NoFit, place

_SHAPES = [*SHAPES, (), (), (), (0, 3), (2, 0, 2), (2, 3, 2, 2), (1, 2, 3, 3), (2, 1, 2, 1), (5, 2)]
_DTYPES = (
    ["float64"] * 6 + ["float32"] * 5 + ["bfloat16", "float16", "complex64"] * 2 + ["complex128"] * 2 + ["int64"] * 3
    + ["int32", "uint8", "int8", "int16", "bool"]
)  # fmt: skip
_LARGE_SHAPES = [(100_000,), (131_073,), (1_000_000,), (400, 300), (1000, 1000), (3, 70_001), (50_000, 3), (8, 3, 70, 70), ()]
_LARGE_DTYPES = ["float64"] * 4 + ["float32"] * 6 + ["complex64", "complex128", "int64", "int32", "bool", "bfloat16"]


class WideHoles(Holes):
    """Holes of every dtype and layout, of empty tensors, and of the arrays and buffers that the program has taken out."""

    arrays: tuple[str, ...] = ()

    def leaf(self) -> str:
        shape = self.draw.choice(_SHAPES)
        dtype = self.draw.choice(_DTYPES)
        text = f"torch.tensor({self._nested(shape, dtype)}, dtype=torch.{dtype})"
        return self._laid_out(text, shape, dtype)

    def _laid_out(self, text: str, shape: tuple[int, ...], dtype: str) -> str:
        kind = self.draw.random()
        if kind < 0.12 and len(shape) >= 2:
            text += ".transpose(0, -1)"
        elif kind < 0.22 and shape:
            text += "[::2]"
        elif kind < 0.28 and len(shape) in (1, 2):
            text += f".expand(2, {', '.join(['-1'] * len(shape))})"
        elif kind < 0.34 and math.prod(shape) >= 4:
            text += ".as_strided((2, 2), (1, 2))" if self.draw.random() < 0.5 else ".as_strided((3, 2), (1, 1))"
        elif kind < 0.6 and len(shape) == 4:
            text += ".contiguous(memory_format=torch.channels_last)"
        floating = dtype.startswith(("float", "complex", "bfloat"))
        return text + (".requires_grad_()" if floating and self.draw.random() < 0.7 else "")

    def _nested(self, shape: tuple[int, ...], dtype: str) -> Any:
        if not shape and dtype == "uint8":
            return self.draw.randint(0, 9)
        return super()._nested(shape, "float64" if dtype == "bfloat16" else dtype)

    def whole(self) -> str:
        return self.pick(lambda t: not t.is_floating_point() and not t.is_complex())

    def zerodim(self) -> str:
        return self.pick(lambda t: t.ndim == 0)

    def image(self) -> str:
        return self.pick(lambda t: t.ndim == 4 and t.dtype in (torch.float32, torch.float64))

    def mildly(self) -> str:
        """What functions that grow are taken of, so that they stay small."""
        return self.pick(lambda t: t.is_floating_point() and bool((t.detach().abs() < 20).all()))

    def width(self) -> str:
        self.pick(lambda t: t.ndim > 0 and t.shape[-1] > 0 and t.dtype in (torch.float32, torch.float64))
        return str(self.it.shape[-1])

    def ctarget(self) -> str:
        name = self.target()
        if not self.it.is_complex():
            raise NoFit
        return name

    def plain(self) -> str:
        """What NumPy can hold; no gradient, for whether later passes add to it in place is the engine's own business."""
        held = [self.tensors[name] for name in self.gradients if name in self.tensors]
        pointers = {place(gradient) for gradient in held}
        pointers |= {place(t.grad) for t in self.tensors.values() if t.is_leaf and t.grad is not None}
        return self.pick(
            lambda t: (
                t.dtype is not torch.bfloat16 and not t.is_conj() and not t.is_neg()
                and place(t) not in pointers
            )
        )  # fmt: skip

    def array(self) -> str:
        if not self.arrays:
            raise NoFit
        return self.draw.choice(self.arrays)

    def _places(self, apart: bool) -> str:
        """Sizes and strides within the subject's memory; where they are not to be apart, two indices may meet one place."""
        t = self.it
        room = t.untyped_storage().nbytes() // t.element_size() - t.storage_offset()
        if room < 2 or t.ndim == 0:
            raise NoFit
        step = self.draw.choice([1, 1, 2])
        columns = self.draw.randint(1, max(1, min(4, room // step)))
        outer = columns * step if apart else self.draw.choice([0, 1, columns])
        rows = (room - 1 - (columns - 1) * step) // outer + 1 if outer else 3
        return f"({max(1, rows)}, {columns}), ({outer}, {step})"

    def overlap(self) -> str:
        return self._places(apart=False)

    def apartplaces(self) -> str:
        return self._places(apart=True)


class LargeHoles(WideHoles):
    """Large tensors, and 0-dim ones beside them; their values are multiples of a quarter, so sums of them are exact."""

    largest = 2_100_000

    def leaf(self) -> str:
        shape = self.draw.choice(_LARGE_SHAPES)
        dtype = self.draw.choice(_LARGE_DTYPES)
        period = self.draw.choice([17, 33, 101])
        count = math.prod(shape)
        size = ", ".join(map(str, shape)) or "()"
        text = (
            f"(torch.arange({count}) * 7 % {period}).sub({self.draw.choice([0, 8])}).div(4).reshape({size}).to(torch.{dtype})"
        )
        return self._laid_out(text, shape, dtype)


def exported(space: dict[str, Any]) -> tuple[str, ...]:
    """The names of the arrays that stand for a program's memory."""
    return tuple(name for name, value in space.items() if isinstance(value, np.ndarray))
