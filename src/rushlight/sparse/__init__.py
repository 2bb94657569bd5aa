"""torch.sparse: functions of sparse tensors, and the tensors themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arguments import type_name
from ..base.device import sparse_coo
from ..ops.argument_forms import held_to_forms
from ..ops.public import ops
from ..overrides.torch_function import DisableTorchFunctionSubclass
from ..tensor import Tensor
from . import calls as calls
from .creation import (
    converted,
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_coo_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
    sparse_mask,
)
from .invariants import check_sparse_tensor_invariants
from .legacy import CLASSES
from .products import reduced_mm, sum_with_product
from .rows import log_softmax, sampled_addmm, softmax, spdiags
from .tensors import SparseTensor, made

__all__ = [
    "addmm",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "sum",
]


@held_to_forms("_sparse_mm")
def mm(mat1: Any, mat2: Any, reduce: str = "sum") -> Any:
    """The product of two matrices, the first sparse; its gradient is that of the first's own indices.

    >>> import rushlight as torch
    >>> a = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse().requires_grad_()
    >>> torch.sparse.mm(a, torch.ones(2, 3)).sum().backward()
    >>> a.grad.to_dense()
    tensor([[0., 3.],
            [0., 0.]])
    """
    for label, place, matrix in (("sparse", 1, mat1), ("dense", 2, mat2)):
        if not isinstance(matrix, Tensor):
            raise TypeError(f"_sparse_mm(): argument '{label}' (position {place}) must be Tensor, not {type_name(matrix)}")
    if reduce != "sum":
        return reduced_mm(mat1, mat2, reduce)
    result = sum_with_product(None, mat1, mat2, 1, 1)
    if result is not NotImplemented:
        return result
    result = masked(mat1) @ masked(mat2)
    both = isinstance(mat1, SparseTensor) and isinstance(mat2, SparseTensor)
    return converted(result, mat1.layout) if both else result


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * mat + alpha * mm(mat1, mat2)``."""
    result = sum_with_product(mat, mat1, mat2, beta, alpha)
    if result is not NotImplemented:
        return result
    return masked(mat) * beta + masked(mat1) @ masked(mat2) * alpha


@held_to_forms("_sparse_sum")
def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of the values, or sums over dimensions: sparse in the sparse dimensions that are left, dense where none is.

    >>> import rushlight as torch
    >>> torch.sparse.sum(torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse())
    tensor(5.)
    """
    if dim is None:
        total = input.coalesce().values().sum()
        return total if dtype is None else total.to(dtype)
    if not isinstance(input, SparseTensor):
        raise NotImplementedError("Could not run 'aten::_indices' with arguments from the 'CPU' backend.")
    if not input.is_sparse:
        raise NotImplementedError("Could not run 'aten::_indices' with arguments from the 'SparseCsrCPU' backend.")
    sums = masked(input).sum(dim, dtype=dtype)
    gone = {axis % input.ndim for axis in ((dim,) if isinstance(dim, int) else dim)}
    left = [axis for axis in range(input.sparse_dim()) if axis not in gone]
    with DisableTorchFunctionSubclass():
        sums = ops.sparse_sum(sums)
    if not left:
        return sums
    places = np.unique(np.stack(input.detach().coalesce().coordinates())[left], axis=1)  # sums that are zero among them
    return made(sparse_coo, (places,), sums._array[tuple(places)], sums._array.shape, True, sums._edge)


def masked(one: Any) -> Tensor:
    """The dense tensor of a sparse one, whose gradient comes back at its indices."""
    return one.to_dense() if isinstance(one, SparseTensor) else one


globals().update(CLASSES)
