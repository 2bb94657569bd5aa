"""Special functions: torch.special, and those of them that torch and Tensor have too."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend import pointwise as elementary
from ..backend import special as k
from ..backend.polynomials import POLYNOMIALS
from ..base import dtypes
from ..base.arguments import NUMBERS
from ..tensor import Tensor
from .choice import refuse_number
from .descriptions import description
from .pointwise import plain, smooth
from .public import module, ops, public, publish, spoken_form
from .rule_functions import conj, refusal
from .table import op

PI, ROOT_PI, ROOT_2PI = math.pi, math.sqrt(math.pi), math.sqrt(2 * math.pi)

# fmt: off

# Error functions.

smooth("erf", k.erf, x=lambda g, xp, x: xp.times(xp.exp(-xp.pow_number(x, 2)), 2 / ROOT_PI) * g)
smooth("erfc", k.erfc, x=lambda g, xp, x: xp.times(xp.exp(-xp.pow_number(x, 2)), -2 / ROOT_PI) * g)
smooth("erfinv", k.erfinv, x=lambda g, xp, x: xp.times(xp.exp(xp.pow_number(xp.erfinv(x), 2)), ROOT_PI / 2) * g)
smooth("erfcx", k.erfcx, node="SpecialErfcxBackward0", x=lambda g, xp, x, out: xp.minus(xp.times(x, 2) * out, 2 / ROOT_PI) * g)
smooth("ndtri", k.ndtri, node="SpecialNdtriBackward0",
       x=lambda g, xp, out: xp.times(g, ROOT_2PI) * xp.exp(xp.divide_by(xp.pow_number(out, 2), 2)))
smooth("log_ndtr", k.log_ndtr, node="SpecialLogNdtrBackward0",
       x=lambda g, xp, x, out: xp.divide_by(g, ROOT_2PI) * xp.exp(-(out + xp.divide_by(xp.pow_number(x, 2), 2))))

# Gamma functions.

smooth("lgamma", k.lgamma, x=lambda g, xp, x: g * xp.digamma(x))
smooth("digamma", k.digamma, x=lambda g, xp, x: g * xp.polygamma(x, 1))
op("polygamma", k.polygamma, kind="elementwise", x=lambda g, xp, x, n: g * xp.polygamma(x, n + 1))
op("mvlgamma", k.mvlgamma, kind="elementwise",
   x=lambda g, xp, x, p: g * xp.sum(xp.stack([
       xp.digamma(xp.plus(x, place / 2)) for place in range(1 - p, 1)], len(x.shape)), len(x.shape), False))  # fmt: skip
plain("igamma", k.igamma, a=refusal("igamma: input"), x=lambda g, xp, a, x: g * _density(xp, a, x))
plain("igammac", k.igammac, a=refusal("igammac: input"), x=lambda g, xp, a, x: -g * _density(xp, a, x))
smooth("zeta", k.zeta, node="SpecialZetaBackward0",
       x=refusal("zeta"), q=lambda g, xp, x, q: g * (-x) * xp.zeta(x + 1, q))
op("zeta_number", k.with_number(k.zeta), node="SpecialZetaBackward2", x=refusal("zeta"))
op("number_zeta", k.with_number(k.zeta, True), node="SpecialZetaBackward1", kind="elementwise",
   x=lambda g, xp, x, number: xp.times(g, -number) * xp.number_zeta(x, number + 1.0))

# Bessel functions.

smooth("i0", k.i0, x=lambda g, xp, x: g * xp.i1(x))
smooth("i0e", k.i0e, node="SpecialI0EBackward0", x=lambda g, xp, x, out: g * (xp.i1e(x) - xp.sgn(x) * out))
smooth("i1", k.i1, node="SpecialI1Backward0",
       x=lambda g, xp, x, out: g * _off_zero(xp, "i1", x, lambda x: xp.i0(x) - out / x))
smooth("i1e", k.i1e, node="SpecialI1EBackward0",
       x=lambda g, xp, x, out: g * _off_zero(xp, "i1e", x, lambda x: xp.i0e(x) - out * (xp.sgn(x) + 1 / x)))

# Logarithms, angles.

op("logit", elementary.logit, kind="elementwise", x=lambda g, xp, x, eps: _logit_backward(g, xp, x, eps))
smooth("entr", k.entr, node="SpecialEntrBackward0", x=lambda g, xp, x: g * -xp.plus(xp.log(x), 1))
smooth("xlogy", k.xlogy,
       a=lambda g, xp, a, b: xp.masked_fill(xp.xlogy(g, b), (a == 0) & (b <= 0), 0), b=lambda g, a, b: g * a / b)
op("number_xlogy", k.with_number(k.xlogy, True), node="XlogyBackward1", kind="elementwise",
   x=lambda g, xp, x, number: xp.times(g, number) / x)
op("xlogy_number", k.with_number(k.xlogy), node="XlogyBackward2", kind="elementwise",
   x=lambda g, xp, x, number: _by_log(g, xp, x, number))
smooth("xlog1py", k.xlog1py, node="SpecialXlog1PyBackward0",
       a=lambda g, xp, a, b: xp.masked_fill(xp.xlog1py(g, b), (a == 0) & (b <= -1), 0),
       b=lambda g, xp, a, b: g * a / xp.plus(b, 1))
op("number_xlog1py", k.with_number(k.xlog1py, True), node="SpecialXlog1PyBackward1", kind="elementwise",
   x=lambda g, xp, x, number: xp.times(g, number) / xp.plus(x, 1))
op("xlog1py_number", k.with_number(k.xlog1py), node="SpecialXlog1PyBackward2", kind="elementwise",
   x=lambda g, xp, x, number: _by_log(g, xp, x, number + 1))
smooth("sinc", elementary.sinc, x=lambda g, xp, x: _sinc_backward(g, xp, x))
op("deg2rad", elementary.deg2rad, node="Deg2RadBackward0", promote="float", kind="linear", x=lambda g, xp: xp.times(g, PI / 180))
op("rad2deg", elementary.rad2deg, node="Rad2DegBackward0", promote="float", kind="linear", x=lambda g, xp: xp.times(g, 180 / PI))

# fmt: on


def _density(xp: Any, a: Any, x: Any) -> Any:
    """Of the gamma distribution of shape a."""
    return xp.exp((a - 1) * xp.log(x) - x - xp.lgamma(a))


def _off_zero(xp: Any, name: str, x: Any, slope: Any) -> Any:
    """``slope(x)``, whose value at zero is a half but cannot be computed; PyTorch has no kernel for it in half precision."""
    dtype = getattr(x, "_array", x).dtype
    if dtype.itemsize == 2:
        raise NotImplementedError(f"\"{name}_backward\" not implemented for '{dtypes.of(dtype).scalar_name}'")
    tiny = 2.220446049250313e-16 if dtype == np.float64 else 1.1920928955078125e-07
    near = ~(xp.abs(x) > tiny)
    return xp.masked_fill(slope(xp.masked_fill(x, near, tiny)), near, 0.5)


def _logit_backward(g: Any, xp: Any, x: Any, eps: float | None) -> Any:
    slope = g / (x * xp.number_minus(x, 1))
    if eps is None:
        return xp.where((x < 0) | (x > 1), xp.zeroed(x) + math.nan, slope)
    return xp.masked_fill(slope, (x < eps) | (x > 1 - eps), 0)


def _by_log(g: Any, xp: Any, x: Any, number: float) -> Any:
    """``g * log(number)``; 0 where x or g is 0 and the logarithm is not finite."""
    if number > 0:
        return g * math.log(number)
    return xp.masked_fill(xp.xlogy_number(g, number), x == 0, 0)


def _sinc_backward(g: Any, xp: Any, x: Any) -> Any:
    angle, square = xp.times(x, PI), x * x
    divisor, sine = xp.times(square, PI), xp.sin(angle)  # first, as in PyTorch: their nodes run after those of the rest
    return xp.only(g * conj((angle * xp.cos(angle) - sine) / divisor), square != 0)


# Public forms.

for _name in "erf erfc erfinv lgamma digamma i0 sinc deg2rad rad2deg".split():
    publish(_name)
for _name, _of_torch in (
    ("erf", "erf"), ("erfc", "erfc"), ("erfinv", "erfinv"), ("gammaln", "lgamma"), ("digamma", "digamma"),
    ("psi", "digamma"), ("i0", "i0"), ("sinc", "sinc"), ("exp2", "exp2"), ("expm1", "expm1"), ("log1p", "log1p"),
    ("expit", "sigmoid"),
):  # fmt: skip
    module("torch.special")[_name] = module("torch")[_of_torch]
for _name in "erfcx ndtri log_ndtr i0e i1 i1e entr".split():
    publish(_name, forms="function", space="torch.special")
_OF_INPUT = "bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1".split()
_OF_X = "airy_ai scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0".split()
for _name in _OF_INPUT + _OF_X:
    op(_name, getattr(k, _name), inputs="x", promote="float")
for _name in _OF_INPUT:
    publish(_name, forms="function", space="torch.special")


def _of_x(name: str) -> None:
    """Publishes a function whose argument PyTorch calls ``x``."""

    def call(x: Tensor) -> Tensor:
        return getattr(ops, name)(x)  # type: ignore[no-any-return]

    call.__doc__ = description(name, name, "torch.special")
    public(name, space="torch.special")(call)


for _name in _OF_X:
    _of_x(_name)
for _name, _kernel in POLYNOMIALS.items():
    op(_name, _kernel, inputs="x n", promote="float")
    publish(_name, forms="function", space="torch.special")


@public("round", space="torch.special")
def special_round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """:func:`torch.round`, of whole numbers only where ``decimals`` is given: NotImplementedError."""
    if input._array.dtype.kind in "iubc" and not decimals:
        raise NotImplementedError(f"\"round_vml_cpu\" not implemented for '{input.dtype.scalar_name}'")
    return module("torch")["round"](input, decimals=decimals)


@public("ndtr", space="torch.special")
def ndtr(input: Any) -> Tensor:
    """The share of the normal distribution below ``input``."""
    return ops.times(ops.plus(ops.erf(ops.times(input, math.sqrt(0.5))), 1), 0.5)


@public(inplace=True)
def logit(input: Any, eps: float | None = None) -> Tensor:
    """``log(x / (1 - x))``, with x moved into the range from ``eps`` to ``1 - eps`` if that is given."""
    if eps is not None and not isinstance(eps, (Tensor, *NUMBERS)):
        raise TypeError  # which is then said in PyTorch's words
    return ops.logit(input, float(eps) if isinstance(eps, Tensor) else eps)


@public("polygamma", method=False)
def polygamma(n: int, input: Any) -> Tensor:
    """The n-th derivative of :func:`digamma`."""
    if isinstance(n, np.integer) or (isinstance(n, Tensor) and not n._array.ndim and n._array.dtype.kind in "iu"):
        n = int(n)
    if not isinstance(n, int):
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n >= 2**63:
        raise ValueError("Overflow when unpacking long long")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return ops.polygamma(input, n)


@public("polygamma", function=False, inplace=True, out=False)
def polygamma_method(self: Any, n: int) -> Tensor:
    """The n-th derivative of digamma."""
    return polygamma(n, self)


@public(inplace=True)
def mvlgamma(input: Any, p: int) -> Tensor:
    """The logarithm of the gamma function of dimension p."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if p >= 2**63:
        raise ValueError("Overflow when unpacking long long")
    return ops.mvlgamma(input, p)


def _incomplete_gamma(name: str) -> Any:
    def function(input: Any, other: Any) -> Tensor:
        refuse_number(name, ("input", "other"), (input, other))
        return getattr(ops, name)(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = description(name, name)
    return function


for _name in ("igamma", "igammac"):
    public(inplace=True)(_incomplete_gamma(_name))


def _number_forms(name: str, space: str = "torch") -> Any:
    """A function of two tensors, or of a tensor and a number on either side."""

    def function(input: Any, other: Any) -> Tensor:
        if isinstance(other, NUMBERS):
            return getattr(ops, f"{name}_number")(input, other)
        if isinstance(input, NUMBERS):
            return getattr(ops, f"number_{name}")(other, input)
        return getattr(ops, name)(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = description(name, name, space)
    return function


def _alike(function: Callable[..., object]) -> Callable[..., object]:
    """The function behind a public one once more, which is to have another name."""
    plain = inspect.unwrap(function)
    return functools.wraps(plain)(lambda *args, **kwargs: plain(*args, **kwargs))


public(inplace=True)(_number_forms("xlogy"))
public(space="torch.special")(_number_forms("xlog1py", "torch.special"))
public(space="torch.special")(_number_forms("zeta", "torch.special"))

for _name, _of_torch in (
    ("logit", "logit"), ("polygamma", "polygamma"), ("multigammaln", "mvlgamma"), ("gammainc", "igamma"),
    ("gammaincc", "igammac"), ("xlogy", "xlogy"),
):  # fmt: skip
    module("torch.special")[_name] = spoken_form(_alike(module("torch")[_of_torch]), _name, True, "torch.special")
