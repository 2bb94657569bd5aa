"""What ops of the table are to ONNX: a line each, over a :class:`~rushlight.compiled.onnx.graph.Graph` that is being written.

A line takes the graph and what the op's kernel takes, and gives the value of the result; opset 18.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .graph import Dtype, Graph, Named, Sizes
from .layers import LAYERS

Made = Named | list[Named] | tuple[Named | None, ...]
Line = Callable[..., Made]
Axes = int | Sizes | None


def _axes(g: Graph, axis: Axes) -> Named | None:
    if axis is None or axis == ():
        return None
    return g.sizes([axis] if isinstance(axis, int) else axis)


def _reduced(kind: str) -> Line:
    def line(g: Graph, x: Named, axis: Axes = None, keepdims: bool = False, dtype: Dtype | None = None) -> Named:
        return g.node(kind, x if dtype is None else g.cast(x, dtype), _axes(g, axis), keepdims=int(keepdims))

    return line


def _extreme(kind: str) -> Line:
    """Where the places are known already: the greatest or the smallest itself."""
    return lambda g, x, indices, axis, keepdims: g.node(kind, x, g.sizes([axis]), keepdims=int(keepdims))


def _place(kind: str) -> Line:
    def line(g: Graph, x: Named, axis: int | None, keepdims: bool) -> Named:
        if axis is None:
            x, axis = g.reshaped(x, [math.prod(x.shape)]), 0
        return g.node(kind, x, axis=axis, keepdims=int(keepdims))

    return line


def _of_truth(kind: str) -> Line:
    return lambda g, *xs: g.node(kind, *[g.cast(x, np.dtype(bool)) for x in xs])


def _bitwise(kind: str) -> Line:
    return lambda g, a, b: g.node(kind if a.dtype == bool else f"Bitwise{kind}", a, b)


def _times(g: Graph, x: Named, number: complex) -> Named:
    return g.node("Mul", x, g.number(number, x))


def _plus(g: Graph, x: Named, number: complex) -> Named:
    return g.node("Add", x, g.number(number, x))


def _remainder(g: Graph, a: Named, b: Named) -> Named:
    if a.dtype.kind != "f":
        return g.node("Mod", a, b)
    return g.node("Sub", a, g.node("Mul", g.node("Floor", g.node("Div", a, b)), b))


def _var(g: Graph, x: Named, axis: Axes, correction: float, keepdims: bool) -> Named:
    axes = list(range(x.ndim)) if axis is None or axis == () else [axis] if isinstance(axis, int) else list(axis)
    off = g.node("Sub", x, g.node("ReduceMean", x, g.sizes(axes), keepdims=1))
    total = g.node("ReduceSum", g.node("Mul", off, off), g.sizes(axes), keepdims=int(keepdims))
    return _times(g, total, 1 / (math.prod(x.shape[axis] for axis in axes) - correction))


def _norm(g: Graph, x: Named, order: float, axis: Axes, keepdims: bool, dtype: Dtype | None) -> Made:
    if order not in (1, 2):
        raise NotImplementedError(f"a norm of order {order}")
    return _reduced(f"ReduceL{int(order)}")(g, x, axis, keepdims, dtype)


def _clipped(g: Graph, x: Named, low: complex | None, high: complex | None) -> Named:
    return g.node("Clip", x, None if low is None else g.number(low, x), None if high is None else g.number(high, x))


def _softplus(g: Graph, x: Named, beta: float = 1.0, threshold: float = 20.0) -> Named:
    wide = _times(g, x, beta)
    far = Named(g.node("Greater", wide, g.number(threshold, x)).name, x.shape, np.dtype(bool))
    return g.node("Where", far, x, _times(g, g.node("Softplus", wide), 1 / beta))


def _gelu_tanh(g: Graph, x: Named) -> Named:
    cube = _times(g, g.node("Mul", g.node("Mul", x, x), x), 0.044715)
    inner = _times(g, g.node("Add", x, cube), math.sqrt(2 / math.pi))
    return g.node("Mul", _times(g, x, 0.5), _plus(g, g.node("Tanh", inner), 1))


def _gelu_erf(g: Graph, x: Named) -> Named:
    return g.node("Mul", _times(g, x, 0.5), _plus(g, g.node("Erf", _times(g, x, math.sqrt(0.5))), 1))


def _elu(g: Graph, x: Named, alpha: float, scale: float, input_scale: float) -> Named:
    below = _times(g, _plus(g, g.node("Exp", _times(g, x, input_scale)), -1), alpha * scale)
    over = Named(g.node("Greater", x, g.number(0, x)).name, x.shape, np.dtype(bool))
    return g.node("Where", over, _times(g, x, scale), below)


def _glu(g: Graph, x: Named, axis: int) -> Named:
    half = x.shape[axis] // 2
    a, b = g.nodes_of("Split", x, g.sizes([half, half]), axis=axis, outs=2)
    return g.node("Mul", a, g.node("Sigmoid", b))


def _stacked(g: Graph, xs: Sequence[Named], axis: int) -> Named:
    return g.node("Concat", *[g.node("Unsqueeze", x, g.sizes([axis])) for x in xs], axis=axis)


def _split(g: Graph, x: Named, sizes: Sizes, axis: int) -> list[Named]:
    return g.nodes_of("Split", x, g.sizes(sizes), axis=axis, outs=len(sizes))


def _select(g: Graph, x: Named, axis: int, index: int) -> Named:
    return g.node("Gather", x, g.constant(np.asarray(index, np.int64)), axis=axis)


def _slice(g: Graph, x: Named, axis: int, start: int, stop: int, step: int) -> Named:
    return g.node("Slice", x, g.sizes([start]), g.sizes([stop]), g.sizes([axis]), g.sizes([step]))


def _flip(g: Graph, x: Named, axes: Sizes) -> Named:
    far = [-(x.shape[axis] + 1) for axis in axes]
    return g.node("Slice", x, g.sizes([-1] * len(axes)), g.sizes(far), g.sizes(axes), g.sizes([-1] * len(axes)))


def _swapped(g: Graph, x: Named, axis0: int, axis1: int) -> Named:
    axes = list(range(x.ndim))
    axes[axis0], axes[axis1] = axes[axis1], axes[axis0]
    return g.turned(x, axes)


def _tiled(g: Graph, x: Named, counts: Sizes) -> Named:
    wide = g.reshaped(x, (1,) * (len(counts) - x.ndim) + x.shape)
    return g.node("Tile", wide, g.sizes(counts))


def _pad(g: Graph, x: Named, padding: Sizes, value: complex) -> Named:
    """``padding`` is of the last dimension first, before and behind."""
    ends = [(0, 0)] * (x.ndim - len(padding) // 2) + list(zip(padding[::2], padding[1::2], strict=True))[::-1]
    sizes = g.sizes([one for one, _ in ends] + [other for _, other in ends])
    return g.node("Pad", x, sizes, g.number(value, x))


def _addmm(g: Graph, bias: Named, a: Named, b: Named, beta: complex, alpha: complex) -> Named:
    product = g.node("MatMul", a, b)
    return g.node("Add", bias if beta == 1 else _times(g, bias, beta), product if alpha == 1 else _times(g, product, alpha))


def _along(g: Graph, x: Named, index: Named, axis: int) -> Named:
    return g.node("GatherElements", x, index, axis=axis)


def _one_hot(g: Graph, x: Named, classes: int) -> Named:
    hot = g.node("Equal", g.node("Unsqueeze", x, g.sizes([-1])), g.constant(np.arange(classes)))
    return g.cast(Named(hot.name, (*x.shape, classes), np.dtype(bool)), np.dtype(np.int64))


def _triangle(g: Graph, x: Named, offset: int, upper: int) -> Named:
    return g.node("Trilu", x, g.constant(np.asarray(offset, np.int64)), upper=upper)


def _added_mask(g: Graph, mask: Named, dtype: Dtype, seen: bool) -> Named:
    kept, left = (g.constant(np.asarray(number, dtype)) for number in (0.0, -math.inf))
    return g.node("Where", mask, *((kept, left) if seen else (left, kept)))


def _causal(g: Graph, x: Named) -> Named:
    return g.node("Where", g.constant(np.tri(*x.shape[-2:], dtype=bool)), x, g.number(-math.inf, x))


_SAME = {
    "abs": "Abs", "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "neg": "Neg", "exp": "Exp", "log": "Log", "sqrt": "Sqrt",
    "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh",
    "tanh": "Tanh", "erf": "Erf", "floor": "Floor", "ceil": "Ceil", "round": "Round", "reciprocal": "Reciprocal", "sign": "Sign",
    "relu": "Relu", "sigmoid": "Sigmoid", "hardswish": "HardSwish", "mish": "Mish", "prelu": "PRelu", "pow": "Pow",
    "minimum": "Min", "maximum": "Max", "eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual",
    "mm": "MatMul", "bmm": "MatMul", "mv": "MatMul", "dot": "MatMul", "clone": "Identity", "contiguous": "Identity",
}  # fmt: skip
_TRUTH = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not"}
_REDUCTIONS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "amax": "ReduceMax", "amin": "ReduceMin",
    "logsumexp": "ReduceLogSumExp", "max_all": "ReduceMax", "min_all": "ReduceMin",
}  # fmt: skip

LINES: dict[str, Line] = {
    **{name: lambda g, *xs, kind=kind: g.node(kind, *xs) for name, kind in _SAME.items()},
    **{name: _of_truth(kind) for name, kind in _TRUTH.items()},
    **{name: _reduced(kind) for name, kind in _REDUCTIONS.items()},
    **dict.fromkeys(("view", "reshape_alias", "unsafe_view"), lambda g, x, shape: g.reshaped(x, shape)),
    **dict.fromkeys(("squeeze", "squeeze_row"), lambda g, x, axes: g.node("Squeeze", x, g.sizes(axes)) if axes else x),
    **dict.fromkeys(("split", "unsafe_split", "split_with_sizes"), _split),
    **dict.fromkeys(("gather", "take_along", "topk", "sort", "sort_stable"), _along),
    **dict.fromkeys(("softmax", "safe_softmax"), lambda g, x, axis: g.node("Softmax", x, axis=axis)),
    **dict.fromkeys(("expand", "expand_number"), lambda g, x, shape: g.node("Expand", x, g.sizes(shape))),
    **LAYERS,
    "added_mask": _added_mask,
    "addmm": _addmm,
    "argmax": _place("ArgMax"),
    "argmin": _place("ArgMin"),
    "argtopk": lambda g, x, k, axis, largest: g.nodes_of("TopK", x, g.sizes([k]), axis=axis, largest=int(largest), outs=2)[1],
    "argsort": lambda g, x, axis, descending, stable: g.nodes_of(
        "TopK", x, g.sizes([x.shape[axis]]), axis=axis, largest=int(descending), outs=2
    )[1],
    "astype": lambda g, x, dtype: g.cast(x, dtype),
    "baddbmm": _addmm,
    "bitwise_and": _bitwise("And"),
    "bitwise_not": lambda g, x: g.node("Not" if x.dtype == bool else "BitwiseNot", x),
    "bitwise_or": _bitwise("Or"),
    "bitwise_xor": _bitwise("Xor"),
    "causal": _causal,
    "clamp": _clipped,
    "clamp_max": lambda g, x, high: _clipped(g, x, None, high),
    "clamp_min": lambda g, x, low: _clipped(g, x, low, None),
    "concat": lambda g, xs, axis: g.node("Concat", *xs, axis=axis),
    "constant_pad": _pad,
    "cumsum": lambda g, x, axis, dtype: g.node("CumSum", x, g.constant(np.asarray(axis, np.int64))),
    "divide_by": lambda g, x, divisor: g.node("Div", x, g.number(divisor, x)),
    "elu": _elu,
    "expand_dims": lambda g, x, axis: g.node("Unsqueeze", x, g.sizes([axis])),
    "flip": _flip,
    "gelu_erf": _gelu_erf,
    "gelu_tanh": _gelu_tanh,
    "glu": _glu,
    "hardsigmoid": lambda g, x: g.node("HardSigmoid", x, alpha=1 / 6, beta=0.5),
    "hardtanh": _clipped,
    "index_select": lambda g, x, index, axis: g.node("Gather", x, index, axis=axis),
    "leaky_relu": lambda g, x, slope: g.node("LeakyRelu", x, alpha=slope),
    "log_sigmoid": lambda g, x: g.node("Neg", _softplus(g, g.node("Neg", x))),
    "log_softmax": lambda g, x, axis: g.node("LogSoftmax", x, axis=axis),
    "masked_fill": lambda g, x, mask, value: g.node("Where", mask, g.number(value, x), x),
    "max": _extreme("ReduceMax"),
    "mean_all": lambda g, x, dtype: _reduced("ReduceMean")(g, x, dtype=dtype),
    "min": _extreme("ReduceMin"),
    "minus": lambda g, x, number: _plus(g, x, -number),
    "ne": lambda g, a, b: g.node("Not", g.node("Equal", a, b)),
    "number_minus": lambda g, x, number: g.node("Sub", g.number(number, x), x),
    "number_pow": lambda g, x, base: g.node("Pow", g.number(base, x), x),
    "permute_dims": lambda g, x, axes: g.turned(x, axes),
    "one_hot": _one_hot,
    "plus": _plus,
    "pow_number": lambda g, x, exponent: g.node("Pow", x, g.number(exponent, x)),
    "remainder": _remainder,
    "remainder_number": lambda g, x, divisor: _remainder(g, x, g.number(divisor, x)),
    "repeat": _tiled,
    "rsqrt": lambda g, x: g.node("Reciprocal", g.node("Sqrt", x)),
    "rsub_number": lambda g, x, number, alpha: g.node("Sub", g.number(number, x), x if alpha == 1 else _times(g, x, alpha)),
    "select": _select,
    "silu": lambda g, x: g.node("Mul", x, g.node("Sigmoid", x)),
    "slice": _slice,
    "softplus": _softplus,
    "stack": _stacked,
    "std": lambda g, x, axis, correction, keepdims: g.node("Sqrt", _var(g, x, axis, correction, keepdims)),
    "sum_all": lambda g, x, dtype: _reduced("ReduceSum")(g, x, dtype=dtype),
    "t": lambda g, x: g.turned(x, range(x.ndim)[::-1]),
    "times": _times,
    "to_copy": lambda g, x, dtype, memory_format: g.cast(x, dtype),
    "to_integers": lambda g, x, dtype, memory_format: g.cast(x, dtype),
    "transpose": _swapped,
    "tril": lambda g, x, offset: _triangle(g, x, offset, 0),
    "triu": lambda g, x, offset: _triangle(g, x, offset, 1),
    "unbind": lambda g, x, axis: [_select(g, x, axis, index) for index in range(x.shape[axis])],
    "var": _var,
    "vector_norm": _norm,
    "weight_norm": lambda g, v, size, axes: g.node("Mul", v, g.node("Div", size, g.node("ReduceL2", v, g.sizes(axes)))),
    "where": lambda g, condition, a, b: g.node("Where", g.cast(condition, np.dtype(bool)), a, b),
}
