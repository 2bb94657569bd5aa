"""Kernels of the matrix exponential and the trace."""

from __future__ import annotations

import numpy as np

from ..base.errstate import silent
from .numpy import Array, rounded_once

# N. Higham, The scaling and squaring method for the matrix exponential revisited (2005): the Pade approximant of
# degree 13 is exact to double precision up to this 1-norm.
_LARGEST = 5.371920351148152
_PADE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip


@rounded_once
def matrix_exp(a: Array) -> Array:
    """The exponentials of square matrices."""
    if not a.size:
        return a.copy()
    kind = a.dtype
    a = a.astype(np.result_type(kind, np.float64), copy=False)
    with silent():
        norm = np.abs(a).sum(-2).max(-1)
        halvings = np.ceil(np.log2(np.maximum(np.where(np.isfinite(norm), norm, 0) / _LARGEST, 1))).astype(int)
        a = a / np.asarray(2.0**halvings)[..., None, None]
        try:
            out = _pade(a)
        except np.linalg.LinAlgError:
            out = np.full_like(a, np.nan)
        for step in range(int(halvings.max())):
            out = np.where((halvings > step)[..., None, None], out @ out, out)
    return np.asarray(out).astype(kind, copy=False)


def _pade(a: Array) -> Array:
    b = [float(one) for one in _PADE]
    one = np.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    return np.asarray(np.linalg.solve(even - odd, even + odd))


@rounded_once
def trace(x: Array) -> Array:
    """The sum of a matrix's diagonal; integers in 64 bits."""
    return np.asarray(x.trace(dtype=np.int64 if x.dtype.kind in "iu" else None))
