"""Pooling into as many windows as are wanted: evenly spread bins, or windows at places that are drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import adaptive_pooling as k
from ..backend.memory_formats import has_channels_last, keeping
from ..tensor import new_tensor
from .dropout import default_stream
from .integer_arguments import whole_numbers
from .operands import require_kind
from .pooling import check_lines, sizes
from .public import module, ops, public
from .table import op

F = "torch.nn.functional"
Shape = tuple[int, ...]


def _fractional(x: Any, samples: Any, window: Shape, size: Shape) -> Any:
    if not x.size:
        shape = (*x.shape[: x.ndim - len(size)], *size)
        return np.zeros(shape, x.dtype), np.zeros(shape, np.int64)
    if x.ndim == len(size) + 2:
        return k.fractional_max_pool(x, window, size, samples)
    out, indices = k.fractional_max_pool(x[None], window, size, samples[:1])
    return out[0], indices[0]


def _filled(g: Any, kind: str, rank: int) -> Any:
    """The cotangent of a pooling, which is not to be of nothing."""
    for axis in range(len(g.shape) - rank, len(g.shape)):
        if not g.shape[axis]:
            raise RuntimeError(
                f"adaptive_{kind}_pool{rank}d_backward(): Expected grad_output to have non-zero size for non-batch dimensions, "
                f"but grad_output has sizes {list(g.shape)} with dimension {axis} being empty"
            )
    return g


def _within(indices: Any, shape: Shape, window: Shape) -> Any:
    """The indices; RuntimeError for those of windows of nothing that begin where the input ends."""
    if min(window) <= 0 and int(indices.max()) >= math.prod(shape[-len(window) :]):
        raise RuntimeError(f"windows of size {list(window)} begin outside of the input, which gets no gradient from there")
    return indices


for _rank in (2, 3):
    _means, _maxima = k.adaptive_avg_pool, k.adaptive_max_pool
    if _rank == 2:  # volumes are laid out in order
        _means, _maxima = keeping(_means), keeping(_maxima)
    op(f"adaptive_max_pool{_rank}", _maxima, outputs="out indices!",
       node=f"AdaptiveMaxPool{_rank}DBackward0",
       x=lambda g, xp, indices, x, size: xp.beside_zeros(
           xp.pool_scatter(_filled(g, "max", len(size)), indices, x.shape, len(size)), x))  # fmt: skip
    op(f"fractional_max_pool{_rank}", _fractional,
       inputs="samples", outputs="out indices!", node=f"FractionalMaxPool{_rank}DBackward0",
       x=lambda g, xp, indices, x, window, size: xp.beside_zeros(xp.pool_scatter(
           g, _within(indices, x.shape, window), x.shape, len(size)), x))  # fmt: skip
    op(f"adaptive_avg_pool{_rank}", _means, node=f"AdaptiveAvgPool{_rank}DBackward0", kind="linear",
       x=lambda g, xp, x, size: xp.beside_zeros(
           xp.adaptive_avg_pool_adjoint(_filled(g, "avg", len(size)), x.shape, len(size)), x))  # fmt: skip
op("adaptive_avg_pool_adjoint", k.adaptive_avg_pool_input_grad, node="AdaptiveAvgPool2DBackwardBackward0",
   kind="linear", g=lambda g, xp, g_shape, rank: xp.adaptive_avg_pool2(g, g_shape[-rank:]))  # fmt: skip


def _wanted_sizes(output_size: Any, input: Any, rank: int, name: str) -> tuple[int, ...]:
    """The sizes as PyTorch reads them, each place's own where None stands; their number is not checked yet."""
    if rank == 1 or isinstance(output_size, int):
        values = whole_numbers(name, "output_size", 2, output_size)
        return values * rank if isinstance(output_size, int) else values
    shape = input._array.shape
    if len(shape) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    own = shape[len(shape) - len(output_size) :]
    return whole_numbers(name, "output_size", 2, [b if a is None else a for a, b in zip(output_size, own, strict=True)])


def _check_adaptive(input: Any, size: Shape, name: str, rank: int) -> None:
    shape = input._array.shape
    if "avg" in name:
        if len(size) != rank:
            raise RuntimeError(f"{name}: output_size must be {rank}")
        if min(size) < 0:
            shown = ", ".join(map(str, size)) if rank == 2 else f"{size[0]}, {size[1]},{size[2]}"
            raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received {{{shown}}}")
    if len(shape) not in (rank + 1, rank + 2):
        colon = ":" if "max" in name else ""
        raise RuntimeError(f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got{colon} {list(shape)}")
    for axis in range(len(shape) - rank if name == "adaptive_avg_pool2d" else len(shape) - rank - 1 or 1, len(shape)):
        if not shape[axis]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(shape)} "
                f"with dimension {axis} being empty"
            )
    if len(size) != rank:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {rank}")
    if min(size) < 0:
        wanted = [*shape[: len(shape) - rank], *size]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {wanted}")


def _adaptive_avg(input: Any, size: Shape, rank: int) -> Any:
    name = f"adaptive_avg_pool{rank}d"
    if size == (1,) * rank:  # of whatever has such dimensions
        is_batch = len(input.size()) == rank + 2
        out = input.mean(tuple(range(-1, -rank - 1, -1)), True)
        if is_batch and has_channels_last(input._array):
            channels = out._array.shape[1]
            out.as_strided_(out.shape, (channels, 1, *(channels,) * rank))
        return out
    _check_adaptive(input, size, name, rank)
    require_kind(input, name + "_cpu" * (rank == 3), "f")
    return getattr(ops, f"adaptive_avg_pool{rank}")(input, size)


def _adaptive_max(input: Any, size: Shape, rank: int) -> Any:
    name = f"adaptive_max_pool{rank}d"
    _check_adaptive(input, size, name, rank)
    require_kind(input, name + "_cpu" * (rank == 3), "f")
    return getattr(ops, f"adaptive_max_pool{rank}")(input, size)


def _publish_adaptive(rank: int) -> None:
    avg, greatest = f"adaptive_avg_pool{rank}d", f"adaptive_max_pool{rank}d"

    def adaptive_avg_pool(input: Any, output_size: Any) -> Any:
        size = _wanted_sizes(output_size, input, rank, avg)
        if rank > 1:
            return _adaptive_avg(input, size, rank)
        check_lines(input, avg)
        return _adaptive_avg(input.unsqueeze(-2), (1, *sizes(size, 1, avg, "output_size")), 2).squeeze(-2)

    def largest(input: Any, output_size: Any) -> Any:
        size = _wanted_sizes(output_size, input, rank, greatest)
        if rank > 1:
            return _adaptive_max(input, size, rank)
        check_lines(input, greatest)
        size = sizes(size, 1, greatest, "output_size")
        for axis in range(1, len(input._array.shape)):
            if not input._array.shape[axis]:
                raise RuntimeError(
                    f"{greatest}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                    f"{list(input._array.shape)} with dimension {axis} being empty"
                )
        values, indices = _adaptive_max(input.unsqueeze(-2), (1, *size), 2)
        return values.squeeze(-2), indices.squeeze(-2)

    def adaptive_max_pool(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        result = largest(input, output_size)
        return result if return_indices else result[0]

    def adaptive_max_pool_with_indices(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        return largest(input, output_size)

    for function, public_name, what in (
        (adaptive_avg_pool, avg, "Means"),
        (adaptive_max_pool, greatest, "Maxima"),
        (adaptive_max_pool_with_indices, greatest + "_with_indices", "Maxima and their indices"),
    ):
        function.__name__ = function.__qualname__ = public_name
        function.__doc__ = f"{what} over as many bins, in {rank} dimension{'s' * (rank > 1)}, as are wanted."
        public(space=F, out=False)(function)
    if rank == 1:
        module("torch")[avg] = module(F)[avg]
        largest.__doc__ = "Maxima over as many bins as are wanted, and their indices."
        public(greatest, method=False, out=False)(largest)


for _rank in (1, 2, 3):
    _publish_adaptive(_rank)


# Windows at random places.


def _fractional_max(
    name: str,
    rank: int,
    input: Any,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    samples: Any,
) -> Any:
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    shape = input._array.shape
    if output_size is None:
        output_size = _by_ratio(name, shape, rank, output_ratio)
    if samples is None:
        _size_of(shape, -rank - 1)  # so many are drawn
    for label, value in (("kernel_size", kernel_size), ("output_size", output_size)):
        if isinstance(value, (tuple, list)) and len(value) != rank:
            raise RuntimeError(f"{name}: {label} must either be a single Int or tuple of {'three ' * (rank == 3)}Ints")
    kernel, size = (
        sizes(value, rank, name, label) for value, label in ((kernel_size, "kernel_size"), (output_size, "output_size"))
    )
    where = name if rank == 2 else f"{name}_out"
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{where}(): Expected {rank + 1}D or {rank + 2}D tensor, but got: {list(shape)}")
    for axis in range(1 if len(shape) == rank + 2 else 0, len(shape)):
        if not shape[axis]:
            raise RuntimeError(
                f"{where}(): Expected input to have non-zero size for non-batch dimensions, but got{list(shape)} with dimension "
                f"{axis} being empty."
            )
    _check_windows_fit(where, shape[-rank:], kernel, size)
    if min(size) < 0:
        wanted = (*shape[:-rank], *size)
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(wanted)}")
    lead = (1, shape[0]) if len(shape) == rank + 1 else shape[:2]
    if samples is None:
        samples = new_tensor(default_stream().uniform((*lead, rank), input._array.dtype))
    else:
        _check_samples(samples._array, input._array, lead, rank)
        samples = samples[: lead[0]]
    require_kind(input, f"fractional_max_pool{rank}d_out_frame", "f")
    return getattr(ops, f"fractional_max_pool{rank}")(input, samples, kernel, size)


def _by_ratio(name: str, shape: Shape, rank: int, ratio: Any) -> list[int]:
    if rank == 2 and not isinstance(ratio, (tuple, list)):
        raise TypeError(f"object of type '{type(ratio).__name__}' has no len()")
    ratios = ratio if isinstance(ratio, (tuple, list)) else (ratio,) * rank
    if rank == 2 and len(ratios) > rank:
        raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
    wanted = []
    for axis in range(rank):
        size = _size_of(shape, axis - rank)
        if axis == len(ratios):
            raise IndexError("tuple index out of range")
        wanted.append(int(size * ratios[axis]))
    return wanted


def _size_of(shape: Shape, axis: int) -> int:
    if len(shape) < -axis:
        ends = f"[{-len(shape)}, {len(shape) - 1}]"
        raise IndexError(f"Dimension out of range (expected to be in range of {ends}, but got {axis})")
    return shape[axis]


def _check_windows_fit(where: str, shape: Shape, kernel: Shape, size: Shape) -> None:
    """PyTorch looks at volumes' widths before their heights, and leaves no room in them for a window more."""
    least = 1 if len(shape) == 3 else 0
    words = dict(zip(("time", "height", "width")[-len(shape) :], zip(shape, kernel, size, strict=True), strict=True))
    for word in ("time", "width", "height") if least else words:
        have, taps, want = words[word]
        if want + taps - 1 + least > have:
            raise RuntimeError(f"{where}(): pool {word} {taps} too large relative to input {word} {have}")


def _check_samples(samples: Any, x: Any, lead: Shape, rank: int) -> None:
    if samples.dtype != x.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < lead[0]:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != lead[1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != rank:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {rank}; got {samples.shape[2]}.")


def _publish_fractional(rank: int) -> None:
    name = f"fractional_max_pool{rank}d"

    def fractional_max_pool(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        result = _fractional_max(name, rank, input, kernel_size, output_size, output_ratio, _random_samples)
        return result if return_indices else result[0]

    def fractional_max_pool_with_indices(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        return _fractional_max(name, rank, input, kernel_size, output_size, output_ratio, _random_samples)

    for function, public_name in ((fractional_max_pool, name), (fractional_max_pool_with_indices, name + "_with_indices")):
        function.__name__ = function.__qualname__ = public_name
        function.__doc__ = f"Maxima over {rank}-dimensional windows at places that are drawn (Graham, 2014)."
        public(space=F, out=False)(function)


for _rank in (2, 3):
    _publish_fractional(_rank)
