"""The compiled distances between rows and their slopes: within their arrays, and as NumPy's where rows are the same or not finite."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_checks import both, native, same_on_any_number_of_threads, stays_within_fences

import rushlight as torch
from rushlight import kernels

if native is None:
    pytest.skip("the extension is not built, or is switched off", allow_module_level=True)

ORDERS = (1.0, 2.0, math.inf)


def sizes_of(source):
    batch, rows, columns, width = (source.choice([1, 2, 3, 5, 9, 17]) for _ in range(4))
    are_pairs = source.random() < 0.4
    if are_pairs:
        batch, columns = 1, rows
    return batch, rows, columns, width, are_pairs, rows * (rows - 1) // 2 if are_pairs else batch * rows * columns


def of_distances(source):
    batch, rows, columns, width, are_pairs, pairs = sizes_of(source)
    dtype = source.choice("fd")
    other = None if are_pairs else (batch * columns * width, dtype)
    return [(pairs, dtype), (batch * rows * width, dtype), other], [source.randrange(4), (batch, rows, columns, width)]


def of_slopes(source):
    batch, rows, columns, width, are_pairs, pairs = sizes_of(source)
    dtype, order = source.choice("fd"), source.randint(1, 3)
    lengths = (pairs, dtype) if order == 3 or source.random() < 0.3 else None
    other = None if are_pairs else (batch * columns * width, dtype)
    of_x = (batch * rows * width, dtype)
    return [of_x, (pairs, dtype), lengths, of_x, other], [order, (batch, rows, columns, width, source.randrange(2))]


@pytest.mark.parametrize("name", ["distances", "distance_slopes"])
def test_within_their_arrays(name):
    stays_within_fences(name, {"distances": of_distances, "distance_slopes": of_slopes}[name])


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("odd", [(), (math.nan,), (math.inf,), (-math.inf, 1e-30)])
def test_slopes(instruction_set, dtype, p, odd):
    source = np.random.default_rng(0)
    a, b = (source.integers(-2, 3, (2, rows, 19)).astype(dtype) for rows in (7, 130))
    a[:, 1] = b[:, 2]
    for number, value in enumerate(odd):
        a[0, number, number] = value
    bound = 1e-5 if dtype == "f" else 1e-12
    with np.errstate(all="ignore"):
        lengths = kernels.registered["distances.cdist"].numpy(a, b, p)
        g = source.standard_normal(lengths.shape).astype(dtype)
        for of_first in (0, 1):
            found, expected = both("distances.cdist_backward", g, a, b, lengths, p, of_first)
            np.testing.assert_allclose(found, expected, rtol=bound, atol=bound * 20)
        x = np.concatenate([a[0], b[0]])
        lengths = kernels.registered["distances.pdist"].numpy(x, p)
        g = source.standard_normal(lengths.shape).astype(dtype)
        found, expected = both("distances.pdist_backward", g, x, lengths, p)
    np.testing.assert_allclose(found, expected, rtol=bound, atol=bound * 20)
    compiled = kernels.registered["distances.pdist_backward"].compiled
    same_on_any_number_of_threads(lambda: [compiled(g, x, lengths, p)])


@pytest.mark.parametrize("p", ORDERS)
def test_gradients_of_gradients_go_another_way_to_the_same(p):
    x = torch.tensor([[0.0, 1.0], [2.0, 5.0], [4.0, -1.0]], dtype=torch.float64, requires_grad=True)
    for distances in (lambda: torch.nn.functional.pdist(x, p), lambda: torch.cdist(x, x.detach() + 1, p)):
        (plain,) = torch.autograd.grad(distances().sin().sum(), x)
        (recorded,) = torch.autograd.grad(distances().sin().sum(), x, create_graph=True)
        assert torch.allclose(plain, recorded.detach(), rtol=1e-12, atol=1e-12)
