"""The rules by which the ops of neural networks take a batch along: norms, windows and convolutions."""

from __future__ import annotations

from typing import Any

from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op
from ..batched_tensors import Level, Rule, along, call_op, is_batched
from ..outlines import Unbatchable
from . import forms
from .forms import dims_of, folded, folded_view, lifted


def _layer_norm(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x, weight, bias = inputs
    if not is_batched(x, level):
        raise Unbatchable(op.name)
    ndim = dims_of(x)
    axes = tuple(axis % ndim + 1 for axis in params["axes"])
    if not is_batched(weight, level) and not is_batched(bias, level):
        return ops.layer_norm(x.whole, weight, bias, axes, params["eps"])
    out = ops.normalized(x.whole, axes, params["eps"])
    for vector, apply in ((weight, ops.mul), (bias, ops.add)):
        if vector is not None:
            out = apply(out, lifted(vector.whole, ndim) if is_batched(vector, level) else vector)
    return out


def _folded(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Ops on a batch of images, with vectors that all examples share."""
    x, *others = inputs
    if not is_batched(x, level) or any(is_batched(one, level) for one in others):
        raise Unbatchable(op.name)
    shape = x._array.shape
    new = {name: (level.size * shape[0], *value[1:]) if name == "x_shape" else value for name, value in params.items()}
    out = call_op(op, [folded_view(x.whole, (level.size * shape[0], *shape[1:])), *others], new)
    parts = [folded_view(one, (level.size, shape[0], *one._array.shape[1:])) for one in (out if type(out) is tuple else [out])]
    return tuple(parts) if type(out) is tuple else parts[0]


def _layer_norm_with_moments(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x, *others = inputs
    if any(is_batched(one, level) for one in others):
        raise Unbatchable(op.name)
    return call_op(op, [along(x, level), *others], {**params, "axes": tuple(axis % dims_of(x) + 1 for axis in params["axes"])})


def _convolution(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Kernels that all examples share: one batch. A kernel for each: as many groups as examples."""
    x, weight, *rest = inputs
    if not is_batched(weight, level) and not any(is_batched(one, level) for one in rest):
        return _folded(op, inputs, params, level)
    if params.get("transposed"):
        raise Unbatchable(op.name)
    images, kernels = along(x, level), along(weight, level)
    count, channels, *size = x._array.shape
    made = weight._array.shape[0]
    wide = folded_view(images.transpose(0, 1), (count, level.size * channels, *size))
    each = folded_view(kernels, (level.size * made, *weight._array.shape[1:]))
    others = [one if one is None else folded_view(along(one, level), (level.size * made,)) for one in rest]
    out = call_op(op, [wide, each, *others], {**params, "groups": params["groups"] * level.size})
    return folded_view(out, (count, level.size, made, *out._array.shape[2:])).transpose(0, 1)


def _batch_norm(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """The channels of all examples as channels of one: each has statistics of its own."""
    x, *vectors = inputs
    whole = along(x, level).transpose(0, 1)
    count, channels, *size = x._array.shape
    flat = folded_view(whole, (count, level.size * channels, *size))
    each = [None if one is None else folded_view(along(one, level), (-1,)) for one in vectors]
    out = folded_view(call_op(op, [flat, *each], params), (count, level.size, channels, *size))
    return out.transpose(0, 1)


def _group_norm(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x, weight, bias = inputs
    if not is_batched(x, level):
        raise Unbatchable(op.name)
    out = _folded(op, [x, None, None], params, level)
    for vector, apply in ((weight, ops.mul), (bias, ops.add)):
        if vector is not None:
            whole = vector.whole if is_batched(vector, level) else ops.expand_dims(vector, 0)
            shape = (whole._array.shape[0], 1, whole._array.shape[1], *(1,) * (dims_of(x) - 2))
            out = apply(out, folded_view(whole, shape))
    return out


RULES: dict[str, Rule] = {
    "group_norm_with_moments": _folded,
    "layer_norm": _layer_norm,
    "layer_norm_with_moments": _layer_norm_with_moments,
    **dict.fromkeys("max_unpool2 max_unpool3 grid_sampler2 grid_sampler3 channel_shuffle".split(), folded),
    "group_norm": _group_norm,
    **dict.fromkeys(("batch_norm", "batch_norm_given"), _batch_norm),
    **dict.fromkeys(("conv", "convolution"), _convolution),
    **dict.fromkeys(
        (
            "max_pool2 max_pool3 avg_pool2 avg_pool3 avg_pool_adjoint adaptive_avg_pool2 adaptive_avg_pool3 adaptive_max_pool2 "
            "adaptive_max_pool3 im2col pixel_shuffle pixel_unshuffle reflect_pad1 reflect_pad2 reflect_pad3 "
            "replicate_pad1 replicate_pad2 replicate_pad3 interpolate_nearest1 interpolate_nearest2 interpolate_nearest3 "
            "interpolate_nearest_exact1 interpolate_nearest_exact2 interpolate_nearest_exact3 interpolate_linear1 "
            "interpolate_linear2 interpolate_linear3 interpolate_cubic2 interpolate_linear_antialias2 "
            "interpolate_cubic_antialias2"
        ).split(),
        _folded,
    ),
}
forms.rules.update(RULES)
