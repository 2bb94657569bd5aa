"""Pointwise ops: arithmetic, powers, exponentials, trigonometry. One line per derivative.

The rules hold for complex numbers too: the cotangent of a holomorphic function is ``g`` times the conjugate derivative.
A rule keeps what PyTorch keeps, so that the same in-place changes are errors.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NoReturn

import numpy as np

from ..autograd import views
from ..backend import arithmetic
from ..backend import pointwise as k
from ..base import dtypes
from ..base.arguments import NUMBERS, refuse_too_large, type_name
from ..tensor import Tensor
from . import inplace
from .operands import no_such_form
from .out import write_out
from .parameters import is_number
from .plain_cases import Case, plain_cases
from .public import alias, function_of, inplace_form, methods, module, ops, public, publish
from .rule_functions import by_number, conj, underivable
from .signatures import Unsaid
from .table import arrays, op

LN2, LN10 = math.log(2), math.log(10)


# How most ops are: functions of floating numbers, and functions of any number that keep its dtype.
smooth = functools.partial(op, promote="float", kind="elementwise")
plain = functools.partial(op, promote="same", kind="elementwise")
linear = functools.partial(op, promote="same", kind="linear")


def _is_complex(value: object) -> bool:
    array = getattr(value, "_array", value)
    return array.dtype.kind == "c" if hasattr(array, "dtype") else isinstance(array, complex)


def _real(xp: Any, value: Any) -> Any:
    return xp.real(value) if _is_complex(value) else value


def _power_backward(xp: Any, x: Any, exponent: Any) -> Any:
    """``exponent * x ** (exponent - 1)``: an array to the first is taken as it is, a Tensor's derivatives go on as in PyTorch."""
    if xp is arrays:
        return by_number(x if exponent == 2 else xp.pow_number(x, exponent - 1), exponent)
    return xp.times(xp.pow_number(x, exponent - 1), exponent)


def _log_of_base(xp: Any, base: Any, out: Any) -> Any:
    """The logarithm of what was raised to a power: of integers in the dtype of the result."""
    if _is_complex(out):
        return xp.log(base if _is_complex(base) else base + 0j)
    if getattr(base, "_array", base).dtype.kind in "iub":
        base = xp.astype(base, getattr(out, "_array", out).dtype)
    return xp.log(base)


def _less_one(xp: Any, exponent: Any) -> Any:
    """``exponent - 1``, which PyTorch refuses of bools."""
    arithmetic.no_bool_difference([getattr(exponent, "_array", exponent).dtype.kind == "b", False])
    return xp.minus(exponent, 1)


def _divisor_backward(g: Any, a: Any, b: Any) -> Any:
    slope = conj(a / b / b)  # first, as in PyTorch: the order in which a graph's nodes run is that in which they were made
    return -g * slope


def _reciprocal_backward(g: Any, out: Any) -> Any:
    slope = conj(out * out)  # first, too
    return -g * slope


def _no_inplace_acosh() -> NoReturn:
    raise NotImplementedError("the derivative for 'inplace version of acosh' is not implemented.")


def _no_bool(inputs: Any) -> None:
    arithmetic.no_bool_difference(
        [value._array.dtype.kind == "b" if isinstance(value, Tensor) else isinstance(value, bool) for value in inputs]
    )


# fmt: off

# What rules are made of: zeros, and a cotangent of which only a part goes on.

op("zeroed", k.zeroed, inputs="x")
op("only", k.only, inputs="mask", node="WhereBackward0", kind="linear",
   x=lambda g, xp, mask: xp.only(g, mask), zero=lambda g, xp, mask: xp.only(g, ~mask))
# What a gradient hangs on in PyTorch, whose functions for it take more than it is computed from: gets no gradient, or zeros.
op("beside", lambda x, other: x, node="AddBackward0", x=lambda g: g, other=lambda g: None)
op("beside_kept", lambda x, other: x, node="ConvolutionBackwardBackward0", x=lambda g, other: g, other=lambda g, other: None)
op("beside_zeros", lambda x, other: x, node="AddBackward0",
   x=lambda g: g, other=lambda g, xp, other_shape: xp.zeroed(xp.expand(xp.sum_all(g), other_shape)))  # fmt: skip
# With what is multiplied by a zero, which PyTorch keeps: forward_rules.py.
op("beside_product", lambda x, other, zero: x, inputs="zero", node="AddBackward0", x=lambda g, zero: g,
   other=lambda g, xp, other_shape, zero: xp.zeroed(xp.expand(xp.sum_all(g), other_shape)))  # fmt: skip

# Arithmetic.

linear("add", np.add, a=lambda g: g, b=lambda g: g)
linear("add_scaled", arithmetic.add_scaled, node="AddBackward0", a=lambda g: g, b=lambda g, alpha: by_number(g, conj(alpha)))
linear("sub", arithmetic.subtract, check=_no_bool, a=lambda g: g, b=lambda g: -g)
linear("sub_scaled", arithmetic.subtract_scaled, node="SubBackward0", check=_no_bool,
       a=lambda g: g, b=lambda g, alpha: by_number(-g, conj(alpha)))
linear("rsub_scaled", arithmetic.reverse_subtract_scaled, node="RsubBackward0", check=_no_bool,
       a=lambda g, alpha: by_number(-g, conj(alpha)), b=lambda g: g)
op("rsub_number", arithmetic.subtract_from, node="RsubBackward1", kind="elementwise",
   x=lambda g, alpha: -g if alpha == 1 else by_number(-g, conj(alpha)))
linear("neg", arithmetic.negative, x=lambda g: -g)
op("mul", np.multiply, promote="same", kind="bilinear",
   a=lambda g, b: g * conj(b), b=lambda g, a: g * conj(a))
smooth("div", k.divide, a=lambda g, b: g / conj(b), b=_divisor_backward)
smooth("reciprocal", arithmetic.reciprocal, x=_reciprocal_backward)
smooth("div_rounded", k.divide, node="DivBackward2", a=lambda g, b: g / conj(b), b=_divisor_backward)
plain("div_floor", arithmetic.floor_divide, node="DivBackward2", a=lambda g, xp, b: xp.zeroed(g), b=lambda g, xp, a, b: xp.zeroed(g))
plain("div_trunc", arithmetic.truncate_divide, node="DivBackward2", a=lambda g, xp, b: xp.zeroed(g), b=lambda g, xp, a, b: xp.zeroed(g))
plain("floor_divide", arithmetic.floor_divide, node="NotImplemented",
      a=lambda g: underivable("floor_divide"), b=lambda g: underivable("floor_divide"))
plain("floor_divide_", arithmetic.floor_divide, node="NotImplemented",
      a=lambda g: underivable("floor_divide_"), b=lambda g: underivable("floor_divide_"))
plain("remainder", arithmetic.remainder, node="RemainderBackward1",
      a=lambda g: g, b=lambda g, xp, a, b: -g * xp.div_floor(a, b))
op("remainder_number", arithmetic.remainder_number, node="RemainderBackward0", kind="elementwise", x=lambda g: g)
op("number_remainder", arithmetic.number_remainder, node="NotImplemented", x=lambda g: underivable("remainder"))
plain("fmod", arithmetic.fmod, node="FmodBackward1", a=lambda g: g, b=lambda g, xp, a, b: -g * xp.div_trunc(a, b))
op("fmod_number", arithmetic.fmod_number, node="FmodBackward0", kind="elementwise", x=lambda g: g)

# Powers.

plain("pow", arithmetic.power, node="PowBackward1",
      # As in PyTorch, the result is kept (and watched) whichever input needs a gradient.
      a=lambda g, xp, a, b, out: xp.only(g * conj(b * xp.pow(a, _less_one(xp, b))), b != 0),
      b=lambda g, xp, a, b, out: g * conj(xp.only(
          out * _log_of_base(xp, a, out), ~((a == 0) & (_real(xp, b) >= 0)))))
op("pow_number", arithmetic.power_number, node="PowBackward0", kind="elementwise",
   x=lambda g, xp, x, exponent:
       xp.zeroed(g) if exponent == 0 else g * conj(_power_backward(xp, x, exponent)))
op("number_pow", arithmetic.number_power, node="PowBackward2", kind="elementwise",
   x=lambda g, xp, x, base, out: g * conj(
       xp.times(out, _log(base, out)) if base != 0 else xp.masked_fill(out * -math.inf, _real(xp, x) >= 0, 0)))
smooth("sqrt", np.sqrt, x=lambda g, xp, out: g / xp.times(conj(out), 2))
smooth("rsqrt", arithmetic.rsqrt, x=lambda g, xp, out: xp.times(g, -0.5) * conj(xp.pow_number(out, 3)))

# Exponentials and logarithms.

smooth("exp", np.exp, x=lambda g, out: g * conj(out))
smooth("exp2", np.exp2, x=lambda g, xp, out: xp.times(g * conj(out), LN2))
smooth("expm1", np.expm1, x=lambda g, xp, out: g * conj(xp.plus(out, 1)))
smooth("log", np.log, x=lambda g, x: g / conj(x))
smooth("log2", np.log2, x=lambda g, xp, x: g / xp.times(conj(x), LN2))
smooth("log10", np.log10, x=lambda g, xp, x: g / xp.times(conj(x), LN10))
smooth("log1p", k.log1p, node="Log1PBackward0", x=lambda g, xp, x: g / conj(xp.plus(x, 1)))
smooth("sigmoid", k.sigmoid, x=lambda g, xp, out: xp.sigmoid_backward(g, out))
op("sigmoid_backward", k.sigmoid_backward, node="SigmoidBackwardBackward0",
   h=lambda g, xp, y: xp.sigmoid_backward(g, conj(y)), y=lambda g, xp, h, y: conj(g) * h * conj(xp.plus(xp.times(y, -2), 1)))
plain("relu", k.relu, x=lambda g, xp, out: xp.relu_backward(g, out))
op("relu_backward", k.relu_backward, node="ThresholdBackwardBackward0",
   h=lambda g, xp, y: xp.masked_fill(g, y <= 0, 0), y=lambda xp, y: xp.zeroed(y))

# Circular and hyperbolic functions.

smooth("sin", np.sin, x=lambda g, xp, x: g * conj(xp.cos(x)))
smooth("cos", np.cos, x=lambda g, xp, x: g * -conj(xp.sin(x)))
smooth("tan", np.tan, x=lambda g, xp, out: g * conj(xp.plus(xp.pow_number(out, 2), 1)))
smooth("asin", np.arcsin, x=lambda g, xp, x: g * conj(xp.rsqrt(xp.plus(-x * x, 1))))
smooth("acos", np.arccos, x=lambda g, xp, x: g * -conj(xp.rsqrt(xp.plus(-x * x, 1))))
smooth("atan", np.arctan, x=lambda g, xp, x: g / conj(xp.plus(x * x, 1)))
smooth("sinh", np.sinh, x=lambda g, xp, x: g * conj(xp.cosh(x)))
smooth("cosh", np.cosh, x=lambda g, xp, x: g * conj(xp.sinh(x)))
smooth("tanh", k.tanh, x=lambda g, xp, out: xp.tanh_backward(g, out))
op("tanh_backward", k.tanh_backward, node="TanhBackwardBackward0",
   h=lambda g, xp, y: xp.tanh_backward(g, conj(y)), y=lambda g, xp, h, y: conj(g) * (h * conj(xp.times(y, -2))))
smooth("asinh", np.arcsinh, x=lambda g, xp, x: g * conj(xp.rsqrt(xp.plus(xp.pow_number(x, 2), 1))))
smooth("acosh", np.arccosh, x=lambda g, xp, x:
       g * conj(xp.rsqrt(xp.minus(x, 1)) * xp.rsqrt(xp.plus(x, 1)) if _is_complex(x) else xp.rsqrt(xp.minus(x * x, 1))))
smooth("acosh_", np.arccosh, node="AcoshBackward1", x=lambda g: _no_inplace_acosh())
smooth("atanh", np.arctanh, x=lambda g, xp, x: xp.times(g, 1) / conj(xp.number_minus(xp.pow_number(x, 2), 1)))

# Signs and steps.

op("abs", k.absolute, promote="same", x=lambda g, xp, x: g * xp.sgn(x))
op("sgn", k.sgn, promote="same", x=lambda g, xp, x, out: _sgn_backward(g, xp, x, out))
plain("sign", k.sign, x=lambda g, xp: xp.zeroed(g))
plain("floor", k.floor, x=lambda g, xp: xp.zeroed(g))
plain("ceil", k.ceil, x=lambda g, xp: xp.zeroed(g))
plain("round", k.rint, x=lambda g, xp: xp.zeroed(g))
op("round_decimals", k.round_decimals, node="RoundBackward1", kind="elementwise", x=lambda g, xp: xp.zeroed(g))
plain("trunc", k.trunc, x=lambda g, xp: xp.zeroed(g))
plain("frac", k.frac, x=lambda g: g)
op("signbit", k.signbit, inputs="x", promote="compare")

# fmt: on


def _log(base: Any, out: Any) -> Any:
    """The logarithm of a number, for results ``out``: complex where those are."""
    if isinstance(base, complex) or _is_complex(out):
        return complex(np.log(complex(base)))
    return math.log(base) if base > 0 else math.nan


def _sgn_backward(g: Any, xp: Any, x: Any, out: Any) -> Any:
    """What turns the direction of a complex number: the part of ``g`` across it, over its size."""
    if not _is_complex(x):
        return xp.zeroed(g)
    across = g - out * xp.real(g * conj(out))
    return xp.masked_fill(across, x == 0, 0) / xp.masked_fill(xp.abs(x), x == 0, 1)  # forward too, none of 0 by 0


# Public forms.

publish("mul", "multiply")
publish("neg", "negative")
publish("abs", "absolute")


def _not_into_complex(name: str, error: Exception) -> None:
    write = methods[name]

    @functools.wraps(write)
    def call(self: Any) -> Any:
        if self._array.dtype.kind == "c":
            views.check_writable(self)
            raise error
        return write(self)

    methods[name] = call
    module("torch")[name] = function_of(call)


for _name in (
    "reciprocal sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sigmoid relu sin cos tan asin acos atan sinh cosh tanh "
    "asinh acosh atanh sgn sign floor ceil trunc frac"
).split():
    publish(_name)
publish("signbit", forms="function method")
for _long, _short in (
    ("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan"), ("arcsinh", "asinh"), ("arccosh", "acosh"),
    ("arctanh", "atanh"), ("fix", "trunc"),
):  # fmt: skip
    alias(_long, _short)


for _name in ("acosh_", "arccosh_"):
    methods[_name] = inplace_form(lambda self: ops.acosh_(self), _name)


@public()
def add(input: Any, other: Any, *older: Any, alpha: Any = 1) -> Tensor:
    """``input + alpha * other``.

    >>> import rushlight as torch
    >>> torch.add(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]), alpha=10)
    tensor([11., 12.])
    """
    if older:  # add(input, alpha, other), as it was written before PyTorch 1.5
        if len(older) > 1 or not is_number(other) or not isinstance(older[0], (Tensor, *NUMBERS)):
            raise no_such_form("add", (input, other, *older))
        return add(input, older[0], alpha=other)
    if alpha.__class__ is not int:
        alpha = _factor("add", alpha)
    refuse_too_large(alpha)
    if alpha == 1 and alpha is not True:
        return ops.add(input, other)
    return ops.add_scaled(input, other, alpha)


def _factor(name: str, alpha: object) -> object:
    """A number, of a tensor of no dimensions what it holds."""
    if not is_number(alpha):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type_name(alpha)}")
    return alpha.item() if isinstance(alpha, Tensor) else alpha


@public()
def sub(input: Any, other: Any, *older: Any, alpha: Any = 1) -> Tensor:
    """``input - alpha * other``."""
    if older:
        if len(older) > 1 or not is_number(other) or not isinstance(older[0], (Tensor, *NUMBERS)):
            raise no_such_form("sub", (input, other, *older))
        return sub(input, older[0], alpha=other)
    if alpha.__class__ is not int:
        alpha = _factor("sub", alpha)
    refuse_too_large(alpha)
    return ops.sub(input, other) if alpha == 1 and alpha is not True else ops.sub_scaled(input, other, alpha)


methods["add_"] = inplace.scaled(np.add, "add_", "add", "add_scaled")
methods["sub_"] = inplace.scaled(np.subtract, "sub_", "sub", "sub_scaled")
alias("subtract", "sub")


def _subtract(input: object, other: object, *alphas: object, alpha: object = 1) -> Tensor:
    """``input - alpha * other``, to which ``alpha`` may be given by position where ``other`` is a number."""
    if len(alphas) > 1 or (alphas and not is_number(other)):
        raise TypeError  # which is then said in PyTorch's words
    result = sub(input, other, alpha=alphas[0] if alphas else alpha)
    if alphas and result._edge is not None:
        inplace.record_as(result._edge[0], "SubBackward1")
    return result


public("subtract")(_subtract)


@public(method=False, out=False)
def rsub(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    """``other - alpha * input``."""
    if not isinstance(input, Tensor):
        raise no_such_form("rsub", (input, other))
    if isinstance(other, NUMBERS):
        return ops.rsub_number(input, other, alpha)
    return ops.rsub_scaled(input, other, alpha)


_UNSAID: Any = Unsaid()


@public()
def div(input: Any, other: Any, *, rounding_mode: str | None = _UNSAID) -> Tensor:
    """``input / other``, rounded towards zero ('trunc') or down ('floor') if asked."""
    if rounding_mode is _UNSAID:
        return ops.div(input, other)
    if rounding_mode is None:
        return ops.div_rounded(input, other)
    if rounding_mode == "floor":
        return ops.div_floor(input, other)
    if rounding_mode == "trunc":
        return ops.div_trunc(input, other)
    raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")


_div_ = inplace.binary(np.true_divide, "div_", lambda self, other: inplace.recorded(self, "div_", "div", other))


def _div_inplace(self: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return _div_(self, other)
    return views.inplace(div, "div_", self, other, rounding_mode=rounding_mode)


methods["div_"] = inplace.named(_div_inplace, "div_")


@public(inplace=True)
def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """``input / other``: the same as :func:`div`."""
    return div(input, other, rounding_mode=rounding_mode)


@public(inplace=True)
def true_divide(input: Any, other: Any) -> Tensor:
    """``input / other``."""
    return ops.div(input, other)


@public()
def floor_divide(input: Any, other: Any) -> Tensor:
    """``input / other`` rounded down."""
    return ops.floor_divide(input, other)


def _floor_divided(self: Tensor, other: Any) -> Tensor:
    if isinstance(other, complex):  # which NumPy refuses before it is known where the result goes
        dtypes.check_cast(module("torch")["result_type"](self, other).numpy, self.dtype.numpy)
    return ops.floor_divide_(self, other)


methods["floor_divide_"] = inplace_form(_floor_divided, "floor_divide_")


@public(inplace=True)
def remainder(input: Any, other: Any) -> Tensor:
    """What is left of ``input`` after as many whole ``other`` as fit, with the sign of ``other``, as in Python."""
    if isinstance(other, NUMBERS):
        return ops.remainder_number(input, other)
    if isinstance(input, NUMBERS):
        return ops.number_remainder(other, input)
    return ops.remainder(input, other)


@public(inplace=True)
def fmod(input: Any, other: Any) -> Tensor:
    """What is left of ``input`` after as many whole ``other`` as fit, with the sign of ``input``, as in C."""
    if not isinstance(input, Tensor):
        raise no_such_form("fmod", (input, other))
    if isinstance(other, NUMBERS):
        return ops.fmod_number(input, other)
    return ops.fmod(input, other)


@public(inplace=True)
def pow(input: Any, exponent: Any) -> Tensor:
    """``input ** exponent``; one of the two may be a number."""
    if isinstance(exponent, NUMBERS):
        return ops.pow_number(input, exponent)
    if isinstance(input, NUMBERS):
        return ops.number_pow(exponent, input)
    return ops.pow(input, exponent)


plain_cases("pow", Case("pow_number", "input exponent", "exponent.__class__ is int or exponent.__class__ is float"))


@public(out=False)
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    """``input ** exponent`` in double precision, into which its in-place form and ``out`` are to be."""
    double = _double_of(input, exponent)
    if out is None:
        return pow(_as_double(input, double), _as_double(exponent, double))
    _require_double("float_power", "output", out, double)
    return write_out(float_power, "float_power", out, (input, exponent), {})


def _float_power_inplace(self: Any, exponent: Any) -> Any:
    double = _double_of(self, exponent)
    _require_double("float_power_", "base", self, double)
    return self.pow_(_as_double(exponent, double))


methods["float_power_"] = inplace.named(_float_power_inplace, "float_power_")


def _double_of(*operands: Any) -> np.dtype[Any]:
    return np.dtype(np.complex128 if any(_complex_operand(one) for one in operands) else np.float64)


def _require_double(name: str, what: str, given: Any, double: np.dtype[Any]) -> None:
    have = given._array.dtype
    if have != double:
        raise RuntimeError(
            f"the {what} given to {name} has dtype {dtypes.of(have).scalar_name} but the operation's result requires dtype "
            f"{dtypes.of(double).scalar_name}"
        )


def _complex_operand(value: Any) -> bool:
    return value._array.dtype.kind == "c" if isinstance(value, Tensor) else isinstance(value, complex)


def _as_double(value: Any, double: np.dtype[Any]) -> Any:
    if not isinstance(value, Tensor):
        return value if double.kind == "c" else float(value)
    return value if value._array.dtype == double else ops.astype(value, double)


@public(inplace=True)
def square(input: Any) -> Tensor:
    """``input ** 2``."""
    return ops.pow_number(input, 2)


@public(out=False)
def positive(input: Any) -> Tensor:
    """The tensor itself; an error for bool."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@public(inplace=True)
def round(input: Any, *, decimals: int | None = None) -> Tensor:
    """The nearest integer, halves to the even one; or the nearest multiple of ``10 ** -decimals``."""
    return ops.round(input) if decimals is None else ops.round_decimals(input, decimals)


_not_into_complex("abs_", RuntimeError("In-place abs is not supported for complex tensors."))
_not_into_complex("absolute_", RuntimeError("In-place abs is not supported for complex tensors."))
_not_into_complex("relu_", NotImplementedError("clamp is not supported for complex types"))
