"""Pooling: maxima and means over windows, and the way back from maxima."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import modes
from ..backend import pooling as k
from ..backend.memory_formats import keeping, with_channels_last
from .integer_arguments import whole_numbers
from .operands import require_kind, require_single_or_double
from .public import alert_not_deterministic, axis_of, module, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]


def _avg_pool(
    x: Any, window: Shape, stride: Shape, padding: Shape, ceil_mode: bool, count_include_pad: bool, divisor_override: Any
) -> Any:
    if divisor_override is not None and divisor_override < 0 and x.dtype.kind in "iu":  # integers round towards zero
        return -k.avg_pool(x, window, stride, padding, ceil_mode, count_include_pad, -divisor_override)
    return k.avg_pool(x, window, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _avg_pool_adjoint(
    g: Any,
    x_shape: Shape,
    window: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    return k.avg_pool_input_grad(g, x_shape, window, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _max_pool_kernel(x: Any, window: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool) -> tuple[Any, Any]:
    return k.max_pool(x, window, stride, padding, dilation, ceil_mode)


_max_pool_in_format = keeping(_max_pool_kernel)


def _max_pool_of_volumes(
    x: Any, window: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> tuple[Any, Any]:
    """Of one volume without a batch too, whose channels may lie last."""
    if x.ndim == 5:
        return _max_pool_in_format(x, window, stride, padding, dilation, ceil_mode)
    values, indices = k.max_pool(np.ascontiguousarray(x[None]), window, stride, padding, dilation, ceil_mode)
    if np.moveaxis(x, 0, -1).flags.c_contiguous:
        values, indices = with_channels_last(values), with_channels_last(indices)
    return values[0], indices[0]


def _as_it_is(kernel: Any) -> Any:
    return kernel


op("pool_gather", k.pool_gather, node="MaxPool2DWithIndicesBackwardBackward0", inputs="indices", kind="linear",
   x=lambda g, xp, indices, x_shape, rank: xp.pool_scatter(g, indices, x_shape, rank))  # fmt: skip
op("pool_scatter", k.pool_scatter, node="MaxPool2DWithIndicesBackwardBackward0", inputs="indices", kind="linear",
   g=lambda g, xp, indices, rank: xp.pool_gather(g, indices, rank))  # fmt: skip
# Pooling keeps x itself, as in PyTorch, though its shape would do: so it may not be written to, nor passed twice.
for _rank in (2, 3):
    _kept = keeping if _rank == 2 else _as_it_is  # volumes are laid out in order
    _pooling = _max_pool_in_format if _rank == 2 else _max_pool_of_volumes
    op(f"max_pool{_rank}", _pooling, outputs="out indices!", node=f"MaxPool{_rank}DWithIndicesBackward0",
       x=lambda g, xp, indices, x, window: xp.beside_zeros(xp.pool_scatter(g, indices, x.shape, len(window)), x))  # fmt: skip
    op(f"max_unpool{_rank}", _kept(k.max_unpool), inputs="indices", node=f"MaxUnpool{_rank}DBackward0", kind="linear",
       x=lambda g, xp, indices, size: xp.pool_gather(g, indices, len(size)))  # fmt: skip
    op(f"avg_pool{_rank}", _kept(_avg_pool), node=f"AvgPool{_rank}DBackward0", kind="linear",
       x=lambda g, xp, x, window, stride, padding, ceil_mode, count_include_pad, divisor_override: (
           xp.beside_zeros(xp.avg_pool_adjoint(
               g, x.shape, window, stride, padding, ceil_mode, count_include_pad, divisor_override), x)))  # fmt: skip
op("avg_pool_adjoint", _avg_pool_adjoint, node="AvgPool2DBackwardBackward0", kind="linear",
   g=lambda g, xp, window, stride, padding, ceil_mode, count_include_pad, divisor_override: xp.avg_pool2(
       g, window, stride, padding, ceil_mode, count_include_pad, divisor_override))  # fmt: skip


# Arguments.

_WORDS = {1: "one int", 2: "two ints", 3: "three ints"}


_POSITIONS = {"output_size": 2, "kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5}


def sizes(value: Any, rank: int, name: str, argument: str, how: str = "") -> Shape:
    """A number, or one for each dimension."""
    values = whole_numbers(name, argument, _POSITIONS[argument], value)
    if len(values) == 1:
        return values * rank
    if len(values) != rank:
        if rank == 1:
            raise RuntimeError(f"{name}() argument '{argument}' should contain one int (got {len(values)})")
        either = f"{argument} must either be {how}a single int, or a tuple of {_WORDS[rank]}"
        raise RuntimeError(f"{name}: {either}" if name else either)
    return values


def _windows(
    name: str, rank: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any = 1
) -> tuple[Shape, Shape, Shape, Shape]:
    kernel = sizes(kernel_size, rank, name, "kernel_size")
    if stride is None or (isinstance(stride, (tuple, list)) and not stride):
        steps = kernel
    else:
        steps = sizes(stride, rank, name, "stride", "omitted, ")
    return kernel, steps, sizes(padding, rank, name, "padding"), sizes(dilation, rank, name, "dilation")


def _check_windows(
    input: Any, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool, name: str
) -> None:
    rank = len(kernel)
    if min(kernel) <= 0:
        axes = ("kT", "kH", "kW")[3 - rank :]
        shown = " ".join(f"{label}: {value}" for label, value in zip(axes, kernel, strict=True))
        raise RuntimeError(f"kernel size should be greater than zero, but got {shown}")
    if min(stride) <= 0:
        raise RuntimeError("stride should not be zero" if not min(stride) else "stride should be greater than zero")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if rank == 3:
        _check_shape(input, rank, name)
    for taps, pad, spread in zip(kernel, padding, dilation, strict=True):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > ((taps - 1) * spread + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={taps} and "
                f"dilation={spread}"
            )
    _check_filled(input, rank, name)
    shape = input._array.shape
    if name == "avg_pool3d" and any(size < taps for size, taps in zip(shape[-rank:], kernel, strict=True)):
        have, wanted = "T: {} H: {} W: {}".format(*shape[-rank:]), "kT: {} kH: {} kW: {}".format(*kernel)
        raise RuntimeError(f"input image ({have}) smaller than kernel size ({wanted})")
    out = k.pool_shape(shape[-rank:], kernel, stride, padding, dilation, ceil_mode)
    if min(out) < 1:
        have = "x".join(str(size) for size in shape[-rank - 1 :])
        got = "x".join(str(size) for size in (shape[-rank - 1], *out))
        raise RuntimeError(f"Given input size: ({have}). Calculated output size: ({got}). Output size is too small")


def _check_shape(input: Any, rank: int, name: str) -> None:
    if input._array.ndim not in (rank + 1, rank + 2):
        raise RuntimeError(f"non-empty {rank + 1}D or {rank + 2}D (batch mode) tensor expected for input")


def _check_filled(input: Any, rank: int, name: str) -> None:
    shape = input._array.shape
    if rank == 2:
        _check_shape(input, rank, name)
    first = 1 if len(shape) == rank + 2 else 0
    if 0 not in shape[first:]:
        return
    if rank == 3:
        axis = shape[first:].index(0)
        kernel = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else "avg_pool3d_out_frame"
        raise RuntimeError(
            f"{kernel}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(shape)} "
            f"and non-batch dimension {axis if first == 0 else max(axis - 1, 0)} has length zero!"
        )
    raise RuntimeError(
        f"Expected {rank + 1}D or {rank + 2}D (batch mode) tensor with optional 0 dim batch size for input, but "
        f"got:{list(shape)}"
    )


# Maxima.


def _max_pool(
    input: Any,
    rank: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    name: str,
    indices: bool = True,
) -> Any:
    kernel, steps, pads, spreads = _windows(name, rank, kernel_size, stride, padding, dilation)
    if rank == 1:
        return _max_pool_of_lines(input, kernel[0], steps[0], pads[0], spreads[0], bool(ceil_mode), indices)
    _check_windows(input, kernel, steps, pads, spreads, bool(ceil_mode), name)
    require_kind(input, f"max_pool{rank}d", "fiu")
    return getattr(ops, f"max_pool{rank}")(input, kernel, steps, pads, spreads, bool(ceil_mode))


def _max_pool_of_lines(
    input: Any, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool, indices: bool
) -> Any:
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[len(shape) - 2 :]:
        raise RuntimeError(
            f"max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
        )
    for label, value in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {label} must be greater than zero, but got {value}")
    rows = input.unsqueeze(-2)
    options = ((1, kernel), (1, stride), (0, padding), (1, dilation), ceil_mode)
    if indices:
        _check_windows(rows, *options, "max_pool1d")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel / 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and kernel_size={kernel}"
        )
    out = k.pool_shape(shape[-1:], (kernel,), (stride,), (padding,), (dilation,), ceil_mode)
    if out[0] < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out[0]}")
    require_kind(input, "max_pool1d_impl", "fiu" if indices else "f")
    values, found = ops.max_pool2(rows, *options)
    if indices or (modes.state.grad_enabled and input.requires_grad):
        return values.squeeze(-2), found.squeeze(-2)
    return ops.squeeze_row(values, (len(shape) - 1,)), None


def _publish_max_pool(rank: int) -> None:
    name = f"max_pool{rank}d"

    def max_pool(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        result = _max_pool(input, rank, kernel_size, stride, padding, dilation, ceil_mode, name, bool(return_indices))
        return result if return_indices else result[0]

    def max_pool_plain(
        input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        return _max_pool(input, rank, kernel_size, stride, padding, dilation, ceil_mode, name, False)[0]

    def max_pool_with_indices(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        return _max_pool(input, rank, kernel_size, stride, padding, dilation, ceil_mode, name)

    doc = f"Maxima over windows of {rank} dimension{'s' * (rank > 1)}, and their indices if asked."
    for function, public_name, space in (
        (max_pool, name, F),
        (max_pool_plain, name, "torch"),
        (max_pool_with_indices, name + "_with_indices", F),
    ):
        function.__name__ = function.__qualname__ = public_name
        function.__doc__ = doc
        public(space=space, method=False, out=False)(function)
    if rank == 1:
        module("torch")[name + "_with_indices"] = module(F)[name + "_with_indices"]


for _rank in (1, 2, 3):
    _publish_max_pool(_rank)


def _unpool_sizes(rank: int, input: Any, output_size: Any, *windows: Any) -> Shape:
    """The size of the result; asked for before anything is known of the arguments, so that what fails fails as in PyTorch.

    ``windows``  kernel, stride and padding
    """
    kernel, step, pad = (tuple(value) if isinstance(value, Iterable) else (value,) * rank for value in windows)
    shape, rank = input.size(), len(kernel)
    default = tuple((shape[axis - rank] - 1) * step[axis] + kernel[axis] - 2 * pad[axis] for axis in range(rank))
    if output_size is None:
        return default
    wanted = tuple(output_size)
    if len(wanted) == rank + 2:
        wanted = wanted[2:]
    if len(wanted) != rank:
        raise ValueError(
            f"output_size should be a sequence containing {rank} or {rank + 2} elements, but it has a length of '{len(wanted)}'"
        )
    for axis, size in enumerate(default):
        low, high = size - step[axis], size + step[axis]
        if not low < wanted[axis] < high:
            raise ValueError(f'invalid output_size "{tuple(output_size)}" (dim {axis} must be between {low} and {high})')
    return wanted


def _publish_max_unpool(rank: int) -> None:
    name = f"max_unpool{rank}d"

    def max_unpool(
        input: Any,
        indices: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> Any:
        size = _unpool_sizes(rank, input, output_size, kernel_size, kernel_size if stride is None else stride, padding)
        _ = indices._array  # what is no tensor is said before the windows
        _windows(name, rank, kernel_size, stride, padding)
        if rank == 1:
            return _unpooled(input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1), 2).squeeze(-1)
        return _unpooled(input, indices, size, rank)

    max_unpool.__name__ = max_unpool.__qualname__ = name
    max_unpool.__doc__ = f"Zeros with the values put back where :func:`max_pool{rank}d` took them from."
    public(space=F, out=False)(max_unpool)


def _unpooled(input: Any, indices: Any, size: Shape, rank: int) -> Any:
    alert_not_deterministic(f"max_unpooling{rank}d_forward_out")
    shape = input._array.shape
    if indices._array.dtype.str[1:] != "i8":
        got = f" but got: {indices.dtype.scalar_name}" if rank == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{got}")
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Input to max_unpooling{rank}d should be a {rank + 1}d or {rank + 2}d Tensor, but got a tensor with "
            f"{len(shape)} dimensions."
        )
    if indices._array.shape != shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but got indices tensor with "
            f"shape: {list(indices._array.shape)}"
        )
    for axis in range(1, len(shape)):
        if not shape[axis]:
            raise RuntimeError(
                f"max_unpooling{rank}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got {list(shape)} "
                f"with dimension {axis} being empty."
            )
    require_kind(input, f"max_unpool{rank}d", "f")
    return getattr(ops, f"max_unpool{rank}")(input, indices, size)


for _rank in (1, 2, 3):
    _publish_max_unpool(_rank)


# Means.


def _publish_avg_pool(rank: int) -> None:
    name = f"avg_pool{rank}d"

    def avg_pool(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        kernel, steps, pads, spreads = _windows(name, rank, kernel_size, stride, padding)
        if rank == 2 and input._array.ndim < 3:
            axis_of(-3, input._array.ndim, wrap_scalar=False)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        _check_windows(input, kernel, steps, pads, spreads, bool(ceil_mode), name)
        if rank == 3:
            require_single_or_double(input, "avg_pool3d_out_frame", or_long=True)
        else:
            require_kind(input, "avg_pool2d", "fi")
        return getattr(ops, f"avg_pool{rank}")(
            input, kernel, steps, pads, bool(ceil_mode), bool(count_include_pad), divisor_override
        )

    avg_pool.__name__ = avg_pool.__qualname__ = name
    avg_pool.__doc__ = f"Means over windows of {rank} dimensions."
    public(space=F)(avg_pool)


for _rank in (2, 3):
    _publish_avg_pool(_rank)


@public(space=F, out=False)
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Means over windows of one dimension."""
    (kernel,), (step,), (pad,), _ = _windows("avg_pool1d", 1, kernel_size, stride, padding)
    check_lines(input, "avg_pool1d")
    rows = input.unsqueeze(-2)
    _check_windows(rows, (1, kernel), (1, step), (0, pad), (1, 1), bool(ceil_mode), "avg_pool1d")
    require_kind(input, "avg_pool2d", "fi")
    return ops.avg_pool2(rows, (1, kernel), (1, step), (0, pad), bool(ceil_mode), bool(count_include_pad), None).squeeze(-2)


def check_lines(input: Any, name: str) -> None:
    ndim = input._array.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking "
            "arguments for "
            f"{name})"
        )


module("torch")["avg_pool1d"] = module(F)["avg_pool1d"]


def _lp_pool(input: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, rank: int) -> Any:
    if isinstance(kernel_size, Iterable):  # PyTorch takes it apart first
        if rank == 2:
            _, _ = kernel_size
        elif rank == 3:
            _, _, _ = kernel_size
    powers = input.pow(norm_type)
    mean = module(F)[f"avg_pool{rank}d"](powers, kernel_size, stride, 0, ceil_mode)
    window = sizes(kernel_size, rank, "", "kernel_size")
    return (ops.sign(mean) * ops.relu(ops.abs(mean))).mul(math.prod(window)).pow(1.0 / norm_type)


def _publish_lp_pool(rank: int) -> None:
    name = f"lp_pool{rank}d"

    def lp_pool(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
        return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, rank)

    lp_pool.__name__ = lp_pool.__qualname__ = name
    lp_pool.__doc__ = f"Norms of order ``norm_type`` over windows of {rank} dimension{'s' * (rank > 1)}."
    public(space=F, out=False)(lp_pool)


for _rank in (1, 2, 3):
    _publish_lp_pool(_rank)
