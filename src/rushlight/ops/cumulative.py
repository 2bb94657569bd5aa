"""Ops that run along a dimension: running sums, products and extremes, differences, and integrals."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from ..backend import cumulative as k
from ..backend.extremes import take_along
from ..base import dtypes, return_types
from ..tensor import Tensor
from .extremes import refuse
from .integer_arguments import whole_number
from .public import axes_of, axis_of, module, ops, public
from .reduce import dtype_of_result, no_zero
from .rule_functions import conj, is_complex
from .table import arrays, op

op("cumsum", k.cumsum, kind="linear", x=lambda g, xp, axis: _from_end(xp, g, axis))
op("cumsum_from_end", k.cumsum_from_end, node="FlipBackward0", kind="linear", x=lambda g, xp, axis: xp.cumsum(g, axis))
op("cumprod", k.cumprod, x=lambda g, xp, x, x_dtype, out, axis: _cumprod_backward(
    xp.astype(g, x_dtype) if is_complex(x) and not is_complex(g) else g, xp, x, out, axis))  # fmt: skip
op("recurrence", k.recurrence, node="CopySlices",
   a=lambda g, xp, a, b, out, axis, reverse: _adjoint_recurrence(g, xp, a, axis, reverse) * conj(
       xp.shift(out, axis, -1 if reverse else 1, 0)),
   b=lambda g, xp, a, axis, reverse: _adjoint_recurrence(g, xp, a, axis, reverse))  # fmt: skip
op("argcummax", k.argcummax, inputs="x")
op("argcummin", k.argcummin, inputs="x")
for _name in ("cummax", "cummin"):
    op(_name, take_along, inputs="indices", kind="linear",
       # Of x the shape would do, but as in PyTorch a write into it is an error.
       x=lambda g, xp, x, indices, axis: xp.add_along(g, indices, x.shape, axis))  # fmt: skip
op("logcumsumexp", k.logcumsumexp,
   x=lambda g, xp, x, out, axis: _logcumsumexp_backward(g, xp, x, out, xp.logcumsumexp_from_end, axis))  # fmt: skip
op("logcumsumexp_from_end", k.logcumsumexp_from_end, node="FlipBackward0",
   x=lambda g, xp, x, out, axis: _logcumsumexp_backward(g, xp, x, out, xp.logcumsumexp, axis))  # fmt: skip


def _from_end(xp: Any, g: Any, axis: int) -> Any:
    """Sums of all that come after, and oneself; over Tensors with the nodes that they have in PyTorch."""
    if math.prod(g.shape) <= 1 or g.shape[axis] == 1:
        return g
    return xp.cumsum_from_end(g, axis) if xp is arrays else xp.flip(xp.cumsum(xp.flip(g, (axis,)), axis), (axis,))


def _cumprod_backward(g: Any, xp: Any, x: Any, out: Any, axis: int) -> Any:
    if math.prod(x.shape) <= 1 or x.shape[axis] == 1:
        return g
    if no_zero(x):
        return _from_end(xp, g * conj(out), axis) / conj(x)
    if xp is arrays or is_complex(x) != is_complex(out) or not np.isfinite(getattr(g, "_array", g)).all():
        return _cumprod_backward_past_zero(g, xp, x, out, axis)
    # Without division: what stands before an element, times the sum over what follows of the products in between.
    x = conj(x)
    before = xp.cumprod(xp.shift(x, axis, 1, 1), axis)
    return before * xp.recurrence(xp.shift(x, axis, -1, 0), g, axis, True)


def _cumprod_backward_past_zero(g: Any, xp: Any, x: Any, out: Any, axis: int) -> Any:
    """The same for one derivative, also where a cotangent is infinite or nan, which must not meet products that are zero:
    elements before the first zero have to do with what comes before it, that zero with what comes from it on, later ones with
    nothing. And of complex numbers with a real product, as PyTorch has it."""
    zeros = xp.cumsum(x == 0, axis)
    before, at = zeros == 0, (zeros == 1) & (x == 0)
    early = xp.cumsum_from_end(xp.only(g * conj(out), before), axis) / conj(xp.masked_fill(x, zeros > 0, 1))
    behind = xp.cumprod(xp.masked_fill(x, before | at, 1), axis)
    late = xp.cumsum_from_end(xp.masked_fill(g, before, 0) * conj(behind), axis) * conj(xp.shift(out, axis, 1, 1))
    return xp.only(early, before) + xp.only(late, at)


def _adjoint_recurrence(g: Any, xp: Any, a: Any, axis: int, reverse: bool) -> Any:
    return xp.recurrence(conj(xp.shift(a, axis, 1 if reverse else -1, 0)), g, axis, not reverse)


def _log_of_nothing(x: Any) -> float:
    """The logarithm of no cotangent: finite, because the second derivative takes differences of such."""
    return -65504 if x.dtype.name == "float16" else -3e38


def _logcumsumexp_backward(g: Any, xp: Any, x: Any, out: Any, back: Any, axis: int) -> Any:
    """sum of g[k] * exp(x[i] - out[k]) over k from i on, in logarithms; negative cotangents apart."""
    if not x.shape or 0 in x.shape:
        return g
    if is_complex(g):
        return xp.exp(back(xp.log(g) - conj(out), axis) + conj(x))
    g = xp.only(g, g == g)  # as in PyTorch: of nan nothing arrives
    size, nothing = xp.log(xp.abs(g)), _log_of_nothing(x)
    up = xp.exp(back(xp.masked_fill(size, g <= 0, nothing) - out, axis) + x)
    return up - xp.exp(back(xp.masked_fill(size, g >= 0, nothing) - out, axis) + x)


def _into_itself(name: str) -> Callable[..., Tensor]:
    """What the form in place computes, which says of another dtype what PyTorch says."""

    def compute(input: Any, dim: object, *, dtype: Any = None) -> Tensor:
        wanted = dtypes.OF_PYTHON.get(dtype, dtype)
        axis = axis_of(dim, input._array.ndim)
        if wanted is not None and wanted is not input.dtype:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {input.dtype.c_name} and output tensor dtype {wanted.c_name} should match"
            )
        if input._array.dtype.kind == "b":
            _sums_in(name, input, input.dtype)
        return getattr(ops, name)(input, axis, input._array.dtype)  # type: ignore[no-any-return]

    compute.__name__ = name
    return compute


@public(inplace=_into_itself("cumsum"))
def cumsum(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    """Running sums along ``dim``; those of integers and booleans are int64.

    >>> import rushlight as torch
    >>> torch.tensor([1.0, 2.0, 3.0]).cumsum(0)
    tensor([1., 3., 6.])
    """
    return ops.cumsum(input, axis_of(dim, input._array.ndim), _sums_in("cumsum", input, dtype))


@public(inplace=_into_itself("cumprod"))
def cumprod(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    """Running products along ``dim``; those of integers and booleans are int64."""
    return ops.cumprod(input, axis_of(dim, input._array.ndim), _sums_in("cumprod", input, dtype))


def _sums_in(name: str, input: Any, dtype: Any) -> Any:
    chosen = dtype_of_result(input, dtype)
    if chosen is not None and chosen.kind == "b" and input._array.size and input._array.ndim:  # a number is its own sum
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    return chosen


def _axis_of_extremes(name: str, input: Any, dim: Any) -> int:
    refuse(f"{name}_cpu", input)
    if not input._array.size:
        return 0  # PyTorch looks no further either
    if not input._array.ndim and isinstance(dim, int) and dim not in (-1, 0):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    return axis_of(dim, input._array.ndim)


@public()
def cummax(input: Any, dim: Any) -> Any:
    """The greatest so far along ``dim``, and its index (the last of equal ones).

    >>> import rushlight as torch
    >>> torch.tensor([1.0, 3.0, 2.0]).cummax(0).values
    tensor([1., 3., 3.])
    """
    axis = _axis_of_extremes("cummax", input, dim)
    indices = ops.argcummax(input, axis)
    return return_types.cummax(ops.cummax(input, indices, axis), indices)


@public()
def cummin(input: Any, dim: Any) -> Any:
    """The least so far along ``dim``, and its index (the last of equal ones)."""
    axis = _axis_of_extremes("cummin", input, dim)
    indices = ops.argcummin(input, axis)
    return return_types.cummin(ops.cummin(input, indices, axis), indices)


@public()
def logcumsumexp(input: Any, dim: Any) -> Tensor:
    """log(cumsum(exp(x))) along ``dim``, computed without overflow."""
    axis = axis_of(dim, input._array.ndim)
    refuse("logcumsumexp_out_cpu", input, "bui")
    return ops.logcumsumexp(input, axis)


# Differences and integrals, composed of slices.


@public()
def diff(input: Any, n: int = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences between neighbours along ``dim``, ``n`` times over.

    >>> import rushlight as torch
    >>> torch.diff(torch.tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    n = whole_number("diff", "n", 2, n)
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0 and prepend is append is None:
        return input.clone()
    axis = axis_of(dim, input._array.ndim)
    for extra in (prepend, append):
        if extra is not None:
            _check_neighbour(input, extra, axis)
    if n == 0:
        return input.clone()
    parts = [part for part in (prepend, input, append) if part is not None]
    result = input if len(parts) == 1 else _join(parts, axis)
    for _ in range(min(n, result._array.shape[axis])):
        count = result._array.shape[axis] - 1
        ahead, behind = result.narrow(axis, 1, count), result.narrow(axis, 0, count)
        result = ahead.logical_xor(behind) if result._array.dtype.kind == "b" else ahead - behind
    return result


def _join(parts: list[Any], axis: int) -> Any:
    return module("torch")["cat"](parts, axis)


def _check_neighbour(input: Any, extra: Any, axis: int) -> None:
    shape, other = input._array.shape, extra._array.shape
    if len(shape) != len(other):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for one, (have, wanted) in enumerate(zip(other, shape, strict=True)):
        if have != wanted and one != axis:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                "differencing "
                f"dimension; input.size({one}) = {wanted}, but got tensor.size({one}) = {have}"
            )


def _widths(name: str, y: Any, x: Any, axis: int) -> Any:
    """Distances between the sample points ``x``, shaped to multiply slices of ``y``."""
    points, ndim = x._array.shape, y._array.ndim
    if len(points) == 1:
        if points[0] != y._array.shape[axis]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([points[0] if one == axis else 1 for one in range(ndim)])
    elif len(points) < ndim:
        x = x.view([1] * (ndim - len(points)) + list(points))
    return _ahead(x, axis) - _behind(x, axis)


def _ahead(x: Any, axis: int) -> Any:
    """All slices along ``axis`` but the first."""
    return ops.slice(x, axis, min(1, x._array.shape[axis]), x._array.shape[axis], 1)


def _behind(x: Any, axis: int) -> Any:
    """All slices along ``axis`` but the last."""
    return ops.slice(x, axis, 0, max(x._array.shape[axis] - 1, 0), 1)


def _over(x: Any, number: Any) -> Any:
    plain = x.is_floating_point() and not isinstance(number, complex)
    return ops.divide_by(x, number) if plain else x / number


def _integrand(name: str, y: Any, x: Any, dx: Any, dim: Any) -> tuple[int, Any]:
    axis = axis_of(dim, y._array.ndim, wrap_scalar=False)
    for word, value in (("y", y), ("x", x)):
        if value is not None and value._array.dtype.kind == "b":
            raise RuntimeError(f"{name}: received a bool input for `{word}`, but bool is not supported")
    if (x is not None and dx is not None) or (isinstance(dx, Tensor) and dx.requires_grad):
        raise TypeError  # which is then said in PyTorch's words
    step = dx.item() if isinstance(dx, Tensor) else dx
    if isinstance(step, bool | complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    return axis, 1 if step is None else float(step)


@public(method=False, out=False)
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule, over sample points ``x`` or steps of ``dx`` (1).

    >>> import rushlight as torch
    >>> torch.trapezoid(torch.tensor([1.0, 5.0, 10.0]))
    tensor(10.5000)
    """
    axis, dx = _integrand("trapezoid", y, x, dx, dim)
    if not y._array.shape[axis]:
        return ops.zeroed(y.sum(axis).detach())
    if x is not None:
        return _over(((_ahead(y, axis) + _behind(y, axis)) * _widths("trapezoid", y, x, axis)).sum(axis), 2.0)
    ends = ops.times(y.select(axis, 0) + y.select(axis, -1), 0.5)  # recorded first, as in PyTorch
    return ops.times(y.sum(axis) - ends, dx)


@public(method=False, out=False)
def trapz(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    """:func:`trapezoid` under its older name."""
    return trapezoid(y, x, dx=dx, dim=dim)


@public(method=False, out=False)
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    """The running integral along ``dim`` by the trapezoidal rule."""
    if not y._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis, dx = _integrand("cumulative_trapezoid", y, x, dx, dim)
    both = _ahead(y, axis) + _behind(y, axis)
    if x is not None:
        return _over((both * _widths("cumulative_trapezoid", y, x, axis)).cumsum(axis), 2.0)
    return ops.times(both, dx / 2.0).cumsum(axis)


# Gradients of samples.


def _spacings(input: Any, spacing: Any, dim: Any) -> tuple[list[int], list[Any]]:
    """The axes of gradient(), and for each the step or the sample points."""
    array = input._array
    if dim is not None and not array.ndim:
        axes_of(dim, 0)
        first = dim[0] if isinstance(dim, (tuple, list)) else dim
        raise IndexError(f"Dimension specified as {first} but tensor has no dimensions")
    axes = list(range(array.ndim)) if dim is None else list(axes_of(dim, array.ndim))
    if spacing is None:
        spacing = 1
    if isinstance(spacing, Tensor) and not spacing._array.ndim:
        spacing = spacing.item()
    if not isinstance(spacing, (tuple, list)):
        if not isinstance(spacing, Number):
            raise TypeError  # which is then said in PyTorch's words
        return axes, [spacing] * len(axes)
    if len(spacing) != len(axes):
        given = f"list of length {len(spacing)}"
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                "'self.dim() = "
                f"{array.ndim}', since dim argument was not given, but got a {given}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to "
            "have the same "
            f"length, but got a spacing argument of length {len(spacing)} and a dim argument of length {len(axes)}."
        )
    return axes, list(spacing)


@public(method=False, out=False)
def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    """Second-order estimates of the derivative along each dimension, of samples at steps or points ``spacing``.

    >>> import rushlight as torch
    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0]))
    (tensor([3., 4., 5.]),)
    """
    array = input._array
    if array.dtype == "uint8":
        raise RuntimeError("torch.gradient does not support uint8 input.")
    axes, spacings = _spacings(input, spacing, dim)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for axis in axes:
        if array.shape[axis] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(
        _gradient_at_points(input, axis, step, edge_order)
        if isinstance(step, Tensor)
        else _gradient_by_steps(input, axis, step, edge_order)
        for axis, step in zip(axes, spacings, strict=True)
    )


def _slices(x: Any, axis: int) -> Any:
    size = x._array.shape[axis]

    def part(start: int, stop: int) -> Any:
        return ops.slice(x, axis, start if start >= 0 else size + start, stop if stop > 0 else size + stop, 1)

    return part


def _gradient_by_steps(x: Any, axis: int, step: Any, edge_order: int) -> Any:
    part = _slices(x, axis)
    inner = _over(_over(part(2, 0) - part(0, -2), 2.0), step)
    if edge_order == 1:
        first, last = part(1, 2) - part(0, 1), part(-1, 0) - part(-2, -1)
    else:
        first = ops.times(part(0, 1), -1.5) + ops.times(part(1, 2), 2.0) - ops.times(part(2, 3), 0.5)
        last = ops.times(part(-3, -2), 0.5) - ops.times(part(-2, -1), 2.0) + ops.times(part(-1, 0), 1.5)
    return _join([_over(first, step), inner, _over(last, step)], axis)


def _gradient_at_points(x: Any, axis: int, points: Any, edge_order: int) -> Any:
    if points._array.ndim != 1:
        raise RuntimeError(
            f"torch.gradient expected each element of spacing to have one dimension, but got an element with "
            f"{points._array.ndim} dimensions!"
        )
    within, given = x._array.shape[axis] - 2, max(points._array.shape[0] - 2, 0)
    if given not in (within, 1):
        raise RuntimeError(
            f"The size of tensor a ({given}) must match the size of tensor b ({within}) at non-singleton dimension {axis}"
        )
    widths = _ahead(points, 0) - _behind(points, 0)
    count = widths._array.shape[0]
    shape = [-1 if one == axis else 1 for one in range(x._array.ndim)]
    widths = widths.reshape(shape)
    part, width = _slices(x, axis), _slices(widths, axis)
    inner = []
    if count > 1:
        left, right = width(0, count - 1), width(1, count)
        inner.append(
            -right / (left * (left + right)) * part(0, -2)
            + (right - left) / (left * right) * part(1, -1)
            + left / (right * (left + right)) * part(2, 0)
        )
    if edge_order == 1:
        first = (part(1, 2) - part(0, 1)) / width(0, 1)
        last = (part(-1, 0) - part(-2, -1)) / width(count - 1, count)
    else:
        one, two = width(0, 1), width(1, 2)
        first = (
            -(2.0 * one + two) / (one * (one + two)) * part(0, 1)
            + (one + two) / (one * two) * part(1, 2)
            + -one / (two * (one + two)) * part(2, 3)
        )
        one, two = width(count - 2, count - 1), width(count - 1, count)
        last = (
            two / (one * (one + two)) * part(-3, -2)
            + -(one + two) / (one * two) * part(-2, -1)
            + (one + 2.0 * two) / (two * (one + two)) * part(-1, 0)
        )
    return _join([first, *inner, last], axis)
