"""Between dense tensors and those of other layouts: what the graph records of it. See the room ``sparse``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import sparse_products as k
from .rule_functions import conj
from .table import arrays, op

Array = np.ndarray[Any, Any]


def _put(values: Array, indices: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    if not indices:  # all dimensions are dense: every value is for the whole
        return values.sum(0, dtype=values.dtype).reshape(shape)
    whole = np.zeros(shape, values.dtype)
    np.add.at(whole, indices, values)
    return whole


def _keep(x: Array, indices: tuple[Array, ...]) -> Array:
    whole = np.zeros_like(x)
    whole[indices] = x[indices]
    return whole


op("put_at", _put, kind="linear", node="SparseCooTensorWithDimsAndTensorsBackward0",
   values=lambda g, xp, values_shape, indices: xp.take_at(g, indices) if indices else xp.expand(g, values_shape))  # fmt: skip
op("put_compressed", _put, kind="linear", node="SparseCompressedTensorBackward0",
   values=lambda g, xp, indices: xp.take_at(g, indices))  # fmt: skip
op("take_at", lambda x, indices: x[indices], kind="linear", node="ValuesBackward0",
   x=lambda g, xp, x_shape, indices: xp.put_at(g, indices, x_shape))  # fmt: skip
op("keep_at", _keep, kind="linear", node="SparseMaskBackward0",
   x=lambda g, xp, indices: xp.keep_at(g, indices))  # fmt: skip
# The values stay; only the layout around them is another.
op("from_sparse", lambda x, indices: x.copy(), kind="linear", node="ToDenseBackward0",
   x=lambda g, xp, indices: g if indices is None else xp.keep_at(g, indices))  # fmt: skip
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

# Products with a matrix that is given by its indices and values. ``a`` is it in the graph: a dense tensor of its values only if a
# gradient is wanted of them.
op("sparse_mm", k.product, node="MmBackward0",
   a=lambda g, xp, x: xp.mm(g, xp.turned(x)),
   x=lambda g, xp, a, matrix: xp.sparse_mm(_turned(a, xp), g, matrix.adjoint()))  # fmt: skip
op("sparse_mv", k.vector_product, node="MvBackward0",
   a=lambda g, xp, x: xp.outer(g, conj(x)),
   x=lambda g, xp, a, matrix: xp.sparse_mv(_turned(a, xp), g, matrix.adjoint()))  # fmt: skip
op("mm_by_sparse", k.product_from_left, node="MmBackward0",
   x=lambda g, xp, a, matrix: xp.mm_by_sparse(g, _turned(a, xp), matrix.adjoint()),
   a=lambda g, xp, x: xp.mm(xp.turned(x), g))  # fmt: skip
op("sparse_addmm", k.sum_with_product, node="SparseAddmmBackward0",
   bias=lambda g, beta: g if beta == 1 else g * conj(beta),
   a=lambda g, xp, x, indices, alpha: xp.keep_at(_scaled(xp.mm(g, xp.turned(x)), alpha), indices),
   x=lambda g, xp, a, matrix, alpha: _scaled(xp.sparse_mm(_turned(a, xp), g, matrix.adjoint()), alpha))  # fmt: skip


def _turned(a: Any, xp: Any) -> Any:
    """The conjugated transpose of what only the graph asks for."""
    return a.T if xp is arrays else xp.turned(a)


def _scaled(g: Any, factor: Any) -> Any:
    return g if factor == 1 else g * conj(factor)
