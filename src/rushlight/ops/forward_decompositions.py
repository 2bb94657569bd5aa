"""How tangents go through decompositions of symmetric matrices. As in PyTorch, all of a tangent counts, symmetric or not."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from . import table
from .linalg import columns, diagonal, on_diagonal, rows
from .rule_functions import is_complex


def cholesky_tangent(a: Tensor, tangent: Tensor, factor: Tensor, upper: bool, *params: object) -> Tensor:
    """Of the factor L: L times the lower triangle of inv(L) @ tangent @ inv(L)^H, half of its diagonal."""
    xp = table.tensors
    lower = xp.adjoint(factor) if upper else factor
    inner = xp.solve_triangular(lower, tangent, False, True, False)
    inner = xp.solve_triangular(xp.adjoint(lower), inner, True, False, False)
    found: Tensor = lower @ (xp.tril(inner, 0) + xp.tril(inner, -1)) / 2
    return xp.adjoint(found) if upper else found  # type: ignore[no-any-return]


def eigh_tangent(a: Tensor, tangent: Tensor, out: tuple[Tensor, Tensor], *params: object) -> tuple[Tensor, Tensor]:
    """Of the eigenvalues the diagonal of V^H @ tangent @ V; of the vectors V times the rest of it, by the gaps between the values."""
    xp: Any = table.tensors
    values, vectors = out
    inner = xp.adjoint(vectors) @ tangent @ vectors
    along = diagonal(inner, xp)
    gaps = rows(values) - columns(values)
    inner = xp.masked_fill(inner / xp.masked_fill(gaps, on_diagonal(gaps), 1), on_diagonal(inner), 0)
    return (xp.real(along) if is_complex(along) else along), vectors @ inner
