"""Reductions: sums, products, means, variances and truth, over all elements or along dimensions."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..autograd import modes, tangents
from ..backend import reduce as k
from ..backend.unbroadcast import stretched as axes_stretched
from ..base.arguments import refuse_too_large, type_name
from ..tensor import Methods, Tensor
from .operands import refuse_history
from .parameters import is_number
from .plain_cases import Case, one_axis, plain_cases
from .public import axes_of, axis_of, ops, public
from .rule_functions import all_numbers, by_number, conj, expand, in_rows, is_complex
from .signatures import Unsaid
from .table import arrays, op


class Unbroadcast(Methods):
    def _unbroadcast(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        """A recorded cotangent as its input needs it: broadcasting undone, in the input's dtype."""
        g, have = self, self._array.shape
        if have != shape:
            if not shape:
                g = ops.sum_all(g)
            else:
                axes = axes_stretched(have, shape)
                if axes:
                    g = ops.sum(g, axes, True)
                if g._array.shape != shape:
                    g = g.reshape(shape)
        if g._array.dtype != dtype:
            if g._array.dtype.kind == "c" and dtype.kind not in "cW":
                g = g.real
            g = ops.astype(g, dtype)
        return g


# Sums and means. The cotangent of a full reduction is one number, put at every place of the input.

# Spread over rows it would have what is computed with it lie in rows, too: the number itself leaves that to the input, as in PyTorch.
op("sum_all", k.sum_all, node="SumBackward0", kind="linear",
   x=lambda g, xp, x_shape, x_strides: xp.expand_number(g, x_shape) if in_rows(x_strides) else xp.expand(g, x_shape))  # fmt: skip
op("sum", k.sum, node="SumBackward1", kind="linear",
   x=lambda g, xp, x_shape, axis, keepdims: stretched(g, xp, x_shape, axis, keepdims))  # fmt: skip
op("mean_all", k.mean_all, node="MeanBackward0", kind="linear",
   x=lambda g, xp, x_shape: xp.divide_number(g, x_shape, math.prod(x_shape)) if xp is arrays else xp.divide_by(
       xp.expand(g, x_shape), math.prod(x_shape)))  # fmt: skip
op("mean", k.mean, node="MeanBackward1", kind="linear",
   x=lambda g, xp, x_shape, axis, keepdims: xp.divide_by(
       stretched(g, xp, x_shape, axis, keepdims), k.count(x_shape, axis) or 1))  # fmt: skip
op("expand_number", k.expand_number, node="ExpandBackward0", kind="linear", g=lambda g, xp: xp.sum_all(g))
op("divide_number", k.divide_number, node="DivBackward1", kind="linear",
   g=lambda g, xp, divisor: xp.divide_by(xp.sum_all(g), divisor or 1))  # fmt: skip
op("divide_by", k.divide_by, node="DivBackward1", kind="linear",
   x=lambda g, xp, divisor: xp.divide_by(g, divisor))  # fmt: skip
op("nansum", k.nansum,
   x=lambda g, xp, x, axis, keepdims: stretched(g, xp, x.shape, axis, keepdims) * xp.not_nan(x))  # fmt: skip
op("not_nan", k.not_nan, inputs="x")


def stretched(g: Any, xp: Any, shape: tuple[int, ...], axis: Any, keepdims: bool) -> Any:
    """The cotangent of a reduction, at every place of what was reduced."""
    return xp.expand(expand(g, axis, keepdims, len(shape)), shape)


# Products. Where an element is zero, dividing by it is no way to the product of the others.

op("prod_all", lambda x, dtype=None: k.prod(x, None, False, dtype), node="ProdBackward0",
   x=lambda g, xp, x, out: g if not x.shape else _prod_all_backward(g, xp, factors(xp, x, g), out))  # fmt: skip
op("prod", k.prod, node="ProdBackward1",
   x=lambda g, xp, x, out, axis, keepdims: g if not x.shape else _prod_backward(
       g, xp, factors(xp, x, g), out, axis, keepdims))  # fmt: skip
# Not linear: what it fills with is no part of a tangent.
op("shift", k.shift, x=lambda g, xp, axis, step: xp.shift(g, axis, -step, 0))


def factors(xp: Any, x: Any, g: Any) -> Any:
    """What a product with cotangent ``g`` was taken of: where a real ``dtype`` was asked for, of x's real part."""
    return xp.real(x) if is_complex(x) and not is_complex(g) else x


def _prod_all_backward(g: Any, xp: Any, x: Any, out: Any) -> Any:
    return g * conj(out / x) if no_zero(x) else _prod_backward_at_zeros(g, xp, x)


def _prod_backward(g: Any, xp: Any, x: Any, out: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    g, out = (expand(value, axis, keepdims, len(x.shape)) for value in (g, out))
    if no_zero(x):
        return g * conj(out / x)
    return g if x.shape[axis[0]] == 1 else g * conj(others(xp, x, axis[0]))


def _prod_backward_at_zeros(g: Any, xp: Any, x: Any) -> Any:
    """The rule of a product of all elements where some are zero."""
    if math.prod(x.shape) == 1:
        return g.reshape(x.shape)
    if isinstance(x, np.ndarray) and np.count_nonzero(x) < x.size - 1:
        return np.zeros(x.shape, x.dtype)  # whatever else is nan or infinite, g too
    return xp.view(g * conj(others(xp, x.reshape((math.prod(x.shape),)), 0)), x.shape)


def no_zero(x: Any) -> bool:
    """Whether no element is zero."""
    return bool(((all_numbers(x) if getattr(x, "_of_batch", False) else getattr(x, "_array", x)) != 0).all())


def others(xp: Any, x: Any, axis: int) -> Any:
    """For each element the product of the others along ``axis``: of those before and those behind."""
    before = xp.cumprod(xp.shift(x, axis, 1, 1), axis)
    behind = xp.flip(xp.cumprod(xp.flip(xp.shift(x, axis, -1, 1), (axis,)), axis), (axis,))
    return before * behind


# Variances, computed in double precision.

op("var", k.var, kind="reduction",
   x=lambda g, xp, x, axis, correction, keepdims: var_backward(g, xp, x, axis, correction, keepdims))  # fmt: skip
op("std", k.std, kind="reduction",
   x=lambda g, xp, x, out, axis, correction, keepdims: var_backward(
       std_backward(g, xp, out), xp, x, axis, correction, keepdims))  # fmt: skip
op("var_mean", k.var_mean, outputs="spread center", kind="reduction",
   x=lambda g, xp, x, x_shape, axis, correction, keepdims: var_mean_backward(
       g[0], g[1], xp, x, x_shape, axis, correction, keepdims))  # fmt: skip
op("std_mean", k.std_mean, outputs="spread center", kind="reduction",
   x=lambda g, xp, x, x_shape, spread, axis, correction, keepdims: var_mean_backward(
       None if g[0] is None else std_backward(g[0], xp, spread), g[1], xp, x, x_shape, axis, correction,
       keepdims))  # fmt: skip


def var_backward(g: Any, xp: Any, x: Any, axis: Any, correction: float, keepdims: bool) -> Any:
    """The variance's rule: how far each element is from the mean, times 2 / degrees of freedom."""
    freedom = k.count(x.shape, axis) - correction
    whole = axis is None or not x.shape
    g = g if whole else expand(g, axis, keepdims, len(x.shape))
    center = xp.mean_all(x) if whole else xp.mean(x, axis, True)
    off = x - center
    if freedom <= 0 and whole:
        return g * xp.masked_fill(xp.masked_fill(xp.zeros_as(x), x == center, math.nan), x != center, math.inf)
    factor = 2 / freedom if freedom else math.inf
    return (by_number(g, factor) if xp is arrays else xp.times(g, factor)) * off


def std_backward(g: Any, xp: Any, out: Any) -> Any:
    return xp.masked_fill(g / (out * 2 if xp is arrays else xp.times(out, 2)), out == 0, 0)


def var_mean_backward(
    spread: Any, center: Any, xp: Any, x: Any, shape: tuple[int, ...], axis: Any, correction: float, keepdims: bool
) -> Any:
    total = None
    if center is not None:
        total = xp.divide_by(stretched(center, xp, shape, axis, keepdims), k.count(shape, axis) or 1)
    if spread is not None:
        part = var_backward(spread, xp, x, axis, correction, keepdims)
        total = part if total is None else part + total
    return total


op("all", k.all, inputs="x")
op("any", k.any, inputs="x")
op("count_nonzero", k.count_nonzero, inputs="x")


# The public functions.


def dtype_of_result(input: Any, dtype: Any) -> Any:
    """NumPy's dtype for ``dtype=``; RuntimeError for integers where a gradient is wanted."""
    if dtype is None:
        return None
    refuse_history(dtype, input)
    return dtype.numpy


def check_tensor(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")


# ``dim=None`` is not quite the same as no dim: PyTorch's nodes tell.
_UNSAID: Any = Unsaid()


@public()
def sum(input: Any, dim: Any = _UNSAID, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along one or several dimensions. Integers and booleans are summed in int64.

    >>> import rushlight as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=1)
    tensor([3., 7.])
    """
    if dim is _UNSAID:
        if not keepdim:
            return ops.sum_all(input) if dtype is None else ops.sum_all(input, dtype_of_result(input, dtype))
        dim = None
    return ops.sum(input, axes_of(dim, input._array.ndim), bool(keepdim), dtype_of_result(input, dtype))


_is_axis, _axis = one_axis("dim")
_of_one = {"axis": f"({_axis},)", "keepdims": "False", "dtype": "None"}
plain_cases("sum", Case("sum_all", "input", settings={"dtype": "None"}), Case("sum", "input dim", _is_axis, settings=_of_one))


@public()
def mean(input: Any, dim: Any = _UNSAID, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along one or several dimensions; RuntimeError for integers.

    >>> import rushlight as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0)
    tensor([2., 3.])
    """
    if input._array.dtype.kind in "bui" and dtype is None:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{input.dtype.scalar_name}"
        )
    if dtype is not None and dtype.numpy.kind in "bui":
        raise RuntimeError(
            "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex "
            "dtype. Got: "
            f"{dtype.scalar_name}"
        )
    if dim is _UNSAID:
        if not keepdim:
            return ops.mean_all(input) if dtype is None else ops.mean_all(input, dtype.numpy)
        dim = None
    return ops.mean(input, axes_of(dim, input._array.ndim), bool(keepdim), dtype_of_result(input, dtype))


@public()
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum with nan counted as zero; RuntimeError for complex numbers."""
    if input._array.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    axes = None if dim is None and not keepdim else axes_of(dim, input._array.ndim)
    if dtype is not None and dtype.is_complex and input._array.dtype.kind in "fV":
        raise NotImplementedError(f"\"nansum_cpu\" not implemented for '{dtype.scalar_name}'")
    if modes.state.forward_levels and tangents.tangents_of(input):  # a tangent that is nan beside a nan counts as zero too
        input = ops.masked_fill(input, ops.ne(input, input), 0)
    return ops.nansum(input, axes, bool(keepdim), dtype_of_result(input, dtype))


@public()
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of what is not nan; nan where nothing is left.

    >>> import rushlight as torch
    >>> torch.tensor([1.0, float("nan"), 3.0]).nanmean()
    tensor(2.)
    """
    if input._array.dtype.kind not in "fcVW":
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.scalar_name}"
        )
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: "
            f"{dtype.scalar_name}"
        )
    present = sum(ops.not_nan(input), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / present


@public()
def prod(input: Any, dim: Any = _UNSAID, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along one dimension. Integers and booleans are multiplied in int64.

    >>> import rushlight as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).prod(dim=0)
    tensor([3., 8.])
    """
    if dim is _UNSAID and not keepdim:
        return ops.prod_all(input) if dtype is None else ops.prod_all(input, dtype_of_result(input, dtype))
    ndim = input._array.ndim
    axis = axis_of(dim, ndim)
    return ops.prod(input, (axis,) if ndim else (), bool(keepdim), dtype_of_result(input, dtype))


def _of_some(array: Any) -> bool:
    return array.size > 1 and array.dtype.kind in "fcVW"


def _spread_arguments(
    name: str, input: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> tuple[Any, float, bool]:
    """Axes, correction and keepdims for std and var, whose second argument may be a bool: ``unbiased``."""
    check_tensor(name, input)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not _UNSAID and not isinstance(unbiased, bool):
        raise TypeError(f"{name}(): argument 'unbiased' must be bool, not {type_name(unbiased)}")
    if unbiased is not _UNSAID and correction is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    if correction is None:
        correction = 1 if unbiased else 0
    elif correction.__class__ is not int and correction.__class__ is not float:
        correction = _as_correction(correction)
    else:
        refuse_too_large(correction)
    array = input._array
    if array.dtype.kind in "bui":
        label = name if name.endswith("_mean") else "std and var"
        raise RuntimeError(f"{label} only support floating point and complex dtypes")
    axes = None if dim is None and not keepdim else axes_of(dim, array.ndim)
    if k.count(array.shape, axes) - correction <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input "
            "numel divided by output numel).",
            stacklevel=4,
        )
    return axes, correction, bool(keepdim)


def _as_correction(correction: Any) -> float:
    """What stands for a number as one; TypeError, which is then said in PyTorch's words, for what stands for none."""
    if not is_number(correction):
        raise TypeError
    if isinstance(correction, Tensor):
        correction = correction.item()
    if isinstance(correction, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return float(correction)


@public()
def var(input: Any, dim: Any = None, unbiased: Any = _UNSAID, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The variance: squared distances from the mean, summed and divided by their number less ``correction`` (1).

    >>> import rushlight as torch
    >>> torch.tensor([1.0, 2.0, 3.0, 4.0]).var(correction=0)
    tensor(1.2500)
    """
    if dim is correction is None and unbiased is _UNSAID and not keepdim and _of_some(input._array):
        return ops.var(input, None, 1, False)
    return ops.var(input, *_spread_arguments("var", input, dim, unbiased, keepdim, correction))


@public()
def std(input: Any, dim: Any = None, unbiased: Any = _UNSAID, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The standard deviation: the root of :func:`var`."""
    if dim is correction is None and unbiased is _UNSAID and not keepdim and _of_some(input._array):
        return ops.std(input, None, 1, False)
    return ops.std(input, *_spread_arguments("std", input, dim, unbiased, keepdim, correction))


@public(method=False, out=False)
def var_mean(
    input: Any, dim: Any = None, unbiased: Any = _UNSAID, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """Variance and mean."""
    return ops.var_mean(input, *_spread_arguments("var_mean", input, dim, unbiased, keepdim, correction))


@public(method=False, out=False)
def std_mean(
    input: Any, dim: Any = None, unbiased: Any = _UNSAID, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean."""
    return ops.std_mean(input, *_spread_arguments("std_mean", input, dim, unbiased, keepdim, correction))


def _some_axes(dim: Any, keepdim: bool, ndim: int) -> Any:
    """The axes of all() and any(), for which an empty list means none."""
    if dim is None and not keepdim:
        return None
    return () if isinstance(dim, (tuple, list)) and not dim else axes_of(dim, ndim)


@public()
def all(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are nonzero, together or along dimensions; uint8 for uint8, else bool."""
    return ops.all(input, _some_axes(dim, keepdim, input._array.ndim), bool(keepdim))


@public()
def any(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element is nonzero, together or along dimensions; uint8 for uint8, else bool."""
    return ops.any(input, _some_axes(dim, keepdim, input._array.ndim), bool(keepdim))


@public(out=False)
def count_nonzero(input: Any, dim: Any = None) -> Tensor:
    """How many elements are not zero."""
    return ops.count_nonzero(input, axes_of(dim, input._array.ndim))
