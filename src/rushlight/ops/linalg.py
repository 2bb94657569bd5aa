"""What the families of linear algebra share: checks of matrices in PyTorch's words, and words that their rules use."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..autograd.modes import special, state
from ..backend.linalg import LinAlgError
from ..base import dtypes
from ..tensor import Tensor, new_tensor
from .public import module

module("torch.linalg")["LinAlgError"] = LinAlgError


def check_matrix(a: Any, name: str, label: str = "A") -> None:
    if a._array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {label} must have at least 2 dimensions.")


def check_square(a: Any, name: str, label: str = "A") -> None:
    check_matrix(a, name, label)
    rows, columns = a._array.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"{name}: {label} must be batches of square matrices, but they are {rows} by {columns} matrices")


# Functions whose kernels are what refuses half precision.
_KERNELS = {
    **dict.fromkeys(("linalg.cholesky", "linalg.cholesky_ex"), "cholesky_cpu"),
    **dict.fromkeys(("linalg.det", "linalg.solve"), "lu_cpu"),
    "linalg.qr": "geqrf_cpu",
    "linalg.svd": "linalg_svd_cpu",
    "linalg.eig": "linalg_eig_out_cpu",
}


def check_floating(a: Any, name: str, low_precision: bool = False) -> None:
    kind = a._array.dtype
    if kind.char in "fdFD":
        return
    word = dtypes.of(kind).scalar_name
    if kind.kind not in "fcVW":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {word}")
    if name == "linalg.det" and not a._array.size:
        return
    if low_precision:
        return
    if name in _KERNELS:
        raise NotImplementedError(f"\"{_KERNELS[name]}\" not implemented for '{word}'")
    raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {word}")


def check_square_floating(a: Any, name: str) -> None:
    check_square(a, name)
    check_floating(a, name)


def check_same_dtype(a: Any, b: Any, name: str, labels: tuple[str, str] = ("A", "B")) -> None:
    first, second = a._array.dtype, b._array.dtype
    if first is not second and first != second:
        one, other = dtypes.of(first).scalar_name, dtypes.of(second).scalar_name
        raise RuntimeError(
            f"{name}: Expected {labels[0]} and {labels[1]} to have the same dtype, but found {labels[0]} of type "
            f"{one} and {labels[1]} of type {other} instead"
        )


def check_system(b: Any, a: Any, name: str) -> None:
    """The checks of the older solvers, b before A."""
    x, y = a._array, b._array
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {b.dtype.scalar_name} and A of type "
            f"{a.dtype.scalar_name} instead."
        )
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {x.shape[-2]} by {x.shape[-1]} matrices")
    if x.shape[-1] != y.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {x.shape[-1]} by {x.shape[-1]} but each b matrix "
            f"is {y.shape[-2]} by {y.shape[-1]}"
        )


def recording(*tensors: Any) -> bool:
    """Whether an op on these tensors would be recorded, or passes a tangent on."""
    return bool(special.active) or (state.grad_enabled and any(tensor._needs_grad for tensor in tensors))


def diagonal(x: Any, xp: Any) -> Any:
    """The diagonals of matrices."""
    return xp.diagonal(x, 0, len(x.shape) - 2, len(x.shape) - 1)


def diagonal_matrix(x: Any, xp: Any) -> Any:
    """Matrices with these diagonals."""
    ndim = len(x.shape) + 1
    return xp.embed_diagonal(x, (*x.shape, x.shape[-1]), 0, ndim - 2, ndim - 1)


def on_diagonal(x: Any) -> Any:
    """A mask of the diagonals of matrices, made of what ``x`` is made of."""
    mask = np.eye(*x.shape[-2:], dtype=np.bool_)
    return new_tensor(mask) if isinstance(x, Tensor) else mask


def columns(x: Any) -> Any:
    """Vectors as matrices of one column."""
    return x.reshape((*x.shape, 1))


def rows(x: Any) -> Any:
    """Vectors as matrices of one row."""
    return x.reshape((*x.shape[:-1], 1, x.shape[-1]))


def value_of(x: Any) -> Any:
    """The plain array in whatever a rule was handed."""
    return getattr(x, "_array", x)


def check_kernel(a: Any, kernel: str) -> None:
    """PyTorch's error where one of its kernels does not know the dtype."""
    if a._array.dtype.char not in "fdFD":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{a.dtype.scalar_name}'")


_told: set[str] = set()


def deprecated(text: str) -> None:
    """Warns of a function that PyTorch is going to remove: once in a process."""
    if text not in _told:
        _told.add(text)
        warnings.warn(text, UserWarning, stacklevel=4)
