"""Kernels of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy import Array


def product(a: Array, b: Array) -> Array:
    """``a @ b`` for matrices and batches of them; half precision computes in single, integers as they are."""
    if a.dtype.char in "fdFD":
        if a.ndim == 2:
            # BLAS takes a factor of 0 for granted to give 0, against inf and nan too, where it is the only one.
            return a.dot(b) if a.shape[1] != 1 else a * b
        return np.matmul(a, b)
    return _product(a, b, "bmm" if a.ndim == 3 else "addmm_impl_cpu_")


def batch_product(a: Array, b: Array) -> Array:
    """:func:`product` of batches; dtypes differ only where there is nothing to multiply: then the second's counts."""
    return product(a if a.dtype is b.dtype else a.astype(b.dtype), b)


def _product(a: Array, b: Array, kernel: str) -> Array:
    kind = a.dtype
    if kind.char == "?":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    if kind.itemsize == 2 and kind.kind not in "iu":
        return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(kind)
    return np.matmul(a, b)


def adjoint(x: Array) -> Array:
    """The last two dimensions swapped, conjugated if complex."""
    x = x.T if x.ndim == 2 else x.swapaxes(-1, -2)
    return x.conj() if x.dtype.kind == "c" else x


def vector_product(a: Array, b: Array) -> Array:
    if a.dtype.char == "?":
        return _product(a, b, "dot" if a.ndim == 1 else "addmv_impl_cpu")
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        return np.asarray(a.astype(np.float32).dot(b.astype(np.float32))).astype(a.dtype)
    return a.dot(b) if a.shape[-1] != 1 else (a * b).sum(-1)


def vdot(a: Array, b: Array) -> Array:
    return vector_product(a.conj() if a.dtype.kind == "c" else a, b)


def addmm(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    """``beta * bias + alpha * a @ b``; a bias whose factor is zero is not looked at, nan in it or not."""
    if a.dtype.kind in "bui":
        beta, alpha = int(beta), int(alpha)
    out = product(a, b) if a.ndim == b.ndim == 2 else _product(a, b, "addmv_impl_cpu" if b.ndim == 1 else "baddbmm")
    if out.__class__ is not np.ndarray:
        out = np.asarray(out)
    if alpha != 1:
        out = (out * alpha).astype(out.dtype, copy=False)
    if beta == 0:
        return out
    added = bias if beta == 1 else (bias * beta).astype(bias.dtype, copy=False)
    if added.dtype == out.dtype:
        out += added
        return out
    return (out + added).astype(bias.dtype)


def addbmm(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    if a.dtype.kind in "bui":
        beta, alpha = int(beta), int(alpha)
    out = _product(a, b, "addmm_impl_cpu_").sum(0, dtype=a.dtype) * alpha
    return (out if beta == 0 else out + bias * beta).astype(a.dtype, copy=False)


def addr(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    out = np.multiply.outer(a, b)
    if alpha != 1:
        out = out * alpha
    return (out if beta == 0 else out + bias * beta).astype(np.result_type(bias, a, b), copy=False)
