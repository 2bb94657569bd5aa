"""A few eigenpairs of a symmetric matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .decompositions import cholesky, eigh
from .public import public
from .solve import solve_triangular

if TYPE_CHECKING:
    from ..tensor import Tensor


@public("lobpcg", method=False, out=False)
def lobpcg(
    A: Any,
    k: int | None = None,
    B: Any = None,
    X: Any = None,
    n: int | None = None,
    iK: Any = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (or smallest) eigenvalues of a symmetric A, with eigenvectors in columns; of ``A x = B x`` times
    the eigenvalue where a symmetric, positive definite B is given.

    A dense matrix is taken apart as a whole, which is exact: what steers an iteration (``iK``, ``niter``, ``tol``, ``method``,
    ``tracker``, ``ortho_*``) and what it starts from (``X``, ``n``) is accepted, and X says how many pairs are meant.
    ValueError for a matrix of fewer than 3 k rows.

    >>> import rushlight as torch
    >>> values, vectors = torch.lobpcg(torch.diag(torch.tensor([1.0, 4.0, 2.0, 9.0, 3.0, 5.0])), k=2)
    >>> values
    tensor([9., 5.])
    >>> vectors.shape
    torch.Size([6, 2])
    """
    _ = A.requires_grad or (B is not None and B.requires_grad)  # which PyTorch looks at before anything else
    rows = A.shape[-2]
    assert rows == A.shape[-1], f"A must be square, got shape {A.shape}"
    assert B is None or A.shape == B.shape, f"A and B must have same shape, got {A.shape} vs {B.shape}"
    count = k if k is not None else 1 if X is None else X.shape[-1]
    if rows < 3 * count:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of "
            f"requested eigenpairs (={count})"
        )
    assert X is None or X.shape[-2] == rows, f"X shape mismatch: got {X.shape}, expected {(rows, count)}"
    half = (A + A.mH) / 2
    if B is not None:
        factor = cholesky(B)
        half = solve_triangular(factor, solve_triangular(factor, half, upper=False).mH, upper=False)
    values, vectors = eigh(half)
    if B is not None:
        vectors = solve_triangular(factor.mH, vectors, upper=True)
    if largest is None or largest:
        return values[..., rows - count :].flip(-1), vectors[..., rows - count :].flip(-1)
    return values[..., :count], vectors[..., :count]
