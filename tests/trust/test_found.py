"""Wrong numbers that random programs have found, each by what it came down to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

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


def test_inner_products_of_single_small_integers_keep_their_dtype() -> None:
    one, two = torch.tensor([100], dtype=torch.int8), torch.tensor([[2], [1]], dtype=torch.int8)
    assert torch.inner(one, one).dtype is torch.int8
    assert torch.inner(two, one).tolist() == [-56, 100]
    assert torch.tensordot(two, one.view(1, 1), 1).dtype is torch.int8


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 0.0, 3.0]])
def test_a_product_of_real_parts_has_their_gradient(values: list[float]) -> None:
    real = torch.tensor(values, requires_grad=True)
    beside = torch.complex(real.detach(), torch.tensor([1.0, -2.0, 0.5])).requires_grad_()
    for one in (real, beside):
        one.prod(0, dtype=torch.float32).sum().backward()
    assert beside.grad.real.tolist() == real.grad.tolist()
    assert not beside.grad.imag.any()
    beside.grad = None
    beside.prod(dtype=torch.float32).backward()
    assert beside.grad.real.tolist() == real.grad.tolist()


def test_running_products_of_real_parts_have_pytorchs_gradient() -> None:
    x = torch.tensor([[1j, 0, 2], [0, -1.5j, 0], [1 + 1j, 2, 0]], requires_grad=True)
    x.cumprod(1, dtype=torch.float32).backward(torch.tensor([1.0, 2, 4]).expand(3, 3))
    assert x.grad.tolist() == [[0, 0, 0], [1 + 3j, 0, 0], [2.5 + 2.5j, 2, 8]]


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
def test_narrow_integers_are_no_index(dtype: torch.dtype) -> None:
    x, places = torch.arange(9.0).view(3, 3), torch.tensor([1, 0], dtype=dtype)
    for index in (places, (places,), (slice(None), places), (0, places), (torch.tensor([1, 1]), places), places[:0]):
        with pytest.raises(IndexError, match="must be long, int, byte or bool"):
            x[index]
        with pytest.raises(IndexError, match="must be long, int, byte or bool"):
            x[index] = 1
    with pytest.raises(IndexError, match="must be long, int, byte or bool"):
        x.index_put_((places,), torch.tensor(1.0))
    assert x[places[0]].tolist() == [3, 4, 5]  # a number is one, of any width
    assert x.sum() == 36


def test_sizes_that_cannot_be_stretched_to_are_refused() -> None:
    for shape, size in (((), (-1,)), ((), (2, -1)), ((1,), (-2, 3)), ((1,), (2**62, 4)), ((1,), (-3,))):
        with pytest.raises(RuntimeError, match=r"^numel: integer multiplication overflow"):
            torch.ones(shape).expand(size)
    with pytest.raises(RuntimeError, match="isn't allowed in a leading, non-existing dimension 0"):
        torch.ones(1).expand(-1, 1)


@pytest.mark.parametrize("function", [torch.func.jacrev, torch.func.jacfwd, torch.func.hessian])
def test_derivatives_over_no_elements_have_a_history(function: Callable[..., Any]) -> None:
    x, w = torch.ones(0, requires_grad=True), torch.ones(0, requires_grad=True)
    assert function(lambda t: (t**3).sum())(x).requires_grad
    assert function(lambda t: (t * t * w).sum())(x.detach()).requires_grad
    assert not function(lambda t: (t**3).sum())(x.detach()).requires_grad
    assert function(lambda t: (t**3, t.sum()))(x.detach())[1].shape == ((0, 0) if function is torch.func.hessian else (0,))


def test_what_is_taken_from_a_number_lies_as_its_tensor() -> None:
    stretched = torch.tensor([5, 3, 4]).expand(2, -1)
    assert (0.5 - stretched).stride() == (3, 1)
    assert (0.5 - stretched.t()).stride() == (2, 1)
    assert (0.5 - torch.ones(2, 3, dtype=torch.int64).t()).stride() == (1, 3)


def test_elements_that_meet_are_written_row_by_row() -> None:
    def met(size: tuple[int, ...], write: Callable[[torch.Tensor], Any]) -> list[float]:
        x = torch.arange(4.0)
        write(x.as_strided(size, (1, 1)))
        assert x._version == 1
        return x.tolist()

    assert met((3, 2), lambda y: y.mul_(2)) == [0, 4, 8, 6]
    assert met((3, 2), lambda y: y.add_(y)) == [0, 4, 8, 6]
    assert met((3, 2), lambda y: y.copy_(torch.arange(6.0).view(3, 2))) == [0, 2, 4, 5]
    assert met((2, 3), lambda y: y.copy_(torch.arange(6.0).view(2, 3))) == [0, 1, 2, 5]
    assert met((3, 2), lambda y: y.fill_(7)) == [7, 7, 7, 7]
    for stretched in (torch.ones(3).expand(2, 3), torch.ones(4).as_strided((3, 2, 2), (1, 1, 0))):
        with pytest.raises(RuntimeError, match="refers to a single memory location"):
            stretched.mul_(2)
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.arange(4).as_strided((3, 2), (1, 1)).mul_(0.5)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        torch.arange(4.0).as_strided((3, 2), (1, 1)).cumsum_(0)


def test_the_gradient_of_writes_that_meet_is_that_of_all_of_them() -> None:
    def after(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y.as_strided((3, 2), (1, 1)).mul_(x[:2] + 1)
        return y

    assert torch.autograd.gradcheck(after, torch.tensor([0.5, 2, 3, 4], dtype=torch.float64, requires_grad=True))


def test_an_array_of_one_number_is_copied() -> None:
    number, numbers = np.zeros(()), np.zeros(1)
    for array in (number, numbers):
        torch.asarray(array)[...] = 1
    torch.asarray(number, copy=False)[...] = 1
    assert number == 0 and numbers.tolist() == [1]
    torch.as_tensor(number)[...] = 1
    assert number == 1
