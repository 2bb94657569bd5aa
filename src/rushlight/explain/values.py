"""Arrays as JSON: in full while they are small, else as statistics and a thumbnail."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..tensor import Tensor
from .entries import Entry

FULL = 36  # elements up to which a value is kept as it is


def value_of(array: Any, full: bool = False) -> Entry | None:
    """What a recording keeps of an array or a Tensor; None where it cannot be read as plain numbers.

    >>> import numpy as np
    >>> value_of(np.array([1.0, np.inf], np.float32))
    {'shape': [2], 'dtype': 'float32', 'data': [1.0, 'inf']}
    """
    if isinstance(array, Tensor):  # what stands in for the memory of a wrapper must not be asked
        array = array._array if array._strided else None
    if type(array) is not np.ndarray or array.dtype.kind not in "fciub":
        return None
    value: Entry = {"shape": list(array.shape), "dtype": _name(array.dtype)}
    if full or array.size <= FULL:
        data = array.tolist()
        is_plain = array.dtype.kind in "iub" or (array.dtype.kind == "f" and all(map(math.isfinite, array.ravel().tolist())))
        value["data"] = data if is_plain else plain(data)
        return value
    value["data"] = None
    value["stats"], value["thumbnail"] = _statistics(array), _thumbnail(array)
    return value


@functools.cache
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name  # which NumPy puts together each time


def plain(data: Any) -> Any:
    if isinstance(data, list):
        return [plain(one) for one in data]
    if isinstance(data, complex):
        return {"re": plain(data.real), "im": plain(data.imag)}
    return data if not isinstance(data, float) or math.isfinite(data) else str(data)


def _statistics(array: Any) -> dict[str, Any]:
    numbers = np.abs(array) if array.dtype.kind == "c" else array
    finite = numbers[np.isfinite(numbers)].astype(np.float64)
    if not finite.size:
        return {"min": None, "max": None, "mean": None, "std": None, "nonfinite": int(array.size)}
    with np.errstate(all="ignore"):
        found = {"min": finite.min(), "max": finite.max(), "mean": finite.mean(), "std": finite.std()}
    return {**{name: plain(float(one)) for name, one in found.items()}, "nonfinite": int(array.size - finite.size)}


def _thumbnail(array: Any) -> Any:
    if array.dtype.kind == "c":
        return None
    rows = array.reshape(-1, array.shape[-1])
    picked = [np.linspace(0, size - 1, min(size, most)).astype(int) for size, most in zip(rows.shape, (8, 16), strict=True)]
    return plain(rows[np.ix_(*picked)].astype(np.float64).tolist())
