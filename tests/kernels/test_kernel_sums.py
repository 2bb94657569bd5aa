"""Compiled sums: to the last bit as backend/summation.py adds them in NumPy, which is PyTorch's order on one thread."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import A_DTYPE, BEYOND, DTYPES, agree, few, needs_native, numbers, same_on_any_number_of_threads

from rushlight import kernels
from rushlight.backend import summation

pytestmark = needs_native
LENGTHS = [
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    500,
    511,
    513,
    1024,
    4095,
    8193,
    33_333,
    70_001,
]


def compiled(*arguments):
    return kernels.registered["line_sums.sums_of_groups"].compiled(*arguments)


def line(dtype, *shape):
    return np.random.default_rng(shape).standard_normal(shape).astype(dtype)


def added(x):
    """The sum of a vector, in the order that summation has."""
    return summation._rows(x.reshape(1, -1))[0]


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_of_all_and_of_rows(instruction_set, dtype):
    for length in LENGTHS:
        x = line(dtype, 3, length)
        rows = summation._rows(x)
        assert (compiled(x, False, x.shape) == rows).all(), length
        assert compiled(x[0], True, (length,)) == rows[0], length
        assert (compiled(x, True, (1, 3, length)) == rows).all(), length
        assert compiled(x, True, (3, 1, length)) == (rows[0] + rows[1]) + rows[2], length


@pytest.mark.parametrize("inner", [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 256, 257, 300])
def test_of_columns(instruction_set, inner):
    for length in (1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 127, 300, 1030):
        for dtype, outer in (("float32", 3), ("float64", 2)):
            x = line(dtype, outer, length, inner)
            columns = np.stack([summation._columns(each) for each in x])
            assert (compiled(x, False, x.shape) == columns).all(), length
            assert (compiled(x[0], True, (length, inner)) == columns[0]).all(), length


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_of_long_lines_in_blocks_whatever_the_threads(instruction_set, dtype):
    for length in (131_072, 2_097_152 + 131_072 + 45, 4_200_001):
        x = line(dtype, length)
        expected = added(x)
        same_on_any_number_of_threads(lambda x=x: [compiled(x, True, x.shape)])
        assert compiled(x, True, x.shape) == expected
        assert compiled(x[1:], True, (length - 1,)) == added(x[1:])


def test_of_what_is_added_in_turn_behind():
    x = line("float32", 6, 5, 40, 3)
    columns = compiled(x, False, (30, 40, 3)).reshape(6, 5, 3)
    assert (compiled(x, True, (6, 5, 40, 3)) == np.add.reduce(columns, 0)).all()
    rows = compiled(x, False, (1200, 3)).reshape(6, 5, 40)
    assert (compiled(x, False, (6, 5, 40, 3)) == np.add.reduce(rows, 1)).all()
    single = line("float32", 500, 1, 40)
    assert compiled(single, True, single.shape) == np.add.accumulate(compiled(single, False, (500, 40)))[-1]


@given(data=st.data())
@few
def test_of_any_numbers(instruction_set, data):
    first, sizes = data.draw(
        st.sampled_from([(False, (5, 1000)), (False, (1, 7001)), (True, (7, 33, 256)), (True, (400, 9)), (True, (4096,))])
    )
    x = numbers(data.draw, sizes, data.draw(A_DTYPE), [*BEYOND, 1e-42, -0.0], 1.0)
    with np.errstate(all="ignore"):
        axes = tuple(range(not first, len(sizes), 2))
        expected = np.add.reduce(x.astype(np.float64), axes)
        size = 1 + np.add.reduce(np.abs(np.where(np.isfinite(x), x, 0)), axes)
        found = np.asarray(compiled(x, first, sizes)).reshape(expected.shape)
    agree(found / size, (expected / size).astype(x.dtype), x.dtype.name)
    assert not np.signbit(compiled(np.full(300, -0.0, x.dtype), True, (300,)))


def test_on_any_number_of_threads_and_what_is_not_taken():
    x = line("float32", 60, 300, 70)
    groups = [(False, (18, 70_000)), (True, (60, 60, 350)), (True, (70, 18_000)), (True, (180_000, 7)), (False, (180, 100, 70))]
    same_on_any_number_of_threads(lambda: [compiled(x, *group) for group in groups])
    assert compiled(x, True, (6, 10, 300, 7, 10)) is None
    assert compiled(x.astype(np.float16), *groups[0]) is None
    assert compiled(x[:0], False, (0, 300, 70)) is None


def test_of_what_is_no_nan(instruction_set):
    nansum = kernels.registered["reduce.nansum"].compiled
    for shape in ((40, 70), (3, 40_001)):
        x = line("float32", *shape)
        x[:, ::3] = math.nan
        known = np.where(np.isnan(x), np.float32(0), x)
        assert nansum(x, None) == added(known) == nansum(x, (0, 1), True)[0, 0]
        assert (nansum(x, (1,)) == summation._rows(known)).all()
    assert nansum(x.T, None) is None and nansum(x, None, dtype=np.dtype("float64")) is None


def test_many_numbers_lose_no_digits():
    x = np.full((1_000_000, 3), 0.1, np.float32)
    np.testing.assert_allclose(compiled(x, True, x.shape), x.astype(np.float64).sum(0), rtol=3e-6)
    assert math.isclose(compiled(x, True, (3_000_000,)), 300_000 * 1.0000000149, rel_tol=3e-6)
