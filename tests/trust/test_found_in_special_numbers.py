"""What was found beside PyTorch on infinities, nan, and numbers near the ends of their dtypes.

The numbers are PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

inf, nan = math.inf, math.nan


def same(found: Any, expected: list[complex]) -> bool:
    """To seven digits, nan beside nan, and parts of complex numbers each by itself."""
    parts = [(one.real, one.imag) if isinstance(one, complex) else (one, 0.0) for one in found.flatten().tolist()]
    wanted = [(one.real, one.imag) for one in expected]
    return len(parts) == len(wanted) and all(
        math.isnan(a) == math.isnan(b) and (math.isnan(a) or math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-12))
        for one, other in zip(parts, wanted, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def complexes(*values: complex) -> Any:
    return torch.tensor(values, dtype=torch.complex128)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: torch.log1p(complexes(complex(inf, nan), 1j)), [complex(nan, nan), complex(math.log(2) / 2, math.pi / 4)]),
        (lambda: torch.addcmul(complexes(1), complexes(complex(0, inf)), complexes(complex(0, inf))), [complex(nan, nan)]),
        (lambda: torch.addcmul(torch.zeros(1), torch.tensor([1e30]), torch.tensor([1e30]), value=1e-30), [1.0000000150474662e30]),
        (lambda: torch.addr(torch.zeros(1, 1), torch.tensor([1e30]), torch.tensor([1e30]), alpha=1e-30), [1.0000000150474662e30]),
        (lambda: torch.addr(complexes(1).view(1, 1), complexes(complex(0, inf)), complexes(1)), [complex(nan, nan)]),
        (lambda: torch.cumprod(complexes(complex(0, inf), 1), 0), [complex(nan, inf), complex(nan, nan)]),
        (lambda: torch.cumprod(torch.tensor([2.0**100, 2.0**100, 2.0**-99], dtype=torch.bfloat16), 0), [2.0**100, inf, inf]),
        (lambda: torch.logaddexp(complexes(complex(-inf, 1), complex(inf, 1)), complexes(complex(-inf, 2), complex(inf, 1))),
         [complex(-inf, 2), complex(inf, math.pi / 4)]),
        (lambda: torch.logaddexp(complexes(1, complex(nan, 1)), complexes(complex(-inf, nan), 1)), [complex(nan, nan)] * 2),
        (lambda: torch.logcumsumexp(complexes(complex(-inf, 2), 1j, complex(0, nan)), 0), [-inf, 1j, complex(nan, nan)]),
    ],
)  # fmt: skip
def test_infinite_parts_meet_as_complex_numbers(found: Callable[[], Any], expected: list[complex]) -> None:
    assert same(found(), expected)


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [(torch.acosh, complex(0, -0.0), 1j), (torch.atanh, complex(0, 1.7e308), complex(nan, nan))],
)
def test_slopes_add_numbers_as_programs_do(function: Callable[[Any], Any], value: complex, expected: complex) -> None:
    x = complexes(value).requires_grad_()
    (found,) = torch.autograd.grad(function(x), x, torch.ones_like(x))
    assert same(found, [expected])


def test_a_complex_power_of_two_is_an_exponential() -> None:
    assert torch.ldexp(complexes(2j), torch.tensor(3)).item() == 15.999999999999996j


def test_a_mean_does_not_come_back_from_infinity() -> None:
    x = torch.tensor([[1.0, inf, 2.0] * 20, [1.0, 2.0, inf] * 20, [1.0] * 59 + [inf]])
    assert same(torch.var_mean(x, 1)[1], [nan, nan, inf])
    assert same(torch.std_mean(x.double()[:, :3], 1)[1], [nan, inf, 1])
    assert same(torch.var_mean(complexes(complex(1, inf), 3), 0)[1].view(1), [complex(2, nan)])


def test_an_exponents_slope_knows_the_sign_of_zero() -> None:
    exponent = complexes(1).requires_grad_()
    (found,) = torch.autograd.grad(complexes(complex(-1, -0.0)) ** exponent, exponent, complexes(1))
    assert same(found, [complex(0, -math.pi)])


def test_incomplete_gammas_at_infinity_are_known_beside_nan() -> None:
    a, x = torch.tensor([inf, nan, inf, inf]), torch.tensor([nan, inf, inf, -1])
    assert same(torch.special.gammainc(a, x), [0, 1, nan, nan])
    assert same(torch.special.gammaincc(a, x), [1, 0, nan, nan])


def test_nan_comes_within_no_margin() -> None:
    x = torch.tensor([[1.0, nan, 2.0], [nan, 1.0, 2.0]], dtype=torch.float64)
    assert same(F.multi_margin_loss(x, torch.tensor([0, 0]), reduction="none"), [2 / 3, 0])
    assert same(F.multilabel_margin_loss(x, torch.tensor([[0, -1, 1], [1, 2, -1]]), reduction="none"), [2 / 3, 0])


def test_the_first_element_out_of_bounds_is_told() -> None:
    inside, outside = torch.tensor([0.5, 2.0]), torch.tensor([2.0, 0.5])
    with pytest.raises(RuntimeError, match="all elements of target should be between 0 and 1"):
        F.binary_cross_entropy(inside, outside)
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        F.binary_cross_entropy(outside, outside)


def test_one_over_a_complex_infinity_is_no_number_in_elimination() -> None:
    lu, pivots = torch.linalg.lu_factor(complexes(complex(inf, 1), 2, 1, 3).view(2, 2))
    assert (same(lu, [complex(inf, 1), 2, complex(nan, nan), complex(nan, nan)]), pivots.tolist()) == (True, [1, 2])


def test_of_three_matrices_the_first_two_are_multiplied_first() -> None:
    large, none = torch.full((2, 2), 1e200, dtype=torch.float64), torch.zeros(2, 2, dtype=torch.float64)
    assert same(torch.linalg.multi_dot([none, large, large]), [0] * 4)
    assert same(torch.linalg.multi_dot([none, none, large, large]), [nan] * 4)


def test_a_vandermonde_matrix_has_more_than_one_column() -> None:
    with pytest.raises(RuntimeError, match="N must be greater than 1"):
        torch.linalg.vander(torch.ones(3, 1))


def test_cholesky_inverse_keeps_infinities_to_their_rows() -> None:
    lower = torch.tensor([[1.0, 0, 0], [nan, 2, 0], [0.5, 0.5, 4]], dtype=torch.float64)
    assert same(torch.cholesky_inverse(lower), [nan, nan, nan, nan, 65 / 256, -1 / 64, nan, -1 / 64, 1 / 16])


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_inverse_takes_a_diagonal_to_be_real(upper: bool) -> None:
    factor = complexes(1 + 1j, 0, 0, (1 - 1j) / 2).view(2, 2)
    assert same(torch.cholesky_inverse(factor, upper=upper), [0.25, 0, 0, 1 + 1j])


def test_logit_of_nan_has_no_slope() -> None:
    x = torch.tensor([nan, 0.1, 0.5], requires_grad=True)
    (found,) = torch.autograd.grad(torch.logit(x, 0.2).sum(), x)
    assert same(found, [nan, 0, 4])
