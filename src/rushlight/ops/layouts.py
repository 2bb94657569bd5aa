"""Between dense tensors and those of other layouts: what the graph records of it. See the room ``sparse``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .table import op

Array = np.ndarray[Any, Any]


def _put(values: Array, places: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    if not places:  # all dimensions are dense: every value is for the whole
        return values.sum(0, dtype=values.dtype).reshape(shape)
    whole = np.zeros(shape, values.dtype)
    np.add.at(whole, places, values)
    return whole


def _keep(x: Array, places: tuple[Array, ...]) -> Array:
    whole = np.zeros_like(x)
    whole[places] = x[places]
    return whole


op("put_places", _put, kind="linear", node="SparseCooTensorWithDimsAndTensorsBackward0",
   values=lambda g, xp, values_shape, places: xp.take_places(g, places) if places else xp.expand(g, values_shape))  # fmt: skip
op("put_compressed", _put, kind="linear", node="SparseCompressedTensorBackward0",
   values=lambda g, xp, places: xp.take_places(g, places))  # fmt: skip
op("take_places", lambda x, places: x[places], kind="linear", node="ValuesBackward0",
   x=lambda g, xp, x_shape, places: xp.put_places(g, places, x_shape))  # fmt: skip
op("keep_places", _keep, kind="linear", node="SparseMaskBackward0",
   x=lambda g, xp, places: xp.keep_places(g, places))  # fmt: skip
# The values stay; only the layout around them is another.
op("from_sparse", lambda x, places: x.copy(), kind="linear", node="ToDenseBackward0",
   x=lambda g, xp, places: g if places is None else xp.keep_places(g, places))  # fmt: skip
for _name, _node in {
    "coalesced": "CoalesceBackward0",
    "to_mkldnn_layout": "ToMkldnnBackward0",
    "to_sparse_coo": "ToSparseBackward1",
    "to_sparse_csr": "ToSparseCsrBackward0",
    "to_sparse_csc": "ToSparseCscBackward0",
    "to_sparse_bsr": "ToSparseBsrBackward0",
    "to_sparse_bsc": "ToSparseBscBackward0",
}.items():
    op(_name, lambda x: x.copy(), kind="linear", node=_node, x=lambda g: g)
