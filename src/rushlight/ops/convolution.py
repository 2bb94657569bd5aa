"""Convolution of one to three dimensions, forwards and transposed."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import convolution as k
from ..backend.memory_formats import has_channels_last, with_channels_last
from ..backend.shape import expand_dims
from .public import module, ops, public
from .rule_functions import conj
from .table import arrays, op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]


def _input_grad(h: Any, w: Any, x_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int) -> Any:
    return k.conv_input_grad(h, w, x_shape, stride, padding, dilation, groups)


def _weight_grad(h: Any, x: Any, w_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int) -> Any:
    return k.conv_weight_grad(h, x, w_shape, stride, padding, dilation, groups)


def _cropped(y: Any, xp: Any, shape: Shape) -> Any:
    """Without the windows that begin in what output padding added, where that is more than a stride."""
    for axis in range(2, len(shape)):
        if y.shape[axis] != shape[axis]:
            y = xp.slice(y, axis, 0, shape[axis], 1)
    return y


op("conv", k.conv, node="ConvolutionBackwardBackward0", kind="bilinear",
   x=lambda g, xp, w, x_shape, stride, padding, dilation, groups: xp.conv_input_grad(
       g, conj(w), x_shape, stride, padding, dilation, groups),
   w=lambda g, xp, x, w_shape, stride, padding, dilation, groups: xp.conv_weight_grad(
       g, conj(x), w_shape, stride, padding, dilation, groups))  # fmt: skip
op("conv_input_grad", _input_grad, node="ConvolutionBackwardBackward0", kind="bilinear",
   h=lambda g, xp, w, h_shape, stride, padding, dilation, groups: _cropped(
       xp.conv(g, conj(w), stride, padding, dilation, groups), xp, h_shape),
   w=lambda g, h, xp, w_shape, stride, padding, dilation, groups: xp.conv_weight_grad(
       conj(h), g, w_shape, stride, padding, dilation, groups))  # fmt: skip
op("conv_weight_grad", _weight_grad, node="ConvolutionBackwardBackward0", kind="bilinear",
   h=lambda g, xp, x, h_shape, stride, padding, dilation, groups: _cropped(
       xp.conv(conj(x), g, stride, padding, dilation, groups), xp, h_shape),
   x=lambda g, h, xp, x_shape, stride, padding, dilation, groups: xp.conv_input_grad(
       conj(h), g, x_shape, stride, padding, dilation, groups))  # fmt: skip


def _convolve(
    x: Any,
    w: Any,
    bias: Any = None,
    stride: Shape = (),
    padding: Shape = (),
    dilation: Shape = (),
    transposed: bool = False,
    output_padding: Shape = (),
    groups: int = 1,
) -> Any:
    if transposed:
        size = k.conv_transpose_shape(x.shape[2:], w.shape[2:], stride, padding, output_padding, dilation)
        shape = (x.shape[0], w.shape[1] * groups, *size)
    else:
        count = w.shape[0] if x.shape[1] else 0  # of no channels PyTorch makes none
        shape = (x.shape[0], count, *k.conv_shape(x.shape[2:], w.shape[2:], stride, padding, dilation))
    if x.flags.c_contiguous and w.flags.c_contiguous:
        return _convolved(x, w, bias, shape, stride, padding, dilation, transposed, groups)
    y = _convolved(np.ascontiguousarray(x), w, bias, shape, stride, padding, dilation, transposed, groups)
    if x.ndim == 3:  # lines are images of one row
        if has_channels_last(expand_dims(x, 2)) or has_channels_last(expand_dims(w, 2)):
            return np.ascontiguousarray(y.swapaxes(1, 2)).swapaxes(1, 2)
    elif not (transposed and x.ndim == 5) and (has_channels_last(x) or has_channels_last(w)):
        return with_channels_last(y)
    return y


def _convolved(
    x: Any,
    w: Any,
    bias: Any,
    shape: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    transposed: bool,
    groups: int,
) -> Any:
    if not x.size or not w.size:
        y = np.zeros(shape, x.dtype)
    elif transposed:
        y = k.conv_input_grad(x, w, shape, stride, padding, dilation, groups)
    else:
        return k.conv(x, w, stride, padding, dilation, groups, bias)
    return y if bias is None or not shape[1] else k.add_bias(y, bias)


def _convolution_backward(
    g: Any,
    xp: Any,
    x: Any,
    w: Any,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    transposed: bool,
    groups: int,
    needs: tuple[bool, ...],
) -> Any:
    options = (stride, padding, dilation, groups)
    empty = 0 in x.shape or 0 in w.shape
    for_x = for_w = for_bias = None
    if needs[0]:
        if empty:
            for_x = xp.zeroed(x)
        elif transposed:
            for_x = _cropped(xp.conv(g, conj(w), *options), xp, x.shape)
        else:
            for_x = xp.conv_input_grad(g, conj(w), tuple(x.shape), *options)
    if needs[1]:
        if empty:
            for_w = xp.zeroed(w)
        else:
            for_w = xp.conv_weight_grad(*((conj(x), g) if transposed else (g, conj(x))), tuple(w.shape), *options)
    if needs[2]:
        of_none = not transposed and not x.shape[1]
        for_bias = xp.sum(w if of_none else g, (1 if of_none else 0, *range(2, len(g.shape))), False)
    if xp is arrays:
        return for_x, for_w, for_bias
    return tuple(None if one is None else xp.beside_kept(xp.beside_kept(one, x), w) for one in (for_x, for_w, for_bias))


op("convolution", _convolve, inputs="x w bias",
   joint=lambda g, xp, x, w, stride, padding, dilation, transposed, groups, needs: _convolution_backward(
       g, xp, x, w, stride, padding, dilation, transposed, groups, needs))  # fmt: skip


def _conv_tbc(x: Any, w: Any, bias: Any, pad: int) -> Any:
    y = _convolve(x.transpose(1, 2, 0), w.transpose(2, 1, 0), bias, (1,), (pad,), (1,))
    return np.ascontiguousarray(y.transpose(2, 0, 1))


def _tbc_backward(g: Any, xp: Any, x: Any, w: Any, pad: int, needs: tuple[bool, ...]) -> Any:
    grads = _convolution_backward(
        xp.permute_dims(g, (1, 2, 0)), xp, xp.permute_dims(x, (1, 2, 0)), xp.permute_dims(w, (2, 1, 0)),
        (1,), (pad,), (1,), False, 1, needs,
    )  # fmt: skip
    for_x, for_w, for_bias = grads
    return (
        None if for_x is None else xp.permute_dims(for_x, (2, 0, 1)),
        None if for_w is None else xp.permute_dims(for_w, (2, 1, 0)),
        for_bias,
    )


op("conv_tbc", _conv_tbc, inputs="x w bias", joint=lambda g, xp, x, w, pad, needs: _tbc_backward(g, xp, x, w, pad, needs))


# The public functions.


def _expanded(value: Any, rank: int, name: str) -> Shape:
    """A number, or one for each dimension."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(values) == 1:
        return values * rank
    if len(values) != rank:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {rank} values to match the convolution dimensions, but "
            f"got {name}={list(values)}"
        )
    return values


def _as_written(value: Any, rank: int) -> Any:
    """A number repeated for the dimensions of the function's name, which may not be those of the weight."""
    return value if isinstance(value, (tuple, list)) else (value,) * rank


def _check(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    transposed: bool,
    output_padding: Shape,
    groups: int,
) -> None:
    x, w = input._array.shape, weight._array.shape
    if min(padding, default=0) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding, default=0) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride, default=1) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation, default=1) <= 0:
        shown = [1, *dilation] if len(dilation) == 1 else list(dilation)
        raise RuntimeError(f"dilation should be greater than zero, but got {shown}")
    if len(w) != len(x):
        raise RuntimeError(
            f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight {list(w)}, but got "
            f"{len(x)}-dimensional input "
            f"of size {list(x)} instead"
        )
    if w[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {list(w)} "
            "instead"
        )
    if w[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size "
            f"[{list(w)}] instead"
        )
    given = f"transposed={int(transposed)}" if transposed else f"groups={groups}"
    wanted = w[0] if transposed else w[1] * groups
    if x[1] != wanted:
        raise RuntimeError(
            f"Given {given}, weight of size {list(w)}, expected input{list(x)} to have {wanted} channels, but got {x[1]} "
            "channels instead"
        )
    outputs = w[1] * groups if transposed else w[0]
    if bias is not None and bias._array.shape != (outputs,):
        before = f"Given {given}, weight" if transposed else "Given weight"
        raise RuntimeError(
            f"{before} of size {list(w)}, expected bias to be 1-dimensional with {outputs} elements, but got bias of size "
            f"{list(bias._array.shape)} instead"
        )
    if not transposed:
        if bias is not None:
            _check_dtype(input, bias, "bias")
        padded = [size + 2 * pad for size, pad in zip(x[2:], padding, strict=True)]
        taps = [spread * (size - 1) + 1 for size, spread in zip(w[2:], dilation, strict=True)]
        if any(size < tap for size, tap in zip(padded, taps, strict=True)):
            raise RuntimeError(
                f"Calculated padded input size per channel: ({_by(padded)}). Kernel size: ({_by(taps)}). Kernel size can't be "
                "greater than actual input size"
            )
    if not input._array.size:
        _check_empty(x)
        if transposed:
            _check_lengths(x, w, k.conv_transpose_shape(x[2:], w[2:], stride, padding, output_padding, dilation), groups)
        return
    if transposed:
        _check_transposed(x, w, stride, padding, dilation, output_padding)
    if not weight._array.size:
        _check_taps(w, transposed)
    if bias is not None:
        _check_dtype(input, bias, "bias")
    if weight._array.dtype != input._array.dtype and (input.dtype.is_floating_point or not weight.dtype.is_floating_point):
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_name} but found {weight.dtype.scalar_name}")
    _check_dtype(input, weight, "weight")
    if input._array.dtype.kind == "b":
        raise NotImplementedError("\"slow_conv2d_cpu\" not implemented for 'Bool'")


def _check_taps(w: Shape, transposed: bool) -> None:
    """A kernel has a tap at least, and where it is transposed an output too."""
    if len(w) == 5 and transposed:
        raise RuntimeError(
            "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for "
            f"weight, but got: {list(w)}"
        )
    size = (1, *w[2:]) if len(w) == 3 else w[2:]
    if 0 in size:
        shown = f": {_by(size)} (TxHxW)" if len(w) == 5 else f" kernel_height: {size[0]} kernel_width: {size[1]}"
        raise RuntimeError(f"kernel size should be greater than zero, but got{shown}")
    if transposed:
        raise RuntimeError(f"non-empty 2D or 4D weight tensor expected, but got: {[*w[:2], *size]}")


def _check_dtype(input: Tensor, other: Tensor, label: str) -> None:
    if other._array.dtype != input._array.dtype:
        raise RuntimeError(f"Input type ({input.dtype.c_name}) and {label} type ({other.dtype.c_name}) should be the same")


def _check_empty(x: Shape) -> None:
    """An input of nothing may have no batches or no channels; what its weight is of does not matter then."""
    if x[0] and x[1]:
        seen = [*x[:2], *([1] if len(x) == 3 else ()), *x[2:]]
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {seen}")


def _check_transposed(x: Shape, w: Shape, stride: Shape, padding: Shape, dilation: Shape, output_padding: Shape) -> None:
    plain = len(x) < 5
    lead = 1 if len(x) == 3 else 0
    if any(extra >= step and extra >= spread for extra, step, spread in zip(output_padding, stride, dilation, strict=True)):
        names = ("height", "width") if plain else ("depth", "height", "width")
        shown = []
        for label, values, fill in (
            ("output_padding", output_padding, 0),
            ("stride", stride, 1),
            ("dilation", dilation, 1),
        ):
            shown += [f"{label}_{name}: {value}" for name, value in zip(names, (fill,) * lead + values, strict=True)]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(shown)}")
    size = k.conv_transpose_shape(x[2:], w[2:], stride, padding, output_padding, dilation)
    if min(size) < 1:
        raise RuntimeError(
            f"Given input size per channel: ({_by((1,) * lead + x[2:])}). Calculated output size per channel: "
            f"({_by((1,) * lead + size)}). Output size is too small"
        )


def _check_lengths(x: Shape, w: Shape, size: Shape, groups: int) -> None:
    """Of nothing, a transposed convolution may make nothing, but no size below 0."""
    if min(size) < 0:
        sizes = [x[0], w[1] * groups, *([1] if len(x) == 3 else ()), *size]
        place = next(place for place, length in enumerate(sizes) if length < 0)
        raise RuntimeError(f"invalid shape dimension {sizes[place]} at index {place} of shape {sizes}")


def _by(sizes: Any) -> str:
    return " x ".join(str(size) for size in sizes)


def _run(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    rank = weight._array.ndim - 2
    if rank < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    options = (
        _expanded(stride, rank, "stride"),
        _expanded(padding, rank, "padding"),
        _expanded(dilation, rank, "dilation"),
        transposed,
        _expanded(output_padding, rank, "output_padding"),
        groups,
    )
    _check(input, weight, bias, *options)
    return ops.convolution(input, weight, bias, *options)


def _batched(input: Any, rank: int, name: str) -> tuple[Any, bool]:
    ndim = input._array.ndim
    if ndim not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._array.shape)}"
        )
    return (input, True) if ndim == rank + 2 else (input.unsqueeze(0), False)


def _same_padding(input: Any, weight: Any, stride: Any, dilation: Any) -> tuple[Any, Shape]:
    """The padding that keeps the size, and the input padded by what cannot be split evenly."""
    rank = weight._array.ndim - 2
    if rank < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if any(step != 1 for step in _expanded(stride, rank, "stride")):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [
        spread * (taps - 1) for taps, spread in zip(weight._array.shape[2:], _expanded(dilation, rank, "dilation"), strict=True)
    ]
    if any(total % 2 for total in totals):
        warnings.warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
            "created",
            stacklevel=4,
        )
        widths: list[int] = []
        for total in reversed(totals):
            widths += [0, total % 2]
        input = ops.constant_pad(input, tuple(widths), 0)
    return input, tuple(total // 2 for total in totals)


def _publish_conv(rank: int) -> None:
    name = f"conv{rank}d"

    def conv(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
    ) -> Any:
        x, batched = _batched(input, rank, name)
        if isinstance(padding, str):
            have, kernel = input._array.shape, weight._array.shape
            if len(have) != len(kernel) and batched:
                raise RuntimeError(
                    f"Expected {len(kernel)}-dimensional input for {len(kernel)}-dimensional weight{list(kernel)}, but got "
                    f"{len(have)}-dimensional input of size {list(have)} instead"
                )
            if padding not in ("same", "valid"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            if padding == "same":
                x, padding = _same_padding(x, weight, stride, dilation)
            else:
                padding = 0
        stride, padding, dilation = (_as_written(value, rank) for value in (stride, padding, dilation))
        out = _run(x, weight, bias, stride, padding, dilation, False, (0,), groups)
        return out if batched else out.squeeze(0)

    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = (
        f"Cross-correlation of (N, C, {_axes(rank)}) with a weight of (O, C / groups, {_axes(rank, 'k')}); "
        "``padding`` is a number, "
        "one for each dimension, 'same' or 'valid'."
    )
    public(space=F, out=False)(conv)
    module("torch")[name] = module(F)[name]


def _publish_transposed(rank: int) -> None:
    name = f"conv_transpose{rank}d"

    def conv_transpose(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        x, batched = _batched(input, rank, name)
        stride, padding, output_padding, dilation = (
            _as_written(value, rank) for value in (stride, padding, output_padding, dilation)
        )
        out = _run(x, weight, bias, stride, padding, dilation, True, output_padding, groups)
        return out if batched else out.squeeze(0)

    conv_transpose.__name__ = conv_transpose.__qualname__ = name
    conv_transpose.__doc__ = (
        f"The transpose of a convolution: (N, C, {_axes(rank)}) with a weight of (C, O / groups, {_axes(rank, 'k')})."
    )
    public(space=F, out=False)(conv_transpose)
    module("torch")[name] = module(F)[name]


def _axes(rank: int, prefix: str = "") -> str:
    return ", ".join(prefix + letter for letter in "DHW"[3 - rank :])


for _rank in (1, 2, 3):
    _publish_conv(_rank)
    _publish_transposed(_rank)


@public(method=False, out=False)
def convolution(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """Any convolution: of (N, C, ...) with as many dimensions as the weight has."""
    return _run(input, weight, bias, stride, padding, dilation, bool(transposed), output_padding, groups)


@public(method=False, out=False)
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Tensor:
    """Convolution along the first dimension: input (time, batch, in), weight (taps, in, out)."""
    x, w, b = input._array, weight._array, bias._array
    for array, ndim, label in ((x, 3, "Input"), (w, 3, "Weight"), (b, 1, "Bias")):
        if array.ndim != ndim:
            shape = {"Input": "time, batch, in_channels", "Weight": "kernel_width, in_channels, out_channels"}.get(label)
            words = f"{label} must have {ndim} dims: {shape}." if shape else "Bias must be 1-D"
            raise RuntimeError(words)
    if x.shape[2] != w.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if w.shape[2] != b.shape[0]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    if x.shape[0] + 2 * pad < w.shape[0]:
        raise RuntimeError(f"Olen must be greater than zero: {math.floor(x.shape[0] - w.shape[0] + 1 + pad * 2)}")
    return ops.conv_tbc(input, weight, bias, pad)


module(F)["conv_tbc"] = module("torch")["conv_tbc"]
