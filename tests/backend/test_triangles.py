"""Triangles of matrices of many shapes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from rushlight.backend import shape

SHAPES = [(65, 65), (64, 130), (130, 64), (1, 90), (90, 1), (0, 70), (70, 0), (2, 3, 70, 129)]


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int64, np.complex64, np.bool_])
@pytest.mark.parametrize("size", SHAPES, ids=str)
def test_triangles(size: tuple[int, ...], dtype: type) -> None:
    x = np.random.default_rng(0).integers(1, 3, size).astype(dtype)
    if dtype is np.float32 and x.size:
        x.reshape(-1)[::3], x.reshape(-1)[1::5] = np.nan, np.inf
    behind = np.arange(size[-1]) - np.arange(size[-2])[:, None]
    for offset in (-1000, -65, -64, -1, 0, 1, 63, 64, 100, 1000):
        for found, kept in ((shape.tril(x, offset), behind <= offset), (shape.triu(x, offset), behind >= offset)):
            assert found.dtype == x.dtype and found.flags.c_contiguous and not np.shares_memory(found, x)
            assert found.tobytes() == np.where(kept, x, np.zeros((), dtype)).tobytes()
        turned = x.swapaxes(-1, -2)
        assert shape.triu(turned, -offset).tobytes() == shape.tril(x, offset).swapaxes(-1, -2).tobytes()
