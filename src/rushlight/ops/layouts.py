"""Between dense tensors and those of other layouts: what the graph records of it. See the room ``sparse``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import sparse_products as k
from .rule_functions import conj
from .table import arrays, op

Array = np.ndarray[Any, Any]
Read = Any  # in a rule: arrays or Tensors, their namespace, numbers


def only_of_sparse(name: str) -> RuntimeError:
    """PyTorch's error for a method of sparse tensors that a dense one is asked for."""
    return RuntimeError(f"tensor.{name}(...) can only be called on sparse tensors")


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
    "sparse_sum": "SparseSumBackward0",
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


def _turned(a: Read, xp: Read) -> Read:
    """The conjugated transpose of what only the graph asks for."""
    return a.T if xp is arrays else xp.turned(a)


def _scaled(g: Read, factor: Read) -> Read:
    return g if factor == 1 else g * conj(factor)


# Softmax of what is stored. ``groups`` says which values lie on one line; of a dimension that is dense, ``inner`` is its place
# among the values' own.
def _summed(values: Read, xp: Read, groups: Array, inner: int | None) -> Read:
    if inner is not None:
        return xp.sum(values, inner, True)
    count = int(groups.max(initial=-1)) + 1
    return xp.take_at(xp.put_at(values, (groups,), (count, *values.shape[1:])), (groups,))


def _softmax(x: Array, indices: tuple[Array, ...], groups: Array, inner: int | None, logarithm: bool = False) -> Array:
    values = x[indices]
    if inner is None:
        most = np.full((int(groups.max(initial=-1)) + 1, *values.shape[1:]), -np.inf, values.dtype)
        np.maximum.at(most, groups, values)
        most = most[groups]
    else:
        most = values.max(inner, keepdims=True)
    powers = np.exp(values - most)
    sums = _summed(powers, arrays, groups, inner)
    whole = np.zeros_like(x)
    whole[indices] = values - (most + np.log(sums)) if logarithm else powers / sums
    return whole


def _softmax_backward(g: Read, xp: Read, out: Read, indices: tuple[Array, ...], groups: Array, inner: int | None) -> Read:
    g, y = xp.take_at(g, indices), xp.take_at(out, indices)
    return xp.put_at((g - _summed(g * y, xp, groups, inner)) * y, indices, out.shape)


def _log_softmax_backward(g: Read, xp: Read, out: Read, indices: tuple[Array, ...], groups: Array, inner: int | None) -> Read:
    g, y = xp.take_at(g, indices), xp.take_at(out, indices)
    return xp.put_at(g - xp.exp(y) * _summed(g, xp, groups, inner), indices, out.shape)


op("sparse_softmax", _softmax, node="SparseSoftmaxBackward0",
   x=lambda g, xp, out, indices, groups, inner: _softmax_backward(g, xp, out, indices, groups, inner))  # fmt: skip
op("sparse_log_softmax", lambda x, indices, groups, inner: _softmax(x, indices, groups, inner, True),
   node="SparseLogSoftmaxBackward0",
   x=lambda g, xp, out, indices, groups, inner: _log_softmax_backward(g, xp, out, indices, groups, inner))  # fmt: skip


def _sampled_addmm(a: Array, x: Array, y: Array, indices: tuple[Array, ...], beta: Read, alpha: Read) -> Array:
    rows, columns = indices
    whole = np.zeros_like(a)
    whole[indices] = alpha * np.einsum("ij,ji->i", x[rows], y[:, columns]).astype(a.dtype)
    if beta:
        whole[indices] += beta * a[indices]
    return whole


op("sampled_addmm", _sampled_addmm, node="SparseSampledAddmmBackward0",
   a=lambda g, xp, indices, beta: _scaled(xp.keep_at(g, indices), beta),
   x=lambda g, xp, y, indices, alpha: xp.mm(_scaled(xp.keep_at(g, indices), alpha), xp.turned(y)),
   y=lambda g, xp, x, indices, alpha: xp.mm(xp.turned(x), _scaled(xp.keep_at(g, indices), alpha)))  # fmt: skip
