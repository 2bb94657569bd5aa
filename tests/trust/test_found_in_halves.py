"""What random programs have found in half precision: each step is rounded where PyTorch rounds it, and nowhere else.

The numbers are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

HALF, BRAIN = torch.float16, torch.bfloat16


def gradient(function: Callable[[Any], Any], values: list[float], dtype: Any = BRAIN) -> list[float]:
    x = torch.tensor(values, dtype=dtype, requires_grad=True)
    y = function(x)
    (found,) = torch.autograd.grad(y, x, torch.ones_like(y))
    return list(found.tolist())


@pytest.mark.parametrize(
    ("function", "values", "expected"),
    [
        (torch.tanh, [-2.0, 2.5, 0.7], [0.06884765625, 0.0233154296875, 0.6328125]),
        (torch.sigmoid, [-2.0, 2.5, 0.7], [0.10498046875, 0.06884765625, 0.2216796875]),
        (F.logsigmoid, [-3.28125, -0.6328125, 2.1875], [0.96484375, 0.65234375, 0.10107421875]),
        (F.glu, [1.25, -0.7, 2.3, 0.4], [0.91015625, 0.59765625, 0.10205078125, -0.16796875]),
    ],
)
def test_a_slope_is_rounded_once(function: Callable[[Any], Any], values: list[float], expected: list[float]) -> None:
    assert gradient(function, values) == expected


def test_what_is_multiplied_by_a_number_is_rounded_once() -> None:
    assert torch.sinc(torch.tensor([-1.0, 0.25], dtype=HALF)).tolist() == [0.0, 0.900390625]
    assert torch.rad2deg(torch.tensor([1.75], dtype=BRAIN)).item() == 100.5
    assert (torch.tensor([3.328125], dtype=BRAIN) // 0.37).item() == 8


def test_composed_functions_round_each_step() -> None:
    x = torch.tensor([-3.28125, -0.6328125, 2.1875], dtype=BRAIN)
    assert F.mse_loss(torch.tensor([3.328125], dtype=BRAIN), torch.tensor([-1.8359375], dtype=BRAIN)).item() == 26.625
    assert F.binary_cross_entropy_with_logits(x, x.flip(0), reduction="none").tolist() == [7.1875, 0.03125, 9.5]
    assert x.logsumexp(0).item() == 2.25
    assert x.log_softmax(0).tolist() == [-5.53125, -2.875, -0.060546875]
    assert x.view(3, 1).log_softmax(0).view(3).tolist() == [-5.53125, -2.875, -0.061767578125]


def test_products_round_each_factor() -> None:
    x = (torch.arange(1, 71) % 7 / 6 + 0.5).to(BRAIN)
    assert x[:4].prod().item() == 0.64453125
    assert x.prod().item() == 0.0130615234375  # by vectors
    assert x.view(70, 1).expand(70, 2).contiguous().prod(0).tolist() == [0.0125732421875] * 2
    assert torch.ones(0, 3, dtype=HALF).prod(0).tolist() == [1, 1, 1]


def test_an_exponent_without_dimensions_is_of_the_bases_precision_in_the_gradient_too() -> None:
    exponent = torch.tensor(742.07)  # 741 in half precision, less 1
    assert gradient(lambda x: x**exponent, [-0.5], HALF) == [0.0]


def test_a_weight_without_dimensions_is_of_any_dtype() -> None:
    start, end = torch.tensor([1.0, 2.0], dtype=HALF), torch.tensor([2.0, 4.0], dtype=HALF)
    weight = torch.tensor(0.37, requires_grad=True)
    mixed = torch.lerp(start, end, weight)
    assert mixed.tolist() == [1.3701171875, 2.740234375]
    (found,) = torch.autograd.grad(mixed.sum(), weight)
    assert (found.dtype, found.item()) == (torch.float32, 3)
    with pytest.raises(RuntimeError, match="expected dtype c10::Half for `weight` but got dtype float"):
        torch.lerp(start, end, weight.view(1))


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid])
def test_a_tangent_in_half_precision_meets_its_primals_slope(function: Callable[[Any], Any]) -> None:
    primal, tangent = torch.tensor([0.7]), torch.tensor([0.5], dtype=HALF)
    found = torch.func.jvp(function, (primal,), (tangent,))[1]
    assert found.dtype is torch.float32
    assert found.item() == pytest.approx(torch.func.jvp(function, (primal,), (tangent.float(),))[1].item())


def test_a_cotangent_of_atan2_meets_the_other_side_first() -> None:
    x, y = (torch.tensor([value], dtype=HALF, requires_grad=True) for value in (0.5, 3.0))
    torch.atan2(x, y).backward(torch.tensor([30000.0], dtype=HALF))
    assert x.grad.tolist() == [torch.inf]
    assert y.grad.tolist() == [-1621.0]


def test_a_cotangent_of_logits_meets_the_slope_before_the_mean() -> None:
    x = torch.zeros(4, dtype=HALF, requires_grad=True)
    target = torch.tensor([3.0, 1.0, 0.5, 0.0], dtype=HALF)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, target)
    loss.backward(torch.tensor(60000.0, dtype=HALF))
    assert x.grad.tolist() == [-torch.inf, -7500, 0, 7500]
