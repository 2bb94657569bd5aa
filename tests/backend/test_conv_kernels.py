"""The kernels of convolution, pooling and sampling against references written out element by element, and each
gradient against the kernel it transposes. (Against PyTorch they are held in tests/conformance.)"""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np
import pytest

from rushlight.backend import (
    convolution,
    fold,
    grid_sample,
    interpolation,
    pooling,
)
from rushlight.backend.convolution import conv_shape, conv_transpose_shape
from rushlight.kernels import registered

# NumPy's own, whether or not there are compiled ones.
conv, conv_input_grad, conv_weight_grad = (
    registered[f"convolution.{name}"].numpy for name in ("conv", "conv_input_grad", "conv_weight_grad")
)

# spatial, kernel, stride, padding, dilation, groups
CONVOLUTIONS = {
    "1d": ((9,), (3,), (1,), (1,), (1,), 1),
    "1d strided": ((10,), (4,), (3,), (2,), (1,), 2),
    "one tap": ((4, 5), (1, 1), (1, 1), (0, 0), (1, 1), 1),
    "one tap, strided and padded": ((4, 5), (1, 1), (2, 3), (1, 1), (1, 1), 1),
    "3x3": ((6, 7), (3, 3), (1, 1), (1, 1), (1, 1), 1),
    "uneven": ((7, 5), (4, 2), (2, 1), (1, 0), (1, 2), 2),
    "more padding than kernel": ((3, 3), (2, 2), (1, 1), (3, 4), (1, 1), 1),
    "dilation and stride share a factor": ((11, 9), (3, 3), (4, 2), (2, 2), (2, 4), 1),
    "windows apart": ((9, 13), (2, 3), (4, 5), (1, 0), (1, 1), 1),
    "depthwise": ((6, 6), (3, 3), (1, 1), (1, 1), (1, 1), 4),
    "3d": ((4, 5, 3), (2, 3, 2), (1, 2, 1), (1, 0, 1), (1, 1, 2), 1),
}
DTYPES = ("float64", "complex128", "float32", "float16", "int64")


def draw(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Small whole numbers: their sums are exact in every dtype."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, shape)
    if dtype.startswith("complex"):
        return (values + 1j * rng.integers(-3, 4, shape)).astype(dtype)
    return values.astype(dtype)


def conv_by_hand(x, w, stride, padding, dilation, groups):
    padded = np.pad(x, ((0, 0), (0, 0), *((pad, pad) for pad in padding)))
    out = conv_shape(x.shape[2:], w.shape[2:], stride, padding, dilation)
    y = np.zeros((len(x), len(w), *out), x.dtype)
    depth, channels = w.shape[1], len(w) // groups
    for place in itertools.product(*map(range, out)):
        window = padded[
            (
                slice(None),
                slice(None),
                *(
                    slice(at * step, at * step + spread * (taps - 1) + 1, spread)
                    for at, step, spread, taps in zip(place, stride, dilation, w.shape[2:], strict=True)
                ),
            )
        ]
        for channel in range(len(w)):
            group = channel // channels
            seen = window[:, group * depth : (group + 1) * depth]
            y[(slice(None), channel, *place)] = (seen * w[channel]).sum(axis=tuple(range(1, x.ndim)))
    return y


def case(name: str, dtype: str = "float64", samples: int = 3):
    spatial, kernel, stride, padding, dilation, groups = CONVOLUTIONS[name]
    x = draw((samples, 2 * groups, *spatial), dtype, 1)
    w = draw((3 * groups, 2, *kernel), dtype, 2)
    return x, w, (stride, padding, dilation, groups)


def dot(a: np.ndarray, b: np.ndarray) -> complex:
    return (a * b).sum()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution_is_the_sum_over_windows(name, dtype):
    x, w, options = case(name, dtype)
    y = conv(x, w, *options)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, conv_by_hand(x, w, *options))


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_gradients_are_the_transposes(name):
    x, w, options = case(name, "complex128")
    y = conv(x, w, *options)
    g = draw(y.shape, "complex128", 3)
    gx, gw = conv_input_grad(g, w, x.shape, *options), conv_weight_grad(g, x, w.shape, *options)
    assert gx.shape == x.shape
    assert gw.shape == w.shape
    for index in range(x.size):
        unit = np.zeros(x.size, complex)
        unit[index] = 1
        assert gx.reshape(-1)[index] == dot(g, conv(unit.reshape(x.shape), w, *options))
    for index in range(w.size):
        unit = np.zeros(w.size, complex)
        unit[index] = 1
        assert gw.reshape(-1)[index] == dot(g, conv(x, unit.reshape(w.shape), *options))


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("way", ["one sample at a time", "a part of one at a time"])
def test_every_way_gives_the_same(name, way, monkeypatch):
    x, w, options = case(name)
    g = draw(conv(x, w, *options).shape, "float64", 3)
    bias = draw((len(w),), "float64", 4)

    def results():
        gradients = conv_input_grad(g, w, x.shape, *options), conv_weight_grad(g, x, w.shape, *options)
        return conv(x, w, *options), conv(x, w, *options, bias), *gradients

    expected = results()
    monkeypatch.setattr(convolution, "_BLOCK_BYTES" if way == "one sample at a time" else "_MOST_BYTES", 1)
    for got, want in zip(results(), expected, strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(expected[1], expected[0] + bias.reshape(-1, *(1,) * (x.ndim - 2)))


def test_infinities_keep_their_place_in_large_kernels():
    x, w = np.ones((1, 1, 4000)), np.ones((4, 1, 1000))
    x[0, 0, 3500] = np.inf
    y = conv(x, w, (1,), (0,), (1,))
    np.testing.assert_array_equal(np.isinf(y[0, 0]), np.arange(3001) > 2500)
    assert (y[0, 0, :2501] == 1000).all()
    gw = conv_weight_grad(np.ones((1, 4, 3001)), x, w.shape, (1,), (0,), (1,))
    np.testing.assert_array_equal(np.isinf(gw[0, 0]), np.arange(1000) >= 500)


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution_reads_arrays_of_any_layout(name):
    x, w, options = case(name)
    turned = np.asfortranarray(x[::-1])[::-1]
    np.testing.assert_array_equal(conv(turned, np.asfortranarray(w), *options), conv(x, w, *options))


def test_transposed_convolution_undoes_the_shape():
    for spatial, kernel, stride, padding, dilation, _ in CONVOLUTIONS.values():
        out = conv_shape(spatial, kernel, stride, padding, dilation)
        lost = tuple(
            (size + 2 * pad - spread * (taps - 1) - 1) % step
            for size, pad, spread, taps, step in zip(spatial, padding, dilation, kernel, stride, strict=True)
        )
        assert conv_transpose_shape(out, kernel, stride, padding, lost, dilation) == spatial


@pytest.mark.parametrize("empty", ["samples", "channels"])
def test_convolution_of_nothing(empty):
    x = np.ones((0, 2, 5) if empty == "samples" else (2, 0, 5))
    w = np.ones((3, x.shape[1], 3))
    y = conv(x, w, (1,), (0,), (1,))
    np.testing.assert_array_equal(y, np.zeros((len(x), 3, 3)))
    np.testing.assert_array_equal(conv_input_grad(y, w, x.shape, (1,), (0,), (1,)), np.zeros(x.shape))
    np.testing.assert_array_equal(conv_weight_grad(y, x, w.shape, (1,), (0,), (1,)), np.zeros(w.shape))


def test_infinities_reach_only_the_weights_that_saw_them():
    x = np.ones((1, 2, 4, 4))
    x[0, 1, 0, 0] = np.inf
    w = np.ones((1, 2, 3, 3))
    options = ((1, 1), (0, 0), (1, 1), 1)
    gw = conv_weight_grad(np.ones(conv(x, w, *options).shape), x, w.shape, *options)
    expected = np.full(w.shape, 4.0)
    expected[0, 1, 0, 0] = np.inf
    np.testing.assert_array_equal(gw, expected)


def test_kernels_may_run_on_several_threads_at_once():
    x, w, options = case("3x3", samples=8)
    expected = conv(x, w, *options)
    results: list[np.ndarray] = []
    callers = [threading.Thread(target=lambda: results.append(conv(x, w, *options))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(results) == 8
    for result in results:
        np.testing.assert_array_equal(result, expected)


# kernel, stride, padding, dilation, ceil_mode
POOLS = {
    "halves": ((2, 2), (2, 2), (0, 0), (1, 1), False),
    "overlapping": ((3, 2), (1, 2), (1, 1), (1, 1), False),
    "hanging over": ((3, 3), (2, 2), (1, 0), (1, 1), True),
    "dilated": ((2, 3), (1, 1), (1, 1), (2, 1), False),
}


def windows_by_hand(shape, out, kernel, stride, padding, dilation):
    """Per place of the output, the places of the input that its window covers."""
    for place in itertools.product(*map(range, out)):
        seen = []
        for taps in itertools.product(*map(range, kernel)):
            at = tuple(p * s - pad + t * d for p, s, pad, t, d in zip(place, stride, padding, taps, dilation, strict=True))
            if all(0 <= position < size for position, size in zip(at, shape, strict=True)):
                seen.append(at)
        yield place, seen


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("dtype", ["float64", "float16", "int64"])
def test_max_pool_takes_the_first_of_the_greatest(name, dtype):
    x = draw((2, 3, 7, 6), dtype)
    options = POOLS[name]
    values, indices = pooling.max_pool(x, *options)
    assert values.dtype == x.dtype
    for place, seen in windows_by_hand((7, 6), values.shape[2:], *options[:4]):
        for plane in np.ndindex(2, 3):
            best = max(seen, key=lambda at: (x[(*plane, *at)], -at[0], -at[1]))
            assert values[(*plane, *place)] == x[(*plane, *best)]
            assert indices[(*plane, *place)] == best[0] * 6 + best[1]


def test_max_pool_finds_its_way_in_wide_images():
    x = np.random.default_rng(0).permutation(4 * 70_000).reshape(1, 1, 4, 70_000).astype(np.float32)
    for height, width in ((2, 2), (2, 500), (1, 1000)):
        values, indices = pooling.max_pool(x, (height, width), (height, width), (0, 0), (1, 1))
        np.testing.assert_array_equal(x.reshape(-1)[indices], values)
        whole = x.reshape(4 // height, height, 70_000 // width, width).max((1, 3))
        np.testing.assert_array_equal(values[0, 0], whole)


def test_max_pool_takes_the_last_nan():
    x = np.array([[1.0, np.nan, 3.0, np.nan, 2.0]])
    values, indices = pooling.max_pool(x, (5,), (1,), (0,), (1,))
    assert np.isnan(values).all()
    assert indices == [[3]]


def test_max_pool_of_minus_infinity_points_at_the_first():
    values, indices = pooling.max_pool(np.full((1, 4), -np.inf), (3,), (1,), (1,), (1,))
    np.testing.assert_array_equal(values, np.full((1, 4), -np.inf))
    np.testing.assert_array_equal(indices, [[0, 0, 1, 2]])


@pytest.mark.parametrize("name", ["halves", "overlapping", "hanging over"])
@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("divisor", [None, 3])
def test_avg_pool_and_its_transpose(name, include, divisor):
    kernel, stride, padding, dilation, ceil = POOLS[name]
    x = draw((2, 3, 7, 6), "float64")
    y = pooling.avg_pool(x, kernel, stride, padding, ceil, include, divisor)
    expected = np.zeros(y.shape)
    for place, seen in windows_by_hand((7, 6), y.shape[2:], kernel, stride, padding, dilation):
        total = sum(x[(slice(None), slice(None), *at)] for at in seen)
        held = math.prod(
            min(p * s - pad + k, size + pad) - (p * s - pad)
            for p, s, pad, k, size in zip(place, stride, padding, kernel, (7, 6), strict=True)
        )
        expected[(slice(None), slice(None), *place)] = total / (divisor or (held if include else len(seen)))
    np.testing.assert_allclose(y, expected, rtol=1e-14)
    g = draw(y.shape, "float64", 1)
    gx = pooling.avg_pool_input_grad(g, x.shape, kernel, stride, padding, ceil, include, divisor)
    assert dot(gx, x) == pytest.approx(dot(g, y))


def test_avg_pool_of_integers_rounds_to_zero():
    x = np.array([[-7, -4, 7, 4]])
    np.testing.assert_array_equal(pooling.avg_pool(x, (2,), (2,), (0,)), [[-5, 5]])


@pytest.mark.parametrize("name", POOLS)
def test_scattering_is_the_transpose_of_gathering(name):
    x = draw((2, 3, 7, 6), "float64")
    values, indices = pooling.max_pool(x, *POOLS[name])
    np.testing.assert_array_equal(pooling.pool_gather(x, indices, 2), values)
    g = draw(values.shape, "float64", 1)
    assert dot(pooling.pool_scatter(g, indices, x.shape, 2), x) == dot(g, values)


def test_unpooling_puts_maxima_back():
    x = draw((2, 3, 6, 6), "float64")
    values, indices = pooling.max_pool(x, (2, 2), (2, 2), (0, 0), (1, 1))
    y = pooling.max_unpool(values, indices, (6, 6))
    np.testing.assert_array_equal(pooling.pool_gather(y, indices, 2), values)
    assert np.count_nonzero(y) == np.count_nonzero(values)
    with pytest.raises(RuntimeError, match=r"Found an invalid max index: 36 \(output volumes are of size 6x6\)"):
        pooling.max_unpool(values, np.full(indices.shape, 36), (6, 6))


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "cubic"])
@pytest.mark.parametrize("size", [(5, 7), (10, 21), (3, 2), (1, 40)])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("antialias", [False, True])
def test_interpolation_and_its_transpose(mode, size, align_corners, antialias):
    x = draw((2, 3, 5, 7), "float64")
    options = (mode, align_corners, None, antialias)
    y = interpolation.interpolate(x, size, *options)
    assert y.shape == (2, 3, *size)
    g = draw(y.shape, "float64", 1)
    assert dot(interpolation.interpolate_input_grad(g, x.shape, 2, *options), x) == pytest.approx(dot(g, y))
    flat = interpolation.interpolate(np.full_like(x, 2.5), size, *options)
    np.testing.assert_allclose(flat, 2.5, rtol=1e-6)
    if size == (5, 7) and not antialias:
        np.testing.assert_array_equal(y, x)


def test_interpolation_by_hand():
    x = np.array([[0.0, 4.0, 8.0]])
    np.testing.assert_array_equal(interpolation.interpolate(x, (6,), "nearest"), [[0, 0, 4, 4, 8, 8]])
    np.testing.assert_array_equal(interpolation.interpolate(x, (6,), "linear"), [[0, 1, 3, 5, 7, 8]])
    np.testing.assert_array_equal(interpolation.interpolate(x, (5,), "linear", True), [[0, 2, 4, 6, 8]])
    np.testing.assert_array_equal(interpolation.interpolate(np.array([[0, 9]], np.uint8), (4,), "linear"), [[0, 2, 7, 9]])


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align_corners", [False, True])
def test_grid_sample_at_the_elements_gives_the_elements(mode, padding_mode, align_corners):
    x = draw((2, 3, 4, 5), "float64")
    grid = grid_sample.affine_grid_base((4, 5), align_corners, x.dtype)[None, ..., :2].repeat(2, 0)
    y = grid_sample.grid_sample(x, grid, mode, padding_mode, align_corners)
    np.testing.assert_allclose(y, x, atol=1e-12)


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_orders_of_grid_sample_are_its_derivatives(rank, padding_mode, align_corners, mode):
    if rank == 3 and mode == "bicubic":
        mode = "nearest"
    x = draw((2, 3, 4, 5, 3)[: rank + 2], "float64")
    rng = np.random.default_rng(0)
    grid = rng.uniform(-1.4, 1.4, (2, 6, 4, 2, rank)[-rank - 2 :] if rank == 3 else (2, 6, 4, rank))
    options = (mode, padding_mode, align_corners)
    step = 1e-6
    for order in itertools.product(range(2), repeat=rank):
        g = rng.standard_normal((len(grid), 3, *grid.shape[1:-1]))
        x_of = x[: len(grid)]
        transposed = grid_sample.grid_sample_input_grad(g, grid, x_of.shape, *options, order)
        assert dot(transposed, x_of) == pytest.approx(dot(g, grid_sample.grid_sample(x_of, grid, *options, order)))
        for axis in range(rank):
            raised = tuple(number + (at == axis) for at, number in enumerate(order))
            moved = np.zeros(rank)
            moved[axis] = step
            ahead = grid_sample.grid_sample(x_of, grid + moved, *options, order)
            behind = grid_sample.grid_sample(x_of, grid - moved, *options, order)
            slope = grid_sample.grid_sample(x_of, grid, *options, raised)
            np.testing.assert_allclose((ahead - behind) / (2 * step), slope, atol=2e-4)


@pytest.mark.parametrize("name", ["3x3", "uneven", "dilation and stride share a factor", "more padding than kernel"])
def test_unfold_lays_out_what_convolution_multiplies(name):
    x, _, (stride, padding, dilation, _) = case(name)
    kernel = CONVOLUTIONS[name][1]
    columns = fold.unfold(x, kernel, dilation, padding, stride)
    w = draw((3, x.shape[1], *kernel), "float64", 4)
    y = conv(x, w, stride, padding, dilation)
    np.testing.assert_array_equal((w.reshape(3, -1) @ columns).reshape(y.shape), y)
    g = draw(columns.shape, "float64", 5)
    assert dot(fold.fold(g, x.shape[2:], kernel, dilation, padding, stride), x) == dot(g, columns)


def test_affine_grid_base_names_the_last_axis_first():
    base = grid_sample.affine_grid_base((2, 3), True, np.dtype("float64"))
    np.testing.assert_array_equal(base[1, 0], [-1, 1, 1])
    np.testing.assert_allclose(grid_sample.affine_grid_base((1, 4), False, base.dtype)[0, :, 0], [-0.75, -0.25, 0.25, 0.75])
