"""Arrays as JSON: in full while they are small, else as statistics and a thumbnail."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..autograd.nodes import Edge
from ..backend.sparse_gradients import ScatteredArray
from ..backend.unbroadcast import stretched, unbroadcast
from ..base.attributes import Attributes
from ..base.attributes import held as attributes
from ..base.errstate import silent
from ..ops.table import arrays
from ..sparse.tensors import SparseTensor
from ..tensor import Tensor
from ..transforms.batched_tensors import BatchedTensor
from .entries import Entry

FULL = 36  # elements up to which a value is kept as it is
_WIDER = {"bfloat16": np.float32, "complex32": np.complex64}  # types of NumPy's own that have all of their numbers


def array_of(value: Any) -> Any:
    """The plain array of a Tensor, an array or a number of NumPy's, of a batch with all examples; None where there is none."""
    while isinstance(value, BatchedTensor):
        value = value.whole
    if isinstance(value, Tensor):  # what stands in for the memory of a wrapper must not be asked
        value = value._array if value._strided else None
    if isinstance(value, np.generic):  # what NumPy makes of arrays without dimensions
        return np.asarray(value)
    return value if type(value) is np.ndarray else None


def fitted(value: Any, edge: Edge) -> Any:
    """A copy of what a rule gave, with broadcasting undone, as it arrives behind an edge; None where it has no plain array."""
    array = array_of(value)
    if array is None:
        return None
    target, out = edge
    shape, dtype = (target.shape, target.dtype) if target.metas is None else target.metas[out]
    examples = array.shape[: array.ndim - len(value.shape)]  # of a batch; they are not summed
    kept = (*examples, *(1,) * (len(value.shape) - len(shape)), *shape)
    if isinstance(value, Tensor) and array.shape != kept:  # by ops, which add up in another order
        array = arrays.sum(array, stretched(array.shape, kept), True) if shape or examples else arrays.sum_all(array)
        array = np.asarray(array).reshape(kept)
    return np.array(unbroadcast(array, kept, array.dtype if dtype is None else dtype)).reshape((*examples, *shape))


def value_of(array: Any, full: bool = False, holes: np.ndarray | None = None) -> Entry | None:
    """What a recording keeps of an array or a Tensor, without its ``holes``, which nobody has set; None where there is neither.

    >>> import numpy as np
    >>> value_of(np.array([1.0, np.inf], np.float32))
    {'shape': [2], 'dtype': 'float32', 'data': [1.0, 'inf']}
    """
    given, array = array, array_of(array)
    if array is None or not (array.dtype.kind in "fciub" or _name(array.dtype) in _WIDER):
        return _of_parts(given, full)
    value: Entry = {"shape": list(array.shape), "dtype": _name(array.dtype)}
    if array.dtype.kind in "VW":
        array = array.astype(_WIDER[_name(array.dtype)])
    if holes is not None and not array.shape:
        return None
    if full or array.size <= FULL:
        numbers: Any = array if holes is None else np.where(holes, None, array.astype(object))
        data = numbers.tolist()
        is_plain = array.dtype.kind in "iub" or (
            holes is None and array.dtype.kind == "f" and all(map(math.isfinite, array.ravel().tolist()))
        )
        value["data"] = data if is_plain else plain(data)
        return value
    value["data"] = None
    stats = value["stats"] = _statistics(array if holes is None else array[~holes])
    if holes is not None:
        stats["unwritten"] = int(holes.sum())
    value["thumbnail"] = _thumbnail(array, not stats["nonfinite"]) if holes is None else None
    return value


def _of_parts(value: object, full: bool) -> Entry | None:
    """Of what is there and is no plain array: what it is made of."""
    held = value._array if isinstance(value, Tensor) else value
    shape, dtype = getattr(held, "shape", None), getattr(held, "dtype", None)
    if shape is None or not isinstance(dtype, np.dtype):
        return None
    layout, parts = _parts_of(value)
    return {
        "shape": list(shape), "dtype": _name(dtype), "data": None, "stats": None, "thumbnail": None, "layout": layout,
        "parts": {name: value_of(one, full) for name, one in parts.items()},
    }  # fmt: skip


def _parts_of(value: object) -> tuple[str | None, dict[str, Any]]:
    """A sparse layout with its indices and values, or None with the tensors that a class with memory of its own has."""
    if isinstance(value, ScatteredArray):
        return "sparse_coo", {"indices": value.indices, "values": value.values}
    if isinstance(value, SparseTensor) and value.is_sparse:
        return "sparse_coo", {"indices": value._index_arrays[0], "values": value._held}
    if isinstance(value, SparseTensor):
        pointers, plain = value._index_arrays
        return value._layout.name, {"pointers": pointers, "indices": plain, "values": value._held}
    parts: dict[str, Any] = {}
    waiting, seen = [("", value)], {id(value)}  # some have one another
    for prefix, holder in waiting:  # which grows
        own = Attributes(attributes(holder)) if isinstance(holder, Tensor) else {}
        for name, one in sorted(own.items()):
            if isinstance(one, SparseTensor) or (isinstance(one, Tensor) and array_of(one) is not None):
                parts[prefix + name] = one
            elif isinstance(one, Tensor) and id(one) not in seen:
                seen.add(id(one))
                waiting.append((f"{prefix}{name}.", one))
    return None, parts


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
    with silent():
        found = {"min": finite.min(), "max": finite.max(), "mean": finite.mean(), "std": finite.std()}
    return {**{name: plain(float(one)) for name, one in found.items()}, "nonfinite": int(array.size - finite.size)}


def _thumbnail(array: Any, is_finite: bool) -> Any:
    if array.dtype.kind == "c":
        return None
    rows = array.reshape(-1, array.shape[-1])
    data = rows[np.ix_(_picked(rows.shape[0], 8), _picked(rows.shape[1], 16))].astype(np.float64).tolist()
    return data if is_finite else plain(data)


@functools.lru_cache(4096)
def _picked(size: int, most: int) -> Any:
    return np.linspace(0, size - 1, min(size, most)).astype(int)
