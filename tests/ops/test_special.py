"""Special functions: derivatives by finite differences, recurrences of polynomials, and life without SciPy."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import special as kernels


def check(f: Callable[[Any], Any], values: list[float]) -> None:
    """First and second derivative of a function of one variable, by central differences."""
    step = 1e-5
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)

    def slope(at: Any, create_graph: bool = False) -> Any:
        return torch.autograd.grad(f(at).sum(), at, create_graph=create_graph)[0]

    def difference(g: Callable[[Any], Any]) -> Any:
        ends = [g((x.detach() + sign * step).requires_grad_()).detach() for sign in (1, -1)]
        return ((ends[0] - ends[1]) / (2 * step)).numpy()

    first = slope(x, create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), difference(f), rtol=1e-6, atol=1e-9)
    second = torch.autograd.grad(first.sum(), x)[0] if first.requires_grad else torch.zeros_like(x)
    np.testing.assert_allclose(second.numpy(), difference(slope), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", "erfcx entr i0e i1 i1e ndtr ndtri log_ndtr gammaln psi expit".split())
def test_derivatives(name: str) -> None:
    check(getattr(torch.special, name), [0.15, 0.4, 0.85])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: torch.polygamma(2, x),
        lambda x: torch.mvlgamma(x + 2, 3),
        lambda x: torch.special.zeta(2.5, x),
        lambda x: torch.igamma(torch.full_like(x, 1.5), x),
        lambda x: torch.special.gammaincc(torch.full_like(x, 0.5), x),
        lambda x: torch.special.xlog1py(x, 0.7),
        lambda x: torch.logit(x, eps=0.2),
    ],
)
def test_derivatives_beside_parameters(f: Callable[[Any], Any]) -> None:
    check(f, [0.3, 0.45, 0.7])


@pytest.mark.parametrize("dtype, close", [(torch.float64, 1e-15), (torch.float32, 1e-7)])
def test_trigamma_from_its_series(dtype: Any, close: float) -> None:
    """At whole numbers ``pi ** 2 / 6`` less the squares' reciprocals before; a half and its neighbours; by reflection; far out."""
    whole = np.pi**2 / 6 - np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1.0, 30) ** 2)))
    found = torch.polygamma(1, torch.arange(1, 31, dtype=dtype))
    np.testing.assert_allclose(found.numpy(), whole, rtol=100 * close)  # what is left of pi ** 2 / 6 has fewer digits
    half = np.pi**2 / 2
    halves = torch.polygamma(1, torch.tensor([0.5, 1.5, -0.5], dtype=dtype)).tolist()
    assert halves == pytest.approx([half, half - 4, half + 4], rel=2 * close)
    far = torch.tensor([1e4, 1e8, np.inf], dtype=dtype)
    np.testing.assert_allclose(torch.polygamma(1, far).numpy(), [1.000050001666667e-4, 1.000000005e-8, 0], rtol=2 * close)
    assert torch.polygamma(1, torch.tensor([0.0, np.nan], dtype=dtype)).tolist() == pytest.approx([np.inf, np.nan], nan_ok=True)


def test_derivatives_that_do_not_exist() -> None:
    x = torch.tensor([1.5], requires_grad=True)
    with pytest.raises(RuntimeError, match="the derivative for 'igamma: input' is not implemented"):
        torch.igamma(x, torch.ones(1)).backward()
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        (x // 2).backward()


def test_bessel_slopes_at_zero() -> None:
    for f in (torch.special.i1, torch.special.i1e):
        x = torch.zeros(1, requires_grad=True)
        f(x).backward()
        assert x.grad.item() == 0.5


def test_bessel_functions_that_grow_are_nan_at_infinity() -> None:
    infinite = torch.tensor([float("inf"), -float("inf"), 800.0])
    for f in (torch.special.i0, torch.special.i1):
        assert f(infinite).isnan().tolist() == f(infinite.double()).isnan().tolist() == [True, True, False]


def test_polynomials_of_mixed_degrees() -> None:
    x = torch.tensor([0.3, 0.3, 0.3, 0.3, 1.7, -1.0], dtype=torch.float64)
    n = torch.tensor([-1, 0, 1, 5, 4, 3])
    angle = math.acos(0.3)
    chebyshev = torch.special.chebyshev_polynomial_t(x, n).tolist()
    np.testing.assert_allclose(chebyshev, [0, 1, 0.3, math.cos(5 * angle), 8 * 1.7**4 - 8 * 1.7**2 + 1, -1])
    np.testing.assert_allclose(torch.special.hermite_polynomial_h(x, 3).tolist()[4], 8 * 1.7**3 - 12 * 1.7)
    np.testing.assert_allclose(torch.special.legendre_polynomial_p(x, 2).tolist()[0], (3 * 0.09 - 1) / 2)


def test_polynomials_of_large_degrees() -> None:
    x, n = torch.tensor([0.3, 1, -1, 1.5, -0.25], dtype=torch.float64), 2**40 + 1
    angle, other = math.acos(0.3), math.acos(-0.25)
    first = [math.cos(n * angle), 1, -1, math.nan, math.cos(n * other)]
    np.testing.assert_allclose(torch.special.chebyshev_polynomial_t(x, n).tolist(), first)
    second = [math.sin((n + 1) * angle) / math.sin(angle), n + 1, -n - 1, math.nan, math.sin((n + 1) * other) / math.sin(other)]
    np.testing.assert_allclose(torch.special.chebyshev_polynomial_u(x, n).tolist(), second)
    shifted = torch.special.shifted_chebyshev_polynomial_w((x + 1) / 2, n)
    np.testing.assert_allclose(shifted.tolist()[1:4], [2 * n + 1, -1, math.nan])
    np.testing.assert_allclose(torch.special.chebyshev_polynomial_v(x, n).tolist()[1:4], [1, -2 * n - 1, math.nan])
    assert torch.special.hermite_polynomial_h(x, 2**62).isnan().all()


@pytest.fixture
def without_scipy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    caches = (kernels._scipy_special, kernels._function)
    for cached in caches:
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("without_scipy")
def test_without_scipy() -> None:
    x = torch.tensor([-0.5, 0.0, 2.5], dtype=torch.float64, requires_grad=True)
    y = torch.erf(x) + torch.erfc(x)
    np.testing.assert_allclose(y.detach().numpy(), [1, 1, 1])
    torch.erf(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 / math.sqrt(math.pi) * np.exp([-0.25, 0, -6.25]))
    np.testing.assert_allclose(torch.lgamma(torch.tensor([0.0, 5.0, -1.5])).tolist(), [math.inf, math.log(24), 0.8600470])
    assert torch.sinc(x).tolist()[1] == 1.0
    with pytest.raises(ImportError, match=r"pip install 'rushlight\[scipy\]'"):
        torch.digamma(x)


def test_round_is_the_form_of_decimals() -> None:
    assert torch.special.round(torch.ones(1, requires_grad=True)).grad_fn.name() == "RoundBackward1"
