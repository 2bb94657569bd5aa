"""Kernels of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import mixtures, register
from ..kernels.half_precision import is_half
from . import threads
from .numpy import Array, converted, in_single, laid_out

# Up to so many multiplications OpenBLAS uses one thread anyhow.
_SMALL = 1 << 18
# Threads of BLAS, which wait for work in a loop, gain from so many on, in float32, and where the result has so many elements to
# share out: on four of them 64 x 784 by 784 x 128 takes 50 us, on one 117. Of fewer the gain is lost again: what
# follows reads and writes what now lies in other processors' caches.
_BLAS_THREADS = 4 << 20
_OUTCOMES = 4096


def product(a: Array, b: Array) -> Array:
    """``a @ b`` for matrices and batches of them; half precision computes in single, integers as they are."""
    if a.dtype.char in "fdFD":
        if a.ndim == 2:
            columns = b.shape[1]
            work = a.size * columns
            if work > _SMALL:
                return _large_product(a, b)
            # BLAS takes a factor of 0 for granted to give 0, against inf and nan too, where it is the only one.
            return a.dot(b) if len(b) != 1 else a * b
        return np.matmul(a, b)
    return _product(a, b, "bmm" if a.ndim == 3 else "addmm_impl_cpu_")


def _large_product(a: Array, b: Array) -> Array:
    if len(b) == 1:
        return a * b
    if threads.limit() == 1 or _for_threads(a, b.shape[1]):
        return a.dot(b)
    with threads.blas_threads(1):
        return a.dot(b)


def _for_threads(a: Array, columns: int) -> bool:
    """Whether a product of ``a`` with so many columns is for the threads of BLAS."""
    work = a.size * columns * a.itemsize // 4
    return work >= _BLAS_THREADS and len(a) * columns > _OUTCOMES


def batch_product(a: Array, b: Array) -> Array:
    """:func:`product` of batches; dtypes differ only where there is nothing to multiply: then the second's counts."""
    return product(a if a.dtype is b.dtype else a.astype(b.dtype), b)


def _product(a: Array, b: Array, kernel: str) -> Array:
    kind = a.dtype
    if kind.char == "?" and (kernel == "dot" or (a.size and b.size)):
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    if kind.itemsize == 2 and kind.kind not in "iu":
        return converted(np.matmul(in_single(a), in_single(b)), kind)
    return np.matmul(a, b)


def adjoint(x: Array) -> Array:
    """The last two dimensions swapped, conjugated if complex."""
    x = x.T if x.ndim == 2 else x.swapaxes(-1, -2)
    return x.conj() if x.dtype.kind == "c" else x


def vector_product(a: Array, b: Array) -> Array:
    if a.dtype.char == "?":
        return _product(a, b, "dot" if a.ndim == 1 else "addmv_impl_cpu")
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        return converted(np.asarray(in_single(a).dot(in_single(b))), a.dtype)
    return a.dot(b) if a.shape[-1] != 1 else (a * b).sum(-1, dtype=a.dtype)


@register(mixtures.outer)
def outer(a: Array, b: Array) -> Array:
    return np.multiply.outer(a, b)


def vdot(a: Array, b: Array) -> Array:
    return vector_product(a.conj() if a.dtype.kind == "c" else a, b)


def addmm(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    """``beta * bias + alpha * a @ b``; a bias whose factor is zero is not looked at, nan in it or not."""
    if a.dtype.char not in "fdFD":
        if a.dtype.kind in "fV":  # half precision: one rounding, at the end
            wide, left, right = map(in_single, (bias, a, b))
            return converted(addmm(wide, left, right, beta, alpha), bias.dtype)
        beta, alpha = int(beta), int(alpha)
    out = product(a, b) if a.ndim == b.ndim == 2 else _product(a, b, "addmv_impl_cpu" if b.ndim == 1 else "baddbmm")
    if alpha != 1:
        out = (out * alpha).astype(out.dtype, copy=False)
    if beta == 0:
        return out
    added = bias if beta == 1 else (bias * beta).astype(bias.dtype, copy=False)
    if added.dtype is out.dtype and out.__class__ is np.ndarray:
        out += added
        return out
    return (out + added).astype(bias.dtype)


def addmv(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    """As addmm; of a matrix without elements the bias is left, in its own shape, as in PyTorch."""
    if a.size or not beta:
        if is_half(a) and (alpha != 1 or beta != 1):  # numbers of two bytes, too
            alpha, beta = (np.asarray(each).astype(a.dtype) for each in (alpha, beta))
            bias, alpha, beta = np.multiply(bias, beta, out=...), np.float32(alpha), bool(beta)
        return addmm(bias, a, b, beta, alpha)
    if bias.dtype.kind in "bui":
        return np.asarray(bias * int(beta)).astype(bias.dtype)
    wide = bias.astype(np.float32) if bias.dtype.itemsize == 2 else bias
    return np.asarray(wide * beta).astype(bias.dtype)


def addbmm(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    if a.dtype.kind in "bui":
        beta, alpha = int(beta), int(alpha)
    out = _product(a, b, "addmm_impl_cpu_").sum(0, dtype=a.dtype) * alpha
    return (out if beta == 0 else out + bias * beta).astype(a.dtype, copy=False)


def addr(bias: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    if is_half(bias) and bias.dtype is a.dtype is b.dtype:  # PyTorch rounds each step
        beta, alpha = (np.asarray(each).astype(a.dtype) for each in (beta, alpha))
    if alpha != 1 or a.dtype.kind == "c":
        a = a * alpha
    out = outer(a, b)
    out = (out if beta == 0 else out + bias * beta).astype(np.result_type(bias, a, b), copy=False)
    return out if bias.flags.c_contiguous else laid_out(out, (bias,))
