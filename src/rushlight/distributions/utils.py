"""What several families need: parameters of one shape, probabilities and logits, triangles as vectors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import rushlight as torch

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

Value = TypeVar("Value")

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """The values as tensors of one shape; numbers become tensors like the given ones, or of the default dtype.

    ValueError for what is neither a number nor a tensor, RuntimeError where shapes do not broadcast.

    >>> import rushlight as torch
    >>> from rushlight.distributions.utils import broadcast_all
    >>> broadcast_all(1.0, torch.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    are_tensors = [isinstance(value, torch.Tensor) or hasattr(value, "__torch_function__") for value in values]
    for value, is_tensor in zip(values, are_tensors, strict=True):
        if not is_tensor and not isinstance(value, (int, float)):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
            )
    if not all(are_tensors):
        first = next((value for value in values if isinstance(value, torch.Tensor)), None)
        dtype = torch.get_default_dtype() if first is None else first.dtype
        values = tuple(
            value if is_tensor else torch.tensor(value, dtype=dtype)
            for value, is_tensor in zip(values, are_tensors, strict=True)
        )
    return torch.broadcast_tensors(*values)


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Any:
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def standard_normal(shape: Any, like: Any) -> Any:
    """Normal numbers of mean 0 and deviation 1, of the dtype of ``like``."""
    return _standard_normal(shape, like.dtype, like.device)


def sum_rightmost(value: Any, dims: int) -> Tensor:
    """The sum over the last ``dims`` dimensions, or over all where there are fewer."""
    return value if dims == 0 else value.reshape(value.shape[:-dims] + (-1,)).sum(-1)


_sum_rightmost = sum_rightmost  # the name by which other libraries know it


def logits_to_probs(logits: Any, is_binary: bool = False) -> Tensor:
    """Probabilities: of one event each (``is_binary``), or along the last dimension."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Tensor:
    """Away from 0 and 1 by the least step that the dtype knows at 1."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Tensor:
    """Logits, finite also where a probability is 0 or 1: log odds (``is_binary``), or log probabilities."""
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)


class lazy_property(Generic[Value]):
    """An attribute computed when it is first asked for, and kept; with gradients, whatever the mode then.

    >>> from rushlight.distributions.utils import lazy_property
    >>> class Square:
    ...     @lazy_property
    ...     def area(self):
    ...         print("computing")
    ...         return 4
    >>> square = Square()
    >>> square.area, square.area
    computing
    (4, 4)
    """

    def __init__(self, wrapped: Callable[[Any], Value]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Tensor:
    """The entries on and below a diagonal, row by row: from (..., n, n) to (..., count).

    ValueError for a diagonal outside the matrix.
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = torch.tril_indices(size, size, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Tensor:
    """The inverse of :func:`tril_matrix_to_vec`: zeros stand above the diagonal.

    ValueError where so many numbers fill no such triangle.
    """
    count = vec.shape[-1]
    size = next(size for size in itertools.count(1) if _entries_below(size, diag) >= count)
    if _entries_below(size, diag) != count:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square "
            "D x D matrix."
        )
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    rows, columns = torch.tril_indices(size, size, diag)
    matrix[..., rows, columns] = vec
    return matrix


def _entries_below(size: int, diag: int) -> int:
    """How many entries a square matrix has on and below a diagonal."""
    if diag <= 0:
        side = max(size + diag, 0)
        return side * (side + 1) // 2
    return size * (size + 1) // 2 + diag * size - diag * (diag + 1) // 2
