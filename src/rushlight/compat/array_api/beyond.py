"""What the standard leaves out and programs that take any library's arrays (xarray) yet ask of every namespace, by NumPy's names."""

from __future__ import annotations

import rushlight as torch
from rushlight import Tensor

from .manipulation import permute_dims
from .reductions import Axes, axes_of, cumulative_prod, cumulative_sum

cumsum = cumulative_sum
cumprod = cumulative_prod
transpose = permute_dims


def einsum(subscripts: str, *operands: Tensor) -> Tensor:
    """Products summed as Einstein's notation says.

    >>> from rushlight.array_api import einsum
    >>> einsum("ij,j", torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    return torch.einsum(subscripts, *operands)


def median(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The numbers in the middle along axes; of an even count the mean of the two, as NumPy has it.

    >>> from rushlight.array_api import median
    >>> median(torch.tensor([[1.0, 4.0, 2.0], [3.0, 8.0, 9.0]]), axis=1)
    tensor([2., 8.])
    """
    axes = axes_of(x, axis)
    kept = [one for one in range(x.ndim) if one not in axes]
    flat = x.permute(*kept, *axes).reshape(*(x.shape[one] for one in kept), -1)
    out = torch.quantile(flat, 0.5, -1)
    return out.reshape([1 if one in axes else n for one, n in enumerate(x.shape)]) if keepdims else out
