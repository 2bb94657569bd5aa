"""Linear algebra of the Python Array API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import rushlight as torch
from rushlight import Tensor, dtype

from . import reductions
from .dtypes import together

Axes = int | tuple[int, ...]
Order = float | Literal["fro", "nuc"] | None


class EighResult(NamedTuple):
    """What :func:`eigh` and :func:`eig` give."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """What :func:`qr` gives."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """What :func:`slogdet` gives."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """What :func:`svd` gives."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The product of matrices, of stacks of them, or of lines with them."""
    return torch.matmul(*together(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two axes exchanged."""
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Products summed along several axes of both."""
    return torch.tensordot(*together(x1, x2), dims=axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Products of the conjugate of one and the other, summed along an axis of both."""
    a, b = together(x1, x2)
    return torch.sum(a.conj() * b, axis, dtype=a.dtype)


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular matrix that, with its own adjoint, has the product ``x``."""
    return torch.linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of 3 along an axis."""
    return torch.linalg.cross(*together(x1, x2), dim=axis)


def det(x: Tensor, /) -> Tensor:
    """Determinants."""
    return torch.linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """A diagonal of matrices."""
    return torch.diagonal(x, offset, -2, -1)


def eig(x: Tensor, /) -> EighResult:
    """Eigenvalues and eigenvectors."""
    return EighResult(*torch.linalg.eig(x))


def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues."""
    return torch.linalg.eigvals(x)


def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues and eigenvectors of matrices that are their own adjoints."""
    return EighResult(*torch.linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues of matrices that are their own adjoints."""
    return torch.linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """Inverses."""
    return torch.linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Order = "fro") -> Tensor:
    """Norms of matrices."""
    return torch.linalg.matrix_norm(x, ord if ord is not None else "fro", (-2, -1), keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Products of ``n`` times the same matrix."""
    return torch.linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """How many singular values are larger than ``rtol`` times the largest."""
    return torch.linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Products of each element of one line and each of another."""
    return torch.outer(*together(x1, x2))


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Pseudoinverses (Moore and Penrose)."""
    return torch.linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """A matrix of orthonormal columns and a triangular one."""
    return QRResult(*torch.linalg.qr(x, mode))


def slogdet(x: Tensor, /) -> SlogdetResult:
    """The signs of determinants and the logarithms of their absolute values."""
    return SlogdetResult(*torch.linalg.slogdet(x))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """What ``x1`` is to be multiplied with for ``x2``, which is a line where it has one axis, else a stack of matrices.

    >>> import rushlight as torch
    >>> from rushlight.array_api.linalg import solve
    >>> solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    a, b = together(x1, x2)
    if b.ndim == 1:
        return torch.linalg.solve(a, b[:, None])[..., 0]
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # PyTorch takes b for lines where it looks like some
    return torch.linalg.solve(a, b.expand(*batch, *b.shape[-2:]))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular values between two matrices of orthonormal columns and rows."""
    return SVDResult(*torch.linalg.svd(x, full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Singular values."""
    return torch.linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: dtype | None = None) -> Tensor:
    """Sums along a diagonal of matrices."""
    return reductions.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """Norms along axes, of all elements without any."""
    return torch.abs(x) if axis == () else torch.linalg.vector_norm(x, ord, axis, keepdims)
