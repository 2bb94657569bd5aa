"""What strides see in memory, and its adjoint, against additions place by place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.backend import shape, strided


@st.composite
def geometries(draw):
    """Sizes, strides and an offset, of which the strides may see a place several times."""
    ndim = draw(st.integers(0, 3))
    sizes = tuple(draw(st.integers(1, 6)) for _ in range(ndim))
    return sizes, tuple(draw(st.integers(0, 12)) for _ in range(ndim)), draw(st.integers(0, 4))


def numbers(sizes, seed=0):
    return np.random.default_rng(seed).integers(-3, 4, sizes).astype(float)


def places(sizes, strides, offset):
    return sum(
        (np.arange(size).reshape(-1, *(1,) * (len(sizes) - 1 - axis)) * step
         for axis, (size, step) in enumerate(zip(sizes, strides, strict=True))),
        start=np.full(sizes, offset),
    )  # fmt: skip


@pytest.mark.parametrize("together", [0, 32])
@settings(max_examples=200)
@given(geometries(), geometries())
def test_what_is_added_where_strides_see_it(together, x_is, seen):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strided, "_TOGETHER", together)
        g = numbers(seen[0])
        found = strided.as_strided_adjoint(g, *x_is, *seen)
        line, count = np.zeros(200), np.zeros(200)
        np.add.at(line, places(*seen), g)
        np.add.at(count, places(*x_is), 1)
        np.testing.assert_allclose(found, (line / np.maximum(count, 1))[places(*x_is)])
        x = numbers(x_is[0], 1)
        assert (strided.gather_strided(x, *x_is, *seen) * g).sum() == pytest.approx((found * x).sum())


def test_nothing_is_added_from_nothing():
    assert not strided.as_strided_adjoint(np.zeros((0, 3)), (2, 2), (2, 1), 0, (0, 3), (3, 1), 0).any()


def test_frames_are_added_from_the_first_on():
    """As PyTorch adds them: what is in three frames is added in the order of the frames."""
    g = np.array([[0.0, 0.0, 1e8], [0.0, -1e8, 0.0], [1.0, 0.0, 0.0]], np.float32)
    wanted = np.float32(1e8) - np.float32(1e8) + np.float32(1)
    assert strided.as_strided_adjoint(g, (5,), (1,), 0, (3, 3), (1, 1), 0)[2] == wanted
    assert shape.fold_windows(g, (5,), 0, 3, 1)[2] == wanted


@pytest.mark.parametrize("size, step", [(1, 1), (2, 1), (3, 2), (4, 3), (5, 2), (2, 4), (3, 3)])
def test_folding_windows_is_the_transpose_of_taking_them(size, step):
    x = numbers((2, 13, 3))
    windows = shape.unfold(x, 1, size, step)
    g = numbers(windows.shape, 1)
    assert (shape.fold_windows(g, x.shape, 1, size, step) * x).sum() == (g * windows).sum()
