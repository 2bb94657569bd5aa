# Written by tools/stubs.py; `make stubs` writes it anew.

from numpy import generic
from numpy import ndarray
from rushlight import Tensor
from rushlight import dtype
from typing import Any

def amax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The largest element that ``mask`` lets through, -inf (or the least integer) where there is none."""
    ...
def amin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The smallest element that ``mask`` lets through, inf (or the largest integer) where there is none."""
    ...
def argmax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Where the largest element is that ``mask`` lets through, in the dtype of the input."""
    ...
def argmin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Where the smallest element is that ``mask`` lets through, in the dtype of the input."""
    ...
def cumprod(input: Tensor, dim: Any, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Running products, in which what ``mask`` leaves out counts as 1."""
    ...
def cumsum(input: Tensor, dim: Any, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Running sums, in which what ``mask`` leaves out counts as 0."""
    ...
def log_softmax(input: Tensor, dim: Any, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of :func:`softmax`: -inf for what ``mask`` leaves out."""
    ...
def logaddexp(input: Tensor, other: Tensor | complex | ndarray[Any, Any] | generic, *, dtype: dtype | None = None, input_mask: Any = None, other_mask: Any = None) -> Tensor:
    """The logarithm of the sum of two exponentials, each left out where its mask is False."""
    ...
def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials of what ``mask`` lets through, -inf where there is nothing."""
    ...
def mean(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The mean of the elements that ``mask`` lets through, nan where there is none. ValueError for integers."""
    ...
def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The median (the lower of two) of what ``mask`` lets through; nan, or ValueError for integers, if there is none."""
    ...
def norm(input: Tensor, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The vector norm of the elements that ``mask`` lets through."""
    ...
def normalize(input: Tensor, ord: Any, dim: Any, *, eps: float = 1e-12, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Divided by the norm of what ``mask`` lets through, or by ``eps`` if that is larger; 0 for the rest."""
    ...
def prod(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The product of the elements that ``mask`` lets through, 1 where there is none."""
    ...
def softmax(input: Tensor, dim: Any, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Softmax over what ``mask`` lets through: 0 for the rest, nan where nothing is left."""
    ...
def softmin(input: Tensor, dim: Any, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """:func:`softmax` of the negative."""
    ...
def std(input: Tensor, dim: Any = None, unbiased: Any = None, *, correction: Any = None, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The root of :func:`var`."""
    ...
def sum(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The sum of the elements that ``mask`` lets through, 0 where there is none."""
    ...
def var(input: Tensor, dim: Any = None, unbiased: Any = None, *, correction: Any = None, keepdim: bool = False, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The variance of the elements that ``mask`` lets through, divided by their number less ``correction``."""
    ...
