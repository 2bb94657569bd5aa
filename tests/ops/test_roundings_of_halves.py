"""Where functions of halves round on their way to a result: PyTorch's numbers, to the bit."""

from __future__ import annotations

import pytest

import rushlight as torch

HALF, BFLOAT = torch.float16, torch.bfloat16


def slope(function: object, x: float, cotangent: float) -> float:
    leaf = torch.tensor([x], dtype=HALF).requires_grad_()
    function(leaf).backward(torch.tensor([cotangent], dtype=HALF))  # type: ignore[operator]
    assert leaf.grad is not None
    return leaf.grad.item()


def test_they_round_once() -> None:
    assert torch.sinc(torch.tensor(0.75, dtype=HALF)).item() == 0.300048828125
    assert torch.rad2deg(torch.tensor(2.75, dtype=HALF)).item() == 157.625


def test_slopes_round_what_pytorch_rounds() -> None:
    assert slope(torch.sigmoid, -1.0, 3.0) == 0.59033203125
    assert slope(torch.nn.functional.logsigmoid, 1.25, 2.0) == 0.445556640625


@pytest.mark.parametrize(
    ("dtype", "expected"), [(HALF, [-0.00389862060546875, -5.50390625]), (BFLOAT, [-0.007781982421875, -5.5])]
)
def test_the_sum_under_log_softmax_is_rounded_along_the_last_dimension(dtype: torch.dtype, expected: list[float]) -> None:
    x = torch.tensor([3.0, -2.5], dtype=dtype)
    assert x.log_softmax(0).tolist() == expected
    assert x[:, None].log_softmax(0).tolist() != [[one] for one in expected]


def test_exponentials_are_rounded_on_their_way_to_a_logarithm() -> None:
    x = torch.tensor([-2.75, -2.75, -1.25, -2, 0.25, 0, 1.5, -3, -0.25, 1.75, -2.5, 0.25, -2, 1, 1, -0.5], dtype=HALF)
    assert x.logsumexp(0).item() == 3.06640625
