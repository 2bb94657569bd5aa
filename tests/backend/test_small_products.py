"""Products in slices: the same as in one, whatever the lengths, the dtypes and the kernels of BLAS."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.backend import small_products, threads


@pytest.fixture(params=[True, False], ids=["in slices", "at once"])
def in_place(request, monkeypatch):
    monkeypatch.setattr(small_products, "_in_place", lambda: request.param)
    monkeypatch.setattr(threads, "limit", lambda: 1)


def whole_numbers(generator, *shape, dtype=np.float32):
    """So small that sums of their products are exact in any order."""
    return generator.integers(-4, 5, shape).astype(dtype)


def exactly(a, b):
    return np.matmul(a, b, dtype=np.result_type(a, np.float64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("length", [64, 500, 1664, 3001])
@pytest.mark.parametrize(("groups", "rows", "inner"), [(1, 16, 400), (2, 8, 72), (1, 64, 288), (1, 90, 1000), (3, 1, 1)])
def test_slices_make_the_same_product(in_place, groups, rows, inner, length, dtype):
    generator = np.random.default_rng(length)
    matrix = whole_numbers(generator, groups, rows, inner, dtype=dtype)
    columns = whole_numbers(generator, groups, inner, length, dtype=dtype)
    out = np.full((groups, rows, length), np.nan, dtype)
    small_products.multiply(matrix, columns, out)
    assert (out == exactly(matrix, columns)).all()
    tall = whole_numbers(generator, groups, length, rows, dtype=dtype)
    assert (small_products.multiply_long(columns, tall) == exactly(columns, tall)).all()


@pytest.mark.parametrize(
    ("channels", "filters", "kernel", "groups"), [(16, 16, 5, 1), (6, 8, 3, 2), (3, 4, 7, 1), (8, 2, 3, 1)]
)
def test_convolutions_and_their_gradients_in_slices(in_place, channels, filters, kernel, groups):
    generator = np.random.default_rng(kernel)
    x = torch.from_numpy(whole_numbers(generator, 4, channels, 21, 23)).requires_grad_()
    w = torch.from_numpy(whole_numbers(generator, filters, channels // groups, kernel, kernel)).requires_grad_()
    bias = torch.from_numpy(whole_numbers(generator, filters)).requires_grad_()
    gradient = torch.from_numpy(whole_numbers(generator, 4, filters, 21, 23))
    y = F.conv2d(x, w, bias, padding=kernel // 2, groups=groups)
    y.backward(gradient)
    # Each output of each window, one after another.
    reach = kernel // 2
    held = np.pad(x.detach().numpy(), ((0, 0), (0, 0), (reach, reach), (reach, reach)))
    seen = np.lib.stride_tricks.sliding_window_view(held, (kernel, kernel), (2, 3))
    seen = seen.reshape(4, groups, channels // groups, 21, 23, kernel, kernel)
    taps = w.detach().numpy().reshape(groups, filters // groups, channels // groups, kernel, kernel)
    values = np.einsum("ngcyxij,gocij->ngoyx", seen, taps, optimize=True).reshape(4, filters, 21, 23)
    assert (y.detach().numpy() == values + bias.detach().numpy()[:, None, None]).all()
    g = gradient.numpy().reshape(4, groups, -1, 21, 23)
    assert (w.grad.numpy().reshape(taps.shape) == np.einsum("ngoyx,ngcyxij->gocij", g, seen, optimize=True)).all()
    assert (bias.grad.numpy() == gradient.numpy().sum((0, 2, 3))).all()
    spread = np.zeros_like(held).reshape(4, groups, -1, *held.shape[2:])
    for i in range(kernel):
        for j in range(kernel):
            spread[..., i : i + 21, j : j + 23] += np.einsum("ngoyx,goc->ngcyx", g, taps[..., i, j])
    inner = spread.reshape(held.shape)[:, :, reach : reach + 21, reach : reach + 23]
    assert (x.grad.numpy() == inner).all()


@pytest.mark.parametrize("value", [3.0, 0.0, float("inf"), float("nan")])
@pytest.mark.parametrize("side", [0, 1])
def test_a_factor_of_one_number_everywhere_costs_a_sum(side, value):
    generator = np.random.default_rng(0)
    other = torch.from_numpy(whole_numbers(generator, 120, 120))
    stretched = torch.tensor(value).expand(120, 120)
    factors = (stretched, other) if side == 0 else (other, stretched)
    out = factors[0] @ factors[1]
    whole = factors[0].clone() @ factors[1].clone()
    assert out.is_contiguous() and torch.isclose(out, whole, equal_nan=True).all()
    out[0, 0] = 5  # in memory of its own
    assert torch.isclose(out[1:], whole[1:], equal_nan=True).all()


def test_gradients_below_a_sum():
    generator = np.random.default_rng(1)
    x, y = (torch.from_numpy(whole_numbers(generator, *shape)).requires_grad_() for shape in ((90, 70), (70, 110)))
    (x @ y).sum().backward()
    assert (x.grad == y.detach().sum(1)).all() and (y.grad == x.detach().sum(0)[:, None]).all()
    x.grad[0, 0] = 1000
    assert (x.grad == 1000).sum() == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(16, 128, 384), (37, 784, 128), (5, 512, 512), (130, 256, 96), (9, 70, 300), (205, 300, 270), (200, 1030, 90)],
)
def test_products_of_matrices_and_transposes_in_slices(in_place, rows, inner, columns, dtype):
    generator = np.random.default_rng(rows)
    a = whole_numbers(generator, rows, inner, dtype=dtype)
    b = whole_numbers(generator, inner, columns, dtype=dtype)
    exact = exactly(a, b)
    for left in (a, np.asfortranarray(a), np.repeat(a, 2, 0)[::2]):
        for right in (b, np.asfortranarray(b)):
            found = (torch.from_numpy(left) @ torch.from_numpy(right)).numpy()
            assert found.shape == exact.shape and (found == exact).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize(("rows", "inner", "columns"), [(64, 32, 48), (200, 70, 150), (193, 600, 70), (33, 2000, 80)])
def test_batches_of_products_in_slices(in_place, rows, inner, columns, dtype):
    generator = np.random.default_rng(rows)
    a = whole_numbers(generator, 3, rows, inner, dtype=dtype)
    b = whole_numbers(generator, 3, inner, columns, dtype=dtype)
    exact = exactly(a, b)
    for left in (a, a.swapaxes(1, 2).copy().swapaxes(1, 2), np.repeat(a, 2, 2)[..., ::2]):
        for right in (b, b.swapaxes(1, 2).copy().swapaxes(1, 2)):
            assert ((torch.from_numpy(left) @ torch.from_numpy(right)).numpy() == exact).all()
