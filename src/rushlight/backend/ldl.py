"""Kernels of the LDL decomposition, on SciPy's LAPACK."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .linalg import INT, columns
from .numpy import Array


def _lapack(name: str, dtype: np.dtype[Any], hermitian: bool) -> Any:
    """LAPACK's function for symmetric or Hermitian matrices; without SciPy an ImportError names the extra."""
    try:
        from scipy.linalg import lapack
    except ImportError:
        raise ImportError(
            "the LDL decomposition needs scipy.linalg.lapack, and SciPy is not installed: pip install 'rushlight[scipy]'"
        ) from None
    family = "he" if hermitian and dtype.kind == "c" else "sy"
    return getattr(lapack, "sdcz"["fdFD".index(dtype.char)] + family + name)


def ldl_factor_ex(a: Array, hermitian: bool = False) -> tuple[Array, Array, Array]:
    """Bunch and Kaufman's decomposition, packed; pivots counted from 1; the first singular block or 0."""
    factor = _lapack("trf", a.dtype, hermitian)
    n = a.shape[-1]
    out = np.tril(a)
    pivots, info = np.zeros(a.shape[:-1], INT), np.zeros(a.shape[:-2], INT)
    count = info.size
    for matrix, swaps, place in zip(out.reshape(count, n, n), pivots.reshape(count, n), range(count), strict=True):
        if n:
            packed, ipiv, code = factor(matrix, lower=1)
            matrix[...], swaps[...], info.reshape(-1)[place] = np.tril(packed), ipiv, code
    return columns(out), pivots, info


def ldl_solve(ld: Array, b: Array, pivots: Array, hermitian: bool = False) -> Array:
    """X with ``a @ X = b`` from the packed decomposition of ``a``."""
    solve = _lapack("trs", ld.dtype, hermitian)
    n, k = b.shape[-2:]
    batch = np.broadcast_shapes(ld.shape[:-2], b.shape[:-2])
    count = math.prod(batch)
    out = np.array(np.broadcast_to(b, (*batch, n, k)), order="C")
    flat = out.reshape(count, n, k)
    matrices = np.broadcast_to(ld, (*batch, n, n)).reshape(count, n, n)
    swaps = np.broadcast_to(pivots, (*batch, n)).reshape(count, n)
    for place in range(count if n and k else 0):
        flat[place] = solve(matrices[place], swaps[place], flat[place], lower=1)[0]
    return columns(out)
