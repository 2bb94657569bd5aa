"""Tensors that carry a batch: what ``vmap`` runs a function on, and the rules by which ops take the batch along.

A :class:`Batched` looks like one example. Behind it stands ``whole``, a Tensor with all of them along dimension 0; each op on
it is done once, on ``whole``, which records the graph. A rule tells from an op's inputs and parameters for one example those
for all: by the names of the parameters where these say enough (``axis``, ``shape``), else by the op's name. Where there is no
rule the op runs example by example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .autograd import gradients, modes
from .ops import dispatch
from .ops.public import ops
from .ops.table import Op
from .overrides import _disabled_torch_function_impl
from .tensor import Tensor

Shape = tuple[int, ...]


class Unbatchable(Exception):
    """Something that can only be done example by example."""


class _Flags:
    c_contiguous = True
    writeable = True


class _Example:
    """What an array of one example is like; it holds no numbers, and whoever asks for them is told so."""

    __slots__ = ("base", "dtype", "flags", "itemsize", "nbytes", "ndim", "shape", "size", "strides")
    __array_ufunc__ = None

    def __init__(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.ndim, self.itemsize = shape, dtype, len(shape), dtype.itemsize
        self.size = math.prod(shape)
        self.nbytes = self.size * dtype.itemsize
        steps, step = [], dtype.itemsize
        for length in reversed(shape):
            steps.append(step)
            step *= max(length, 1)
        self.strides = tuple(reversed(steps))
        self.flags, self.base = _Flags, None

    def __getattr__(self, name: str) -> Any:
        raise Unbatchable(name)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Unbatchable("array")


class Level:
    """One running ``vmap``: its number of examples, and the ops that had no rule."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.by_example: list[str] = []


levels: list[Level] = []


class Batched(Tensor):
    """One example's view of a batch."""

    __torch_function__ = staticmethod(_disabled_torch_function_impl)  # type: ignore[assignment]
    whole: Tensor
    level: Level

    def __init__(self, whole: Tensor, level: Level) -> None:
        pass

    def detach(self) -> Tensor:
        return batched(self.whole.detach(), self.level)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        self.whole.requires_grad_(requires_grad)
        return self

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"BatchedTensor(lvl={levels.index(self.level) + 1}, bdim=0, value={self.whole!r})"

    @property
    def _needs_grad(self) -> bool:  # type: ignore[override]
        return self.whole._needs_grad

    @property
    def _edge(self) -> Any:  # type: ignore[override]
        return self.whole._edge


def batched(whole: Tensor, level: Level) -> Batched:
    """The example's view of ``whole``."""
    made: Batched = object.__new__(Batched)
    made.whole, made.level = whole, level
    made._array = _Example(whole._array.shape[1:], whole._array.dtype)  # type: ignore[assignment]
    made._counter = whole._counter
    return made


def along(value: Tensor, level: Level) -> Tensor:
    """The batch behind a tensor at a level; what is the same for all examples is stretched."""
    if isinstance(value, Batched) and value.level is level:
        return value.whole
    return ops.expand(value, (level.size, *value._array.shape))


def left(value: Any, place: int | None, level: Level) -> Any:
    """A result as it leaves the level: the batch at ``place``."""
    if not isinstance(value, Tensor) or (not isinstance(value, Batched) and not isinstance(value._array, np.ndarray)):
        raise Unbatchable("result")
    if place is None:
        if _is_batched(value, level):
            raise Unbatchable("result")
        return value
    whole = along(value, level)
    return whole.movedim(0, place) if place else whole  # type: ignore[attr-defined]


def at_all_levels(value: Tensor) -> Tensor:
    """A tensor as every running ``vmap`` sees it, so that each example has its own derivative by it."""
    for level in levels:
        if _innermost([value]) is None or not _has_level(value, level):
            value = batched(along(value, level), level)
    return value


def behind(value: Tensor) -> Tensor:
    """The ordinary tensor behind all levels."""
    while isinstance(value, Batched):
        value = value.whole
    return value


def without_graph(value: Tensor) -> Tensor:
    """The same numbers without their history."""
    if isinstance(value, Batched):
        return batched(without_graph(value.whole), value.level)
    return gradients._without_graph(value)


def _has_level(value: Any, level: Level) -> bool:
    while isinstance(value, Batched):
        if value.level is level:
            return True
        value = value.whole
    return False


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def _innermost(values: Sequence[Any]) -> Level | None:
    """The innermost level among the values."""
    found = [levels.index(one.level) for one in _flat(values) if isinstance(one, Batched)]
    return levels[max(found)] if found else None


def gradients_of(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], cotangents: Sequence[Any], **options: Any
) -> Sequence[Any]:
    """``autograd.grad`` of examples: one pass over the batch."""
    level = _innermost([*outputs, *inputs, *cotangents])
    if level is None:
        return gradients.grad(outputs, inputs, cotangents, **options)
    wholes = [along(out, level) for out in outputs]
    seeds = [
        whole.new_ones(whole._array.shape) if g is None else along(g, level)  # type: ignore[attr-defined]
        for whole, g in zip(wholes, cotangents, strict=True)
    ]
    places = [one.whole if isinstance(one, Batched) and one.level is level else one for one in inputs]
    if any(place is one for place, one in zip(places, inputs, strict=True)):
        raise Unbatchable("derivative by what all examples share")
    found = gradients_of(wholes, places, seeds, **options)
    return [None if g is None else batched(g, level) for g in found]


# The op, once for all examples.


def _intercept(op: Op, args: tuple[Any, ...]) -> Any:
    if not levels:
        return NotImplemented
    count = len(op.inputs)
    level = _innermost(args[:count])
    if level is None:
        return NotImplemented
    inputs, params = list(args[:count]), dict(zip([name for name, _ in op.params], args[count:], strict=False))
    for name, default in op.params:
        params.setdefault(name, default)
    try:
        result = _rule(op)(op, inputs, params, level)
    except Unbatchable:
        level.by_example.append(op.name)
        result = _by_example(op, inputs, params, level)
    if isinstance(result, (tuple, list)):
        return tuple(batched(one, level) for one in result)
    return batched(result, level)


@contextmanager
def running(level: Level) -> Iterator[None]:
    """Ops on tensors of the level find their rules."""
    levels.append(level)
    modes.special.enter()
    if len(levels) == 1:
        dispatch.interceptors.insert(0, _intercept)
    try:
        yield
    finally:
        levels.remove(level)
        modes.special.leave()
        if not levels:
            dispatch.interceptors.remove(_intercept)


Rule = Callable[[Op, list[Any], dict[str, Any], Level], Any]


def _call(op: Op, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    return getattr(ops, op.name)(*inputs, *params.values())


def _by_example(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    def entry(value: Any, index: int) -> Any:
        if isinstance(value, (list, tuple)):
            return [entry(one, index) for one in value]
        if isinstance(value, Batched) and value.level is level:
            return ops.select(value.whole, 0, index)
        return value

    rows = [_call(op, [entry(value, index) for value in inputs], params) for index in range(level.size)]
    if isinstance(rows[0], (tuple, list)):
        return tuple(gradients.stack(list(column)) for column in zip(*rows, strict=True))
    return gradients.stack(rows)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _ndim(value: Any) -> int:
    return int(value._array.ndim)


def _is_batched(value: Any, level: Level) -> bool:
    return isinstance(value, Batched) and value.level is level


def _lifted(value: Tensor, ndim: int) -> Tensor:
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
    return _call(op, [_lifted(value.whole, ndim) if _is_batched(value, level) else value for value in inputs], params)


def _everything(x: Any) -> Shape:
    return tuple(range(1, _ndim(x)))


# What takes None, or all axes, as a tuple of axes.
_TAKES_ALL = frozenset("sum mean nansum amax amin aminmax var std var_mean std_mean logsumexp all any".split())


def _moved(axis: Any, x: Any, op: Op) -> Any:
    """An axis of an example, or several, as that of the batch."""
    if axis is None:
        if op.name not in _TAKES_ALL:
            raise Unbatchable(op.name)
        return _everything(x)
    if isinstance(axis, (tuple, list)):
        if not axis and op.name not in _TAKES_ALL:
            raise Unbatchable(op.name)
        return tuple(_moved(one, x, op) for one in axis)
    return axis + 1 if axis >= 0 else axis


_AXES = ("axis", "axes", "axis0", "axis1", "axis2")
_SHAPES = ("shape", "x_shape")


def _by_parameters(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops whose parameters say where things are: axes move by one, shapes get the batch in front."""
    whole = [along(value, level) if _is_tensor(value) else value for value in inputs]
    new = dict(params)
    for name, value in params.items():
        if name in _AXES:
            new[name] = _moved(value, whole[0], op)
        elif name in _SHAPES:
            new[name] = (level.size, *value)
    return _call(op, whole, new)


def _shared_index(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``index_select`` and its like: one vector of indices for all examples."""
    if _is_batched(inputs[-1], level):
        raise Unbatchable(op.name)
    new = {name: value + 1 if name == "axis" and value >= 0 else value for name, value in params.items()}
    if "shape" in new:
        new["shape"] = (level.size, *new["shape"])
    return _call(op, [*(along(value, level) for value in inputs[:-1]), inputs[-1]], new)


def _naturally(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops that take batches in front of matrices, or rows, as they are."""
    return _call(op, [along(value, level) if _is_tensor(value) else value for value in inputs], params)


def _listed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    axis = params["axis"]
    return _call(op, [[along(one, level) for one in inputs[0]]], {**params, "axis": axis + 1 if axis >= 0 else axis})


def _permuted(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0]
    return _call(op, [x.whole], {"axes": (0, *(axis % _ndim(x) + 1 for axis in params["axes"]))})


def _repeated(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = _lifted(inputs[0].whole, len(params["counts"]))
    return _call(op, [x], {"counts": (1, *params["counts"])})


def _expanded(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return _call(op, [_lifted(inputs[0].whole, len(params["shape"]))], {"shape": (level.size, *params["shape"])})


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
    x = ops.expand(_lifted(ops.view(inputs[0].whole, (level.size,)), len(shape)), (level.size, *shape))
    return ops.divide_by(x, params["divisor"]) if "divisor" in params else ops.clone(x)


# Products.


def _product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b  # type: ignore[operator,no-any-return]


def _whole(value: Any, level: Level) -> Any:
    return value.whole if _is_batched(value, level) else value


def _mm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    x, y = _whole(a, level), _whole(b, level)
    if _is_batched(a, level) and not _is_batched(b, level) and _ndim(a) == 2:
        rows, inner = a._array.shape
        return ops.view(ops.mm(_contiguous_view(x, (level.size * rows, inner)), y), (level.size, rows, b._array.shape[1]))
    return _product(x, y)


def _contiguous_view(x: Tensor, shape: Shape) -> Tensor:
    return x.reshape(shape)  # type: ignore[attr-defined,no-any-return]


def _mv(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    if not _is_batched(b, level):
        return _product(a.whole, b)
    if not _is_batched(a, level):
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
    product = _mm(op, [a, b], {}, level) if _is_batched(a, level) or _is_batched(b, level) else ops.mm(a, b)
    if params.get("alpha", 1) != 1:
        product = product * params["alpha"]
    if not params.get("beta", 1):
        return product if _ndim(product) == 3 else along(product, level)
    start = _lifted(bias.whole, 2) if _is_batched(bias, level) else bias
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
    if not _is_batched(x, level):
        raise Unbatchable(op.name)
    ndim = _ndim(x)
    axes = tuple(axis % ndim + 1 for axis in params["axes"])
    if not _is_batched(weight, level) and not _is_batched(bias, level):
        return ops.layer_norm(x.whole, weight, bias, axes, params["eps"])
    out = ops.normalized(x.whole, axes, params["eps"])
    for vector, apply in ((weight, ops.mul), (bias, ops.add)):
        if vector is not None:
            out = apply(out, _lifted(vector.whole, ndim) if _is_batched(vector, level) else vector)
    return out


def _folded(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops on a batch of their own (images, say): both batches become one."""
    x, *others = inputs
    if not _is_batched(x, level) or any(_is_batched(one, level) for one in others):
        raise Unbatchable(op.name)
    shape = x._array.shape
    new = {name: (level.size * shape[0], *value[1:]) if name == "x_shape" else value for name, value in params.items()}
    out = _call(op, [_contiguous_view(x.whole, (level.size * shape[0], *shape[1:])), *others], new)
    parts = [
        _contiguous_view(one, (level.size, shape[0], *one._array.shape[1:])) for one in (out if type(out) is tuple else [out])
    ]
    return tuple(parts) if type(out) is tuple else parts[0]


def _convolution(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Kernels that all examples share: one batch. A kernel for each: as many groups as examples."""
    x, weight, *rest = inputs
    if not _is_batched(weight, level) and not any(_is_batched(one, level) for one in rest):
        return _folded(op, inputs, params, level)
    if params.get("transposed"):
        raise Unbatchable(op.name)
    images, kernels = along(x, level), along(weight, level)
    count, channels, *size = x._array.shape
    made = weight._array.shape[0]
    wide = _contiguous_view(images.transpose(0, 1), (count, level.size * channels, *size))  # type: ignore[attr-defined]
    each = _contiguous_view(kernels, (level.size * made, *weight._array.shape[1:]))
    others = [one if one is None else _contiguous_view(along(one, level), (level.size * made,)) for one in rest]
    out = _call(op, [wide, each, *others], {**params, "groups": params["groups"] * level.size})
    return _contiguous_view(out, (count, level.size, made, *out._array.shape[2:])).transpose(0, 1)  # type: ignore[attr-defined]


_RULES: dict[str, Rule] = {
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
            "view reshape_alias unsafe_view transpose squeeze squeeze_several squeeze_row expand_dims select slice diagonal "
            "unfold unbind split split_with_sizes unsafe_split embed_select embed_slice embed_diagonal fold_windows gather "
            "gather_adjoint scatter_add flip sum mean nansum amax amin aminmax var std var_mean std_mean all any logsumexp "
            "cumsum cumprod cummax cummin argcummax argcummin logcumsumexp softmax softmax_grad log_softmax log_softmax_grad "
            "argmax argmin max min take_along put_along add_along put_reduced take_reduced argsort argtopk sort topk prod "
            "count_nonzero vector_norm norm_along normalized normalized_slope glu diag_embed diagonal_copy"
        ).split(),
        _by_parameters,
    ),
    **dict.fromkeys(
        (
            "tril triu inv inv_ex det slogdet cholesky cholesky_ex eigh eigvalsh eig eigvals svd svdvals qr matrix_exp adjoint "
            "view_as_real view_as_complex"
        ).split(),
        _naturally,
    ),
    **dict.fromkeys(
        (
            "max_pool2 max_pool3 avg_pool2 avg_pool3 avg_pool_adjoint adaptive_avg_pool2 adaptive_avg_pool3 adaptive_max_pool2 "
            "adaptive_max_pool3 interpolate im2col pixel_shuffle pixel_unshuffle group_norm"
        ).split(),
        _folded,
    ),
}


def _none(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    raise Unbatchable(op.name)


def _rule(op: Op) -> Rule:
    found = _RULES.get(op.name)
    if found is not None:
        return found
    if (op.promote is not None and op.name != "dist") or op.kind == "elementwise":
        return _pointwise
    return _none
