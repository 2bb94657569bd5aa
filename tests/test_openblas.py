"""Sums written by the threads of BLAS are those of NumPy, and only where they may be."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import openblas
from rushlight.backend.openblas import SHARED, added_by_threads, note_read

needs_openblas = pytest.mark.skipif(openblas.function("get_num_threads") is None, reason="NumPy has another BLAS")


@pytest.fixture(autouse=True)
def forgotten():
    """Other tests' arrays may have had the identities of these."""
    openblas._read.clear()


def numbers(*shape: int, dtype=np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@needs_openblas
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("factor", "ufunc"), [(1.0, np.add), (-1.0, np.subtract)])
def test_the_sum_is_numpys_to_the_last_bit(dtype, factor, ufunc):
    target, values = numbers(130, 128, dtype=dtype), numbers(130, 128, dtype=dtype, seed=1)
    values[0, :6] = np.inf, -np.inf, np.nan, 0.0, -0.0, np.finfo(dtype).tiny / 4
    target[1] = values[1]
    target[0, 3:5] = -0.0, 0.0
    expected = ufunc(target, values)
    note_read(target)
    assert added_by_threads(target, values, factor)
    np.testing.assert_array_equal(target.view(f"u{target.itemsize}"), expected.view(f"u{target.itemsize}"))


@needs_openblas
def test_a_view_counts_as_what_it_is_of():
    whole = numbers(SHARED * 2)
    note_read(whole.reshape(2, -1).T)
    expected = whole[:SHARED] + 1
    assert added_by_threads(whole[:SHARED], np.ones(SHARED, np.float32), 1.0)
    np.testing.assert_array_equal(whole[:SHARED], expected)


def refused(target, values):
    before = target.copy()
    return not added_by_threads(target, values, 1.0) and np.array_equal(target, before)


def test_what_it_leaves_to_numpy():
    target, values = numbers(SHARED), numbers(SHARED, seed=1)
    assert refused(target, values)  # no thread has read it
    note_read(target)
    for other in (values[:1], values.astype(np.float64), numbers(2 * SHARED)[::2], target):
        assert refused(target, other)
    for each in (numbers(SHARED - 1), numbers(2 * SHARED)[::2], numbers(SHARED).astype(np.complex64)):
        note_read(each)
        assert refused(each, np.ones_like(each))
    long = numbers(SHARED + 8)
    note_read(long)
    assert refused(long[8:], long[:-8])
    target.flags.writeable = False
    assert refused(target, values)


def test_weights_are_stepped_as_before_after_a_large_product():
    torch.manual_seed(0)
    x, w = torch.randn(64, 784), torch.randn(784, 128, requires_grad=True)
    for step in (lambda w, g: w.sub_(0.1 * g), lambda w, g: w.add_(g, alpha=-0.1), lambda w, g: w.sub_(g, alpha=0.1)):
        (x @ w).sum().backward()
        expected, version = w.detach().numpy() - np.float32(0.1) * w.grad.numpy(), w._version
        with torch.no_grad():
            step(w, w.grad)
        np.testing.assert_array_equal(w.detach().numpy(), expected)
        assert w._version == version + 1
        w.grad = None


def test_a_part_is_moved_along_as_before():
    torch.manual_seed(0)
    w = torch.randn(784, 128)
    torch.randn(64, 784) @ w
    line, values = w.view(-1), w.numpy().reshape(-1).copy()
    line.data[8:].add_(line[:-8])
    np.testing.assert_array_equal(line.numpy()[8:], values[8:] + values[:-8])
