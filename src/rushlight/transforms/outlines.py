"""What an array of one example is like: shape and strides without numbers; and the errors of those who ask for more."""

from __future__ import annotations

import math
import sys
from typing import Any, NoReturn

import numpy as np

from . import dynamic_layers
from .dynamic_layers import Layer

Shape = tuple[int, ...]


# What PyTorch says where a number is asked for within a transform that runs inside of the vmap.
WITHIN_ANOTHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some data-dependent "
    "control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap over calling .item() on a "
    "Tensor, please try to rewrite what you're doing with other operations. For (2): we don't support data-dependent control flow "
    "in vmap yet, please file an issue at https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)


class Unbatchable(Exception):
    """Something that can only be done example by example."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.within_another = dynamic_layers.within_another()


class Refused(RuntimeError):
    """What ``vmap`` does not do at all, as PyTorch's does not: to its callers a RuntimeError."""


def without_shape(name: str) -> str:
    """What PyTorch says to an op whose result may have another shape for each example."""
    return (
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
    )


class NoFirstExample(Refused):
    """A batch of nothing, of a number beside what is none: PyTorch looks at the first example for its dtype."""

    def __init__(self, shape: Shape) -> None:
        at = len(shape) - 1
        super().__init__(f"select(): index 0 out of range for tensor of size {list(shape)} at dimension {at}")


# Which of PyTorch's batching routines is named where a tensor has escaped.
_ROUTINES = {
    "boxed_reduction_batch_rule": (
        "all amax amin aminmax any argmax argmin argsort cummax cummin cumprod cumsum fft log_softmax logcumsumexp logsumexp max "
        "mean median min mode nansum norm prod softmax sort std std_mean sum topk var var_mean"
    ),
    "boxed_existing_bdim_all_batch_rule": "adaptive_max_pool2d adaptive_max_pool3d avg_pool2d avg_pool3d max_pool2d pixel_shuffle",
    "boxed_all_tensors_have_optional_bdim": "adaptive_max_pool2d_backward max_pool2d_with_indices_backward",
    "gen_vmap_plumbing_no_returns": "_linalg_check_errors",
    "gen_vmap_inplace_plumbing": "copy_ div_ masked_fill_ mul_ __imul__ __itruediv__",
}


class Escaped(Refused):
    """The use of an example after its ``vmap`` has ended."""

    def __init__(self) -> None:
        name, frame = "", sys._getframe(1)
        while frame is not None and (
            frame.f_code.co_filename.startswith("<rushlight")
            or frame.f_globals.get("__name__", "").partition(".")[0] in ("torch", "rushlight")
        ):
            called = frame.f_code.co_name
            if called == "__call__":  # an operator by its name
                name = getattr(frame.f_locals.get("self"), "__name__", name)
            else:
                name = frame.f_locals.get("name", name) if called in ("call", "spoken") else called
            frame = frame.f_back  # type: ignore[assignment]
        routine = next((routine for routine, names in _ROUTINES.items() if name in names.split()), "gen_vmap_plumbing")
        if name.startswith("binary_cross_entropy"):
            routine = f"{name}_plumbing"
        elif routine == "gen_vmap_plumbing" and name.endswith("_") and not name.startswith("__"):
            routine = "boxed_tensor_inputs_batch_rule"
        super().__init__(
            "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
            "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
            f"`{routine}` Please file an issue if it looks like the latter"
        )


for _error in (Refused, Escaped):
    _error.__name__ = _error.__qualname__ = "RuntimeError"
    _error.__module__ = "builtins"


class _Flags:
    def __init__(self, c_contiguous: bool) -> None:
        self.c_contiguous = self.forc = c_contiguous
        self.writeable = True


class Outline:
    """What an array of one example is like; it holds no numbers, and whoever asks for them is told so."""

    __slots__ = ("dtype", "level", "ndim", "shape", "strides")

    base = None

    def __init__(self, shape: Shape, strides: Shape, dtype: np.dtype[Any], level: Layer) -> None:
        self.shape, self.strides, self.dtype, self.level, self.ndim = shape, strides, dtype, level, len(shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def flags(self) -> _Flags:
        step = self.itemsize
        for length, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if length != 1 and stride != step and self.size:
                return _Flags(False)
            step *= length
        return _Flags(True)

    def __getattr__(self, name: str) -> NoReturn:
        raise Escaped() if self.level.ended else Unbatchable(name)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Escaped() if self.level.ended else Unbatchable("numbers")

    __array__ = __array_ufunc__ = __setitem__ = _refuse
    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = object.__hash__

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return int(self.shape[0])

    # Where things would lie: functions ask so before they choose their way.

    def _outline(self) -> np.ndarray[Any, Any]:
        """An array of the same shape and strides that must not be read."""
        if dynamic_layers.place(self.level) < 0:
            self._refuse()
        return np.lib.stride_tricks.as_strided(np.empty(1, self.dtype), self.shape, self.strides)

    def _like(self, outline: np.ndarray[Any, Any]) -> Outline:
        return Outline(outline.shape, outline.strides, self.dtype, self.level)

    def reshape(self, *shape: Any, copy: bool | None = None) -> Outline:
        outline = self._outline()
        try:
            return self._like(outline.reshape(*shape, copy=False))
        except ValueError:
            if copy is False:
                raise
        plain = np.empty(1, self.dtype)
        flat = np.lib.stride_tricks.as_strided(plain, (self.size,), (self.itemsize,))
        return self._like(flat.reshape(*shape, copy=False))

    def swapaxes(self, first: int, second: int) -> Outline:
        return self._like(self._outline().swapaxes(first, second))

    def __getitem__(self, key: Any) -> Outline:
        if not all(
            one is None or one is Ellipsis or isinstance(one, (int, slice))
            for one in (key if isinstance(key, tuple) else (key,))
        ):
            self._refuse()
        return self._like(self._outline()[key if isinstance(key, tuple) else (key, ...)])
