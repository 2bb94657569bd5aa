"""New memory as tensors: arrays made, PyTorch's errors where NumPy refuses, and the leaves around them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd import modes, overlaps, views
from ...autograd.modes import special
from ...backend.resizing import resized, seen_before
from ...ops.rule_functions import underivable
from ...ops.table import op, tensors
from ...tensor import Tensor, new_tensor
from ..arguments import as_dtype, checked_shape, type_name


def finished(array: np.ndarray[Any, Any], requires_grad: Any = False) -> Tensor:
    """The new leaf around a new array."""
    result = new_tensor(array)
    if requires_grad:
        result._needs_grad = True
    if special.active and modes.state.inference:
        result._inference = modes.state.inference
    return result


def second_try(
    make: Callable[..., np.ndarray[Any, Any]],
    name: str,
    sizes: Any,
    one: bool,
    numpy_type: np.dtype[Any],
    owner: str | None,
    error: Exception,
) -> np.ndarray[Any, Any]:
    """After NumPy refused: the array if the sizes are right all the same, else PyTorch's error."""
    shape = checked_shape(name, sizes, one=one, owner=owner)
    size = math.prod(shape) * numpy_type.itemsize
    if size >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}") from None
    if isinstance(error, TypeError):
        return make(shape, numpy_type)  # NumPy is stricter about what an integer is
    if isinstance(error, MemoryError) or size >= 2**40:
        raise RuntimeError(
            f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {size} bytes. Error code 12 (Cannot "
            "allocate memory)"
        ) from None
    raise error


def allocated(
    make: Callable[..., np.ndarray[Any, Any]],
    name: str,
    sizes: Any,
    one: bool,
    numpy_type: np.dtype[Any],
    owner: str | None = None,
) -> np.ndarray[Any, Any]:
    """``make(sizes, numpy_type)``; where NumPy refuses, PyTorch's error. ``one``, ``owner``: see checked_shape."""
    try:
        return make(sizes, numpy_type)
    except Exception as error:
        return second_try(make, name, sizes, one, numpy_type, owner, error)


_FILLS = frozenset("eye zeros ones full".split())  # which may meet a place twice


def into(out: Any, name: str, array: np.ndarray[Any, Any], dtype: object, requires_grad: bool = False) -> Tensor:
    """Puts the values of a new array into ``out``, which gets its shape."""
    check_out(out, name, dtype)
    is_recorded = refuse_leaves(out, name)
    have = out._array
    if have.shape != array.shape:
        out._array = resized(have, array.shape, range(array.ndim))
    if name in _FILLS and not is_recorded and overlaps.overlaps_itself(out._array):
        out._array[...] = 0
        out._array[array != 0] = array[array != 0]
        views.bump(out, name)
        return _as_asked(out, requires_grad)
    overlaps.check_memory(out)
    if is_recorded:
        views.inplace(tensors.made_anew, name, out, array, name)
    else:
        views.write(out, array, name)
    seen_before(have, out._array)
    return _as_asked(out, requires_grad)


def _as_asked(out: Tensor, requires_grad: bool) -> Tensor:
    """A leaf requires a gradient or not as is asked of the new values; what has a history keeps it."""
    if not requires_grad and out._edge is None:
        out._needs_grad = False
    return out.requires_grad_() if requires_grad else out


op("made_anew", lambda x, array, name: array.astype(x.dtype), node="NotImplemented", x=lambda g, name: underivable(name))


def refuse_leaves(out: Tensor, name: str) -> bool:
    """Whether a write to ``out=`` is recorded; raises PyTorch's error where the graph does not allow it."""
    if not (modes.state.grad_enabled and out.requires_grad):
        return False
    try:
        views.check_writable(out)
    except RuntimeError:
        raise RuntimeError(
            f"aten::{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        ) from None
    return True


def refuse_resizing(out: object) -> None:
    """Raises PyTorch's error for an ``out=`` that is sized before it is written to, and needs a gradient."""
    if isinstance(out, Tensor) and out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")


def check_out(out: object, name: str, dtype: object) -> None:
    """What receives a new tensor's values must be a tensor of their dtype."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    if dtype is not None and as_dtype(name, dtype) is not out.dtype:
        raise RuntimeError(
            f"dtype {as_dtype(name, dtype).scalar_name} does not match dtype of out parameter ({out.dtype.scalar_name})"
        )
