"""How the holes in the lines of random programs (program_lines.py) are filled: with what fits the tensors made so far."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Set
from typing import Any

import torch

SHAPES = [(), (1,), (2,), (3,), (4,), (2, 3), (3, 1), (1, 3), (2, 2), (3, 3), (2, 3, 2), (4, 2), (1, 1), (0,), (2, 0)]
DTYPES = ["float64"] * 8 + ["float32"] * 5 + ["int64"] * 2 + ["int32", "bool", "complex128"]
LARGEST = 200
_HOLE = re.compile(r"\{([^{}]+)\}")


class NoFit(Exception):
    """No tensor of the program so far fits the hole."""


class NoSubject(NoFit):
    """What the hole is to fit to stands further on in the line."""


class Holes:
    """Fills the holes of one line, given the tensors by name, as PyTorch has them at this point of the program."""

    largest = LARGEST

    def __init__(self, draw: random.Random, tensors: dict[str, torch.Tensor], gradients: Set[str] = frozenset()) -> None:
        self.draw = draw
        self.tensors = tensors
        self.gradients = gradients
        self.first: str | None = None
        self.chosen: str | None = None

    def fill(self, line: str) -> str:
        """The line with its holes filled, from the left; those that stand before what they are to fit to after the others."""
        holes = [each[1] for each in _HOLE.finditer(line)]
        filled = [self._fill(hole, last=False) for hole in holes]
        parts = iter([self._fill(hole, last=True) if part is None else part for hole, part in zip(holes, filled, strict=True)])
        return _HOLE.sub(lambda each: str(next(parts)), line)

    def _fill(self, hole: str, last: bool) -> str | None:
        words = hole.split()
        if len(words) > 1:
            return self.draw.choice(words)
        try:
            return str(getattr(self, hole)())
        except NoSubject:
            if last:
                raise
            return None

    def pick(self, fits: Any, subject: bool = True) -> str:
        """The name of a tensor that fits: the later made, and those that require a gradient, the more likely."""
        names = [name for name, tensor in self.tensors.items() if fits(tensor)]
        if not names:
            raise NoFit
        weights = [(i + 1) * (2 if self.tensors[name].requires_grad else 1) for i, name in enumerate(names)]
        name = self.draw.choices(names, weights)[0]
        if subject and self.chosen is None:
            self.chosen = name
        return name

    @property
    def it(self) -> torch.Tensor:
        if self.chosen is None:
            raise NoSubject
        return self.tensors[self.chosen]

    def broadcast(self, shape: torch.Size) -> torch.Size | None:
        """The shape that one and the subject's give together, if any, and not larger than what programs compute with."""
        try:
            together = torch.broadcast_shapes(shape, self.it.shape)
        except RuntimeError:
            return None
        return together if math.prod(together) <= self.largest else None

    def subject(self) -> str:
        if self.chosen is None:
            raise NoSubject
        return self.chosen

    # Tensors ------------------------------------------------------------------------------------------------------

    def tensor(self) -> str:
        return self.pick(lambda t: not t.is_complex())

    def real(self) -> str:
        return self.pick(lambda t: not t.is_complex() and bool(torch.isfinite(t).all()) and _largest(t) < 1e6)

    def number(self) -> str:
        return self.pick(lambda t: t.dtype is not torch.bool)

    def target(self) -> str:
        """Something to write into: now and then a leaf, or a view of one, which PyTorch refuses.

        Not what autograd.grad gave: which of those share memory, or are expanded, is the engine's own business.
        """
        refused = self.draw.random() < 0.07
        held = [self.tensors[name] for name in self.gradients if name in self.tensors]

        def fits(t: torch.Tensor) -> bool:
            if t.dtype is torch.bool or any(_share(t, gradient) for gradient in held):
                return False
            return refused or not any(map(_kept_leaf, (t, t._base)))

        return self.pick(fits)

    def lasting(self) -> str:
        """No gradient, nor a view of one: which of those are views themselves is the engine's own business."""
        held = [self.tensors[name] for name in self.gradients if name in self.tensors]
        return self.pick(lambda t: not t.is_complex() and not any(_share(t, gradient) for gradient in held))

    def float(self) -> str:
        return self.pick(torch.is_floating_point)

    def modest(self) -> str:
        """Some numbers whose last digit does not matter to where they lie between multiples of another."""
        return self.pick(lambda t: t.is_floating_point() and t.numel() > 0 and _largest(t) < 100)

    def mild(self) -> str:
        """A target of which sines can be compared: those of great numbers are all in the last digit."""
        name = self.target()
        if not (self.it.abs() < 1e6).all():
            raise NoFit
        return name

    def matrix(self) -> str:
        return self.pick(lambda t: t.ndim == 2 and t.is_floating_point())

    def vector(self) -> str:
        return self.pick(lambda t: t.ndim == 1 and t.is_floating_point())

    def factor(self) -> str:
        return self.pick(lambda t: t.ndim >= 1 and t.dtype in (torch.float32, torch.float64))

    def pair(self) -> str:
        return self.pick(lambda t: t.ndim > 0 and t.shape[0] == 2)

    def other(self) -> str:
        return self.pick(lambda t: True, subject=False)

    def apart(self) -> str:
        """Something to write into the subject with: either the very subject, or nothing that shares memory with it.

        Otherwise the outcome depends on the order of the writes; that it is refused where PyTorch sees it is not drawn.
        """
        return self.pick(self._apart, subject=False)

    def _apart(self, t: torch.Tensor) -> bool:
        return t is self.it or not _share(t, self.it)

    def _can_hold(self, t: torch.Tensor) -> bool:
        """Not an integer tensor for what needs a gradient: PyTorch makes it one that requires a gradient, and then refuses
        to compute any; in rushlight integers have no history."""
        return self.it.is_floating_point() or self.it.is_complex() or not t.requires_grad

    def recorded(self) -> str:
        return self.pick(lambda t: t.grad_fn is not None)

    def hookable(self) -> str:
        """No view: PyTorch crashes on a hook for a view whose base has been written to since."""
        return self.pick(lambda t: t.grad_fn is not None and t._base is None)

    def outcome(self) -> str:
        """Something to start a backward pass from: a one-element tensor, or a sum."""
        name = self.pick(lambda t: t.requires_grad and t.is_floating_point())
        return name if self.tensors[name].numel() == 1 else f"{name}.{self.draw.choice(['sum', 'sum', 'mean'])}()"

    def source(self) -> str:
        self.first = self.pick(lambda t: t.requires_grad, subject=False)
        return self.first

    def another(self) -> str:
        """A second input of autograd.grad: PyTorch hands out one and the same tensor where an input comes twice."""
        return self.pick(lambda t: t.requires_grad and t is not self.tensors[str(self.first)], subject=False)

    def leafed(self) -> str:
        return self.pick(lambda t: t.requires_grad and (t.is_leaf or t.retains_grad))

    def mate(self) -> str:
        return self.pick(lambda t: t.dtype is not torch.bool and self.broadcast(t.shape) is not None, False)

    def fmate(self) -> str:
        return self.pick(lambda t: t.is_floating_point() and self.broadcast(t.shape) is not None, False)

    def complex(self) -> str:
        return self.pick(torch.is_complex)

    def twin(self) -> str:
        return self.pick(lambda t: t.shape == self.it.shape and t.dtype == self.it.dtype, False)

    def ftwin(self) -> str:
        return self.pick(lambda t: t.shape == self.it.shape and t.is_floating_point(), False)

    def mask(self) -> str:
        if self.chosen is None:
            return self.pick(lambda t: t.dtype is torch.bool)
        return self.pick(lambda t: t.dtype is torch.bool and self.broadcast(t.shape) == self.it.shape, False)

    def fitting(self) -> str:
        return self.pick(lambda t: self.broadcast(t.shape) == self.it.shape and self._apart(t), False)

    def source_of_copy(self) -> str:
        """A tensor that can be copied into the subject; one that shares memory with it has no defined outcome."""
        return self.pick(
            lambda t: (
                self.broadcast(t.shape) == self.it.shape
                and not _share(t, self.it)
                and (self.it.is_complex() or not t.is_complex())
                and (self.it.is_floating_point() or self.it.is_complex() or not t.is_floating_point())
                and self._can_hold(t)
            ),
            False,
        )

    def joinable(self) -> str:
        return self.pick(lambda t: t.ndim == self.it.ndim > 0 and t.shape[1:] == self.it.shape[1:], False)

    def joined(self) -> str:
        return self.draw.choice(["0", "0", str(-self.it.ndim)])

    def multiplicand(self) -> str:
        def fits(t: torch.Tensor) -> bool:
            return t.dtype == self.it.dtype and t.ndim >= 1 and t.shape[max(0, t.ndim - 2)] == self.it.shape[-1]

        return self.pick(fits, False)

    def leaf(self) -> str:
        shape = self.draw.choice(SHAPES)
        dtype = self.draw.choice(DTYPES)
        wanted = dtype.startswith(("float", "complex")) and self.draw.random() < 0.7
        values = self._nested(shape, dtype)
        return f"torch.tensor({values}, dtype=torch.{dtype}{', requires_grad=True' if wanted else ''})"

    def _nested(self, shape: tuple[int, ...], dtype: str) -> Any:
        if shape:
            return [self._nested(shape[1:], dtype) for _ in range(shape[0])]
        if dtype == "bool":
            return self.draw.random() < 0.5
        if dtype.startswith("int"):
            return self.draw.randint(-3, 5)
        real = self.draw.randint(-8, 12) / 4
        return complex(real, self.draw.randint(-8, 8) / 4) if dtype.startswith("complex") else real

    # Numbers and places -------------------------------------------------------------------------------------------

    def scalar(self) -> str:
        return self.draw.choice(["2", "3", "-1", "0.5", "1.5", "-2.0", "2.0", "0", "1"])

    def positive(self) -> str:
        return self.draw.choice(["2", "3", "1.5", "2.5"])

    def integer(self) -> str:
        return self.draw.choice(["2", "-1", "3"])

    def dtype(self) -> str:
        return "torch." + self.draw.choice(["float32", "float64", "int64", "complex128"])

    def dim(self) -> str:
        rank = max(1, self.it.ndim)
        if self.draw.random() < 0.03:
            return str(rank + 1)
        return str(self.draw.randint(-rank, rank - 1))

    def place(self) -> str:
        return str(self.draw.randint(-self.it.ndim - 1, self.it.ndim))

    def shape(self) -> str:
        count = self.it.numel()
        shapes = ["-1"] if count else [str(count)]
        shapes += [f"{n}, {count // n}" for n in (1, 2, 3, 4, 6) if count and count % n == 0]
        shapes += [f"-1, {n}" for n in (1, 2, 3) if count and count % n == 0]
        return self.draw.choice(shapes)

    def strange(self) -> str:
        return self.draw.choice(["-1, -1", "5, 7", "2, -1", "-1, 5", "3"])

    def permutation(self) -> str:
        order = list(range(self.it.ndim))
        self.draw.shuffle(order)
        return ", ".join(map(str, order)) or "()"

    def expansion(self) -> str:
        sizes = [str(self.draw.choice([2, 3]) if size == 1 else self.draw.choice([-1, size])) for size in self.it.shape]
        return ", ".join([*(["2"] if self.draw.random() < 0.4 or not sizes else []), *sizes])

    def copies(self) -> str:
        return ", ".join(str(self.draw.choice([1, 2])) for _ in range(max(1, self.it.ndim)))

    def _long_dim(self, least: int = 1) -> int:
        dims = [d for d, size in enumerate(self.it.shape) if size >= least]
        if not dims:
            raise NoFit
        return self.draw.choice(dims)

    def slab(self) -> str:
        dim = self._long_dim()
        start = self.draw.randrange(self.it.shape[dim])
        return f"{dim}, {start}, {self.draw.randint(1, self.it.shape[dim] - start)}"

    def item(self) -> str:
        dim = self._long_dim()
        size = self.it.shape[dim]
        return f"{dim}, {self.draw.randint(-size, size - 1)}"

    def even(self) -> str:
        return str(self._long_dim(2))

    def halves(self) -> str:
        dim = self._long_dim(2)
        size = self.it.shape[dim]
        first = self.draw.randint(1, size - 1)
        return f"[{first}, {size - first}], dim={dim}"

    def _indices(self, dim: int) -> str:
        size = self.it.shape[dim]
        return f"torch.tensor({[self.draw.randint(0, size - 1) for _ in range(self.draw.randint(1, 3))]})"

    def rows(self) -> str:
        dim = self._long_dim()
        return f"{dim}, {self._indices(dim)}"

    def gathering(self) -> str:
        if self.it.ndim != 1:
            raise NoFit
        return f"0, {self._indices(self._long_dim())}"

    def scattering(self) -> str:
        """Places along the only dimension, and a vector of as many values."""
        kept = self.it

        def fits(t: torch.Tensor) -> bool:
            return t.dtype == kept.dtype and t.ndim == 1 and 0 < len(t) < 5 and not _share(t, kept)

        if kept.ndim != 1 or not len(kept):
            raise NoFit
        values = self.pick(fits, subject=False)
        return f"0, torch.tensor({[self.draw.randrange(len(kept)) for _ in self.tensors[values]]}), {values}"

    def window(self) -> str:
        """A part of the subject as a view."""
        dim = self._long_dim()
        size = self.it.shape[dim]
        start = self.draw.randrange(size)
        part = self.draw.choice([str(start), f"{start}:", f":{start + 1}", "::2", str(start - size)])
        return ", ".join([":"] * dim + [part]) if dim else part

    def window_value(self) -> str:
        return self.pick(lambda t: t.ndim <= 1 and not t.is_complex() and not _share(t, self.it) and self._can_hold(t), False)

    def index(self) -> str:
        if self.it.ndim == 0:
            return self.draw.choice(["()", "...", "None"])
        if self.draw.random() < 0.03:
            return self.draw.choice(["7", "0, 0, 0, 0", "-9", "[9]"])
        parts = []
        for size in self.it.shape[: self.draw.randint(1, self.it.ndim)]:
            start = self.draw.randrange(size) if size else 0
            forms = [":", f"{start}:", f":{start + 1}", "::2"]
            if size:
                forms += [str(start), str(start), str(start - size)]
                if not any("[" in part for part in parts):
                    forms.append(str(self.draw.sample(range(size), self.draw.randint(1, size))))
            parts.append(self.draw.choice(forms))
        extra = self.draw.random()
        if extra < 0.08:
            parts.insert(0, "None")
        elif extra < 0.16 and not any("[" in part for part in parts):
            # With a list it would be out of range here and there: PyTorch then has written some of the elements.
            parts.insert(0, "...")
            parts = parts[: 1 + self.it.ndim]
        return ", ".join(parts)


def _largest(t: torch.Tensor) -> float:
    return float(t.detach().abs().max()) if t.numel() and t.dtype is not torch.bool else 0.0


def _kept_leaf(t: torch.Tensor | None) -> bool:
    return t is not None and t.is_leaf and t.requires_grad


def _share(a: torch.Tensor, b: torch.Tensor) -> bool:
    return place(a) == place(b)


def place(t: torch.Tensor) -> int:
    """Where its memory begins; PyTorch's tensors of zeros have none."""
    return 0 if t._is_zerotensor() else t.untyped_storage().data_ptr()
