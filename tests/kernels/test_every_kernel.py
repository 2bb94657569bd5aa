"""Every compiled kernel in one property: whatever the layout of its arrays, it gives what NumPy's gives or leaves the case to it.

What each computes on odd numbers and sizes of its own is in the tests of its family; this holds all of them to sizes from none on,
strides, alignment, memory that is read-only, denormals and nan, and one to eight threads.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_checks import A_DTYPE, DTYPES, FOLDS, LONG, PAIRS, ROW_SLOPES, ROWS, SLOPES, TRIED, VALUES, native, needs_native

import rushlight.optim  # noqa: F401  (whose kernel is else registered when it is first used)
from rushlight import kernels

# They write into what they are given, or are given no arrays of numbers: their own tests do all of this.
OF_THEIR_OWN = {
    "flat_indices.add_at", "flat_indices.add_rows", "flat_indices.put_in_step", "flat_indices.add_in_step", "flat_indices.within",
    "blocks.stepped", "mersenne_twister.source", "permutations.swapped", "recurrent.lstm_layer_grads", "box_muller.fill_blocks_32",
    "box_muller.fill_blocks_64", "pooling.pool_scatter",
}  # fmt: skip
SINGLE, HALF = np.dtype(np.float32), np.dtype(np.float16)
OPTIONS = ((1, 1), (1, 1), (1, 1), 1)
WINDOWS = ((2, 3), (2, 1), (1, 1))


class Maker:
    """Arrays of a dtype, laid out as one of LAYOUTS does."""

    def __init__(self, seed, dtype, layout, odd):
        self.source, self.dtype, self.layout, self.odd = np.random.default_rng(seed), dtype, layout, odd

    def plain(self, *shape):
        values = np.asarray(self.source.standard_normal(shape), self.dtype)
        for odd in self.odd if values.size else ():
            values.reshape(-1)[self.source.integers(values.size)] = odd
        return values

    def __call__(self, *shape):
        return self.layout(self.plain(*shape))

    def halves(self, *shape):
        return self.layout(self.source.standard_normal(shape).astype(self.source.choice([np.float16, ml_dtypes.bfloat16])))

    def whole(self, high, *shape):
        return self.source.integers(0, max(1, high), shape)


def unaligned(x):
    moved = np.ndarray(x.shape, x.dtype, np.zeros(x.nbytes + 1, np.uint8).data, 1)
    moved[...] = x
    return moved


def fixed(x):
    x.flags.writeable = False
    return x


LAYOUTS = [
    lambda x: x,
    lambda x: np.repeat(x, 2, -1)[..., ::2] if x.ndim else x,
    lambda x: np.flip(x).copy()[(slice(None, None, -1),) * x.ndim],
    np.asfortranarray,
    lambda x: np.repeat(x, 2, 0)[::2] if x.ndim else x,
    lambda x: np.broadcast_to(x[:1], x.shape) if x.ndim and len(x) else x,
    unaligned,
    fixed,
]


def with_lengths(name, k, g, *x):
    """The arguments of the gradient of distances, which are among them."""
    p = (1.0, 2.0, math.inf)[k % 3]
    with np.errstate(all="ignore"):
        return (g, *x, kernels.registered[f"distances.{name}"].numpy(*x, p), p)


# The arguments of each kernel, of so many rows and so long.
CASES = {
    **{name: lambda m, n, k, some=some: (m(n, k), *some[0]) for name, some in VALUES.items()},
    **{name: lambda m, n, k, some=some: (m(n, k), m(n, k), *some[0]) for name, some in SLOPES.items()},
    **{name: lambda m, n, k, some=some: (m(n, k), m(n, k), *some[0]) for name, some in PAIRS.items()},
    "pointwise.relu_backward": lambda m, n, k: (m(n, k), np.maximum(m(n, k), 0)),
    **dict.fromkeys(FOLDS, lambda m, n, k: (abs(m(n, k + 1)) + m.dtype.type(0.8), (1,), False)),
    LONG[0]: lambda m, n, k: (m(n, k),),
    "pointwise.log1p": lambda m, n, k: (abs(m(n, k)) - m.dtype.type(0.9),),
    "activations.prelu": lambda m, n, k: (m(n, k), m(1)),
    LONG[1]: lambda m, n, k: (m(n, k), -0.5, 1.5),
    "arithmetic.cube": lambda m, n, k: (m(n, k),),
    "choice.addcmul": lambda m, n, k: (m(n, k), m(n, k), m(n, k), 0.3),
    "choice.addcdiv": lambda m, n, k: (m(n, k), m(n, k), abs(m(n, k)) + 1, -2),
    "choice.lerp": lambda m, n, k: (m(n, k), m(n, k), m(n, k) if k % 2 else 0.25 + n % 2),
    "activations.glu": lambda m, n, k: (m(n, 2 * k), 1),
    "activation_backward.glu_backward": lambda m, n, k: (m(n, k), m(n, 2 * k), 1),
    "creation.arange": lambda m, n, k: (0.5 * n - k, (0.1, 2.0)[k % 2], n * k, m.dtype),
    **dict.fromkeys(ROWS, lambda m, n, k: (m(n, k), 1)),
    **dict.fromkeys(ROW_SLOPES, lambda m, n, k: (m(n, k), -abs(m(n, k)), 1)),
    "matmul.outer": lambda m, n, k: (m(n), m(k)),
    "line_sums.sums_of_groups": lambda m, n, k: (m.plain(n, k), False, (n, k)),
    "summation.total": lambda m, n, k: (m.plain(n * k + 5),),
    "convolution.conv": lambda m, n, k: (m(n, 2, 5, k), m(3, 2, 2, 2), *OPTIONS),
    "convolution.conv_input_grad": lambda m, n, k: (m(n, 3, 6, k + 1), m(3, 2, 2, 2), (n, 2, 5, k), *OPTIONS),
    "convolution.conv_weight_grad": lambda m, n, k: (m(n, 3, 6, k + 1), m(n, 2, 5, k), (3, 2, 2, 2), *OPTIONS),
    "normalization.channel_moments": lambda m, n, k: (m(n + 1, 3, k + 1),),
    "normalization.batch_norm": lambda m, n, k: (m(n, 3, k), m(3), m(3), 1e-5),
    "normalization.batch_norm_backward": lambda m, n, k: (m(n, 3, k), m(n, 3, k), m(3), 1e-5, (True,) * 3),
    "normalization.batch_norm_given": lambda m, n, k: (m(n, 3, k), m(3), abs(m(3)), m(3), m(3), 1e-5),
    "normalization.channel_dots": lambda m, n, k: (m(n, 3, k), m(n, 3, k), m(3)),
    "normalization.layer_norm": lambda m, n, k: (m(n, k), m(k), m(k), (1,), 1e-5),
    "normalization.layer_norm_backward": lambda m, n, k: (m(n, k), m(n, k), m(k), (1,), 1e-5, (True,) * 3),
    "normalization.normalized": lambda m, n, k: (m(n, k), (k % 2,), 1e-5),
    "normalization.normalized_backward": lambda m, n, k: (m(n, k), m(n, k), (k % 2,), 1e-5),
    "normalization.group_norm": lambda m, n, k: (m(n, 4, k), m(4), m(4), 2, 1e-5),
    "normalization.group_norm_backward": lambda m, n, k: (m(n, 4, k), m(n, 4, k), m(4), 2, 1e-5, (True,) * 3),
    "recurrent.lstm_layer": lambda m, n, k: (m(n, 2, 3), m(20, 3), m(20, 5), m(20), m(20), m(2, 5), m(2, 5)),
    "losses.nll_loss": lambda m, n, k: (m(n, k), m.whole(k, n), abs(m(k)) + 1, "sum"),
    "losses.nll_loss_adjoint": lambda m, n, k: (m(), m(n, k), m.whole(k, n), abs(m(k)) + 1, "sum"),
    **{f"cumulative.{name}": lambda m, n, k: (m(n, k), 1) for name in ("cumsum", "cumprod", "cumsum_from_end")},
    **{f"cumulative.{name}": lambda m, n, k: (m(n, k), 1) for name in ("argcummax", "argcummin")},
    "numpy.converted": lambda m, n, k: (m.halves(n, k), SINGLE) if m.dtype == "d" else (m(n, k), HALF),
    **{
        f"{name}_of_many": lambda m, n, k: (lambda x: (x, x[::-1]))(m.halves(n, k))
        for name in ("arithmetic.difference", "pointwise.add", "pointwise.multiply", "pointwise.divide")
    },
    **{f"pointwise.{name}_of_halves": lambda m, n, k: (m.halves(n, k),) for name in ("sqrt", "exp", "log")},
    "shape.contiguous": lambda m, n, k: (m(k, n).T,),
    "shape.backwards": lambda m, n, k: (m(n, k)[:, ::-1],),
    "interpolation.weighted": lambda m, n, k: (m(n, k), 1, m.whole(k, 2, 9 * min(k, 1)), m(2, 9 * min(k, 1))),
    "extremes.take_along": lambda m, n, k: (m(n, k), m.whole(k, n, 4 * min(k, 1)), 1),
    "index.gather": lambda m, n, k: (m(n, k), m.whole(k, n, 4 * min(k, 1)), 1),
    "index.slices": lambda m, n, k: (m(n, k), m.whole(k, 700 * min(k, 1)), 1),
    "introsort.introsorted_rows": lambda m, n, k: (np.ascontiguousarray(m(n, k)),),
    "introsort.greatest_in_rows": lambda m, n, k: (np.ascontiguousarray(m(n, k + 2)), 2, True),
    "sort.greatest": lambda m, n, k: (m(n, k + 2), 2, 1, k % 2 == 0),
    "introsort.selected_in_rows": lambda m, n, k: (np.ascontiguousarray(m(n, k + 2)), 1),
    "grid_sample.grid_sample": lambda m, n, k: (m(n, 2, 4, 5), m(n, 3, k, 2), "bilinear", "zeros", False),
    "grid_sample.grid_sample_input_grad": lambda m, n, k: (
        m(n, 2, 3, k), m(n, 3, k, 2), (n, 2, 4, 5), "bilinear", "zeros", False,
    ),
    "ctc.ctc_loss": lambda m, n, k: (-abs(m(5, n, 4)), m.whole(4, n, 2), np.full(n, 5), np.full(n, 2), 0, False),
    "ctc.ctc_backward": lambda m, n, k: (
        -abs(m(5, n, 4)), m.whole(4, n, 2), np.full(n, 5), np.full(n, 2), -abs(np.asarray(m(5, n, 5), "d")), 0, False,
    ),
    "distances.pdist": lambda m, n, k: (m(n + 1, k), (0.0, 1.0, 2.0, math.inf)[k % 4]),
    "distances.cdist": lambda m, n, k: (m(2, n, k), m(2, 3, k), (0.0, 1.0, 2.0, math.inf)[k % 4]),
    "distances.pdist_backward": lambda m, n, k: with_lengths("pdist", k, m((n + 1) * n // 2), m(n + 1, k)),
    "distances.cdist_backward": lambda m, n, k: (*with_lengths("cdist", k, m(2, n, 3), m(2, n, k), m(2, 3, k)), n % 2),
    "embedding.embedding_bag": lambda m, n, k: (
        m(n, k), m.whole(n, 6 * min(n, 1)), np.array([0, 2, 2, 5]) * min(n, 1), m(6 * min(n, 1)), ("sum", "mean")[k % 2], 1,
    ),
    "embedding.bag_argmax": lambda m, n, k: (m(n, k), m.whole(n, 6 * min(n, 1)), np.array([0, 2, 2, 5]) * min(n, 1), 1),
    "choice.hypot": lambda m, n, k: (m(n, k), m(n, k)),
    **{f"choice.{name}": lambda m, n, k: (m(n, k), m(n, k)) for name in ("logaddexp", "logaddexp2")},
    **{f"arithmetic.{name}": lambda m, n, k: (m(n, k), m(n, k) if k % 2 else m.plain()) for name in ("fmod", "remainder")},
    "special.lgamma": lambda m, n, k: (abs(m(n, k)) + m.dtype.type(n % 3),),
    "reduce.without_nan": lambda m, n, k: (m(n, k),),
    "choice.nan_to_num": lambda m, n, k: (m(n, 500 * k), None, 7.5, None),
    "sort.searched_in_rows": lambda m, n, k: (np.sort(m(n, k)), m.source.random((n, 5)) * min(k, 1)),
    "attention.attention": lambda m, n, k: (m(n, 2, 3, 4), m(n, 2, k, 4), m(n, 2, k, 4), None, False, 0.5),
    "attention.attention_backward": lambda m, n, k: (
        m(n, 2, 3, 4), m(n, 2, 3, 4), m(n, 2, k, 4), m(n, 2, k, 4), None, False, 0.5,
    ),
    "pooling.max_pool": lambda m, n, k: (m(n, 2, 6, k + 3), *WINDOWS, (1, 1)),
    "pooling.avg_pool": lambda m, n, k: (m(n, 2, 6, k + 3), *WINDOWS),
    "pooling.avg_pool_input_grad": lambda m, n, k: (m(n, 2, 4, k + 3), (n, 2, 6, k + 3), *WINDOWS),
    "adaptive_pooling.adaptive_avg_pool": lambda m, n, k: (m(n, 2, 6, k + 1), (4, 2)),
    "adaptive_pooling.adaptive_avg_pool_input_grad": lambda m, n, k: (m(n, 2, 4, 2), (n, 2, 6, k + 1), 2),
    "adaptive_pooling.adaptive_max_pool": lambda m, n, k: (m(n, 2, 6, k + 1), (4, 2)),
}  # fmt: skip


def test_every_kernel_is_here():
    assert sorted(kernels.registered) == sorted([*CASES, *OF_THEIR_OWN])


def parts(result):
    """The arrays of a result; nothing for what is not needed."""
    return [np.asarray(each) for each in (result if isinstance(result, tuple) else (result,)) if each is not None]


def hold(name, arguments):
    before = [np.array(each) if isinstance(each, np.ndarray) else None for each in arguments]
    with np.errstate(all="ignore"):
        found = kernels.registered[name].compiled(*arguments)
        if found is None:
            return False
        expected = parts(kernels.registered[name].numpy(*arguments))
        for one, other in zip(parts(found), expected, strict=True):
            assert one.shape == other.shape
            assert one.dtype == other.dtype or name == "normalization.channel_moments"  # which stay in double
            wide, right = one.astype("d"), other.astype("d")
            bound = {2: 0.02, 4: 2e-4, 8: 1e-10}[min(one.itemsize, other.itemsize)] if one.dtype.kind in "fV" else 0
            np.testing.assert_allclose(
                wide, right, rtol=bound, atol=bound * max(1.0, np.nanmax(np.abs(right[np.isfinite(right)]), initial=0))
            )
        for count in (2, 3, 5, 8):
            native.set_threads(count)
            for one, other in zip(parts(found), parts(kernels.registered[name].compiled(*arguments)), strict=True):
                assert one.tobytes() == other.tobytes()
        native.set_threads(1)
    for one, other in zip(before, arguments, strict=True):
        assert one is None or one.tobytes() == np.asarray(other).tobytes()
    return True


@needs_native
@pytest.mark.parametrize("name", CASES)
@given(
    seed=st.integers(0, 2**32 - 1),
    dtype=A_DTYPE,
    odd=st.sampled_from([(), (0.0, -0.0, 1e-42), (math.nan,)]),
    layout=st.sampled_from(LAYOUTS),
    sizes=st.sampled_from([(0, 5), (2, 0), (1, 1), (1, 37), (3, 17), (5, 1031), (67, 64)]),
)
@settings(max_examples=24 // TRIED, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_layout(name, seed, dtype, odd, layout, sizes):
    before = native.threads()
    try:
        hold(name, CASES[name](Maker(seed, np.dtype(dtype), layout, odd), *sizes))
    finally:
        native.set_threads(before)


@needs_native
@pytest.mark.parametrize("name", CASES)
def test_what_lies_in_order_is_taken(name):
    """Else the property above could not fail."""
    makers = [Maker(0, np.dtype(dtype), LAYOUTS[0], ()) for dtype in DTYPES]
    before = native.threads()
    try:
        taken = [hold(name, CASES[name](maker, *sizes)) for maker in makers for sizes in ((67, 64), (5, 1031), (1, 2000))]
        assert any(taken)
    finally:
        native.set_threads(before)
