# Written by tools/stubs.py; `make stubs` writes it anew.

from numpy import generic
from numpy import ndarray
from rushlight import Tensor
from rushlight import dtype
from typing import Any
from rushlight import digamma as digamma
from rushlight import digamma as psi
from rushlight import erf as erf
from rushlight import erfc as erfc
from rushlight import erfinv as erfinv
from rushlight import exp2 as exp2
from rushlight import expm1 as expm1
from rushlight import i0 as i0
from rushlight import lgamma as gammaln
from rushlight import log1p as log1p
from rushlight import sigmoid as expit
from rushlight import sinc as sinc

def airy_ai(x: Tensor, *, out: Any = None) -> Tensor:
    """The Airy function Ai."""
    ...
def bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
    ...
def bessel_j1(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
    ...
def bessel_y0(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the second kind, of order 0."""
    ...
def bessel_y1(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the second kind, of order 1."""
    ...
def chebyshev_polynomial_t(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the first kind of degree ``n``."""
    ...
def chebyshev_polynomial_u(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the second kind of degree ``n``."""
    ...
def chebyshev_polynomial_v(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the third kind of degree ``n``."""
    ...
def chebyshev_polynomial_w(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind of degree ``n``."""
    ...
def entr(input: Tensor, *, out: Any = None) -> Tensor:
    """``-input * log(input)``, 0 at 0 and -inf below."""
    ...
def erfcx(input: Tensor, *, out: Any = None) -> Tensor:
    """``exp(input**2) * erfc(input)``, without overflow."""
    ...
def gammainc(input: Tensor, other: Tensor | complex | ndarray[Any, Any] | generic, *, out: Any = None) -> Tensor:
    """The regularized lower incomplete gamma function, ``input`` being its parameter."""
    ...
def gammaincc(input: Tensor, other: Tensor | complex | ndarray[Any, Any] | generic, *, out: Any = None) -> Tensor:
    """The regularized upper incomplete gamma function, ``input`` being its parameter."""
    ...
def hermite_polynomial_h(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The physicists' Hermite polynomial of degree ``n``."""
    ...
def hermite_polynomial_he(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The probabilists' Hermite polynomial of degree ``n``."""
    ...
def i0e(input: Tensor, *, out: Any = None) -> Tensor:
    """``exp(-abs(input)) * i0(input)``."""
    ...
def i1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
    ...
def i1e(input: Tensor, *, out: Any = None) -> Tensor:
    """``exp(-abs(input)) * i1(input)``."""
    ...
def laguerre_polynomial_l(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Laguerre polynomial of degree ``n``."""
    ...
def legendre_polynomial_p(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Legendre polynomial of degree ``n``."""
    ...
def log_ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm of the probability that a standard normal number is below ``input``."""
    ...
def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """:func:`torch.log_softmax`."""
    ...
def logit(input: Tensor, eps: float | None = None, *, out: Any = None) -> Tensor:
    """``log(x / (1 - x))``, with x moved into the range from ``eps`` to ``1 - eps`` if that is given."""
    ...
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False, *, out: Any = None) -> Tensor:
    """log(sum(exp(x))) along one or several dimensions, computed without overflow."""
    ...
def modified_bessel_i0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
    ...
def modified_bessel_i1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
    ...
def modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0."""
    ...
def modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1."""
    ...
def multigammaln(input: Tensor, p: int, *, out: Any = None) -> Tensor:
    """The logarithm of the gamma function of dimension p."""
    ...
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The share of the normal distribution below ``input``."""
    ...
def ndtri(input: Tensor, *, out: Any = None) -> Tensor:
    """The number below which standard normal ones are with the probability ``input``."""
    ...
def polygamma(n: int, input: Tensor, *, out: Any = None) -> Tensor:
    """The n-th derivative of :func:`digamma`."""
    ...
def round(input: Tensor, *, decimals: int = 0, out: Any = None) -> Tensor:
    """:func:`torch.round`, of whole numbers only where ``decimals`` is given: NotImplementedError."""
    ...
def scaled_modified_bessel_k0(x: Tensor, *, out: Any = None) -> Tensor:
    """``exp(x) * modified_bessel_k0(x)``."""
    ...
def scaled_modified_bessel_k1(x: Tensor, *, out: Any = None) -> Tensor:
    """``exp(x) * modified_bessel_k1(x)``."""
    ...
def shifted_chebyshev_polynomial_t(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the first kind of degree ``n`` at ``2 * x - 1``."""
    ...
def shifted_chebyshev_polynomial_u(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the second kind of degree ``n`` at ``2 * x - 1``."""
    ...
def shifted_chebyshev_polynomial_v(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the third kind of degree ``n`` at ``2 * x - 1``."""
    ...
def shifted_chebyshev_polynomial_w(x: Any, n: Any, *, out: Any = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind of degree ``n`` at ``2 * x - 1``."""
    ...
def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """exp(x) divided by its sum along ``dim``."""
    ...
def spherical_bessel_j0(x: Tensor, *, out: Any = None) -> Tensor:
    """The spherical Bessel function of the first kind, of order 0: ``sin(x) / x``."""
    ...
def xlog1py(input: Any, other: Tensor | complex | ndarray[Any, Any] | generic, *, out: Any = None) -> Tensor:
    """``input * log1p(other)``, and 0 where ``input`` is 0."""
    ...
def xlogy(input: Any, other: Tensor | complex | ndarray[Any, Any] | generic, *, out: Any = None) -> Tensor:
    """``input * log(other)``, and 0 where ``input`` is 0."""
    ...
def zeta(input: Any, other: Tensor | complex | ndarray[Any, Any] | generic, *, out: Any = None) -> Tensor:
    """The Hurwitz zeta function: the sum of ``(k + other)**-input`` over k = 0, 1, ..."""
    ...
