"""Softmax and its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

from ..autograd.write_errors import output_error
from ..backend import softmax as k
from ..base import dtypes
from ..base.arguments import type_name
from .public import axes_of, axis_of, ops, public
from .rule_functions import conj, expand
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("softmax", k.softmax, kind="symmetric", x=lambda g, xp, out, axis: xp.softmax_grad(g, out, axis))
op("softmax_grad", k.softmax_grad, node="SoftmaxBackwardDataBackward0",
   v=lambda g, xp, y, axis: xp.softmax_grad(g, y, axis),
   y=lambda g, xp, v, y, axis: g * (v - total(xp, v * y, axis)) - v * total(xp, g * y, axis))  # fmt: skip
op("log_softmax", k.log_softmax, x=lambda g, xp, out, axis: xp.log_softmax_grad(g, out, axis))
op("log_softmax_grad", k.log_softmax_grad, node="LogSoftmaxBackwardDataBackward0",
   v=lambda g, xp, y, axis: g - total(xp, g * xp.exp(y), axis),
   y=lambda g, xp, v, y, axis: -g * xp.exp(y) * total(xp, v, axis))  # fmt: skip
op("logsumexp", k.logsumexp,
   x=lambda g, xp, x, out, axis, keepdims: expand(g, axis, keepdims, len(x.shape)) * conj(
       xp.exp(x - expand(out, axis, keepdims, len(x.shape)))))  # fmt: skip


def total(xp: Any, x: Any, axis: Any) -> Any:
    return xp.sum(x, (axis,) if isinstance(axis, int) else axis, True)


def _prepared(name: str, input: Any, dim: Any, dtype: Any) -> tuple[Any, Any]:
    """The input in the dtype to compute in, and the axis."""
    if isinstance(dtype, type):
        dtype = dtypes.OF_PYTHON.get(dtype, dtype)
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type_name(dtype)}")
    if dtype is not None and input._array.dtype != dtype.numpy:
        input = ops.astype(input, dtype.numpy)
    array = input._array
    axis = axis_of(dim, array.ndim)
    if array.dtype.kind not in "fV" and array.size:
        place = "lastdim_" if axis == array.ndim - 1 or not array.ndim else ""
        raise NotImplementedError(f"\"{name}_{place}kernel_impl\" not implemented for '{input.dtype.scalar_name}'")
    return input, axis if array.ndim else ()


@public()
def softmax(input: Any, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along ``dim``.

    >>> import rushlight as torch
    >>> torch.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    array = input._array
    if dtype is None and array.dtype.kind == "f" and array.ndim:
        return ops.softmax(input, axis_of(dim, array.ndim))
    return ops.softmax(*_prepared("softmax", input, dim, dtype))


@public()
def log_softmax(input: Any, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of :func:`softmax`, computed without overflow."""
    array = input._array
    if dtype is None and array.dtype.kind == "f" and array.ndim:
        return ops.log_softmax(input, axis_of(dim, array.ndim))
    return ops.log_softmax(*_prepared("log_softmax", input, dim, dtype))


def _chosen(name: str, ndim: int, stacklevel: int = 3) -> int:
    operator.index(stacklevel)
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=4,
    )
    return 0 if ndim in (0, 1, 3) else 1


@public("softmax", space="torch.nn.functional", method=False, out=False)
def softmax_functional(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """:func:`torch.softmax`; without ``dim``, along one chosen by the number of dimensions (deprecated)."""
    return softmax(input, _chosen("softmax", input._array.ndim, _stacklevel) if dim is None else dim, dtype)


@public("log_softmax", space="torch.nn.functional", method=False, out=False)
def log_softmax_functional(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """:func:`torch.log_softmax`; without ``dim``, along one chosen by the number of dimensions (deprecated)."""
    return log_softmax(input, _chosen("log_softmax", input._array.ndim, _stacklevel) if dim is None else dim, dtype)


@public("softmin", space="torch.nn.functional", method=False, out=False)
def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Softmax of the negated input."""
    return softmax(ops.neg(input), _chosen("softmin", input._array.ndim, _stacklevel) if dim is None else dim, dtype)


@public()
def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))) along one or several dimensions, computed without overflow.

    >>> import rushlight as torch
    >>> torch.logsumexp(torch.tensor([1000.0, 1000.0]), dim=0)
    tensor(1000.6932)
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' (position 2) must be tuple of ints, not NoneType")
    if input._array.dtype.kind in "bui":
        input = ops.astype(input, dtypes.get_default_dtype().numpy)
    array = input._array
    if array.ndim and array.size and not keepdim and isinstance(dim, (tuple, list)) and not dim:
        raise output_error((), [1] * array.ndim)
    return ops.logsumexp(input, axes_of(dim, array.ndim), bool(keepdim))


@public("log_softmax", space="torch.special", method=False, out=False)
def log_softmax_special(input: Any, dim: int, *, dtype: Any = None) -> Tensor:
    """:func:`torch.log_softmax`."""
    return log_softmax(input, dim, dtype)


public("softmax", space="torch.special", method=False, out=False)(softmax)
public("logsumexp", space="torch.special", method=False)(logsumexp)
