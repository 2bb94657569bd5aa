"""What the threads of BLAS do in parts is what NumPy does at once, and only what may be parted is."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import numpy_abi, parted, parted_products, small_products, threads, waiting_threads

known = waiting_threads.count() > 0
needs_threads = pytest.mark.skipif(not known, reason="how this BLAS has its threads work is not known")
pytestmark = pytest.mark.usefixtures("four_threads")
SIZES = [parted.FROM, parted.FROM + 1, 3 * parted.FROM + 1023]
UFUNCS = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.negative, np.exp, np.log, np.tanh, np.sqrt, np.arctan]


def numbers(*shape: int, dtype=np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same_bits(a, b):
    kind = f"u{a.itemsize}"
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a.view(kind), b.view(kind))


@needs_threads
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_parts_make_numpys_result_to_the_last_bit(ufunc, size, dtype):
    operands = [numbers(size, dtype=dtype, seed=seed) for seed in range(ufunc.nin)]
    operands[0][:6] = np.inf, -np.inf, np.nan, 0.0, -0.0, np.finfo(dtype).tiny / 4
    one, stretched = np.asarray(dtype(1.5)), np.broadcast_to(dtype(0.25), size)
    several = [(one, operands[1]), (operands[0], one), (stretched, operands[1])] if ufunc.nin == 2 else []
    for given in [operands, *several]:
        expected = ufunc(*given)
        for count in (2, 3, 4):
            torch.set_num_threads(count)
            assert same_bits(parted.elementwise(ufunc, given), expected)
        into = next(each for each in given if each.flags.writeable and each.size > 1)
        assert parted.elementwise(ufunc, given, into) is into and same_bits(into, expected)
        operands[0][:], _ = numbers(size, dtype=dtype), None


@needs_threads
def test_a_number_beside_what_is_written_is_not_in_the_way():
    memory = numbers(parted.FROM + 2)
    line = memory[1:-1]
    for one in (memory[:1].reshape(()), memory[-1:].reshape(())):
        expected = line * one
        assert parted.elementwise(np.multiply, (line, one), line) is line and same_bits(line, expected)


@needs_threads
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_whole_numbers(dtype):
    x, y = (np.random.default_rng(seed).integers(-9, 10, SIZES[1]).astype(dtype) for seed in range(2))
    for ufunc, operands in [(np.add, (x, y)), (np.multiply, (x, y)), (np.bitwise_and, (x, y)), (np.sign, (x,))]:
        assert same_bits(parted.elementwise(ufunc, operands), ufunc(*operands))


@needs_threads
def test_matrices_keep_their_shape():
    x = numbers(300, 400)
    assert same_bits(parted.elementwise(np.multiply, (x, x)), x * x)


@needs_threads
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_what_parts_add_up_to_and_the_greatest_of_each(size, dtype):
    x = np.random.default_rng(0).integers(-9, 10, size).astype(dtype)  # sums of these are exact
    for count in (2, 3, 4):
        torch.set_num_threads(count)
        sums = parted.reduced(np.add, x)
        assert len(sums) == count and sums.sum() == x.sum(dtype=np.float64)
        assert parted.reduced(np.maximum, x).max() == 9 and parted.reduced(np.maximum, x - 20).max() == -11
        x[-1] = np.nan
        assert np.isnan(parted.reduced(np.maximum, x)).tolist() == [False] * (count - 1) + [True]
        x[-1] = 0


def test_what_is_left_to_numpy():
    x, y = numbers(parted.FROM), numbers(parted.FROM, seed=1)
    before = x.copy()
    unaligned = np.zeros(4 * parted.FROM + 1, np.uint8)[1:].view(np.float32)
    swapped, long = x.astype(">f4"), numbers(parted.FROM + 8)
    refused = [
        ((x[:-1], y[:-1]), None),  # too few
        ((x, y[:1]), None),
        ((x, y.astype(np.float64)), None),
        ((x, numbers(2 * parted.FROM)[::2]), None),
        ((swapped, swapped), None),
        ((x, unaligned), None),
        ((x.astype(np.int16), y.astype(np.int16)), None),
        ((x.astype(np.complex64), y.astype(np.complex64)), None),
        ((x, y), x[:-1]),
        ((x, y), x.astype(np.float64)),
        ((long[8:], y), long[:-8]),  # what one part reads another would have written
        ((x[:1].reshape(()), y), x),
        ((y, x[9:10].reshape(())), x),
        ((np.asarray(1.5, np.float32), np.asarray(1.5, np.float32)), None),
    ]
    for operands, into in refused:
        assert parted.elementwise(np.add, operands, into) is None
    read_only = y.copy()
    read_only.flags.writeable = False
    assert parted.elementwise(np.add, (x, y), read_only) is None
    counts = np.ones(parted.FROM, np.int64)
    assert parted.elementwise(np.power, (counts, counts)) is None  # may be an error
    assert parted.elementwise(np.equal, (x, y)) is None and parted.elementwise(np.frexp, (x,)) is None
    in_steps = numbers(2 * parted.FROM)[::2]
    assert all(parted.reduced(np.add, each) is None for each in (x[:-1], in_steps, unaligned))
    assert parted.reduced(np.maximum, counts) is None
    square = numbers(600, 600)  # OpenBLAS is as good
    assert parted_products.product(square, square.T) is None and parted_products.product(square.T, square.T) is None
    assert parted_products.product(x[::2].reshape(-1, 64), y[: 64 * 64].reshape(64, 64)[:, ::2]) is None
    torch.set_num_threads(1)
    assert parted.elementwise(np.add, (x, y)) is None and parted.reduced(np.add, x) is None and not parted.are_free(x.size)
    assert np.array_equal(x, before)


def whole_numbers(generator, *shape, dtype=np.float32):
    return generator.integers(-4, 5, shape).astype(dtype)


@needs_threads
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "shape",
    [
        (64, 784, 128),
        (64, 128, 784),
        (784, 64, 128),
        (256, 128, 384),
        (256, 96, 128),
        (65, 100, 512),
        (300, 70, 96),
        (4099, 65, 43),
    ],
)
def test_products_in_parts(shape, dtype, monkeypatch):
    monkeypatch.setattr(small_products, "_in_place", lambda: True)
    parted_products._pieces.cache_clear()
    rows, inner, columns = shape
    generator = np.random.default_rng(0)
    parted_ones = 0
    for a in (whole_numbers(generator, rows, inner, dtype=dtype), whole_numbers(generator, inner, rows, dtype=dtype).T):
        for b in (
            whole_numbers(generator, inner, columns, dtype=dtype),
            whole_numbers(generator, columns, inner, dtype=dtype).T,
        ):
            for count in (2, 3, 4):
                torch.set_num_threads(count)
                found = parted_products.product(a, b)
                parted_ones += found is not None
                assert found is None or np.array_equal(found, a.astype(np.float64) @ b)
                assert [each.get() for each in threads._blas.counts()] == [count]
    parted_products._pieces.cache_clear()
    assert parted_ones


@needs_threads
def test_long_products_with_transposes_in_parts():
    generator = np.random.default_rng(0)
    for rows, columns in ((8193, 40), (40, 8193)):
        a, b = whole_numbers(generator, rows, 70), whole_numbers(generator, columns, 70).T
        found = parted_products.product(a, b)
        assert found is not None and np.array_equal(found, a.astype(np.float64) @ b)


@needs_threads
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(64, 64, 32, 64), (7, 128, 100, 96), (33, 64, 64, 65)])
def test_batches(shape, dtype):
    stack, rows, inner, columns = shape
    generator = np.random.default_rng(0)
    a = whole_numbers(generator, stack, rows, inner, dtype=dtype)
    b = whole_numbers(generator, stack, inner, columns, dtype=dtype)
    for left in (a, a.swapaxes(1, 2).copy().swapaxes(1, 2)):
        for right in (b, b.swapaxes(1, 2).copy().swapaxes(1, 2)):
            found = parted_products.batch(left, right)
            assert found is not None and np.array_equal(found, left.astype(np.float64) @ right)


@needs_threads
def test_one_caller_at_a_time_has_the_threads_and_others_wait_for_nobody():
    x, y = numbers(4 * parted.FROM), numbers(4 * parted.FROM, seed=1)
    expected = x * y + x
    wrong, shared = [], []

    def work():
        for _ in range(50):
            first = parted.elementwise(np.multiply, (x, y))
            shared.append(first is not None)
            first = x * y if first is None else first
            again = parted.elementwise(np.add, (first, x))
            wrong.append(not np.array_equal(first + x if again is None else again, expected))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(wrong) == 150 and not any(wrong) and any(shared)
    with waiting_threads._state.lock:
        assert parted.elementwise(np.multiply, (x, y)) is None


@needs_threads
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_after_a_fork_the_threads_are_new():
    x = numbers(4 * parted.FROM)
    expected = parted.elementwise(np.add, (x, x))
    with waiting_threads._state.lock:
        child = os.fork()
        if not child:
            found = parted.elementwise(np.add, (x, x))
            os._exit(0 if found is not None and np.array_equal(found, expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(parted.elementwise(np.add, (x, x)), expected)


@needs_threads
def test_no_more_threads_than_processors_are_granted(monkeypatch):
    assert waiting_threads.count() == 4
    monkeypatch.setattr(threads, "granted", lambda: 1)
    x = numbers(parted.FROM)
    assert waiting_threads.count() == 1 and parted.elementwise(np.add, (x, x)) is None


@pytest.mark.parametrize(
    ("said", "count"), [("250000 100000", 2), ("50000 100000", 1), ("max 100000", sys.maxsize), (None, sys.maxsize)]
)
def test_what_a_control_group_grants(said, count, monkeypatch, tmp_path):
    monkeypatch.undo()
    file = tmp_path / "cpu.max"
    if said is not None:
        file.write_text(said + "\n")
    monkeypatch.setattr(threads, "open", lambda path: file.open(), raising=False)
    assert threads.granted.__wrapped__() == count


def test_where_the_interface_is_unknown_nobody_has_threads(monkeypatch):
    x = numbers(parted.FROM)
    monkeypatch.setattr(waiting_threads._state, "runner", None)
    assert parted.elementwise(np.add, (x, x)) is None and not parted.are_free(x.size)


def test_where_arrays_lie_and_what_loops_ufuncs_have():
    x = numbers(10)
    assert numpy_abi.address(x) == x.ctypes.data and numpy_abi.address(x[3:]) == x.ctypes.data + 12
    assert numpy_abi.inner_loop(np.add, "ff->f") != numpy_abi.inner_loop(np.add, "dd->d")
    assert numpy_abi.inner_loop(np.add, "fd->q") is None


def test_weights_are_stepped_as_numpy_does():
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


def test_a_part_is_moved_along_as_by_numpy():
    torch.manual_seed(0)
    w = torch.randn(1000, 128)
    line, values = w.view(-1), w.numpy().reshape(-1).copy()
    line.data[8:].add_(line[:-8])
    np.testing.assert_array_equal(line.numpy()[8:], values[8:] + values[:-8])
    line.data.mul_(line[0])
    np.testing.assert_array_equal(line.numpy()[8:], (values[8:] + values[:-8]) * values[0])


@pytest.mark.parametrize("size", [513, 4096, 10_000, 10_001, 20_000, parted.FROM + 5])
def test_sums_of_many(size):
    x = torch.from_numpy(numbers(size))
    assert x.sum().item() == pytest.approx(x.double().sum().item(), abs=1e-3)
    x[7] = float("inf")
    assert x.sum().item() == float("inf")
    x[8] = -float("inf")
    assert torch.isnan(x.sum())
