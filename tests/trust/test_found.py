"""Wrong numbers that random programs have found, each by what it came down to."""

from __future__ import annotations

import math

import rushlight as torch


def test_nan_is_not_lost_in_a_determinant() -> None:
    singular = torch.tensor([[1.0, 1, 1], [1, math.nan, 1], [1, 1, 1]])
    assert math.isnan(torch.linalg.det(singular).item())
    assert math.isnan(torch.det(torch.tensor([[math.nan, 1.0], [1, 1]], dtype=torch.float64)).item())
    assert math.isnan(torch.logdet(singular).item())
    sign, size = torch.linalg.slogdet(torch.stack([singular, torch.full((3, 3), math.nan), torch.ones(3, 3)]))
    assert sign.tolist() == [0, 0, 0]
    assert size.isnan().tolist() == [True, True, False]
    assert torch.det(torch.ones(3, 3)).item() == 0


def test_bytes_shifted_by_all_their_bits_are_nothing() -> None:
    octets = torch.tensor([255, 200, 255], dtype=torch.uint8)
    assert (octets >> torch.tensor([255, 8, 7], dtype=torch.uint8)).tolist() == [0, 0, 1]
    assert (octets >> 9).tolist() == [0, 0, 0]
    assert (torch.tensor([-5, 5], dtype=torch.int8) >> 8).tolist() == [-1, 0]


def test_running_sums_begin_with_nothing() -> None:
    below = torch.tensor([-0.0, -0.0])
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64):
        assert str(below.to(dtype).cumsum(0).real.float()) == "tensor([0., 0.])"
    assert str(below.logcumsumexp(0)) == "tensor([0.0000, 0.6931])"
    assert str(below.cumprod(0)) == "tensor([-0., 0.])"


def test_products_of_small_integers_keep_their_dtype() -> None:
    x = torch.tensor([[2, 2], [2, 3]], dtype=torch.int8).t()
    assert torch.tensordot(x, x).dtype is torch.int8
    assert torch.tensordot(x.float(), x.float()).item() == 21
