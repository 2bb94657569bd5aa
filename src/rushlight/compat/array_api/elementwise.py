"""Functions of the Python Array API that go element by element."""

from __future__ import annotations

from collections.abc import Callable

import rushlight as torch
from rushlight import Tensor

from .dtypes import Number, together

Operand = Tensor | Number
One = Callable[[Tensor], Tensor]
Two = Callable[[Operand, Operand], Tensor]


def _of_one(name: str, torch_name: str | None = None) -> One:
    function: One = getattr(torch, torch_name or name)

    def call(x: Tensor, /) -> Tensor:
        return function(x)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f":func:`torch.{torch_name or name}`."
    return call


def _of_two(name: str, torch_name: str | None = None) -> Two:
    function: Callable[[Tensor, Tensor], Tensor] = getattr(torch, torch_name or name)

    def call(x1: Operand, x2: Operand, /) -> Tensor:
        return function(*together(x1, x2))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f":func:`torch.{torch_name or name}` of two operands in the dtype in which they meet."
    return call


abs, acos, acosh, asin, asinh, atan, atanh = map(_of_one, "abs acos acosh asin asinh atan atanh".split())
cos, cosh, exp, expm1, isfinite, isinf, isnan = map(_of_one, "cos cosh exp expm1 isfinite isinf isnan".split())
log, log1p, log2, log10, logical_not, negative = map(_of_one, "log log1p log2 log10 logical_not negative".split())
ceil, floor, trunc, positive, conj, imag = map(_of_one, "ceil floor trunc positive conj imag".split())
reciprocal, signbit, sin, sinh, sqrt, square = map(_of_one, "reciprocal signbit sin sinh sqrt square".split())
tan, tanh = map(_of_one, "tan tanh".split())
bitwise_invert = _of_one("bitwise_invert", "bitwise_not")

add, atan2, bitwise_and, bitwise_left_shift = map(_of_two, "add atan2 bitwise_and bitwise_left_shift".split())
bitwise_or, bitwise_right_shift, bitwise_xor = map(_of_two, "bitwise_or bitwise_right_shift bitwise_xor".split())
copysign, divide, floor_divide, greater = map(_of_two, "copysign divide floor_divide greater".split())
greater_equal, hypot, less, less_equal = map(_of_two, "greater_equal hypot less less_equal".split())
logaddexp, logical_and, logical_or, logical_xor = map(_of_two, "logaddexp logical_and logical_or logical_xor".split())
maximum, minimum, multiply, nextafter = map(_of_two, "maximum minimum multiply nextafter".split())
not_equal, pow, remainder, subtract = map(_of_two, "not_equal pow remainder subtract".split())
equal = _of_two("equal", "eq")


def real(x: Tensor, /) -> Tensor:
    """The real part; a real tensor itself."""
    return x.real


def round(x: Tensor, /) -> Tensor:
    """The nearest whole number, of two the even one; of complex numbers for each part."""
    return torch.complex(torch.round(x.real), torch.round(x.imag)) if x.is_complex() else torch.round(x)


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1; of a complex number it divided by its absolute value. nan stays nan.

    >>> import rushlight as torch
    >>> from rushlight.array_api import sign
    >>> sign(torch.tensor([3.0, float("nan"), -0.5]))
    tensor([ 1., nan, -1.])
    """
    if x.is_complex():
        return torch.sgn(x)
    return torch.where(torch.isnan(x), x, torch.sign(x)) if x.is_floating_point() else torch.sign(x)


def clip(x: Tensor, /, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """``x`` between two bounds, which broadcast with it; in its own dtype."""
    low, high = (None if one is None else torch.as_tensor(one, dtype=x.dtype) for one in (min, max))
    return x.clone() if low is None and high is None else torch.clamp(x, low, high)


def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """``x1`` where the condition is true, ``x2`` elsewhere."""
    return torch.where(condition, *together(x1, x2))
