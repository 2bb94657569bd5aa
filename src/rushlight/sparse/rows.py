"""Functions of sparse tensors in which only what is stored has part: softmax along a dimension, products at given places, diagonals."""

from __future__ import annotations

import numpy as np

from ..base.device import layout as Layout
from ..base.device import sparse_coo, sparse_csc, sparse_csr
from ..base.dtypes import dtype as DType
from ..ops.argument_forms import held_to_forms
from ..ops.layouts import only_of_sparse
from ..ops.public import axis_of, ops
from ..overrides.torch_function import DisableTorchFunctionSubclass
from ..tensor import Tensor
from .creation import converted, sparse_coo_tensor
from .tensors import Array, SparseTensor, camel, made


def _refuse(name: str, tensor: Tensor) -> None:
    backend = "" if not isinstance(tensor, SparseTensor) else "Sparse" if tensor.is_sparse else "SparseCsr"
    raise NotImplementedError(f"Could not run 'aten::{name}' with arguments from the '{backend}CPU' backend.")


@held_to_forms("_sparse_softmax")
def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Softmax along a dimension of what is stored; what is not stored counts as minus infinity and stays so.

    >>> import rushlight as torch
    >>> torch.sparse.softmax(torch.tensor([[0.0, 2.0], [3.0, 3.0]]).to_sparse(), 1).to_dense()
    tensor([[0.0000, 1.0000],
            [0.5000, 0.5000]])
    """
    return _soft("softmax", input, dim, dtype)


@held_to_forms("_sparse_log_softmax")
def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of :func:`softmax`.

    >>> import rushlight as torch
    >>> torch.sparse.log_softmax(torch.tensor([[0.0, 2.0]]).to_sparse(), 1).to_dense()
    tensor([[0., 0.]])
    """
    return _soft("log_softmax", input, dim, dtype)


def _soft(name: str, input: Tensor, dim: int, dtype: DType | None) -> Tensor:
    if not isinstance(dim, int):
        raise TypeError(f"_sparse_{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")
    if not isinstance(input, SparseTensor) or not input.is_sparse:
        _refuse(f"_sparse_{name}", input)
        raise AssertionError
    given = input.coalesce() if dtype is None else input.coalesce().to(dtype)
    axis, kind = axis_of(dim, given._array.ndim), given._held.dtype
    if kind.kind != "f" or kind.itemsize == 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{given.dtype.scalar_name}'")
    indices = given._index_arrays[0]
    dense = axis - len(indices)
    groups = _groups(indices, axis, given._array.shape) if dense < 0 else np.zeros(0, np.int64)
    inner = dense + 1 if dense >= 0 else None
    with DisableTorchFunctionSubclass():
        source = given.stand_in()
        whole = getattr(ops, f"sparse_{name}")(source, given.coordinates(), groups, inner)
    return made(sparse_coo, given._index_arrays, whole._array[given.coordinates()], given._array.shape, True, whole._edge)


def _groups(indices: Array, axis: int, shape: tuple[int, ...]) -> Array:
    """Which values lie on one line along a sparse dimension: equal numbers, from 0 on."""
    others = [place for place in range(len(indices)) if place != axis]
    if not others:
        return np.zeros(indices.shape[1], np.int64)
    lines = np.ravel_multi_index(tuple(indices[others]), tuple(shape[place] for place in others))
    return np.unique(lines, return_inverse=True)[1].reshape(-1)


@held_to_forms("sparse_sampled_addmm")
def sampled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` at the places of ``input``, a matrix of layout ``sparse_csr``.

    RuntimeError for other layouts, and for sizes that do not go together.

    >>> import rushlight as torch
    >>> a = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_csr()
    >>> torch.sparse.sampled_addmm(a, torch.ones(2, 3), torch.ones(3, 2)).to_dense()
    tensor([[0., 5.],
            [0., 0.]])
    """
    if not isinstance(input, SparseTensor) or input.is_sparse:
        _refuse("sparse_sampled_addmm", input)
        raise AssertionError
    for label, one in (("mat1", mat1), ("mat2", mat2)):
        if isinstance(one, SparseTensor):
            raise RuntimeError(f"sampled_addmm: Expected {label} to have strided layout, but got {camel(one.layout)}")
    if input.layout is not sparse_csr:
        raise RuntimeError(f"sampled_addmm: Expected result to have sparse csr layout, but got {camel(input.layout)}")
    if input._held.dtype.kind not in "fc":
        raise RuntimeError(
            f"sparse_sampled_addmm: Expected self to be a floating-point or complex tensor, but got {input.dtype.scalar_name}"
        )
    if mat1.dtype is not mat2.dtype:
        raise RuntimeError(
            "sampled_addmm: Expected mat1 and mat2 to have the same dtype, but got "
            f"{mat1.dtype.scalar_name} and {mat2.dtype.scalar_name}"
        )
    for label, one in (("mat1", mat1), ("mat2", mat2)):
        if one._array.ndim != 2:
            raise RuntimeError(f"sampled_addmm: Expected {label} to be a matrix, got {one._array.ndim}-D tensor")
    left, right, shape = mat1._array.shape, mat2._array.shape, input._array.shape
    if left[1] != right[0]:
        raise RuntimeError(
            f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({left[0]}x{left[1]} and {right[0]}x{right[1]})"
        )
    for axis, label, have in ((-2, "mat1", left[0]), (-1, "mat2", right[1])):
        if shape[axis] != have:
            raise RuntimeError(f"sampled_addmm: self.shape[{axis}] must match {label}.shape[{axis}]")
    places = input.coordinates()
    with DisableTorchFunctionSubclass():
        whole = ops.sampled_addmm(input.stand_in(), mat1, mat2, places, beta, alpha)
    return input.with_values(whole._array[places], whole._edge)


@held_to_forms("_spdiags")
def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple[int, int], layout: Layout | None = None) -> Tensor:
    """The matrix of ``shape`` with the rows of ``diagonals`` on its diagonals ``offsets``: 0 is the main one, those above it count up.

    RuntimeError for offsets that are no distinct integers, one a row, and for layouts other than ``sparse_coo``, ``sparse_csr`` and
    ``sparse_csc``.

    >>> import rushlight as torch
    >>> torch.sparse.spdiags(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0, 1]), (2, 2)).to_dense()
    tensor([[1., 4.],
            [0., 2.]])
    """
    rows = diagonals.unsqueeze(0) if diagonals.dim() == 1 else diagonals
    starts = offsets.unsqueeze(0) if offsets.dim() == 0 else offsets
    if rows.dim() != 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if starts.dim() != 1:
        raise RuntimeError("Offsets must be scalar or vector")
    if rows.shape[0] != starts.shape[0]:
        raise RuntimeError(f"Number of diagonals ({rows.shape[0]}) does not match the number of offsets ({starts.shape[0]})")
    if starts._array.dtype != np.int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {starts.dtype.scalar_name}")
    if len(set(starts._array.tolist())) < len(starts._array):
        raise RuntimeError("Offset tensor contains duplicate values")
    if layout not in (None, sparse_coo, sparse_csr, sparse_csc):
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {camel(layout)}")
    columns = np.arange(min(rows.shape[1], shape[1]))
    which, down, across = [], [], []
    for row, start in enumerate(starts._array.tolist()):
        kept = columns[(columns >= start) & (columns - start < shape[0])]
        which.append(np.full(len(kept), row))
        down.append(kept - start)
        across.append(kept)
    number, y, x = (np.concatenate(part).astype(np.int64) if part else np.zeros(0, np.int64) for part in (which, down, across))
    values = ops.take_at(rows, (number, x))
    matrix = sparse_coo_tensor(np.stack([y, x]), values, shape)
    return matrix if layout in (None, sparse_coo) else converted(matrix, layout)


def _matrix(name: str, input: Tensor, mat: Tensor) -> SparseTensor:
    if not isinstance(input, SparseTensor) or not input.is_sparse:
        if name == "sspaddmm":
            raise only_of_sparse(name)
        _refuse(name, input)
    assert isinstance(input, SparseTensor)
    if input._array.shape[1] != mat._array.shape[0]:
        raise RuntimeError(f"{name}: Argument #3: Expected dim 0 size {input._array.shape[1]}, got {mat._array.shape[0]}")
    return input.detach().coalesce()


@held_to_forms("hspmm")
def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, by rows: one sparse dimension and one dense. Without a gradient.

    >>> import rushlight as torch
    >>> torch.hspmm(torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse(), torch.ones(2, 2))
    tensor(indices=tensor([[0]]),
           values=tensor([[2., 2.]]),
           size=(2, 2), nnz=1, layout=torch.sparse_coo)
    """
    matrix = _matrix("hspmm", mat1, mat2)
    kept = np.unique(matrix._index_arrays[0][0])
    whole = matrix.as_matrix().times(np.ascontiguousarray(mat2._array))
    return made(sparse_coo, (kept[None],), whole[kept], whole.shape, False)


@held_to_forms("smm")
def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, sparse: all columns of the rows in which the first has values.

    >>> import rushlight as torch
    >>> torch.smm(torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse(), torch.ones(2, 2))
    tensor(indices=tensor([[0, 0],
                           [0, 1]]),
           values=tensor([2., 2.]),
           size=(2, 2), nnz=2, layout=torch.sparse_coo)
    """
    matrix = _matrix("sspaddmm", input, mat2)
    kept = np.unique(matrix._index_arrays[0][0])
    whole = matrix.as_matrix().times(np.ascontiguousarray(mat2._array))
    width = whole.shape[1]
    places = np.stack([np.repeat(kept, width), np.tile(np.arange(width), len(kept))])
    return made(sparse_coo, (places,), whole[kept].reshape(-1), whole.shape, False)


@held_to_forms("sspaddmm")
def sspaddmm(input: SparseTensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * input + alpha * smm(mat1, mat2)``, all of its values one after the other, whatever their places. Without a gradient.

    >>> import rushlight as torch
    >>> a = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(a, a, torch.ones(2, 2), alpha=3).to_dense()
    tensor([[4., 3.],
            [3., 4.]])
    """
    product = smm(mat1, mat2)
    assert isinstance(product, SparseTensor)
    places = np.concatenate([input._index_arrays[0], product._index_arrays[0]], 1)
    values = np.concatenate([input._held * beta, product._held * alpha]).astype(input._held.dtype)
    return made(sparse_coo, (places,), values, input._array.shape, False)
