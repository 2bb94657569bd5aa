"""Layers of networks to ONNX: convolutions, pooling, normalization, attention, embedding, LSTM."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .graph import Graph, Named, Option, Sizes


def _convolution(
    g: Graph, x: Named, w: Named, bias: Named | None, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int,
) -> Named:  # fmt: skip
    options = {"strides": stride, "pads": [*padding, *padding], "dilations": dilation, "group": groups}
    if transposed:
        return g.node("ConvTranspose", x, w, bias, output_padding=output_padding, **options)
    return g.node("Conv", x, w, bias, **options)


def _max_pool(
    g: Graph, x: Named, window: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Named | None, ...]:
    pads = [*padding, *padding]
    options = {"kernel_shape": window, "strides": stride, "pads": pads, "dilations": dilation, "ceil_mode": int(ceil_mode)}
    return g.node("MaxPool", x, **options), None


def _avg_pool(
    g: Graph,
    x: Named,
    window: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Named:
    if divisor_override is not None:
        raise NotImplementedError("avg_pool with a divisor of its own")
    pads, counts = [*padding, *padding], int(count_include_pad)
    options = {
        "kernel_shape": window,
        "strides": stride,
        "pads": pads,
        "ceil_mode": int(ceil_mode),
        "count_include_pad": counts,
    }
    return g.node("AveragePool", x, **options)


def _windows(x: Named, size: Sizes) -> list[int]:
    """The windows that take an input apart evenly."""
    spatial = x.shape[-len(size) :]
    if any(length % wanted for length, wanted in zip(spatial, size, strict=True)):
        raise NotImplementedError(f"adaptive pooling from {list(spatial)} to {list(size)}, in windows of several sizes")
    return [length // wanted for length, wanted in zip(spatial, size, strict=True)]


def _adaptive_avg_pool(g: Graph, x: Named, size: Sizes) -> Named:
    window = _windows(x, size)
    return g.node("AveragePool", x, kernel_shape=window, strides=window)


def _adaptive_max_pool(g: Graph, x: Named, size: Sizes) -> tuple[Named | None, ...]:
    window = _windows(x, size)
    return g.node("MaxPool", x, kernel_shape=window, strides=window), None


def _ones(g: Graph, shape: Sizes, like: Named) -> Named:
    return g.constant(np.ones(shape, like.dtype))


def _batch_norm(g: Graph, x: Named, mean: Named, var: Named, weight: Named | None, bias: Named | None, eps: float) -> Named:
    weight = weight or _ones(g, mean.shape, mean)
    bias = bias or g.constant(np.zeros(mean.shape, mean.dtype))
    return g.node("BatchNormalization", x, weight, bias, mean, var, epsilon=eps)


def _batch_norm_measured(g: Graph, x: Named, weight: Named | None, bias: Named | None, eps: float) -> Named:
    axes = g.sizes([0, *range(2, x.ndim)])
    off = g.node("Sub", x, g.node("ReduceMean", x, axes, keepdims=1))
    var = g.node("ReduceMean", g.node("Mul", off, off), axes, keepdims=1)
    out = g.node("Div", off, g.node("Sqrt", g.node("Add", var, g.number(eps, x))))
    columns = (1, -1, *(1,) * (x.ndim - 2))
    out = out if weight is None else g.node("Mul", out, g.reshaped(weight, columns))
    return out if bias is None else g.node("Add", out, g.reshaped(bias, columns))


def _layer_norm(g: Graph, x: Named, weight: Named | None, bias: Named | None, axes: Sizes, eps: float) -> Named:
    shape = [x.shape[axis] for axis in axes]
    return g.node("LayerNormalization", x, weight or _ones(g, shape, x), bias, axis=axes[0], epsilon=eps)


def _group_norm(g: Graph, x: Named, weight: Named | None, bias: Named | None, groups: int, eps: float) -> Named:
    batch, channels, *rest = x.shape
    wide = g.reshaped(x, (batch, groups, math.prod(x.shape) // (batch * groups)))
    off = g.node("Sub", wide, g.node("ReduceMean", wide, g.sizes([2]), keepdims=1))
    var = g.node("ReduceMean", g.node("Mul", off, off), g.sizes([2]), keepdims=1)
    scaled = g.node("Div", off, g.node("Sqrt", g.node("Add", var, g.number(eps, x))))
    found = g.reshaped(scaled, x.shape)
    column = (channels, *(1,) * len(rest))
    if weight is not None:
        found = g.node("Mul", found, g.reshaped(weight, column))
    return found if bias is None else g.node("Add", found, g.reshaped(bias, column))


def _attention(g: Graph, query: Named, key: Named, value: Named, mask: Named | None, is_causal: bool, scale: float) -> Named:
    axes = [*range(key.ndim - 2), key.ndim - 1, key.ndim - 2]
    scores = g.node("Mul", g.node("MatMul", query, g.turned(key, axes)), g.number(scale, query))
    if is_causal:
        triangle = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
        scores = g.node("Add", scores, g.constant(np.where(triangle, 0, -np.inf).astype(query.dtype)))
    if mask is not None:
        scores = g.node("Add", scores, g.cast(mask, query.dtype))
    return g.node("MatMul", g.node("Softmax", scores, axis=-1), value)


def _embedding(g: Graph, weight: Named, indices: Named, *_: Option) -> Named:
    return g.node("Gather", weight, indices, axis=0)


def _embedding_bag(
    g: Graph, weight: Named, indices: Named, offsets: Named, scales: Named | None, mode: str, but: int, *_: Option
) -> Named:
    """Rows put into the bag that each index is in: the last one that does not begin behind it."""
    whole, form, count = np.dtype(np.int64), (offsets.shape[0], weight.shape[1]), indices.shape[0]
    begun = g.node("LessOrEqual", g.cast(offsets, whole), g.constant(np.arange(count)[:, None]))
    begun = g.cast(Named(begun.name, (count, form[0]), np.dtype(bool)), whole)
    bags = g.node("Sub", g.node("ReduceSum", begun, g.sizes([1]), keepdims=1), g.constant(np.asarray(1)))
    rows = g.node("Gather", weight, indices, axis=0)
    if scales is not None:
        rows = g.node("Mul", rows, g.reshaped(scales, (count, 1)))
    counts = g.node("Not", g.node("Equal", indices, g.number(but, indices)))
    counted = g.reshaped(Named(counts.name, (count,), np.dtype(bool)), (count, 1))
    of_none = g.number(-math.inf if mode == "max" else 0, weight)

    def gathered(values: Named, shape: Sizes, start: float, how: str) -> Named:
        return g.node("ScatterND", g.constant(np.full(shape, start, weight.dtype)), bags, values, reduction=how)

    rows = g.node("Where", counted, rows, of_none)
    found = gathered(rows, form, *((-math.inf, "max") if mode == "max" else (0, "add")))
    if mode == "sum":
        return found
    sizes = gathered(g.cast(counted, weight.dtype), (form[0], 1), 0, "add")
    if mode == "mean":
        return g.node("Div", found, g.node("Max", sizes, g.number(1, weight)))
    return g.node("Where", g.node("Greater", sizes, g.number(0, weight)), found, g.number(0, weight))


def _in_order(g: Graph, gates: Named) -> Named:
    """The four gates in ONNX's order (input, output, forget, cell), with the direction in front."""
    i, f, c, o = g.nodes_of("Split", gates, g.sizes([gates.shape[0] // 4] * 4), axis=0, outs=4)
    return g.node("Unsqueeze", g.node("Concat", i, o, f, c, axis=0), g.sizes([0]))


def _lstm(
    g: Graph, x: Named, w: Named, u: Named, b: Named | None, d: Named | None, h: Named, c: Named, backwards: bool
) -> tuple[Named | None, ...]:
    biases = None
    if b is not None and d is not None:
        biases = g.node("Concat", _in_order(g, b), _in_order(g, d), axis=1)
    start = [g.node("Unsqueeze", one, g.sizes([0])) for one in (h, c)]
    out, last_h, last_c = g.nodes_of(
        "LSTM", x, _in_order(g, w), _in_order(g, u), biases, None, *start, outs=3, hidden_size=u.shape[1],
        direction="reverse" if backwards else "forward",
    )  # fmt: skip
    squeezed = [g.node("Squeeze", out, g.sizes([1])), *(g.node("Squeeze", one, g.sizes([0])) for one in (last_h, last_c))]
    return *squeezed, None, None


def _resized(mode: str) -> Callable[..., Named]:
    def line(
        g: Graph, x: Named, size: Sizes, how: str, align_corners: bool, scales: Sequence[float | None] | None, antialias: bool
    ) -> Named:
        ratios = [wanted / length for wanted, length in zip(size, x.shape[2:], strict=True)]
        if scales is not None and any(scale not in (None, ratio) for scale, ratio in zip(scales, ratios, strict=True)):
            raise NotImplementedError(f"interpolate() by scales that do not lead from {list(x.shape[2:])} to {list(size)}")
        place = "asymmetric" if mode == "nearest" else "align_corners" if align_corners else "pytorch_half_pixel"
        sizes = g.sizes([*x.shape[:2], *size])
        options = {"nearest_mode": "floor"} if mode == "nearest" else {}
        return g.node("Resize", x, None, None, sizes, mode=mode, coordinate_transformation_mode=place, **options)

    return line


LAYERS: dict[str, Callable[..., Named | tuple[Named | None, ...]]] = {
    **{f"adaptive_avg_pool{rank}": _adaptive_avg_pool for rank in (2, 3)},
    **{f"adaptive_max_pool{rank}": _adaptive_max_pool for rank in (2, 3)},
    **{f"avg_pool{rank}": _avg_pool for rank in (2, 3)},
    **{f"interpolate_linear{rank}": _resized("linear") for rank in (1, 2, 3)},
    **{f"interpolate_nearest{rank}": _resized("nearest") for rank in (1, 2, 3)},
    **{f"max_pool{rank}": _max_pool for rank in (2, 3)},
    "attention": _attention,
    "batch_norm": _batch_norm_measured,
    "batch_norm_given": _batch_norm,
    "convolution": _convolution,
    "embedding": _embedding,
    "embedding_bag": _embedding_bag,
    "group_norm": _group_norm,
    "layer_norm": _layer_norm,
    "lstm_layer": _lstm,
}
