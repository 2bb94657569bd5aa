"""Whether a Python number fits into a dtype, and what of it goes there."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from ..base import dtypes
from ..base.arguments import refuse_too_large
from ..base.errstate import silent
from ..base.type_limits import HELD_BY_FLOATS, finfo, iinfo
from ..kernels.half_precision import is_half
from .array_dtypes import plain_number


def checked_convert(value: complex | np.generic, dtype: dtypes.dtype) -> Any:
    """A number as a fill or an argument of ``dtype``: RuntimeError where its range does not hold it.

    >>> import rushlight as torch
    >>> from rushlight.backend.checked_convert import checked_convert
    >>> checked_convert(1.5, torch.int64), checked_convert(-1, torch.uint8)
    (1, 255)
    """
    limit = _SAFE.get((value.__class__, dtype))
    if limit is not None and -limit <= value <= limit:  # type: ignore[operator]
        return value
    if isinstance(value, np.generic):
        return checked_convert(plain_number(value), dtype)
    refuse_too_large(value)
    if dtype is dtypes.bool_:
        return bool(value)
    if isinstance(value, complex):
        if dtype.is_complex:
            return value
        if value.imag != 0:
            refuse_overflow(dtype)
        value = value.real
    if dtype.kind_rank == dtypes.INTEGRAL:
        limits = iinfo(dtype)
        # An unsigned type takes negative whole numbers of its own size, and wraps them; of others it takes none.
        low = -limits.max if limits.min == 0 else limits.min
        if isinstance(value, float):
            if not (math.isfinite(value) and limits.min <= value <= limits.max):
                refuse_overflow(dtype)
            value = int(value)
        if not low <= value <= limits.max:
            refuse_overflow(dtype)
        return value & limits.max if limits.min == 0 else value
    wide = float(value)
    if math.isfinite(wide) and abs(wide) > finfo(dtype).max:
        refuse_overflow(dtype)
    return wide


def checked_number(value: Any, x: np.ndarray) -> Any:
    """A number as what is to be put into ``x``; the error for one that does not fit."""
    if x.dtype.kind == "f" and value.__class__ in _REAL and -HELD_BY_FLOATS <= value <= HELD_BY_FLOATS:
        return value
    return checked_convert(value, dtypes.of(x.dtype))


def checked_fill(value: complex | np.generic, x: np.ndarray) -> Any:
    """A number as what ``x`` is filled with."""
    return checked_element(value, x) if x.size == 1 else checked_number(value, x)


def checked_element(value: Any, x: np.ndarray) -> Any:
    """A number as what one element of ``x`` is set to: halves get it by way of a double, and are infinite where it is too large."""
    if not is_half(x):
        return checked_number(value, x)
    with silent():
        return float(np.asarray(checked_convert(value, dtypes.float64), np.float64).astype(x.dtype))


_REAL = (float, int)

# What the commonest types hold without a second look.
_SAFE: dict[tuple[type, dtypes.dtype], float] = {
    (kind, dtype): limit
    for kind, dtype, limit in (
        (float, dtypes.float32, 3.4e38),
        (float, dtypes.float64, 1.7e308),
        (int, dtypes.float32, 2**63),
        (int, dtypes.float64, 2**63),
        (int, dtypes.int64, 2**63 - 1),
        (bool, dtypes.bool_, 1),
    )
}
_C_NAMES = {
    dtypes.uint8: "uint8_t", dtypes.int8: "int8_t", dtypes.int16: "int16_t", dtypes.int32: "int",
    dtypes.int64: "int64_t",
    dtypes.uint16: "uint16_t", dtypes.uint32: "uint32_t", dtypes.uint64: "uint64_t",
}  # fmt: skip


def refuse_overflow(dtype: dtypes.dtype) -> NoReturn:
    """Raises PyTorch's error for a number that a dtype does not hold."""
    raise RuntimeError(f"value cannot be converted to type {_C_NAMES.get(dtype, dtype.c_name)} without overflow")
