"""The rules by which ops take a batch along: from the inputs and parameters for one example those for all.

By the names of the parameters where these say enough (``axis``, ``shape``), else by the op's name.
"""

from __future__ import annotations

import math
from typing import Any

from . import batched
from .batched import Batched, Level, Rule, Shape, Unbatchable, along, call_op, is_batched
from .ops import dispatch
from .ops.public import ops
from .ops.table import Op
from .tensor import Tensor


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _ndim(value: Any) -> int:
    return int(value._array.ndim)


def lifted(value: Tensor, ndim: int) -> Tensor:
    """A batch of examples with ones put in front of their dimensions, so that there are ``ndim``."""
    missing = ndim + 1 - _ndim(value)
    for _ in range(missing):
        value = ops.expand_dims(value, 1)
    return value


def _pointwise(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Examples that broadcast against each other: dimensions of size 1 come between the batch and theirs."""
    tensors = [value for value in inputs if _is_tensor(value)]
    ndim = max(map(_ndim, tensors))
    if op.promote is not None and len({value._array.dtype for value in tensors}) > 1:
        dtype = dispatch.common_dtype([value for value in inputs if value is not None]).numpy
        inputs = [ops.astype(value, dtype) if _is_tensor(value) and value._array.dtype != dtype else value for value in inputs]
    return call_op(op, [lifted(value.whole, ndim) if is_batched(value, level) else value for value in inputs], params)


def _everything(x: Any) -> Shape:
    return tuple(range(1, _ndim(x)))


# What takes None, or all axes, as a tuple of axes.
_TAKES_ALL = frozenset("sum mean nansum amax amin aminmax var std var_mean std_mean logsumexp all any vector_norm".split())


def _moved(axis: Any, x: Any, op: Op) -> Any:
    """An axis of an example, or several, as that of the batch."""
    if axis is None:
        if op.name not in _TAKES_ALL:
            raise Unbatchable(op.name)
        return _everything(x)
    if _ndim(x) == 1:  # a number for each example has no dimension
        raise Unbatchable(op.name)
    if isinstance(axis, (tuple, list)):
        if not axis and op.name not in _TAKES_ALL:
            raise Unbatchable(op.name)
        return tuple(_moved(one, x, op) for one in axis)
    return axis + 1 if axis >= 0 else axis


_AXES = ("axis", "axes", "axis0", "axis1", "axis2")
_SHAPES = ("shape", "x_shape")


def by_parameters(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops whose parameters say where things are: axes move by one, shapes get the batch in front."""
    whole = [along(value, level) if _is_tensor(value) else value for value in inputs]
    new = dict(params)
    for name, value in params.items():
        if name in _AXES:
            new[name] = _moved(value, whole[0], op)
        elif name in _SHAPES:
            new[name] = (level.size, *value)
    return call_op(op, whole, new)


def _shared_index(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``index_select`` and its like: one vector of indices for all examples."""
    if is_batched(inputs[-1], level):
        raise Unbatchable(op.name)
    new = {name: value + 1 if name == "axis" and value >= 0 else value for name, value in params.items()}
    if "shape" in new:
        new["shape"] = (level.size, *new["shape"])
    return call_op(op, [*(along(value, level) for value in inputs[:-1]), inputs[-1]], new)


def _naturally(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops that take batches in front of matrices, or rows, as they are."""
    return call_op(op, [along(value, level) if _is_tensor(value) else value for value in inputs], params)


def _listed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    axis = params["axis"]
    return call_op(op, [[along(one, level) for one in inputs[0]]], {**params, "axis": axis + 1 if axis >= 0 else axis})


def _permuted(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0]
    return call_op(op, [x.whole], {"axes": (0, *(axis % _ndim(x) + 1 for axis in params["axes"]))})


def _repeated(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = lifted(inputs[0].whole, len(params["counts"]))
    return call_op(op, [x], {"counts": (1, *params["counts"])})


def _expanded(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return call_op(op, [lifted(inputs[0].whole, len(params["shape"]))], {"shape": (level.size, *params["shape"])})


def _transposed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0].whole
    return ops.transpose(x, 1, 2) if _ndim(x) == 3 else x


def _squeezed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0].whole
    return ops.squeeze_several(x, tuple(axis for axis, size in enumerate(x._array.shape) if axis and size == 1))


def _of_all(name: str) -> Rule:
    """A full reduction: over all axes but the batch's."""

    def rule(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
        x = inputs[0].whole
        return getattr(ops, name)(x, _everything(x), False, *params.values())

    return rule


def _stretched(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``expand_number`` and ``divide_number``."""
    shape = params["shape"]
    x = ops.expand(lifted(ops.view(inputs[0].whole, (level.size,)), len(shape)), (level.size, *shape))
    return ops.divide_by(x, params["divisor"]) if "divisor" in params else ops.clone(x)


# Products.


def _product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b  # type: ignore[operator,no-any-return]


def _whole(value: Any, level: Level) -> Any:
    return value.whole if is_batched(value, level) else value


def _mm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    x, y = _whole(a, level), _whole(b, level)
    if is_batched(a, level) and not is_batched(b, level) and _ndim(a) == 2:
        rows, inner = a._array.shape
        return ops.view(ops.mm(_contiguous_view(x, (level.size * rows, inner)), y), (level.size, rows, b._array.shape[1]))
    return _product(x, y)


def _contiguous_view(x: Tensor, shape: Shape) -> Tensor:
    return x.reshape(shape)  # type: ignore[attr-defined,no-any-return]


def _mv(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    if not is_batched(b, level):
        return _product(a.whole, b)
    if not is_batched(a, level):
        return _product(b.whole, ops.t(a))
    return ops.squeeze(_product(a.whole, ops.expand_dims(b.whole, 2)), (2,))


def _dot(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = (_whole(value, level) for value in inputs)
    if _ndim(a) == 1:
        return _product(b, a)
    if _ndim(b) == 1:
        return _product(a, b)
    return ops.sum(ops.mul(a, b), (1,), False)


def _outer(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = (_whole(value, level) for value in inputs)
    return ops.expand_dims(a, _ndim(a)) * ops.expand_dims(b, _ndim(b) - 1)


def _addmm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    bias, a, b = inputs
    product = _mm(op, [a, b], {}, level) if is_batched(a, level) or is_batched(b, level) else ops.mm(a, b)
    if params.get("alpha", 1) != 1:
        product = product * params["alpha"]
    if not params.get("beta", 1):
        return product if _ndim(product) == 3 else along(product, level)
    start = lifted(bias.whole, 2) if is_batched(bias, level) else bias
    return product + (start if params.get("beta", 1) == 1 else start * params["beta"])


# Losses, norms, windows.


def _nll(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Losses of single examples, or of the rows of each: all rows at once, then what the reduction says."""
    x, target, weight = inputs
    ignored = params["ignore_index"]
    logs, classes = along(x, level), along(target, level)
    if weight is not None or isinstance(classes, Batched) or bool((classes._array == ignored).any()):
        raise Unbatchable(op.name)
    shape = x._array.shape
    rows = _contiguous_view(logs, (-1, shape[-1]))
    losses = ops.nll_loss(rows, _contiguous_view(classes, (-1,)), None, "none", ignored)
    if len(shape) == 1:
        return losses
    losses = _contiguous_view(losses, (level.size, shape[0]))
    if params["reduction"] == "none":
        return losses
    return (ops.mean if params["reduction"] == "mean" else ops.sum)(losses, (1,), False, None)


def _loss(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """A pointwise loss: unreduced over the batch, then reduced over the example."""
    losses = _pointwise(op, inputs, {**params, "reduction": "none"}, level)
    if params["reduction"] == "none":
        return losses
    return (ops.mean if params["reduction"] == "mean" else ops.sum)(losses, _everything(losses), False, None)


def _layer_norm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x, weight, bias = inputs
    if not is_batched(x, level):
        raise Unbatchable(op.name)
    ndim = _ndim(x)
    axes = tuple(axis % ndim + 1 for axis in params["axes"])
    if not is_batched(weight, level) and not is_batched(bias, level):
        return ops.layer_norm(x.whole, weight, bias, axes, params["eps"])
    out = ops.normalized(x.whole, axes, params["eps"])
    for vector, apply in ((weight, ops.mul), (bias, ops.add)):
        if vector is not None:
            out = apply(out, lifted(vector.whole, ndim) if is_batched(vector, level) else vector)
    return out


def _folded(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops on a batch of their own (images, say): both batches become one."""
    x, *others = inputs
    if not is_batched(x, level) or any(is_batched(one, level) for one in others):
        raise Unbatchable(op.name)
    shape = x._array.shape
    new = {name: (level.size * shape[0], *value[1:]) if name == "x_shape" else value for name, value in params.items()}
    out = call_op(op, [_contiguous_view(x.whole, (level.size * shape[0], *shape[1:])), *others], new)
    parts = [
        _contiguous_view(one, (level.size, shape[0], *one._array.shape[1:])) for one in (out if type(out) is tuple else [out])
    ]
    return tuple(parts) if type(out) is tuple else parts[0]


def _convolution(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Kernels that all examples share: one batch. A kernel for each: as many groups as examples."""
    x, weight, *rest = inputs
    if not is_batched(weight, level) and not any(is_batched(one, level) for one in rest):
        return _folded(op, inputs, params, level)
    if params.get("transposed"):
        raise Unbatchable(op.name)
    images, kernels = along(x, level), along(weight, level)
    count, channels, *size = x._array.shape
    made = weight._array.shape[0]
    wide = _contiguous_view(images.transpose(0, 1), (count, level.size * channels, *size))  # type: ignore[attr-defined]
    each = _contiguous_view(kernels, (level.size * made, *weight._array.shape[1:]))
    others = [one if one is None else _contiguous_view(along(one, level), (level.size * made,)) for one in rest]
    out = call_op(op, [wide, each, *others], {**params, "groups": params["groups"] * level.size})
    return _contiguous_view(out, (count, level.size, made, *out._array.shape[2:])).transpose(0, 1)  # type: ignore[attr-defined]


def _viewed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """A view of each example need not be one of the batch."""
    x, shape = inputs[0].whole, (level.size, *params["shape"])
    try:
        return call_op(op, [x], {"shape": shape})
    except RuntimeError:
        return ops.view(ops.contiguous(x), shape)


def _product_of_all(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return ops.prod(_contiguous_view(inputs[0].whole, (level.size, -1)), 1, False, *params.values())


def _rolled(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    if params["axes"] is not None:
        return by_parameters(op, inputs, params, level)
    whole = inputs[0].whole
    flat = ops.roll(_contiguous_view(whole, (level.size, -1)), params["shifts"], (1,))
    return _contiguous_view(flat, whole._array.shape)


def _trace(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return ops.sum(ops.diagonal(inputs[0].whole, 0, 1, 2), (1,), False)


def _baddbmm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Sums of a start and products of matrices, of vectors or of batches of matrices."""
    bias, a, b = inputs
    left, right = _whole(a, level), _whole(b, level)
    if op.name == "addmv":
        product = _mv(op, [a, b], {}, level) if is_batched(a, level) or is_batched(b, level) else ops.mv(a, b)
    elif op.name == "addr":
        product = ops.expand_dims(left, _ndim(left)) * ops.expand_dims(right, _ndim(right) - 1)
    else:
        product = _product(left, right)
        if op.name == "addbmm":
            product = ops.sum(product, (_ndim(product) - 3,), False)
    if params.get("alpha", 1) != 1:
        product = product * params["alpha"]
    if not params.get("beta", 1):
        raise Unbatchable(op.name)
    dims = {"baddbmm": 3, "addmv": 1}.get(op.name, 2)
    start = lifted(bias.whole, dims) if is_batched(bias, level) else bias
    return product + (start if params.get("beta", 1) == 1 else start * params["beta"])


def _solve(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    if _ndim(a) - 2 != _ndim(b) - (1 if params["vector"] else 2):
        raise Unbatchable(op.name)
    return _naturally(op, inputs, params, level)


def _of_equal_dimensions(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops that take batches in front, of inputs that have as many dimensions as each other."""
    if len({_ndim(one) for one in inputs}) > 1 or params.get("mask") is not None:
        raise Unbatchable(op.name)
    return by_parameters(op, inputs, params, level)


def _batch_norm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """The channels of all examples as channels of one: each has statistics of its own."""
    x, *vectors = inputs
    whole = along(x, level).transpose(0, 1)  # type: ignore[attr-defined]
    count, channels, *size = x._array.shape
    flat = _contiguous_view(whole, (count, level.size * channels, *size))
    each = [None if one is None else _contiguous_view(along(one, level), (-1,)) for one in vectors]
    out = _contiguous_view(call_op(op, [flat, *each], params), (count, level.size, channels, *size))
    return out.transpose(0, 1)  # type: ignore[attr-defined]


def _group_norm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x, weight, bias = inputs
    if not is_batched(x, level):
        raise Unbatchable(op.name)
    out = _folded(op, [x, None, None], params, level)
    for vector, apply in ((weight, ops.mul), (bias, ops.add)):
        if vector is not None:
            whole = vector.whole if is_batched(vector, level) else ops.expand_dims(vector, 0)
            shape = (whole._array.shape[0], 1, whole._array.shape[1], *(1,) * (_ndim(x) - 2))
            out = apply(out, _contiguous_view(whole, shape))
    return out


def _strided(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """A view of the memory of each example, where that lies in order."""
    whole = inputs[0].whole
    if not whole._array.flags.c_contiguous:
        whole = ops.contiguous(whole)
    step = max(math.prod(whole._array.shape[1:]), 1)
    new = {**params, "shape": (level.size, *params["shape"]), "strides": (step, *params["strides"])}
    if params.get("x_strides") is not None:
        new["x_strides"] = (step, *params["x_strides"])
    return call_op(op, [whole], new)


rules: dict[str, Rule] = {
    "as_strided": _strided,
    "roll": _rolled,
    "trace": _trace,
    "solve": _solve,
    "solve_ex": _solve,
    "batch_norm": _batch_norm,
    "batch_norm_given": _batch_norm,
    "group_norm": _group_norm,
    "prelu": _pointwise,
    **dict.fromkeys("baddbmm addbmm addmv addr".split(), _baddbmm),
    **dict.fromkeys(("cdist", "cross", "attention"), _of_equal_dimensions),
    **dict.fromkeys(("binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss"), _loss),
    "view": _viewed,
    "unsafe_view": _viewed,
    "prod_all": _product_of_all,
    "addmm": _addmm,
    "mm": _mm,
    "mv": _mv,
    "dot": _dot,
    "outer": _outer,
    "bmm": lambda op, inputs, params, level: _product(*(_whole(value, level) for value in inputs)),
    "t": _transposed,
    "permute_dims": _permuted,
    "repeat": _repeated,
    "expand": _expanded,
    "squeeze_all": _squeezed,
    "expand_number": _stretched,
    "divide_number": _stretched,
    "sum_all": _of_all("sum"),
    "mean_all": _of_all("mean"),
    "nll_loss": _nll,
    "mse_loss": _loss,
    "smooth_l1_loss": _loss,
    "huber_loss": _loss,
    "layer_norm": _layer_norm,
    "conv": _convolution,
    "convolution": _convolution,
    **dict.fromkeys(("concat", "stack"), _listed),
    **dict.fromkeys(("index_select", "index_select_adjoint"), _shared_index),
    **dict.fromkeys(
        (
            "where masked_fill_tensor lerp sigmoid_slope relu_slope tanh_slope real imag conj conj_physical angle complex polar "
            "gelu_erf_slope silu_slope leaky_relu_slope not_nan zero clone contiguous alias astype to_copy divide_by number_pow "
            "heaviside isclose zeros_as detach_copy alias_copy masked_fill clamp clamp_min clamp_max"
        ).split(),
        _pointwise,
    ),
    **dict.fromkeys(
        (
            "reshape_alias transpose squeeze squeeze_several squeeze_row expand_dims select slice diagonal "
            "unfold unbind split split_with_sizes unsafe_split embed_select embed_slice embed_diagonal fold_windows gather "
            "gather_adjoint scatter_add flip sum mean nansum amax amin aminmax var std var_mean std_mean all any logsumexp "
            "cumsum cumprod cummax cummin argcummax argcummin logcumsumexp softmax softmax_grad log_softmax log_softmax_grad "
            "argmax argmin max min take_along put_along add_along put_reduced take_reduced argsort argtopk sort topk prod "
            "count_nonzero vector_norm norm_along normalized normalized_slope glu diag_embed diagonal_copy "
            "median argmedian kthvalue argkth mode rot90 "
            "fft_r2c fft_c2c fft_c2r diff"
        ).split(),
        by_parameters,
    ),
    **dict.fromkeys(
        (
            "tril triu inv inv_ex det slogdet cholesky cholesky_ex eigh eigvalsh eig eigvals svd svdvals qr matrix_exp adjoint "
            "view_as_real view_as_complex constant_pad"
        ).split(),
        _naturally,
    ),
    **dict.fromkeys(
        (
            "max_pool2 max_pool3 avg_pool2 avg_pool3 avg_pool_adjoint adaptive_avg_pool2 adaptive_avg_pool3 adaptive_max_pool2 "
            "adaptive_max_pool3 interpolate im2col pixel_shuffle pixel_unshuffle reflect_pad1 reflect_pad2 reflect_pad3 "
            "replicate_pad1 replicate_pad2 replicate_pad3 interpolate_nearest1 interpolate_nearest2 interpolate_nearest3 "
            "interpolate_nearest_exact1 interpolate_nearest_exact2 interpolate_nearest_exact3 interpolate_linear1 "
            "interpolate_linear2 interpolate_linear3 interpolate_cubic2 interpolate_linear_antialias2 "
            "interpolate_cubic_antialias2"
        ).split(),
        _folded,
    ),
}


def _none(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    raise Unbatchable(op.name)


def _find(op: Op) -> Rule:
    found = rules.get(op.name)
    if found is not None:
        return found
    if (op.promote is not None and op.name != "dist") or op.kind == "elementwise":
        return _pointwise
    return _none


batched.find_rule = _find
