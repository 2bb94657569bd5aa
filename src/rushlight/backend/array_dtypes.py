"""In which dtype arrays and Python numbers meet, and what a kernel says of a dtype that it does not take."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..base import dtypes
from . import numpy as backend
from .numpy import Array


def refuse(name: str, x: Array | np.dtype[Any]) -> NoReturn:
    """Raises PyTorch's error for a kernel that does not exist for a dtype, or that of an array."""
    dtype = x.dtype if isinstance(x, np.ndarray) else x
    raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.of(dtype).scalar_name}'")


def meeting(x: Array, value: Any) -> np.dtype[Any]:
    """The dtype in which a tensor's array and a Python number meet."""
    kind = x.dtype.kind
    if kind == "c" or (kind in "fV" and not isinstance(value, complex)):
        return x.dtype
    own = (dtypes.of(x.dtype),)
    if kind == "b" and value.__class__ is int and 1 << 63 <= value < 1 << 64:
        dtypes.promote_types(dtypes.bool_, dtypes.uint64)  # refuses
    found = dtypes.result_dtype(own, (), (type(value),)) if x.ndim else dtypes.result_dtype((), own, (type(value),))
    return found.numpy


def common(*arrays: Any) -> np.dtype[Any]:
    """The dtype in which tensors' arrays meet; None among them is no tensor."""
    own = tuple(dtypes.of(array.dtype) for array in arrays if array is not None and array.ndim)
    scalars = tuple(dtypes.of(array.dtype) for array in arrays if array is not None and not array.ndim)
    return dtypes.result_dtype(own, scalars).numpy


def as_array(number: Any, dtype: np.dtype[Any]) -> Array:
    """A Python number as a 0-dim array; into integers it is cut off and wraps around, as in C."""
    if dtype.kind in "iu" and isinstance(number, (int, np.integer)):
        return np.asarray(int(number) & (2**64 - 1), np.uint64).astype(dtype)
    return np.asarray(plain_number(number)).astype(dtype)


def plain_number(value: Any) -> Any:
    """A number of NumPy's as Python's; what is complex to NumPy alone PyTorch reads as a float, with NumPy's warning."""
    if isinstance(value, np.complexfloating) and not isinstance(value, complex):
        return float(value)
    return value.item() if isinstance(value, np.generic) else value


def floating(x: Array) -> Array:
    """``x``, or its copy in the default floating dtype if it is of integers."""
    return x if x.dtype.kind in "fcVW" else backend.copied(x, dtypes.get_default_dtype().numpy)


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the parts of a complex dtype; others as they are."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind in "cW" else dtype
