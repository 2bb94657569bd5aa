"""Products of sparse matrices and dense ones, where the indices of the values are made use of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.attributes import held
from ..base.device import sparse_csr
from ..ops.public import ops
from ..overrides.torch_function import DisableTorchFunctionSubclass
from ..tensor import Tensor, wrap
from .tensors import SparseTensor, camel
from .validity import check_factor

# By the name of the function: how many dimensions the dense operand of a sparse matrix may have.
PRODUCTS = {"mm": (2,), "mv": (1,), "matmul": (1, 2)}


def product(name: str, a: Any, b: Any) -> Any:
    """``a @ b``, one of them a sparse matrix and the other dense, or NotImplemented for what is no case of this."""
    with DisableTorchFunctionSubclass():
        if _shapes_match(a, b, PRODUCTS[name]):
            op = ops.sparse_mm if b._array.ndim == 2 else ops.sparse_mv
            return op(in_graph(a), b, a.as_matrix())
        if name != "mv" and _shapes_match(b, a, (2,), -1):
            return ops.mm_by_sparse(a, in_graph(b), b.as_matrix())
    return NotImplemented


def sum_with_product(bias: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """``beta * bias + alpha * (a @ b)`` of a sparse and a dense matrix, or NotImplemented; no ``bias`` where that is None."""
    with DisableTorchFunctionSubclass():
        if not _shapes_match(a, b, (2,)):
            return NotImplemented
        if bias is None:
            bias, beta = wrap(np.zeros((), b._array.dtype)), 0
        shape = (a._array.shape[0], b._array.shape[1])
        if not isinstance(bias, Tensor) or not bias._strided or bias._array.dtype != b._array.dtype:
            return NotImplemented
        if beta and bias._array.shape != shape:
            return NotImplemented
        return ops.sparse_addmm(bias, in_graph(a), b, a.as_matrix(), a.coordinates(), beta, alpha)


def reduced_mm(a: Tensor, b: Tensor, reduce: str) -> Tensor:
    """Row by row the mean, or another summary, of the dense matrix's rows that the sparse one's values meet, each times its value.

    RuntimeError for summaries that there are not; NotImplementedError for layouts other than ``sparse_csr``.
    """
    if isinstance(a, SparseTensor) and not a.is_sparse and a.layout is not sparse_csr:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {camel(a.layout)}")
    if not isinstance(a, SparseTensor) or a.is_sparse:
        raise NotImplementedError("Could not run 'aten::_sparse_mm_reduce_impl': only matrices of layout sparse_csr are taken")
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    rows, columns = a.coordinates()
    values = a.values()
    with DisableTorchFunctionSubclass():
        each = values.unsqueeze(1) * b.index_select(0, wrap(columns))
        width = b._array.shape[1]
        out = wrap(np.zeros((a._array.shape[0], width), b._array.dtype))
        places = wrap(np.repeat(rows[:, None], width, 1))
        return out.scatter_reduce(0, places, each, reduce, include_self=False)


def _shapes_match(sparse: Any, dense: Any, ndims: tuple[int, ...], meeting: int = 0) -> bool:
    """Whether these are a sparse matrix of plain values and a dense tensor; RuntimeError if as such they do not go together.

    ``meeting``  the dense tensor's dimension that is summed over, 0 or -1
    """
    if not isinstance(sparse, SparseTensor) or not isinstance(dense, Tensor) or not dense._strided or dense._of_batch:
        return False
    array, other = sparse._array, dense._array
    if not array.ndim == sparse.sparse_dim() == 2 or sparse._held.ndim != 1 or other.ndim not in ndims:
        return False
    wanted, have = array.shape[1 + meeting], other.shape[meeting]
    if sparse.is_sparse and sparse._matrix is None and wanted == have and array.dtype == other.dtype:
        check_factor(sparse._index_arrays[0], array.shape, meeting == -1)
    if array.dtype.kind not in "fc" or array.itemsize == 2:
        return False
    if sparse.is_sparse and wanted != have:
        if other.ndim == 1:
            raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {wanted}, got {have}")
    if sparse.is_sparse and array.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {sparse.dtype.scalar_name} but found {dense.dtype.scalar_name}")
    return wanted == have and array.dtype == other.dtype


def in_graph(matrix: SparseTensor) -> Tensor:
    """What stands for a sparse matrix in the graph: without memory where no gradient is wanted of it."""
    if matrix._needs_grad:
        return matrix.stand_in()
    dense = wrap(matrix._array)
    dense._counter = matrix._counter
    held(dense)["stands_for"] = matrix
    return dense
