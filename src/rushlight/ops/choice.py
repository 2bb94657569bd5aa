"""Pointwise ops that choose between values (where, clamp, the larger of two, masks), mix them, or take them apart."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..autograd import views
from ..autograd.modes import state
from ..autograd.rule_errors import broadcast_error
from ..autograd.write_errors import check_output
from ..backend import choice as k
from ..backend.checked_convert import checked_element, checked_number, refuse_overflow
from ..base import dtypes, return_types
from ..base.arguments import NUMBERS, refuse_too_large, type_name
from ..base.dtypes import can_cast
from ..base.dtypes import of as dtype_of
from ..tensor import Tensor, new_tensor
from . import promotion
from .extremes import refuse
from .operands import no_such_form, refuse_history
from .parameters import is_number
from .pointwise import LN2, plain, smooth
from .public import alias, function_of, methods, module, ops, public, publish, warn
from .rule_functions import by_number, conj, number_over, underivable
from .signatures import Unsaid
from .table import op

# fmt: off

# Choice.

op("where", k.where, inputs="condition", kind="linear",
   a=lambda g, xp, condition: xp.only(g, condition), b=lambda g, xp, condition: xp.only(g, ~condition))
op("masked_fill", k.masked_fill, inputs="mask", kind="elementwise", x=lambda g, xp, mask: xp.masked_fill(g, mask, 0))
op("masked_fill_tensor", k.masked_fill_from, inputs="mask", node="MaskedFillBackward1", kind="linear",
   x=lambda g, xp, mask: xp.masked_fill(g, mask, 0), value=lambda g, xp, mask: xp.only(g, mask))
op("clamp", k.clamp, node="ClampBackward1", kind="elementwise",
   x=lambda g, xp, x, low, high: xp.only(g, _within(x, low, high)))
op("clamp_min", k.clamp_min, kind="elementwise", x=lambda g, xp, x, low: xp.only(g, x >= low))
op("clamp_max", k.clamp_max, kind="elementwise", x=lambda g, xp, x, high: xp.only(g, x <= high))
op("clamp_between", k.clamp_between, node="ClampBackward0", kind="elementwise",
   x=lambda g, xp, x, low, high: xp.only(g, _within(x, low, high)),
   low=lambda g, xp, x, low, high: xp.only(g, x < low if high is None else (x < low) & (low < high)),
   high=lambda g, xp, x, low, high: xp.only(g, x > high if low is None else (x > high) | (high < low)))
op("clamp_min_tensor", k.clamp_from, node="ClampMinBackward1", kind="elementwise",
   x=lambda g, xp, x, low: xp.only(g, x >= low), low=lambda g, xp, x, low: xp.only(g, x < low))
op("clamp_max_tensor", k.clamp_to, node="ClampMaxBackward1", kind="elementwise",
   x=lambda g, xp, x, high: xp.only(g, x <= high), high=lambda g, xp, x, high: xp.only(g, x > high))
op("foreach_maximum", lambda x, scalar: k.clamp_min(x, scalar), kind="elementwise",
   x=lambda g, xp, x, scalar: _share(g, xp, x == scalar, x < scalar))  # fmt: skip
op("foreach_minimum", lambda x, scalar: k.clamp_max(x, scalar), kind="elementwise",
   x=lambda g, xp, x, scalar: _share(g, xp, x == scalar, x > scalar))  # fmt: skip
op("foreach_maximum_each", lambda x, place, scalars: k.clamp_min(x, scalars[place]),
   node="ForeachMaximumBackward1", kind="elementwise",
   x=lambda g, xp, x, place, scalars: _share(g, xp, x == scalars[place], x < scalars[place]))  # fmt: skip
op("foreach_minimum_each", lambda x, place, scalars: k.clamp_max(x, scalars[place]),
   node="ForeachMinimumBackward1", kind="elementwise",
   x=lambda g, xp, x, place, scalars: _share(g, xp, x == scalars[place], x > scalars[place]))  # fmt: skip
plain("maximum", k.maximum, numbers="none",
      a=lambda g, xp, a, b: _share(g, xp, a == b, a < b), b=lambda g, xp, a, b: _share(g, xp, a == b, a > b))
plain("minimum", k.minimum, numbers="none",
      a=lambda g, xp, a, b: _share(g, xp, a == b, a > b), b=lambda g, xp, a, b: _share(g, xp, a == b, a < b))
plain("fmax", k.fmax, numbers="none",
      a=lambda g, xp, a, b: xp.masked_fill(g, ~((a >= b) | (b != b)), 0),
      b=lambda g, xp, a, b: xp.masked_fill(g, (a >= b) | (b != b), 0))
plain("fmin", k.fmin, numbers="none",
      a=lambda g, xp, a, b: xp.masked_fill(g, ~((a <= b) | (b != b)), 0),
      b=lambda g, xp, a, b: xp.masked_fill(g, (a <= b) | (b != b), 0))

# Mixtures.

op("lerp", k.lerp, node="LerpBackward0", kind="linear",
   start=lambda g, weight: by_number(g, conj(1 - weight)), end=lambda g, weight: by_number(g, conj(weight)))
op("lerp_tensor", k.lerp, promote="same", node="LerpBackward1", kind="elementwise",
   start=lambda g, weight: g * conj(1 - weight), end=lambda g, weight: g * conj(weight),
   weight=lambda g, start, end: g * conj(end - start))
op("addcmul", k.addcmul, promote="same", kind="elementwise", x=lambda g: g,
   u=lambda g, xp, v, value: g * conj(xp.times(v, value)), v=lambda g, xp, u, value: g * conj(xp.times(u, value)))
# PyTorch keeps the divisor whichever input needs a gradient.
op("addcdiv", k.addcdiv, promote="same", kind="elementwise", x=lambda g, v: g,
   u=lambda g, v, value: g * conj(number_over(value, v)), v=lambda g, u, v, value: -g * conj(by_number(u, value) / (v * v)))

# Numbers taken apart and put together.

op("nan_to_num", k.nan_to_num, kind="elementwise", x=lambda g, xp, x: g * xp.isfinite(x))
smooth("copysign", k.copysign, numbers="second",
       a=lambda g, xp, a, out: g * xp.masked_fill(out / a, a == 0, 0), b=lambda g, xp: xp.zeroed(g))
op("copysign_number", k.copysign_number, node="CopysignBackward1", kind="elementwise",
   x=lambda g, xp, x, out: g * xp.masked_fill(out / x, x == 0, 0))
op("frexp", k.frexp, outputs="mantissa exponent!", kind="elementwise",
   x=lambda g, xp, exponent: g / xp.number_pow(exponent, 2.0))
op("ldexp", k.ldexp, kind="elementwise",
   a=lambda g, xp, b: g * conj(xp.number_pow(b, 2.0)), b=lambda g, out: by_number(g * conj(out), LN2))
plain("nextafter", k.nextafter, numbers="none",
      a=lambda g, xp, a, b: xp.only(g, a != b), b=lambda g, xp: xp.zeroed(g))
op("heaviside", k.heaviside, node="NotImplemented",
   x=lambda g: underivable("heaviside"), values=lambda g: underivable("heaviside"))
op("heaviside_", k.heaviside, node="NotImplemented",
   x=lambda g: underivable("heaviside_"), values=lambda g: underivable("heaviside_"))
smooth("atan2", k.atan2, numbers="none",
       a=lambda g, xp, a, b: g * b * _over_square(xp, a, b), b=lambda g, xp, a, b: g * xp.neg(a) * _over_square(xp, a, b))
plain("hypot", k.hypot, numbers="none", a=lambda g, a, out: g * a / out, b=lambda g, b, out: g * b / out)
plain("logaddexp", k.logaddexp, numbers="none",
      a=lambda g, xp, a, b: g / conj(1 + xp.exp(b - a)), b=lambda g, xp, a, b: g / conj(1 + xp.exp(a - b)))
plain("logaddexp2", k.logaddexp2, numbers="none",
      a=lambda g, xp, a, b: g / (1 + xp.exp2(b - a)), b=lambda g, xp, a, b: g / (1 + xp.exp2(a - b)))

# fmt: on


def _within(x: Any, low: Any, high: Any) -> Any:
    if low is None:
        return x <= high
    return x >= low if high is None else (x >= low) & (x <= high)


def _share(g: Any, xp: Any, tie: Any, loses: Any) -> Any:
    """The winner's cotangent; where both are equal each gets half."""
    return xp.masked_fill(xp.where(tie, xp.divide_by(g, 2), g), loses, 0)


def _over_square(xp: Any, a: Any, b: Any) -> Any:
    """``1 / (a * a + b * b)``, 0 at the origin."""
    square = a * a + b * b
    return xp.masked_fill(xp.reciprocal(square), square == 0, 0)


# Public forms.


def refuse_number(name: str, labels: tuple[str, ...], values: tuple[Any, ...]) -> None:
    """PyTorch's error for the first of the arguments that is no tensor."""
    for place, value in enumerate(values):
        if not isinstance(value, Tensor):
            kind = type(value).__name__
            raise TypeError(f"{name}(): argument '{labels[place]}' (position {place + 1}) must be Tensor, not {kind}")


for _name in "atan2 hypot nextafter".split():
    publish(_name)
for _name in "maximum minimum fmax fmin logaddexp logaddexp2".split():
    publish(_name, forms="function method")
alias("arctan2", "atan2")


@public(inplace=True)
def ldexp(input: Any, other: Any) -> Tensor:
    """``input * 2 ** other``."""
    refuse_number("ldexp", ("input", "other"), (input, other))
    if input._array.dtype.kind in "fV":
        refuse("ldexp_cpu_exp", other, "b")
    return ops.ldexp(input, other)


def _expect_number(name: str, label: str, value: object) -> None:
    if not isinstance(value, (Tensor, *NUMBERS)):
        raise TypeError(f"{name}(): argument '{label}' must be Number, not {type_name(value)}")
    refuse_too_large(value)


def _refuse_imaginary(value: object, dtype: dtypes.dtype) -> None:
    """PyTorch's error for a factor that a real dtype does not hold."""
    value = value.item() if isinstance(value, Tensor) else value
    if isinstance(value, complex) and value.imag and not dtype.is_complex:
        refuse_overflow(dtype)


def _branches(condition: Any, input: Any, other: Any) -> tuple[Any, Any]:
    """The two branches of where, numbers as 0-dim tensors of the dtype that they meet in."""
    if not all(isinstance(value, (Tensor, *NUMBERS)) for value in (input, other)):
        raise TypeError  # which is then said in PyTorch's words
    common = promotion.common_dtype([input, other]).numpy
    element = np.empty((), common)
    made = (
        value if isinstance(value, Tensor) else new_tensor(promotion.number_array(checked_element(value, element), common))
        for value in (input, other)
    )
    return tuple(made)  # type: ignore[return-value]


def _mask_of(condition: Any) -> Any:
    if not isinstance(condition, Tensor):
        raise TypeError(f"where(): argument 'condition' (position 1) must be Tensor, not {type(condition).__name__}")
    if condition._array.dtype.char == "?":
        return condition
    if condition._array.dtype == np.uint8:
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
            "PyTorch. Use a boolean condition instead.",
            once=True,
        )
        return ops.ne(condition, 0)
    raise RuntimeError(
        "where expected condition to be a boolean tensor, but got a tensor with dtype "
        f"{dtype_of(condition._array.dtype).scalar_name}"
    )


_UNSAID = Unsaid()


@public(method=False)
def where(condition: Any, input: Any = _UNSAID, other: Any = _UNSAID) -> Tensor:
    """``input`` where the condition holds, ``other`` elsewhere; with the condition alone, the indices where it holds.

    >>> import rushlight as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    if input is _UNSAID and other is _UNSAID:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        input, other = _branches(condition, input, other)
    return ops.where(_mask_of(condition), input, other)


@public("where", function=False)
def where_method(self: Any, condition: Any, other: Any) -> Tensor:
    """``self`` where the condition holds, ``other`` elsewhere."""
    return where(condition, self, other)


def _filled_in_place(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    return _filled(input, mask, value, input._array.shape)


def _filled(input: Tensor, mask: Tensor, value: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    """The result; ``shape``: what it must have."""
    is_tensor = isinstance(value, Tensor)
    if is_tensor and value._array.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} dimension(s)."
        )
    if not is_tensor and not isinstance(value, NUMBERS):
        raise TypeError  # which is then said in PyTorch's words
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {dtype_of(mask._array.dtype).c_name}"
        )
    mismatch = broadcast_error([input._array.shape, mask._array.shape])
    if mismatch is not None:
        raise mismatch
    if shape is not None and not (input._of_batch or mask._of_batch):
        check_output(shape, mask._array.shape)
    if not is_tensor:
        return ops.masked_fill(input, mask, checked_number(value, input._array))
    if value._array.dtype != input._array.dtype and not value._of_batch:
        checked_number(value._array.item(), input._array)
    if value._array.dtype.kind == "c" and input._array.dtype.kind not in "cb":
        if value._array.imag:
            refuse_overflow(input.dtype)
        value = ops.real(value)
    return ops.masked_fill_tensor(input, mask, value)


@public(inplace=_filled_in_place, out=False)
def masked_fill(input: Any, mask: Any, value: Any) -> Tensor:
    """``value`` (a number or a 0-dim tensor) where the mask is true."""
    mismatch = broadcast_error([mask._array.shape, input._array.shape])
    if mismatch is not None:
        raise mismatch
    filled = _filled(input, mask, value)
    refuse_history(input.dtype, filled)
    return filled


_TENSOR_OR_NONE = (Tensor, type(None))
_NUMBER_OR_NONE = (*NUMBERS, type(None))


def _clamp(input: Any, min: Any, max: Any) -> Any:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if not (isinstance(min, _TENSOR_OR_NONE) and isinstance(max, _TENSOR_OR_NONE)):
            if not (is_number(min) and is_number(max)):
                raise TypeError  # which is then said in PyTorch's words
            return ops.clamp(input, *(bound.item() if isinstance(bound, Tensor) else bound for bound in (min, max)))
        if input._array.dtype.kind == "c":
            raise NotImplementedError("clamp is not supported for complex types")
        return ops.clamp_between(input, min, max)
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if not (isinstance(min, _NUMBER_OR_NONE) and isinstance(max, _NUMBER_OR_NONE)):
        raise TypeError  # which is then said in PyTorch's words
    return ops.clamp(input, min, max)


@public(inplace=True)
def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Every element moved into the range from ``min`` to ``max``: numbers or tensors, one of them may be missing.

    >>> import rushlight as torch
    >>> torch.tensor([-1.0, 0.5, 3.0]).clamp(0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if isinstance(min, _NUMBER) and isinstance(max, _NUMBER):
        return ops.clamp(input, min, max)
    return _clamp(input, min, max)


_NUMBER = (float, int)


@public(inplace=True)
def clip(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """The same as :func:`clamp`."""
    return _clamp(input, min, max)


def _refuse_complex_bound(bound: object) -> None:
    if isinstance(bound, complex):
        raise NotImplementedError("clamp is not supported for complex types")


@public(inplace=True)
def clamp_min(input: Any, min: Any) -> Tensor:
    """Not less than ``min``."""
    if not isinstance(input, Tensor):
        raise no_such_form("clamp_min", (input, min))
    if isinstance(min, Tensor):
        return ops.clamp_min_tensor(input, min)
    _expect_number("clamp_min", "min", min)
    _refuse_complex_bound(min)
    return ops.clamp_min(input, min)


@public(inplace=True)
def clamp_max(input: Any, max: Any) -> Tensor:
    """Not more than ``max``."""
    if not isinstance(input, Tensor):
        raise no_such_form("clamp_max", (input, max))
    if isinstance(max, Tensor):
        return ops.clamp_max_tensor(input, max)
    _expect_number("clamp_max", "max", max)
    _refuse_complex_bound(max)
    return ops.clamp_max(input, max)


def _into_itself(name: str) -> None:
    """The in-place form: bounds that would make a tensor of integers a floating one are refused, in words of their own."""
    write = methods[name]

    @functools.wraps(write)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        kind = self._array.dtype.kind
        is_complex = complex in map(type, (*args, *kwargs.values()))
        if kind == "c" or (is_complex and name not in ("clamp_", "clip_")):
            views.check_writable(self)
            raise NotImplementedError("clamp is not supported for complex types")
        if kind in "biu":
            numbers = [bound for bound in (*args, *kwargs.values()) if isinstance(bound, NUMBERS)]
            dtype = k.clamped_dtype(self._array, numbers[0], numbers[-1]) if numbers else self._array.dtype
            if not can_cast(dtype_of(dtype), self.dtype):
                raise RuntimeError(
                    f"result type {dtype_of(dtype).scalar_name} can't be cast to the desired output type {self.dtype.c_name}"
                )
        return write(self, *args, **kwargs)

    methods[name] = call
    module("torch")[name] = function_of(call)


for _name in ("clamp_", "clip_", "clamp_min_", "clamp_max_"):
    _into_itself(_name)


def _same_dtype(input: Any, **others: Any) -> None:
    for name, other in others.items():
        if other._array.dtype != input._array.dtype:
            raise RuntimeError(
                f"expected dtype {dtype_of(input._array.dtype).c_name} for `{name}` but got dtype "
                f"{dtype_of(other._array.dtype).c_name}"
            )


@public(inplace=True)
def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """``input + weight * (end - input)``; the weight is a number or a tensor."""
    if isinstance(weight, Tensor):
        _same_dtype(input, end=end, **({"weight": weight} if weight._array.ndim else {}))
        refuse("lerp_kernel_tensor", input if weight._array.dtype.kind in "iub" else weight, "iub")
        return ops.lerp_tensor(input, end, weight)
    if not isinstance(weight, NUMBERS):
        raise TypeError  # which is then said in PyTorch's words
    _same_dtype(input, end=end)
    refuse("lerp_kernel_scalar", input, "iub")
    return ops.lerp(input, end, weight)


def _check_older(name: str, older: tuple[object, ...]) -> None:
    if len(older) > 1 or not isinstance(older[0], Tensor):
        raise TypeError(f"{name}() takes 3 positional arguments but {3 + len(older)} were given")
    warn(
        f"This overload of {name} is deprecated:\n"
        f"\t{name}(Tensor input, Number value, Tensor tensor1, Tensor tensor2, *, Tensor out = None)\n"
        "Consider using one of the following signatures instead:\n"
        f"\t{name}(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)",
        once=True,
    )


@public(inplace=True)
def addcmul(input: Any, tensor1: Any, tensor2: Any, *older: Any, value: Any = 1) -> Tensor:
    """``input + value * tensor1 * tensor2``."""
    if older:  # with the value before the tensors, as it was written before PyTorch 1.5
        _check_older("addcmul", older)
        return addcmul(input, tensor2, older[0], value=tensor1)
    if not isinstance(tensor2, Tensor):
        raise TypeError  # which is then said in PyTorch's words
    if input._array.dtype.kind == "b" and tensor1._array.dtype.kind == tensor2._array.dtype.kind == "b":
        refuse("addcmul_cpu_out", input, "b")
    _expect_number("addcmul", "value", value)
    common = promotion.common_dtype((input, tensor1, tensor2))
    _refuse_imaginary(value, common)
    for one in (input, tensor1, tensor2):
        if one._array.dtype.kind in "iu" and one.dtype is common:
            checked_number(value, one._array)
            break
    return ops.addcmul(input, tensor1, tensor2, value)


@public(inplace=True)
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *older: Any, value: Any = 1) -> Tensor:
    """``input + value * tensor1 / tensor2``."""
    if older:  # with the value before the tensors, as it was written before PyTorch 1.5
        _check_older("addcdiv", older)
        return addcdiv(input, tensor2, older[0], value=tensor1)
    kinds = [one._array.dtype.kind for one in (input, tensor1, tensor2)]
    if kinds[1] in "iub" and kinds[2] in "iub":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
            "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
            "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
            "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
            "tensor2), for all dtypes."
        )
    _expect_number("addcdiv", "value", value)
    _refuse_imaginary(value, promotion.common_dtype((input, tensor1, tensor2)))
    return ops.addcdiv(input, tensor1, tensor2, value)


@public(inplace=True)
def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """nan replaced by ``nan`` (0), infinities by ``posinf`` and ``neginf`` (the largest finite values)."""
    if input._array.dtype.kind == "c" and input.requires_grad and state.grad_enabled:
        raise RuntimeError("nan_to_num does not support automatic differentiation for outputs with complex dtype.")
    for label, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if value is not None and not isinstance(value, (Tensor, float, int, np.number, np.bool_)):
            raise TypeError(f"nan_to_num(): argument '{label}' must be float, not {type_name(value)}")
    if input._array.dtype.kind in "bui":
        return ops.clone(input)
    return ops.nan_to_num(input, nan, posinf, neginf)


@public(inplace=True)
def copysign(input: Any, other: Any) -> Tensor:
    """The size of ``input`` with the sign of ``other``, a tensor or a number."""
    if isinstance(other, NUMBERS):
        if not isinstance(input, Tensor):
            raise no_such_form("copysign", (input, other))
        return ops.copysign_number(input, other)
    return ops.copysign(input, other)


@public()
def frexp(input: Any) -> Any:
    """Mantissa and exponent: ``input = mantissa * 2 ** exponent`` with a mantissa from 0.5 to 1."""
    return return_types.frexp(ops.frexp(input))


def _heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """What heaviside_ puts into a tensor: its node names the form in place."""
    refuse_number("heaviside_", ("input", "values"), (input, values))
    return ops.heaviside_(input, values)


@public(inplace=_heaviside_)
def heaviside(input: Any, values: Any) -> Tensor:
    """0 below zero, 1 above, ``values`` at zero."""
    refuse_number("heaviside", ("input", "values"), (input, values))
    return ops.heaviside(input, values)
