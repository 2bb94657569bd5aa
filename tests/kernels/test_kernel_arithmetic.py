"""Sums, differences, products and quotients of many numbers: NumPy's to the last bit, however the two lie and on however many threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight import kernels
from rushlight.kernels import arithmetic
from rushlight.ops.table import source_of

UFUNCS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.true_divide}
REGISTERED = {
    "add": "pointwise.add_of_many", "subtract": "arithmetic.difference_of_many",
    "multiply": "pointwise.multiply_of_many", "divide": "pointwise.divide_of_many",
}  # fmt: skip
MANY = arithmetic.MANY
PAIRS = [
    ((2 * MANY + 1,), (2 * MANY + 1,)), ((2 * MANY + 33,), ()), ((), (2 * MANY + 5,)), ((300, 7), (7,)),
    ((300, 1), (300, 7)), ((3000, 50), (3000, 1)),
    ((3, 30000), (3, 1)), ((30000,), (3, 30000)), ((1, 900), (800, 1)), ((4, 5, 600), (5, 600)), ((2049, 3), (2049, 1)), ((1, 1), (1,)),
    ((40, 1500), (40, 1)), ((40, 3000), (40, 1)),
]  # fmt: skip


def made(source, shape, dtype, gaps):
    """Numbers with some odd ones among them; of a matrix, its lines behind one another, or with others between them."""
    values = source.standard_normal(shape).astype(dtype)
    odd = np.array([0.0, -0.0, 1e-42, np.inf, -np.inf, np.nan], dtype)
    if values.ndim:
        values.reshape(-1)[source.integers(0, values.size, 1 + values.size // 50)] = source.choice(odd, 1 + values.size // 50)
    if gaps and values.ndim == 2:
        wide = np.concatenate([values, values], 1)
        return wide[:, : values.shape[1]]
    return values


def same(found, expected):
    nan = np.isnan(expected)
    return (
        found.dtype == expected.dtype and (np.isnan(found) == nan).all() and found[~nan].tobytes() == expected[~nan].tobytes()
    )


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(UFUNCS)), st.sampled_from("fd"), st.sampled_from(PAIRS), st.booleans(), st.booleans(),
    st.integers(1, 4), st.integers(0, 99),
)  # fmt: skip
def test_every_bit_is_numpys(instruction_set, name, dtype, shapes, first_has_gaps, second_has_gaps, threads, seed):
    source = np.random.default_rng(seed)
    second_has_gaps &= len(shapes[0]) < 3  # in three dimensions that is NumPy's to do
    a, b = made(source, shapes[0], dtype, first_has_gaps), made(source, shapes[1], dtype, second_has_gaps)
    kernels.native.set_threads(threads)
    with np.errstate(all="ignore"):
        expected = UFUNCS[name](a, b, out=...)
    out = np.full(expected.shape, 7, dtype)
    assert getattr(kernels.native, name)(out, a, b) and same(out, expected)
    if a.shape == expected.shape and a.flags.c_contiguous:
        assert getattr(kernels.native, name)(a, a, b) and same(a, expected)


@pytest.mark.parametrize("name", UFUNCS)
def test_what_is_left_to_numpy(instruction_set, name):
    kernels.native.set_threads(2)
    kernel, loop = kernels.registered[REGISTERED[name]].compiled, getattr(kernels.native, name)
    x = np.ones((300, 300), np.float32)
    assert kernel(x, x) is not None and kernel(x, x[0]) is not None and kernel(x, x[0, 0, np.newaxis].reshape(())) is not None
    assert kernel(x, x.T) is None and kernel(x, x.astype("d")) is None and kernel(x.astype("l"), x.astype("l")) is None
    assert kernel(x[:100], x[:100]) is None  # few
    line = np.arange(9.0)
    assert not loop(line[1:], line[:-1], line[1:])  # what is still to be read would be written
    assert not loop(line, line[:4], line) and line.tolist() == list(range(9))
    blocks = np.ones((3, 200, 300), np.float32)
    assert kernel(blocks, x[:200]) is not None and kernel(blocks, np.ones((200, 400), np.float32)[:, :300]) is None
    kernels.native.set_threads(1)
    assert kernel(x, x) is None and kernel(x, x[0]) is not None


def test_the_size_of_few_is_all_that_is_asked():
    assert f"x_a.size > 255 and (x_a.size > {MANY} or " in source_of("mul")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_programs_get_the_same_bits_on_two_threads_as_on_one(instruction_set, dtype):
    def run():
        torch.manual_seed(0)
        u, w = (torch.rand(300, 250, dtype=dtype, requires_grad=True) for _ in range(2))
        row = torch.rand(250, dtype=dtype, requires_grad=True)
        ((u * w - row) / (w + 2) * 0.5 + u).tanh().sum().backward()
        (u * row).sum().backward()
        with torch.no_grad():
            u -= 0.1 * u.grad
            w.add_(w.grad, alpha=-0.1).mul_(u).div_(3.0)
        return [each.detach().numpy().tobytes() for each in (u, w, u.grad, w.grad, row.grad)]

    kernels.native.set_threads(1)
    one = run()
    kernels.native.set_threads(2)
    assert run() == one
