"""Tensors in other layouts: ``to_sparse`` and its kin, ``to_mkldnn``.

Their classes are made when one is asked for: a class that takes functions over must come after all methods of Tensor.
"""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.arguments import type_name
from ...base.device import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from ...ops.integer_arguments import whole_number
from ...ops.layouts import only_of_sparse
from ...ops.publishing import method
from ...tensor import Methods, Tensor


def _sparse(tensor: Tensor, kind: Any, sparse_dim: int | None = None, blocksize: Any = None) -> Tensor:
    from ...sparse.creation import converted

    sides = (blocksize, blocksize) if isinstance(blocksize, int) else blocksize
    if sides is not None and kind in (sparse_coo, sparse_bsr, sparse_bsc):
        name = "dense_to_sparse" + str(kind).removeprefix("torch.sparse").removesuffix("_coo")
        if any(side <= 0 for side in sides):
            raise RuntimeError(f"{name}: blocksize needs to be positive, but got {list(sides)}")
        if kind is sparse_coo:
            raise RuntimeError(f"{name}: conversion from Strided to Sparse with blocksize argument given is not supported")
    return converted(tensor, kind, sparse_dim, sides)


@method
def to_sparse(
    self: Tensor,
    sparse_dim: int | None = None,
    *,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Tensor:
    """The tensor in a sparse layout (``sparse_coo`` unless given), which keeps what is not zero.

    ``sparse_dim``  how many dimensions have places of their own; the values fill the others

    >>> import rushlight as torch
    >>> torch.tensor([[0, 0], [7, 0]]).to_sparse()
    tensor(indices=tensor([[1],
                           [0]]),
           values=tensor([7]),
           size=(2, 2), nnz=1, layout=torch.sparse_coo)
    """
    if sparse_dim is not None:
        sparse_dim = whole_number("to_sparse", "sparse_dim", 1, sparse_dim)
    if layout is strided:
        return self.to_dense()
    _check_dense_dim("to_sparse", self, dense_dim, self.ndim)
    return _sparse(self, sparse_coo if layout is None else layout, sparse_dim, blocksize)


def _check_dense_dim(name: str, tensor: Tensor, dense_dim: int | None, most: int | None = None) -> None:
    """PyTorch's errors for a number of dimensions that are kept dense: there are none but of tensors with more than two."""
    if dense_dim is not None:
        count, most = whole_number(name, "dense_dim", 1, dense_dim), tensor.ndim - 2 if most is None else most
        if not 0 <= count <= most:
            raise RuntimeError(f"dense_{name}: dense_dim argument must be in [0,{most}] range, but {count} is given")


@method
def to_sparse_coo(self: Tensor) -> Tensor:
    """:meth:`to_sparse`, whose layout is ``sparse_coo``."""
    return _sparse(self, sparse_coo)


@method
def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The tensor by its rows: pointers to their starts, columns, values.

    >>> import rushlight as torch
    >>> torch.tensor([[0, 0], [7, 0]]).to_sparse_csr().crow_indices()
    tensor([0, 0, 1])
    """
    _check_dense_dim("to_sparse_csr", self, dense_dim)
    return _sparse(self, sparse_csr)


@method
def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The tensor by its columns: pointers to their starts, rows, values.

    >>> import rushlight as torch
    >>> torch.tensor([[0, 0], [7, 0]]).to_sparse_csc().ccol_indices()
    tensor([0, 1, 1])
    """
    _check_dense_dim("to_sparse_csc", self, dense_dim)
    return _sparse(self, sparse_csc)


@method
def to_sparse_bsr(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """The tensor by its rows of blocks; ``blocksize``, their height and width, must divide its own.

    >>> import rushlight as torch
    >>> torch.eye(4).to_sparse_bsr((2, 2)).col_indices()
    tensor([0, 1])
    """
    return _sparse(self, sparse_bsr, blocksize=blocksize)


@method
def to_sparse_bsc(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """The tensor by its columns of blocks; ``blocksize``, their height and width, must divide its own.

    >>> import rushlight as torch
    >>> torch.eye(4).to_sparse_bsc((2, 2)).row_indices()
    tensor([0, 1])
    """
    return _sparse(self, sparse_bsc, blocksize=blocksize)


@method
def sparse_mask(self: Tensor, mask: Any) -> Tensor:
    """The elements at the places of a sparse tensor, in its layout.

    >>> import rushlight as torch
    >>> torch.ones(2, 2).sparse_mask(torch.eye(2).to_sparse()).to_dense()
    tensor([[1., 0.],
            [0., 1.]])
    """
    from ...sparse.creation import sparse_mask

    return sparse_mask(self, mask)


@method
def sparse_dim(self: Tensor) -> int:
    """How many dimensions have places of their own: none of a dense tensor's."""
    return 0


@method
def dense_dim(self: Tensor) -> int:
    """How many dimensions the values fill: all of a dense tensor's."""
    return self._array.ndim


def _of_sparse_only(name: str, kinds: str) -> None:
    def ask(self: Tensor) -> Any:
        raise RuntimeError(f"{name} expected sparse {kinds} layout but got Strided")

    ask.__name__ = name
    ask.__doc__ = "A part of a sparse tensor: RuntimeError, for this one is dense. See ``torch.sparse``."
    method(ask)


for _name in ("coalesce", "indices", "values", "is_coalesced", "_nnz", "_indices", "_values"):
    _of_sparse_only(_name, "coordinate tensor")
for _name in ("crow_indices", "col_indices", "ccol_indices", "row_indices"):
    _of_sparse_only(_name, "row compressed tensor" if _name in ("crow_indices", "col_indices") else "column compressed tensor")


@method
def smm(self: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one: RuntimeError, for this one is dense. See :func:`torch.smm`."""
    raise only_of_sparse("sspaddmm")


@method
def sspaddmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """A sum with a product of sparse matrices: RuntimeError, for this one is dense. See :func:`torch.sspaddmm`."""
    raise only_of_sparse("sspaddmm")


@method
def to_mkldnn(self: Tensor, dtype: Any = None) -> Tensor:
    """The tensor under the layout ``torch._mkldnn``: it must be made dense again before its memory is looked at.

    >>> import rushlight as torch
    >>> m = torch.ones(2).to_mkldnn()
    >>> m.layout, (m + m).to_dense()
    (torch._mkldnn, tensor([2., 2.]))
    """
    from .opaque import opaque

    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"to_mkldnn(): argument 'dtype' (position 1) must be torch.dtype, not {type_name(dtype)}")
    taken = "float, bfloat16, half, uint8, int8"
    if self.dtype.name not in _OF_MKLDNN:
        raise RuntimeError(f"dense_to_mkldnn expects {taken} tensor input")
    if dtype is not None and dtype.name not in _OF_MKLDNN:
        raise RuntimeError(f"cpu tensor only can be converted to be a {taken} mkldnn tensor")
    return opaque(self if dtype is None else self.to(dtype))


_OF_MKLDNN = ("float32", "bfloat16", "float16", "uint8", "int8")


class OfScattered(Methods):
    """Cotangents that are kept by places and values, as tensors."""

    @staticmethod
    def _of_scattered(array: Any) -> Tensor:
        from ...sparse.tensors import of_scattered

        return of_scattered(array)

    @staticmethod
    def _scattered_gradient(array: Any) -> Tensor:
        from ...sparse.tensors import gradient

        return gradient(array)
