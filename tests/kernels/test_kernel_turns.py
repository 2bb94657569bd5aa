"""Compiled copies of arrays whose last two dimensions lie the other way round, or whose last runs backwards, held to NumPy's."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from kernel_checks import native, needs_native, same_on_any_number_of_threads, stays_within_fences

import rushlight as torch
from rushlight import kernels

DTYPES = ["float32", "float64", "float16", "int8", "int64", "bool", ml_dtypes.bfloat16]


@needs_native
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(64, 65), (1000, 3), (3, 1000), (2, 40, 33), (3, 2, 17, 31), (1, 1200, 1)])
def test_copies(dtype, shape):
    compiled = kernels.registered["shape.contiguous"].compiled
    x = np.random.default_rng(0).integers(0, 100, (*shape[:-2], shape[-1], shape[-2])).astype(dtype).swapaxes(-1, -2)
    seen = [x, x[..., ::2], x[..., ::-1], np.ndarray(x.shape, x.dtype, np.zeros(x.nbytes + 1, np.uint8).data, 1, x.strides)]
    for each in seen[: 3 if x.itemsize == 1 else 4]:
        found = compiled(each)
        if each.size >= 1 << 10 and not each.flags.c_contiguous:
            assert found is not None and found.flags.c_contiguous
            np.testing.assert_array_equal(found.astype("f"), each.astype("f"))


@needs_native
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(1024,), (1025, 1), (64, 65), (3, 1000), (1000, 3), (2, 40, 33), (1, 1200, 1)])
def test_copies_of_what_runs_backwards(dtype, shape):
    compiled = kernels.registered["shape.backwards"].compiled
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    moved = np.ndarray(x.shape, x.dtype, np.zeros(x.nbytes + 1, np.uint8).data, 1)
    moved[...] = x
    for each in (x, moved)[: 1 if x.itemsize == 1 else 2]:
        for axes in ((-1,), tuple(range(x.ndim))):
            seen = np.flip(each, axes)
            found = compiled(seen)
            if each.shape[-1] > 1:
                assert found is not None and found.flags.c_contiguous
                np.testing.assert_array_equal(found.astype("f"), seen.astype("f"))


@needs_native
def test_what_runs_backwards_and_is_not_taken():
    compiled, x = kernels.registered["shape.backwards"].compiled, np.ones((64, 64))
    complex_ones = x.astype("F")[:, ::-1]
    assert all(
        compiled(each) is None for each in (x, x[::-1], x[:, ::-2], x.T[:, ::-1], x[:3, ::-1], complex_ones, x[:0, ::-1])
    )


@needs_native
def test_what_is_not_taken():
    compiled, x = kernels.registered["shape.contiguous"].compiled, np.ones((64, 64))
    assert all(compiled(each) is None for each in (x, x[::2, ::2], x[:3, :3].T, x.T.astype("F"), x[0], x[:, :0].T))


@needs_native
def test_any_number_of_threads_gives_the_same():
    x = np.random.default_rng(0).standard_normal((3, 700, 900))
    compiled = kernels.registered["shape.contiguous"].compiled
    backwards = kernels.registered["shape.backwards"].compiled
    same_on_any_number_of_threads(
        lambda: [compiled(x.swapaxes(1, 2)), compiled(x[0].T), backwards(x[..., ::-1]), backwards(x[::-1, ::-1, ::-1])]
    )


@needs_native
def test_random_sizes_stay_within_fences():
    def arguments(source):
        rows, columns, planes = (source.choice([0, 1, 2, 3, 15, 16, 17, 40]) for _ in range(3))
        kind = source.choice("fdHb")
        size = rows * columns * planes
        x = np.zeros((planes, columns, rows), kind).swapaxes(1, 2)
        return [(size + source.choice([0, 0, 0, 1]), source.choice([kind] * 9 + ["f"])), x], []

    stays_within_fences("turned", arguments, call=lambda out, x: native.turned(out, x))


@needs_native
def test_random_sizes_backwards_stay_within_fences():
    def arguments(source):
        rows, columns = (source.choice([0, 1, 2, 3, 15, 16, 17, 40]) for _ in range(2))
        kind = source.choice("fdHb")
        x = np.zeros((rows, columns), kind)[:: source.choice([1, -1]), ::-1]
        return [(rows * columns + source.choice([0, 0, 0, 1]), source.choice([kind] * 9 + ["f"])), x], []

    stays_within_fences("backwards", arguments, call=lambda out, x: native.backwards(out, x))


@pytest.mark.parametrize("layout", [lambda x: x, lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[:, :1].expand(40, 50)])
def test_flipped_tensors(layout):
    x = layout(torch.arange(2400.0).reshape(40, 60))
    rows = x.tolist()
    assert x.flip(0).tolist() == rows[::-1]
    assert x.flip(1).tolist() == [row[::-1] for row in rows]
    assert x.flip(0, 1).tolist() == [row[::-1] for row in rows[::-1]]


def test_tensors():
    x = torch.arange(4800).reshape(60, 80)
    assert x.t().contiguous().tolist() == [list(range(column, 4800, 80)) for column in range(80)]
