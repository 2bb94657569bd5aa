"""Norms under their older names, as compositions of the newer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.arguments import warn
from .public import module, ops, public

if TYPE_CHECKING:
    from ..tensor import Tensor

_warned: set[str] = set()


def _deprecated(name: str, instead: str) -> None:
    """A warning that comes once in a process."""
    if name not in _warned:
        _warned.add(name)
        warn(
            f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
            f"release. Please use `{instead}` instead"
        )


@public(method=False)
def frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Tensor:
    """The root of the sum of squares over the dimensions ``dim``."""
    _deprecated("frobenius_norm", "linalg.vector_norm(A, 2., dim, keepdim)")
    return module("torch")["norm"](input, 2, dim, keepdim)


@public(method=False)
def nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The sum of the singular values of matrices; the second argument may be ``keepdim``."""
    if isinstance(dim, bool):
        dim, keepdim = (-2, -1), dim
    _deprecated("nuclear_norm", "linalg.matrix_norm(A, 'nuc', dim, keepdim)")
    return module("torch.linalg")["matrix_norm"](input, "nuc", dim, keepdim)


@public(method=False, out=False)
def norm_except_dim(v: Any, pow: Any = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but ``dim``, which keep size 1; over all of them if ``dim`` is -1.

    >>> import rushlight as torch
    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    tensor([[5.],
            [2.]])
    """
    shape = v._array.shape
    last = len(shape) - 1
    if dim == -1:
        return ops.norm_of_all(v, pow)
    if dim == 0:
        return ops.norm_along(v.contiguous().view(shape[0], -1), pow, (1,)).view(shape[0], *(1,) * last)
    if dim == last:
        return ops.norm_along(v.contiguous().view(-1, shape[last]), pow, (0,)).view(*(1,) * last, shape[last])
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
