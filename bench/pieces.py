"""What each piece of the NumPy kernels that is there for speed gains over the plain form that could stand in its place.

    python bench/pieces.py [PIECE ...]

Both run in turns in one process, on one thread and without the compiled kernels, and the least of many times counts: of the processor's
time, which other programs on the machine hardly change. What gains less than 1.5 on everything that it is for should go.
"""

from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

os.environ.update(RUSHLIGHT_KERNELS="numpy", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from turns import row

from rushlight.backend import (
    activations,
    adaptive_pooling,
    arithmetic,
    bits,
    choice,
    embedding,
    extremes,
    flat_indices,
    index,
    line_sums,
    losses,
    pointwise,
    pooling,
    reduce,
    shape,
    sort,
    special,
    stable_sort,
    strided,
)

SECONDS = 0.25  # of each side of a case
random = np.random.default_rng(0)


class Piece(NamedTuple):
    """A piece: what it consists of, what takes its place (where: what), and cases by name."""

    parts: tuple[Any, ...]
    plain: dict[tuple[Any, str], Any]
    cases: dict[str, Callable[[], object]]


def floats(*size: int) -> Any:
    return random.standard_normal(size, np.float32)


def nothing(*_: object, **__: object) -> None:
    return None


def plain_take_along(x: Any, indices: Any, axis: int) -> Any:
    return np.take_along_axis(x, indices, axis)


def plain_put(out: Any, indices: Any, values: Any, axis: int) -> Any:
    np.put_along_axis(out, indices, values, axis)
    return out


def plain_add_in_step(out: Any, indices: Any, values: Any, axis: int) -> Any:
    mesh = np.ogrid[tuple(slice(size) for size in indices.shape)]
    np.add.at(out, (*mesh[:axis], indices, *mesh[axis + 1 :]), np.broadcast_to(values, indices.shape))
    return out


def plain_add_rows(out: Any, rows: Any, values: Any, is_zero: bool) -> Any:
    np.add.at(out, rows, values)
    return out


def plain_gelu(x: Any) -> Any:
    return x * (special.erf(x * np.float32(0.5**0.5)) + 1) * np.float32(0.5)


def plain_max_pool(x: Any, kernel: Any, stride: Any, *_: object) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, (2, 3))[:, :, :: stride[0], :: stride[1]]
    flat = windows.reshape(*windows.shape[:4], -1)
    where = flat.argmax(-1)
    return np.take_along_axis(flat, where[..., None], -1)[..., 0], where


def plain_large_product(a: Any, b: Any) -> Any:
    return a.dot(b)


def pieces() -> dict[str, Piece]:
    """All of them, with what they are measured on."""
    a, b, small = floats(512, 512), floats(512, 512), floats(64, 64)
    mask, small_mask = a > 0, small > 0
    places = random.integers(0, 512, (512, 512))
    line, whole = floats(262144), random.integers(0, 50, 262144)
    wide, thin = floats(4096, 8), floats(64, 20, 64)
    rows = random.integers(0, 5000, 1280)
    few_rows = random.integers(0, 64, 4096)
    channels = floats(16, 64, 28, 28)
    same = np.broadcast_to(np.float32(1), (512, 512))
    along = np.broadcast_to(random.integers(0, 512, 512)[:, None], (512, 512))
    pair: Any = [random.integers(0, 512, 65536), random.integers(0, 512, 65536)]
    square, binned, windows, frames = floats(16, 64, 14, 14), floats(16, 64, 5, 5), floats(4093, 16), floats(509, 512)
    ordered = np.sort(line)
    ones = (1, 1)
    zeros = (0, 0)

    def add_into(values: Any, at: Any, size: int) -> Callable[[], object]:
        return lambda: embedding.embedding_adjoint(values, at, (size, values.shape[1]), -1, False)

    return {
        "bits": Piece(
            (bits.only, bits.either, bits._bits, bits._lies_like),
            {(bits, "_bits"): nothing},
            {
                "relu backward, 512 x 512": lambda: pointwise.relu_backward(a, b * mask),
                "relu backward, 64 x 64": lambda: pointwise.relu_backward(small, small * small_mask),
                "triu, 512 x 512": lambda: shape.triu(a, 0),
                "where, 512 x 512": lambda: choice.where(mask, a, b),
                "elu, 512 x 512": lambda: activations.elu(a, 1.0, 1.0, 1.0),
                "smooth l1, 512 x 512": lambda: losses.smooth_l1(a, b, 1.0),
            },
        ),
        "line_sums: sums": Piece(
            (line_sums.sums, line_sums._sums_of_groups, line_sums._grouped, line_sums._columns),
            {(line_sums, "sums"): nothing},
            {
                "rows of 4,096 x 8": lambda: reduce.sum(wide, 1),
                "columns of 4,096 x 8": lambda: reduce.sum(wide, 0),
                "rows of 512 x 512": lambda: reduce.sum(a, 1),
                "columns of 512 x 512": lambda: reduce.sum(a, 0),
                "middle of 64 x 20 x 64": lambda: reduce.sum(thin, 1),
                "all but channels": lambda: reduce.sum(channels, (0, 2, 3)),
            },
        ),
        "flat indices: take_along": Piece(
            (extremes.take_along, flat_indices.in_line, flat_indices._steps),
            {(extremes, "take_along"): plain_take_along, (index, "take_along"): plain_take_along},
            {
                "gather along rows, 512 x 512": lambda: index.gather(a, places, 1),
                "gather along columns, 512 x 512": lambda: index.gather(a, places, 0),
                "gather along rows, 64 x 64": lambda: index.gather(small, places[:64, :64] % 64, 1),
            },
        ),
        "flat indices: whole_slices": Piece(
            (flat_indices.whole_slices, flat_indices.corner),
            {(extremes, "whole_slices"): nothing, (flat_indices, "whole_slices"): nothing},
            {
                "gather of rows, index stretched": lambda: index.gather(a, along, 0),
            },
        ),
        "flat indices: put": Piece(
            (flat_indices.put_in_step,),
            {(index, "put_in_step"): plain_put},
            {"scatter along rows, 512 x 512": lambda: index.scatter(a, b, places, 1)},
        ),
        "flat indices: add": Piece(
            (flat_indices.add_in_step, flat_indices.add_at),
            {(index, "add_in_step"): plain_add_in_step},
            {"scatter_add along rows, 512 x 512": lambda: index.scatter_add(a, b, places, 1)},
        ),
        "flat indices: add_rows": Piece(
            (flat_indices.add_rows, flat_indices._add_in_line),
            {(embedding, "add_rows"): plain_add_rows},
            {
                "1,280 rows of 64 into 5,000": add_into(floats(1280, 64), rows, 5000),
                "4,096 rows of 16 into 64": add_into(floats(4096, 16), few_rows, 64),
            },
        ),
        "flat indices: turns": Piece(
            (flat_indices._add_in_turns,),
            {(flat_indices, "_add_in_turns"): flat_indices._add_in_line},
            {
                "1,280 rows of 64 into 5,000": add_into(floats(1280, 64), rows, 5000),
                "4,096 rows of 64 into 5,000": add_into(floats(4096, 64), random.integers(0, 5000, 4096), 5000),
            },
        ),
        "flat indices: of several": Piece(
            (flat_indices.at_in_line, index._add_at),
            {
                (index, "_add_at"): lambda out, indices, values, is_zero: np.add.at(out, tuple(indices), values),
            },
            {"gradient of x[i, j], 65,536": lambda: index.index_adjoint(line[:65536], pair, (512, 512))},
        ),
        "flat indices: within": Piece(
            (flat_indices.within, flat_indices.once),
            {(flat_indices, "within"): lambda one, low, size: bool((one >= low).all() and (one < size).all())},
            {
                "of 262,144": lambda: flat_indices.check_along(places, 512, 1),
                "of 16": lambda: flat_indices.check_along(places[0, :16], 512, 0),
            },
        ),
        "index: nonzero": Piece(
            (index.nonzero,),
            {(index, "nonzero"): np.nonzero},
            {
                "512 x 512": lambda: index.nonzero(mask),
                "64 x 64": lambda: index.nonzero(small_mask),
                "16 x 64 x 28 x 28": lambda: index.nonzero(channels),
            },
        ),
        "stable_sort": Piece(
            (stable_sort._ranks, stable_sort._by_rank),
            {(stable_sort, "_ranks"): nothing},
            {
                "rows of 512 x 512": lambda: stable_sort.order(a, 1),
                "262,144 whole numbers": lambda: stable_sort.order(whole, 0),
                "rows of 512 x 512 whole numbers": lambda: stable_sort.order(places, 1),
            },
        ),
        "sort: bisect": Piece(
            (),
            {(sort, "_SEARCH"): 1 << 60},
            {"1 in 262,144": lambda: sort.searchsorted(ordered, line[:1])},
        ),
        "sort: topk of 1": Piece(
            (sort._found_by_order,),
            {(sort, "_found_by_order"): lambda *_: False},
            {"1 of rows of 512 x 512": lambda: sort.argtopk(a, 1, 1, True)},
        ),
        "arithmetic: exact quotients": Piece(
            (arithmetic._exact_quotients, arithmetic._exact_rest),
            {(arithmetic, "_exact_quotients"): nothing},
            {
                "remainder, 512 x 512": lambda: arithmetic.remainder(a, b),
                "fmod, 512 x 512": lambda: arithmetic.fmod(a, b),
                "floor_divide, 512 x 512": lambda: arithmetic.floor_divide(a, b),
            },
        ),
        "choice: logaddexp in steps": Piece(
            (choice.logaddexp,),
            {(choice, "_MANY"): 1 << 40},
            {"512 x 512": lambda: choice.logaddexp(a, b), "1,024": lambda: choice.logaddexp(line[:1024], line[1024:2048])},
        ),
        "activations: gelu": Piece(
            (activations.gelu, activations.gelu_backward, activations._distribution, activations._polynomial),
            {(activations, "gelu"): plain_gelu},
            {"512 x 512": lambda: activations.gelu(a)},
        ),
        "adaptive_pooling: _product": Piece(
            (adaptive_pooling._product, adaptive_pooling._membership),
            {(adaptive_pooling, "_product"): nothing},
            {
                "16 x 64 x 14 x 14 to 5 x 5": lambda: adaptive_pooling.adaptive_avg_pool(square, (5, 5)),
                "its gradient": lambda: adaptive_pooling.adaptive_avg_pool_input_grad(binned, square.shape, 2),
            },
        ),
        "pooling: tap by tap": Piece(
            (pooling.max_pool, pooling._tap_indices),
            {(pooling, "max_pool"): plain_max_pool},
            {
                "2 x 2, 16 x 64 x 28 x 28": lambda: pooling.max_pool(channels, (2, 2), (2, 2), zeros, ones),
                "3 x 3, stride 2": lambda: pooling.max_pool(channels, (3, 3), (2, 2), zeros, ones),
            },
        ),
        "reduce: stretched": Piece(
            (),
            {(reduce, "_STRETCHED"): 1 << 40},
            {
                "gradient of a sum, 512 x 512, times x": lambda: reduce.expand_number(same[0, 0], (512, 512)) * a,
                "of a mean, 512 x 512, times x": lambda: reduce.divide_number(same[0, 0], (512, 512), 262144) * a,
                "divided by a count": lambda: reduce.divide_by(same, 3.0),
            },
        ),
        "strided: apart": Piece(
            (),
            {(strided, "_TOGETHER"): 1 << 60},
            {
                "windows of 16 every 4 of 16,384": lambda: strided.as_strided_adjoint(
                    windows, (16384,), (1,), 0, (4093, 16), (4, 1), 0
                ),
                "windows of 512 every 128 of 65,536": lambda: strided.as_strided_adjoint(
                    frames, (65536,), (1,), 0, (509, 512), (128, 1), 0
                ),
            },
        ),
    }


def least(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def in_turns(piece: Piece, run: Callable[[], object]) -> tuple[float, float]:
    """Seconds with the piece and with the plain form."""
    with_it: list[float] = []
    without: list[float] = []
    run()
    until = time.perf_counter() + 2 * SECONDS
    while len(without) < 5 or time.perf_counter() < until:
        with_it.append(least(run))
        patches = [mock.patch.object(where, name, plain) for (where, name), plain in piece.plain.items()]
        for patch in patches:
            patch.start()
        without.append(least(run))
        for patch in patches:
            patch.stop()
    return min(with_it), min(without)


def lines(piece: Piece) -> int:
    """How many lines a piece has; those of conditions and constants not counted."""
    return sum(len(inspect.getsource(part).splitlines()) for part in piece.parts)


def main(names: list[str]) -> int:
    row("piece", "lines", "with us", "plain us", "gain")
    for name, piece in pieces().items():
        if names and not any(name.startswith(each) for each in names):
            continue
        for case, run in piece.cases.items():
            with_it, without = in_turns(piece, run)
            row(
                f"{name}: {case}", str(lines(piece)), f"{with_it * 1e6:,.1f}", f"{without * 1e6:,.1f}", f"{without / with_it:.2f}",
                first=72,
            )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
