# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Sequence
from numpy import generic
from numpy import ndarray
from rushlight import Tensor
from rushlight import dtype
from rushlight.return_types import linalg_cholesky_ex
from rushlight.return_types import linalg_eig
from rushlight.return_types import linalg_eigh
from rushlight.return_types import linalg_inv_ex
from rushlight.return_types import linalg_ldl_factor
from rushlight.return_types import linalg_ldl_factor_ex
from rushlight.return_types import linalg_lstsq
from rushlight.return_types import linalg_lu
from rushlight.return_types import linalg_lu_factor
from rushlight.return_types import linalg_lu_factor_ex
from rushlight.return_types import linalg_qr
from rushlight.return_types import linalg_slogdet
from rushlight.return_types import linalg_solve_ex
from rushlight.return_types import linalg_svd
from typing import Any

class LinAlgError(RuntimeError):
    """A matrix for which the result does not exist: singular, not positive-definite, without convergence."""
def cholesky(input: Tensor, *, upper: bool = False, out: Any = None) -> Tensor:
    """The triangular L of a Hermitian positive-definite matrix (or a batch of them), ``L @ L.mH == input``."""
    ...
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> linalg_cholesky_ex:
    """As :func:`cholesky`, with for each matrix 0 or the order of the first leading minor that is not positive."""
    ...
def cond(input: Tensor, p: Any = None, *, out: Any = None) -> Tensor:
    """The condition number: the norm of a matrix times the norm of its inverse; inf where there is none."""
    ...
def cross(input: Tensor, other: Tensor | complex | ndarray[Any, Any] | generic, *, dim: int = -1, out: Any = None) -> Tensor:
    """The cross product of vectors of three elements along ``dim``."""
    ...
def det(A: Any, *, out: Any = None) -> Tensor:
    """The determinant of a square matrix, or of each of a batch."""
    ...
def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """:func:`torch.diagonal`, of the last two dimensions unless told otherwise."""
    ...
def eig(input: Tensor, *, out: Any = None) -> linalg_eig:
    """Eigenvalues and eigenvectors of a square matrix, complex always."""
    ...
def eigh(input: Tensor, UPLO: str = 'L', *, out: Any = None) -> linalg_eigh:
    """Eigenvalues, ascending, and eigenvectors of a Hermitian matrix (or a batch), of which one triangle is looked at."""
    ...
def eigvals(input: Tensor, *, out: Any = None) -> Tensor:
    """Eigenvalues of a square matrix, complex always."""
    ...
def eigvalsh(input: Tensor, UPLO: str = 'L', *, out: Any = None) -> Tensor:
    """Eigenvalues of a Hermitian matrix, ascending."""
    ...
def householder_product(input: Tensor, tau: Any, *, out: Any = None) -> Tensor:
    """The first columns of ``H_1 @ H_2 @ ...``, the reflectors being packed as :func:`torch.geqrf` leaves them."""
    ...
def inv(A: Any, *, out: Any = None) -> Tensor:
    """The inverse of a square matrix, or of each of a batch."""
    ...
def inv_ex(A: Any, *, check_errors: bool = False, out: Any = None) -> linalg_inv_ex:
    """Inverses, and for each matrix 0 or the number of the pivot that was zero."""
    ...
def ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> linalg_ldl_factor:
    """``L @ D @ L.mT`` of a symmetric (or ``hermitian``) matrix, packed with its pivots as LAPACK's sytrf leaves them."""
    ...
def ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Any = None) -> linalg_ldl_factor_ex:
    """As :func:`ldl_factor`, with for each matrix 0 or the number of the first block of D that is singular."""
    ...
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False, out: Any = None) -> Tensor:
    """X with ``A @ X == B``, given what :func:`ldl_factor` made of A. Needs the extra ``scipy``."""
    ...
def lstsq(input: Tensor, b: Any, rcond: Any = None, *, driver: Any = None, out: Any = None) -> linalg_lstsq:
    """X for which ``input @ X`` is closest to ``b``; of all such X the least."""
    ...
def lu(A: Any, *, pivot: bool = True, out: Any = None) -> linalg_lu:
    """P, L and U with ``P @ L @ U == A``: a permutation, unit lower triangular, upper triangular."""
    ...
def lu_factor(A: Any, *, pivot: bool = True, out: Any = None) -> linalg_lu_factor:
    """L and U in one matrix, and the row that each row was swapped with, counted from 1."""
    ...
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> linalg_lu_factor_ex:
    """As :func:`lu_factor`, with for each matrix 0 or the number of the first pivot that is zero."""
    ...
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False, out: Any = None) -> Tensor:
    """X with ``A @ X == B`` (or ``X @ A == B``, or with the adjoint of A), given what :func:`lu_factor` made of A."""
    ...
def matmul(input: Tensor, other: Tensor | complex | ndarray[Any, Any] | generic, *, out: Any = None) -> Tensor:
    """:func:`torch.matmul`."""
    ...
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential, ``sum(A ** k / k!)``, of a square matrix or each of a batch."""
    ...
def matrix_norm(input: Tensor, ord: Any = 'fro', dim: Any = (-2, -1), keepdim: bool = False, *, dtype: dtype | None = None, out: Any = None) -> Tensor:
    """Norms of matrices: 'fro' (the root of the sum of squares), 'nuc' (the sum of the singular values), 2 and -2 (the greatest and least of those), 1 and -1 (of the columns' sums of sizes), inf and -inf (of the rows')."""
    ...
def matrix_power(input: Tensor, n: int, *, out: Any = None) -> Tensor:
    """The product of n copies of a square matrix; of its inverse for a negative n."""
    ...
def matrix_rank(input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None) -> Tensor:
    """How many singular values are above ``max(atol, rtol * the greatest)``."""
    ...
def multi_dot(tensors: Any, *, out: Any = None) -> Tensor:
    """The product of two or more matrices, in the order of fewest multiplications; the ends may be vectors."""
    ...
def norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None, out: Any = None) -> Tensor:
    """A vector's or a matrix's norm, :func:`vector_norm` or :func:`matrix_norm` by the number of dimensions."""
    ...
def pinv(input: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None) -> Tensor:
    """The Moore-Penrose inverse; singular values up to ``max(atol, rtol * the greatest)`` count as zero."""
    ...
def qr(A: Any, mode: str = 'reduced', *, out: Any = None) -> linalg_qr:
    """Q with orthonormal columns and R upper triangular, ``Q @ R == A``."""
    ...
def slogdet(A: Any, *, out: Any = None) -> linalg_slogdet:
    """The determinant's sign (of size 1, for complex matrices at its angle) and the logarithm of its size."""
    ...
def solve(A: Any, B: Any, *, left: bool = True, out: Any = None) -> Tensor:
    """X with ``A @ X == B``, or ``X @ A == B`` if not ``left``; B is a matrix, a vector, or a batch of either."""
    ...
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False, out: Any = None) -> linalg_solve_ex:
    """As :func:`solve`, with for each matrix 0 or the number of the pivot that was zero."""
    ...
def solve_triangular(input: Tensor, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Any = None) -> Tensor:
    """X with ``input @ X == B`` (or ``X @ input == B``), of ``input`` only a triangle being looked at."""
    ...
def svd(A: Any, full_matrices: bool = True, *, driver: Any = None, out: Any = None) -> linalg_svd:
    """U, S and Vh with ``U @ diag(S) @ Vh == A``: orthonormal columns, descending singular values, orthonormal rows."""
    ...
def svdvals(A: Any, *, driver: Any = None, out: Any = None) -> Tensor:
    """Singular values, descending."""
    ...
def tensorinv(input: Tensor, ind: int = 2, *, out: Any = None) -> Tensor:
    """The inverse for :func:`torch.tensordot`: of a matrix whose rows are the first ``ind`` dimensions."""
    ...
def tensorsolve(input: Tensor, other: Tensor | complex | ndarray[Any, Any] | generic, dims: int | Sequence[int] | None = None, *, out: Any = None) -> Tensor:
    """X with ``tensordot(input, X, X.ndim) == other``; ``dims`` of the input are moved behind its others first."""
    ...
def vander(x: Any, *, N: Any = None, out: Any = None) -> Tensor:
    """The Vandermonde matrix: the powers 0 to N - 1 of each element, one after the other."""
    ...
def vecdot(x: Any, y: Any, *, dim: int = -1, out: Any = None) -> Tensor:
    """The dot products along a dimension, the first factor conjugated."""
    ...
def vector_norm(input: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None, out: Any = None) -> Tensor:
    """The norm of order ``ord`` of all elements, or along one or several dimensions."""
    ...
