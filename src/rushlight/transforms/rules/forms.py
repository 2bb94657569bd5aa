"""The rules by which ops take a batch along: from the inputs and parameters for one example those for all.

By the names of the parameters where these say enough (``axis``, ``shape``), else by the op's name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.interpreters import Named
from ...ops import promotion
from ...ops.public import ops
from ...ops.table import Op
from ...tensor import Tensor, wrap
from ..batched_tensors import BatchedTensor, Level, Rule, along, call_op, is_batched
from ..outlines import NoFirstExample, Shape, Unbatchable


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def dims_of(value: Any) -> int:
    return int(value._array.ndim)


def lifted(value: Tensor, ndim: int) -> Tensor:
    """A batch of examples with ones put in front of their dimensions, so that there are ``ndim``."""
    missing = ndim + 1 - dims_of(value)
    if missing <= 0:
        return value
    size, *shape = value._array.shape
    return ops.view(value, (size, *(1,) * missing, *shape))


def _outermost(value: Any) -> Any:
    """The tensor of all examples of all levels."""
    while isinstance(value, BatchedTensor):
        value = value.whole
    return value


# PyTorch looks at the dtypes of these and a number as at those of two tensors.
_NUMBERS_AS_TENSORS = frozenset("add sub mul div".split())
_OF_ANY_DTYPES = frozenset("eq ne lt le gt ge logical_and logical_or logical_xor".split())


def pointwise(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Examples that broadcast against each other: dimensions of size 1 come between the batch and theirs."""
    tensors = [value for value in inputs if is_tensor(value)]
    ndim = max(map(dims_of, tensors))
    looks = not level.size and not level.internal and not level.writes  # for a dtype, as out of place alone
    if looks and len(inputs) == 2 and op.promote is not None and op.name not in _OF_ANY_DTYPES:
        numbers = [one for one in tensors if is_batched(one, level) and not dims_of(one)]
        if len(numbers) == 1 and (len(tensors) == 2 or op.name in _NUMBERS_AS_TENSORS):
            raise NoFirstExample(_outermost(numbers[0])._array.shape)
    given = [lifted(value.whole, ndim) if is_batched(value, level) else value for value in inputs]
    if op.promote is not None and len({value._array.dtype for value in tensors}) > 1:
        dtype = promotion.common_dtype([value for value in inputs if value is not None])
        if promotion.common_dtype([value for value in given if value is not None]) is not dtype:  # examples without dimensions
            to = dtype.numpy
            given = [ops.astype(value, to) if is_tensor(value) and value._array.dtype != to else value for value in given]
    return call_op(op, given, params)


def everything(x: Any) -> Shape:
    return tuple(range(1, dims_of(x)))


# What takes None, or all axes, as a tuple of axes.
_TAKES_ALL = frozenset("sum mean nansum amax amin aminmax var std var_mean std_mean logsumexp all any vector_norm".split())


def _moved(axis: Any, x: Any, op: Op) -> Any:
    """An axis of an example, or several, as that of the batch."""
    if axis is None:
        if op.name not in _TAKES_ALL:
            raise Unbatchable(op.name)
        return everything(x)
    if dims_of(x) == 1:  # a number for each example has no dimension
        raise Unbatchable(op.name)
    if isinstance(axis, (tuple, list)):
        if not axis and op.name not in _TAKES_ALL and op.name not in ("squeeze", "squeeze_several"):
            raise Unbatchable(op.name)
        return tuple(_moved(one, x, op) for one in axis)
    return axis + 1 if axis >= 0 else axis


_AXES = ("axis", "axes", "axis0", "axis1", "axis2")
_SHAPES = ("shape", "x_shape")


# What gives a number for a number: of examples without dimensions it is done along a dimension of size 1.
_OF_NUMBERS = frozenset(
    "sum mean nansum amax amin aminmax var std var_mean std_mean all any logsumexp cumsum cumprod cummax cummin argcummax "
    "argcummin logcumsumexp softmax log_softmax argsort argtopk sort sort_stable topk prod count_nonzero vector_norm argmedian "
    "argkth argmode argmax argmin flip hash_tensor".split()
)
# What picks one element: of a number, the number.
_CHOICES = frozenset("max min median nanmedian kthvalue mode".split())


def by_parameters(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Ops whose parameters say where things are: axes move by one, shapes get the batch in front."""
    whole = [along(value, level) if is_tensor(value) else value for value in inputs]
    if op.name in _OF_NUMBERS and all(dims_of(value) == 1 for value in whole if is_tensor(value)):
        whole = [ops.expand_dims(value, 1) if is_tensor(value) else value for value in whole]
        axes = {
            name: (1,) if isinstance(params[name], tuple) or op.name in _TAKES_ALL else 1 for name in _AXES if name in params
        }
        out = call_op(op, whole, {**params, **axes})
        found = [folded_view(one, (level.size,)) for one in (out if type(out) is tuple else [out])]
        return tuple(found) if type(out) is tuple else found[0]
    if op.name in _CHOICES and dims_of(whole[0]) == 1:
        return ops.clone(whole[0])
    if op.name in ("squeeze", "squeeze_several", "transpose") and dims_of(whole[0]) == 1:
        return whole[0] if op.name == "transpose" else ops.alias(whole[0])  # a number has nothing to move
    if op.name in ("softmax_grad", "log_softmax_grad") and dims_of(whole[0]) == 1:
        return wrap(np.zeros(whole[0]._array.shape, whole[0]._array.dtype))  # of a number it is a constant
    if op.name == "flip" and not params["axes"]:
        return ops.clone(whole[0])
    new = dict(params)
    for name, value in params.items():
        if name in _AXES:
            new[name] = _moved(value, whole[0], op)
        elif name in _SHAPES:
            new[name] = (level.size, *value)
    return call_op(op, whole, new)


def naturally(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Ops that take batches in front of matrices, or rows, as they are."""
    return call_op(op, [along(value, level) if is_tensor(value) else value for value in inputs], params)


def folded_view(x: Tensor, shape: Shape) -> Tensor:
    return x.reshape(shape)


def with_batches(*core: int) -> Rule:
    """The rule of an op on tensors with any number of batches in front of so many dimensions each."""

    def rule(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
        pairs = list(zip(inputs, core, strict=True))
        most = max(dims_of(value) - ndim for value, ndim in pairs if is_tensor(value))
        whole = [lifted(along(value, level), most + ndim) if is_tensor(value) else value for value, ndim in pairs]
        return call_op(op, whole, params)

    return rule


def folded(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Ops on batches of their own (images, say): both batches become one."""
    count = inputs[0]._array.shape[0]
    whole = [folded_view(along(one, level), (-1, *one._array.shape[1:])) if is_tensor(one) else one for one in inputs]
    new = {name: (level.size * count, *value[1:]) if name == "x_shape" else value for name, value in params.items()}
    out = call_op(op, whole, new)
    parts = [folded_view(one, (level.size, count, *one._array.shape[1:])) for one in (out if type(out) is tuple else [out])]
    return tuple(parts) if type(out) is tuple else parts[0]


def as_vectors(op: Op, inputs: list[Any], params: Named, level: Level, is_number: bool) -> Any:
    """An op on numbers done on vectors of one element; its result is one too where it ``is_number``."""
    wide = [ops.expand_dims(one, 0) if is_tensor(one) and not dims_of(one) else one for one in inputs]
    out = call_op(op, wide, params)
    return along(ops.squeeze(out, (0,)) if is_number else out, level)


def beside(op: Op, inputs: list[Tensor], params: Named, level: Level) -> object:
    """What is the first, whatever the others."""
    others = (one.whole if is_batched(one, level) else one for one in inputs[1:])
    return call_op(op, [along(inputs[0], level), *others], params)


rules: dict[str, Rule] = {
    "prelu": pointwise,
    "beside": beside,
    "beside_kept": beside,
    "beside_zeros": beside,
    "beside_product": beside,
    **dict.fromkeys(
        (
            "where masked_fill_tensor lerp sigmoid_backward relu_backward tanh_backward real imag conj conj_physical angle complex polar "
            "rrelu_noise_backward prelu_backward not_nan zero clone contiguous alias astype divide_by number_pow times "
            "heaviside isclose zeros_as detach_copy alias_copy masked_fill clamp clamp_min clamp_max"
        ).split(),
        pointwise,
    ),
    **dict.fromkeys(
        (
            "view reshape_alias transpose swapped squeeze squeeze_several squeeze_row select slice diagonal unfold unbind split "
            "split_with_sizes unsafe_split embed_select embed_slice embed_diagonal fold_windows gather_adjoint flip sum mean nansum "
            "amax amin aminmax var std var_mean std_mean all any logsumexp cumsum cumprod cummax cummin argcummax argcummin "
            "logcumsumexp softmax safe_softmax softmax_grad log_softmax log_softmax_grad max min take_along put_along add_along "
            "put_reduced take_reduced argsort argtopk sort sort_stable topk prod count_nonzero vector_norm norm_along normalized "
            "normalized_backward glu glu_backward diag_embed diagonal_copy median nanmedian argmedian kthvalue argkth mode argmode rot90 "
            "select_scatter slice_scatter diagonal_scatter fft_r2c fft_c2c fft_c2r diff cross"
        ).split(),
        by_parameters,
    ),
    **dict.fromkeys(
        (
            "tril triu inv inv_ex det slogdet cholesky cholesky_ex eigh eigvalsh eig eigvals svd svdvals qr matrix_exp adjoint "
            "view_as_real view_as_complex constant_pad lu lu_factor_ex cholesky_older cholesky_inverse geqrf pinv ldl_factor_ex matrix_rank"
        ).split(),
        naturally,
    ),
}


def _none(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    raise Unbatchable(op.name)


def find(op: Op) -> Rule:
    """The rule of an op."""
    found = rules.get(op.name)
    if found is not None:
        return found
    return pointwise if op.promote is not None or op.kind == "elementwise" else _none
