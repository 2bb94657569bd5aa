"""Normalization over layers, batches, instances and neighbours.

The rules all come down to one: with xhat the normalized input, ``gx = rstd * (g - mean(g) - xhat * mean(g * xhat))``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import grad_mode, modes
from ..backend import normalization as k
from ..backend.memory_formats import has_channels_last, keeping, with_channels_last
from ..base.arguments import type_name
from ..base.errstate import silent
from ..base.type_limits import finfo
from ..tensor import Tensor, new_tensor
from .integer_arguments import switch, whole_numbers
from .parameters import is_number
from .public import module, ops, public
from .rule_functions import Read, word
from .slopes import slopes
from .table import arrays, op, tensors

F = "torch.nn.functional"

_LAYER_NORM: dict[str, Any] = {
    "node": "NativeLayerNormBackward0",
    "inputs": "x weight bias",
    "joint": lambda g, xp, x, weight, axes, eps, needs: _layer_norm_backward(g, xp, x, weight, axes, eps, needs),
}
word("channel_dots", k.channel_dots, lambda g, x, mean: over_channels(tensors, g * (x - column(mean, x))))
op("layer_norm", k.layer_norm, **_LAYER_NORM)
op("layer_norm_with_moments", k.layer_norm_with_moments, outputs="out mean! rstd!", **_LAYER_NORM)
op("batch_norm", keeping(k.batch_norm), node="NativeBatchNormBackward0", inputs="x weight bias",
   joint=lambda g, xp, x, weight, eps, needs: _batch_norm_backward(g, xp, x, weight, eps, needs))  # fmt: skip
op("batch_norm_given", keeping(k.batch_norm_given), node="NativeBatchNormBackward0", inputs="mean var",
   x=lambda g, xp, weight, var, eps: g * _channel_scale(xp, weight, var, eps, len(g.shape)),
   weight=lambda g, xp, x, mean, var, eps: xp.channel_dots(g, x, mean) * xp.rsqrt(_in_single(var) + eps),
   bias=lambda g, xp: over_channels(xp, g))  # fmt: skip


op("normalized", k.normalized, node="NativeLayerNormBackward0",
   x=lambda g, xp, x, axes, eps: xp.normalized_backward(g, x, axes, eps))  # fmt: skip
op("normalized_backward", k.normalized_backward, node="NativeLayerNormBackwardBackward0",
   h=lambda g, xp, x, axes, eps: xp.normalized_backward(g, x, axes, eps),
   x=lambda g, xp, h, x, axes, eps: _turn(g, h, xp, x, axes, eps))  # fmt: skip


def _turn(g: Any, h: Any, xp: Any, x: Any, axes: tuple[int, ...], eps: float) -> Any:
    """How the slope of normalization changes with x: the derivative of ``sum(g * normalized_backward(h, x))``."""
    off = x - xp.mean(x, axes, True)
    square = 1 / (xp.mean(off * off, axes, True) + eps)
    hat = off * xp.sqrt(square)
    g, h = g - xp.mean(g, axes, True), h - xp.mean(h, axes, True)
    along_g, along_h = xp.mean(g * hat, axes, True), xp.mean(h * hat, axes, True)
    return -square * (hat * (xp.mean(g * h, axes, True) - 3 * along_g * along_h) + along_h * g + along_g * h)


def _layer_norm_backward(
    g: Any, xp: Any, x: Any, weight: Any, axes: tuple[int, ...], eps: float, needs: tuple[bool, ...]
) -> Any:
    found: tuple[object, ...] | None
    if xp is arrays:  # in one go where that is faster
        found = k.layer_norm_backward(g, x, weight, axes, eps, needs)
    else:
        found = slopes("layer_norm_slopes", g, x, weight, axes, eps, needs)
    if found is not None:
        return found
    rows = tuple(range(axes[0]))
    return (
        xp.normalized_backward(g if weight is None else g * weight, x, axes, eps) if needs[0] else None,
        _beside(xp, _added(xp, g * xp.normalized(x, axes, eps), rows), weight) if needs[1] else None,
        _beside(xp, _added(xp, g, rows), weight, x) if needs[2] else None,
    )


def _beside(xp: object, slope: object, *others: object) -> object:
    """The slope, hanging on all that PyTorch's function for it takes."""
    for other in others if xp is tensors else ():
        slope = slope if other is None else tensors.beside(slope, other)
    return slope


def _added(xp: Any, values: Read, axes: tuple[int, ...]) -> Read:
    return xp.sum(values, axes, False) if axes else values


def column(values: Any, x: Any) -> Any:
    return values.reshape((*values.shape, *(1,) * (len(x.shape) - 2)))


def over_channels(xp: Any, values: Any) -> Any:
    return xp.sum(values, k.all_but_channels(len(values.shape)), False)


def _channel_scale(xp: Any, weight: Any, var: Any, eps: float, ndim: int) -> Any:
    scale = xp.rsqrt(_in_single(var) + eps)
    return (scale if weight is None else scale * weight).reshape((-1, *(1,) * (ndim - 2)))


def _in_single(var: Read) -> Read:
    """A variance: of arrays in half precision the root is taken in single."""
    return k.in_single(var) if isinstance(var, np.ndarray) else var  # type: ignore[return-value]


def _batch_norm_backward(g: Any, xp: Any, x: Any, weight: Any, eps: float, needs: tuple[bool, ...]) -> Any:
    found: tuple[object, ...] | None
    if xp is arrays:
        found = k.batch_norm_backward(g, x, weight, eps, needs)
    else:
        found = slopes("batch_norm_slopes", g, x, weight, eps, needs) if x.is_contiguous() else None
    if found is not None:
        return found
    axes = k.all_but_channels(len(x.shape))
    for_x = xp.normalized_backward(g if weight is None else g * column(weight, x), x, axes, eps) if needs[0] else None
    if xp is arrays and for_x is not None and has_channels_last(x):
        for_x = with_channels_last(for_x)
    return (
        for_x,
        _beside(xp, over_channels(xp, g * xp.normalized(x, axes, eps)), weight) if needs[1] else None,
        _beside(xp, over_channels(xp, g), weight, x) if needs[2] else None,
    )


# Layers.


def check_floating(input: Any, kernel: str) -> None:
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.scalar_name}'")


def check_parameter_dtype(input: Any, *parameters: Any) -> None:
    for parameter in parameters:
        if parameter is None or parameter._array.dtype == input._array.dtype:
            continue
        if parameter._array.dtype != np.float32:
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input._array.dtype.itemsize != 2:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def _layer_axes(input: Any, normalized_shape: Any, weight: Any, bias: Any, name: str) -> tuple[int, ...]:
    wanted, shape = whole_numbers(name, "normalized_shape", 2, normalized_shape, single=False), input._array.shape
    first = len(shape) - len(wanted)
    if not wanted:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            f"normalized_shape = {list(wanted)}"
        )
    if weight is not None and weight._array.shape != wanted:
        raise _other_shape("weight", weight, wanted)
    if bias is not None and bias._array.shape != wanted:
        raise _other_shape("bias", bias, wanted)
    if first < 0 and name == "rms_norm":
        raise ValueError(f"Input tensor must have at least {len(wanted)} dimensions, but got {len(shape)}")
    if first < 0 or shape[first:] != wanted:
        star = "*" if name == "rms_norm" else "*, "
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [{star}{', '.join(map(str, wanted))}], but got "
            f"input of size{list(shape)}"
        )
    return tuple(range(first, len(shape)))


def _other_shape(label: str, value: Any, wanted: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"Expected {label} to be of same shape as normalized_shape, but got {label} of shape {list(value._array.shape)} and "
        f"normalized_shape = {list(wanted)}"
    )


@public(space=F, out=False)
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, which ``normalized_shape`` names; then times weight plus bias.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    axes = _layer_axes(input, normalized_shape, weight, bias, "layer_norm")
    check_floating(input, "LayerNormKernelImpl")
    if weight is not None or bias is not None:
        check_parameter_dtype(input, weight, bias)
    return ops.layer_norm(input, weight, bias, axes, eps)


@public("layer_norm", method=False, out=False)
def _torch_layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, cudnn_enable: bool = True
) -> Tensor:
    """:func:`torch.nn.functional.layer_norm`."""
    return layer_norm(input, normalized_shape, weight, bias, eps)


@public(method=False, out=False)
def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Layer norm with the means and the reciprocal standard deviations."""
    axes = _layer_axes(input, normalized_shape, weight, bias, "native_layer_norm")
    check_floating(input, "LayerNormKernelImpl")
    return ops.layer_norm_with_moments(input, weight, bias, axes, eps)


@public(space=F, out=False)
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Tensor:
    """The input over its root mean square along the last dimensions, times weight."""
    axes = _layer_axes(input, normalized_shape, weight, None, "rms_norm")
    if input._array.dtype.kind not in "fcVW":
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{input.dtype.scalar_name}'")
    half = input._array.dtype.itemsize == 2
    wide = ops.astype(input, np.dtype(np.float32)) if half else input
    if eps is None:
        eps = finfo(wide.dtype).eps
    scale = ops.rsqrt(ops.plus(ops.mean(ops.pow_number(wide, 2), axes, True, None), eps))
    out = wide * scale
    if weight is not None:
        out = out * weight
    if not has_channels_last(input._array):
        out = out.contiguous()
    return out if out._array.dtype == input._array.dtype else ops.astype(out, input._array.dtype)


module("torch")["rms_norm"] = module(F)["rms_norm"]


# Batches.


def _check_channels(channels: int, **vectors: Any) -> None:
    for label, vector in vectors.items():
        if vector is not None and vector._array.size != channels:
            raise RuntimeError(f"{label} should contain {channels} elements not {vector._array.size}")


def _batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    if isinstance(momentum, complex) or not is_number(momentum):
        raise TypeError(f"batch_norm(): argument 'momentum' (position 7) must be float, not {type_name(momentum)}")
    x = input._array
    if not training:
        for label, value in (("running_mean", running_mean), ("running_var", running_var)):
            if value is None:
                raise RuntimeError(f"{label} must be defined in evaluation mode")
    channels = x.shape[1] if x.ndim > 1 else 0
    _check_channels(channels, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    check_floating(input, "batch_norm")
    if x.size:
        check_parameter_dtype(input, weight, bias, running_mean, running_var)
    for label, value in (("running_mean", running_mean), ("running_var", running_var)):
        if x.size and value is not None and value.requires_grad and modes.state.grad_enabled:
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{label}'. This input cannot "
                "have requires_grad True."
            )
    if not training:
        return ops.batch_norm_given(input, running_mean, running_var, weight, bias, eps)
    if x.size and (running_mean is not None or running_var is not None):
        values = input
        while values._of_batch and values.shared:  # examples that differ in their derivatives alone, as under jacfwd
            values = values.whole
        if any(one is not None and one._of_batch for one in (values, running_mean, running_var)):
            _keep_up_batch(values, running_mean, running_var, momentum)
        else:
            _keep_up(x, running_mean, running_var, momentum)
    return ops.batch_norm(input, weight, bias, eps)


def _keep_up(x: np.ndarray[Any, Any], running_mean: Any, running_var: Any, momentum: float) -> None:
    """Moves the running statistics towards the batch's; PyTorch does not count these as changes in place."""
    if not isinstance(x, np.ndarray):  # on the meta device there are no statistics
        return
    with silent():
        move_statistics(running_mean, running_var, *k.channel_moments(x), momentum)


def move_statistics(running_mean: Any, running_var: Any, mean: Any, var: Any, momentum: float) -> None:
    """Running statistics, where there are any, moved towards those of a batch."""
    for target, value in ((running_mean, mean), (running_var, var)):
        if target is not None:
            target._array[...] = k.moved(target._array, value, momentum, value is mean)


def _keep_up_batch(input: Any, running_mean: Any, running_var: Any, momentum: float) -> None:
    """:func:`_keep_up` inside of ``vmap``, where each example has statistics of its own."""
    if input._of_batch and any(one is not None and not one._of_batch for one in (running_mean, running_var)):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
            "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
            "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for resources "
            "on how to patch your module to work with vmap"
        )
    axes = k.all_but_channels(input._array.ndim)
    with grad_mode.no_grad():
        values = input.detach().double()
        for target, value in ((running_mean, values.mean(axes)), (running_var, values.var(axes))):
            if target is not None:
                target.copy_(target * (1 - momentum) + value * momentum)


@public(space=F, out=False)
def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 of each channel (dimension 1): over the batch in training, by the running statistics otherwise."""
    shape = input._array.shape
    if switch("batch_norm", "training", 6, training):
        count = shape[0]
        for size in shape[2:]:
            count *= size
        if count == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
    if eps <= 0 and (training or eps < 0):
        needed = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {needed}, but got {eps}")
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@public("batch_norm", method=False, out=False)
def _torch_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """:func:`torch.nn.functional.batch_norm` with its arguments in another order."""
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@public(method=False)
def native_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch norm with the batch's means and reciprocal standard deviations (empty if not training)."""
    out = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    x = input._array
    if not training:
        return out, *(new_tensor(np.empty(0, out._array.dtype)) for _ in range(2))
    moments = k.moments(x, k.all_but_channels(x.ndim), eps)
    return out, *(new_tensor(value.reshape(-1)) for value in moments)


@public(space=F, out=False)
def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 of each channel of each sample."""
    shape = input._array.shape
    if use_input_stats:
        count = 1
        for size in shape[2:]:
            count *= size
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    for place, label, value in ((7, "momentum", momentum), (8, "eps", eps)):
        if not is_number(value):
            raise TypeError(f"instance_norm(): argument '{label}' (position {place}) must be float, not {type_name(value)}")
    return _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


def _instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Any:
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    shape = input._array.shape
    samples, channels = shape[:2]
    _check_channels(channels, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    repeated: list[Any] = [
        None if value is None else value.repeat(samples) for value in (weight, bias, running_mean, running_var)
    ]
    rows = input.contiguous().view(1, samples * channels, *shape[2:])
    out = _batch_norm(rows, repeated[0], repeated[1], repeated[2], repeated[3], use_input_stats, momentum, eps)
    for target, wide in zip((running_mean, running_var), repeated[2:], strict=True):
        if target is not None and wide is not None and use_input_stats:
            _put_mean(target, wide, (samples, channels))
    return out.view(shape)


def _put_mean(target: Tensor, wide: Tensor, shape: tuple[int, int]) -> None:
    if not target._of_batch:
        target._array[...] = wide._array.reshape(shape).mean(0)
        return
    with grad_mode.no_grad():
        mean = wide.view(shape).mean(0)
    while target._of_batch:  # beneath the transforms, which let nobody write to what they have captured
        target, mean = target.whole, mean.whole  # type: ignore[attr-defined]
    target._array[...] = mean._array


@public("instance_norm", method=False, out=False)
def _torch_instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """:func:`torch.nn.functional.instance_norm` with its arguments in another order."""
    return _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


# Neighbours.


@public(space=F, out=False)
def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """The input over a power of the mean of squares among ``size`` neighbouring channels."""
    functions = module(F)
    shape = input._array.shape
    if len(shape) < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {len(shape)} dimensions)")
    if not input._array.size:
        return input
    squares = input * input
    before, after = size // 2, (size - 1) // 2
    if len(shape) == 3:
        rows = ops.constant_pad(squares.unsqueeze(1), (0, 0, before, after), 0.0)
        means = functions["avg_pool2d"](rows, (size, 1), stride=1).squeeze(1)
    else:
        rows = ops.constant_pad(squares.view(shape[0], 1, shape[1], shape[2], -1), (0, 0, 0, 0, before, after), 0.0)
        means = functions["avg_pool3d"](rows, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / (means * alpha + k) ** beta
