"""The rules by which ops take a batch along: from the inputs and parameters for one example those for all.

By the names of the parameters where these say enough (``axis``, ``shape``), else by the op's name.
"""

from __future__ import annotations

from typing import Any

from ...ops import dispatch
from ...ops.public import ops
from ...ops.table import Op, table
from ...tensor import Tensor
from .. import examples
from ..examples import Level, Rule, Shape, Unbatchable, along, call_op, is_batched


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def dims_of(value: Any) -> int:
    return int(value._array.ndim)


def lifted(value: Tensor, ndim: int) -> Tensor:
    """A batch of examples with ones put in front of their dimensions, so that there are ``ndim``."""
    missing = ndim + 1 - dims_of(value)
    for _ in range(missing):
        value = ops.expand_dims(value, 1)
    return value


def pointwise(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Examples that broadcast against each other: dimensions of size 1 come between the batch and theirs."""
    tensors = [value for value in inputs if is_tensor(value)]
    ndim = max(map(dims_of, tensors))
    if op.promote is not None and len({value._array.dtype for value in tensors}) > 1:
        dtype = dispatch.common_dtype([value for value in inputs if value is not None]).numpy
        inputs = [ops.astype(value, dtype) if is_tensor(value) and value._array.dtype != dtype else value for value in inputs]
    return call_op(op, [lifted(value.whole, ndim) if is_batched(value, level) else value for value in inputs], params)


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
    "argcummin logcumsumexp softmax log_softmax argmax argmin max min argsort argtopk sort topk prod count_nonzero vector_norm "
    "median argmedian kthvalue argkth mode argmode flip gather scatter scatter_value scatter_add scatter_reduce".split()
)


def by_parameters(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
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
    if op.name in ("squeeze", "squeeze_several", "transpose") and dims_of(whole[0]) == 1:
        return ops.alias(whole[0])  # a number has nothing to move
    new = dict(params)
    for name, value in params.items():
        if name in _AXES:
            new[name] = _moved(value, whole[0], op)
        elif name in _SHAPES:
            new[name] = (level.size, *value)
    return call_op(op, whole, new)


def _copied(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``view_copy`` and its like: the view, copied."""
    view = table[op.name.removesuffix("_copy")]
    out = _find(view)(view, inputs, params, level)
    return tuple(ops.clone(one) for one in out) if isinstance(out, (tuple, list)) else ops.clone(out)


def _shared_index(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``index_select`` and its like: one vector of indices for all examples."""
    if is_batched(inputs[-1], level):
        raise Unbatchable(op.name)
    new = {name: value + 1 if name == "axis" and value >= 0 else value for name, value in params.items()}
    if "shape" in new:
        new["shape"] = (level.size, *new["shape"])
    return call_op(op, [*(along(value, level) for value in inputs[:-1]), inputs[-1]], new)


def naturally(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops that take batches in front of matrices, or rows, as they are."""
    return call_op(op, [along(value, level) if is_tensor(value) else value for value in inputs], params)


def _listed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    axis = params["axis"]
    return call_op(op, [[along(one, level) for one in inputs[0]]], {**params, "axis": axis + 1 if axis >= 0 else axis})


def _permuted(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0]
    return call_op(op, [x.whole], {"axes": (0, *(axis % dims_of(x) + 1 for axis in params["axes"]))})


def _repeated(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = lifted(inputs[0].whole, len(params["counts"]))
    return call_op(op, [x], {"counts": (1, *params["counts"])})


def _expanded(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return call_op(op, [lifted(inputs[0].whole, len(params["shape"]))], {"shape": (level.size, *params["shape"])})


def _transposed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0].whole
    return ops.transpose(x, 1, 2) if dims_of(x) == 3 else x


def _squeezed(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x = inputs[0].whole
    axes = tuple(axis for axis, size in enumerate(x._array.shape) if axis and size == 1)
    return ops.squeeze_several(x, axes) if axes else ops.alias(x)


def _of_all(name: str) -> Rule:
    """A full reduction: over all axes but the batch's."""

    def rule(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
        x = inputs[0].whole
        return getattr(ops, name)(x, everything(x), False, *params.values())

    return rule


def _stretched(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``expand_number`` and ``divide_number``."""
    shape = params["shape"]
    x = ops.expand(lifted(ops.view(inputs[0].whole, (level.size,)), len(shape)), (level.size, *shape))
    return ops.divide_by(x, params["divisor"]) if "divisor" in params else ops.clone(x)


# Products.


def _product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


def _whole(value: Any, level: Level) -> Any:
    return value.whole if is_batched(value, level) else value


def _mm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    x, y = _whole(a, level), _whole(b, level)
    if is_batched(a, level) and not is_batched(b, level) and dims_of(a) == 2:
        rows, inner = a._array.shape
        return ops.view(ops.mm(folded_view(x, (level.size * rows, inner)), y), (level.size, rows, b._array.shape[1]))
    return _product(x, y)


def folded_view(x: Tensor, shape: Shape) -> Tensor:
    return x.reshape(shape)


def _mv(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    if not is_batched(b, level):
        return _product(a.whole, b)
    if not is_batched(a, level):
        return _product(b.whole, ops.t(a))
    return ops.squeeze(_product(a.whole, ops.expand_dims(b.whole, 2)), (2,))


def _dot(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = (_whole(value, level) for value in inputs)
    if dims_of(a) == 1:
        return _product(b, a)
    if dims_of(b) == 1:
        return _product(a, b)
    return ops.sum(ops.mul(a, b), (1,), False)


def _outer(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = (_whole(value, level) for value in inputs)
    return ops.expand_dims(a, dims_of(a)) * ops.expand_dims(b, dims_of(b) - 1)


def _addmm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    bias, a, b = inputs
    product = _mm(op, [a, b], {}, level) if is_batched(a, level) or is_batched(b, level) else ops.mm(a, b)
    if params.get("alpha", 1) != 1:
        product = product * params["alpha"]
    if not params.get("beta", 1):
        return product if dims_of(product) == 3 else along(product, level)
    start = lifted(bias.whole, 2) if is_batched(bias, level) else bias
    return product + (start if params.get("beta", 1) == 1 else start * params["beta"])


def _reshaped(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return folded_view(inputs[0].whole, (level.size, *params["shape"]))


def _product_of_all(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return ops.prod(folded_view(inputs[0].whole, (level.size, -1)), 1, False, *params.values())


def _rolled(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    if params["axes"] is not None:
        return by_parameters(op, inputs, params, level)
    whole = inputs[0].whole
    flat = ops.roll(folded_view(whole, (level.size, -1)), params["shifts"], (1,))
    return folded_view(flat, whole._array.shape)


def _trace(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return ops.sum(ops.diagonal(inputs[0].whole, 0, 1, 2), (1,), False)


def _baddbmm(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Sums of a start and products of matrices, of vectors or of batches of matrices."""
    bias, a, b = inputs
    left, right = _whole(a, level), _whole(b, level)
    if op.name == "addmv":
        product = _mv(op, [a, b], {}, level) if is_batched(a, level) or is_batched(b, level) else ops.mv(a, b)
    elif op.name == "addr":
        product = ops.expand_dims(left, dims_of(left)) * ops.expand_dims(right, dims_of(right) - 1)
    else:
        product = _product(left, right)
        if op.name == "addbmm":
            product = ops.sum(product, (dims_of(product) - 3,), False)
    if params.get("alpha", 1) != 1:
        product = product * params["alpha"]
    if not params.get("beta", 1):
        raise Unbatchable(op.name)
    dims = {"baddbmm": 3, "addmv": 1}.get(op.name, 2)
    start = lifted(bias.whole, dims) if is_batched(bias, level) else bias
    return product + (start if params.get("beta", 1) == 1 else start * params["beta"])


def _vdot(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = (along(value, level) for value in inputs)
    return ops.sum(ops.mul(ops.conj(a), b), (1,), False)


def _solve(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    a, b = inputs
    if dims_of(a) - 2 != dims_of(b) - (1 if params["vector"] else 2):
        raise Unbatchable(op.name)
    return naturally(op, inputs, params, level)


def _of_equal_dimensions(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """Ops that take batches in front, of inputs that have as many dimensions as each other."""
    if len({dims_of(one) for one in inputs}) > 1 or params.get("mask") is not None:
        raise Unbatchable(op.name)
    return by_parameters(op, inputs, params, level)


def _strided(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    return along(inputs[0].as_strided(params["shape"], params["strides"], params["offset"]), level)


rules: dict[str, Rule] = {
    "as_strided": _strided,
    "vdot": _vdot,
    "max_all": _of_all("amax"),
    "min_all": _of_all("amin"),
    "roll": _rolled,
    "trace": _trace,
    "solve": _solve,
    "solve_ex": _solve,
    "prelu": pointwise,
    **dict.fromkeys("baddbmm addbmm addmv addr".split(), _baddbmm),
    **dict.fromkeys(
        "cdist cross attention solve_triangular triangular_solve cholesky_solve householder_product copy".split(),
        _of_equal_dimensions,
    ),
    **dict.fromkeys(
        (
            "view_copy expand_copy split_with_sizes_copy split_copy narrow_copy permute_dims_copy squeeze_copy squeeze_all_copy "
            "squeeze_several_copy expand_dims_copy transpose_copy unbind_copy unfold_copy t_copy select_copy slice_copy"
        ).split(),
        _copied,
    ),
    "unsafe_view": _reshaped,
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
    **dict.fromkeys(("concat", "stack"), _listed),
    **dict.fromkeys(("index_select", "index_select_adjoint"), _shared_index),
    **dict.fromkeys(
        (
            "where masked_fill_tensor lerp sigmoid_slope relu_slope tanh_slope real imag conj conj_physical angle complex polar "
            "gelu_erf_slope silu_slope leaky_relu_slope not_nan zero clone contiguous alias astype to_copy divide_by number_pow "
            "heaviside isclose zeros_as detach_copy alias_copy masked_fill clamp clamp_min clamp_max"
        ).split(),
        pointwise,
    ),
    **dict.fromkeys(
        (
            "view reshape_alias transpose squeeze squeeze_several squeeze_row expand_dims select slice diagonal "
            "unfold unbind split split_with_sizes unsafe_split embed_select embed_slice embed_diagonal fold_windows gather "
            "gather_adjoint scatter_add flip sum mean nansum amax amin aminmax var std var_mean std_mean all any logsumexp "
            "cumsum cumprod cummax cummin argcummax argcummin logcumsumexp softmax softmax_grad log_softmax log_softmax_grad "
            "argmax argmin max min take_along put_along add_along put_reduced take_reduced argsort argtopk sort topk prod "
            "count_nonzero vector_norm norm_along normalized normalized_slope glu diag_embed diagonal_copy "
            "median argmedian kthvalue argkth mode argmode rot90 "
            "select_scatter slice_scatter diagonal_scatter "
            "fft_r2c fft_c2c fft_c2r diff"
        ).split(),
        by_parameters,
    ),
    **dict.fromkeys(
        (
            "tril triu inv inv_ex det slogdet cholesky cholesky_ex eigh eigvalsh eig eigvals svd svdvals qr matrix_exp adjoint "
            "view_as_real view_as_complex constant_pad lu lu_factor_ex cholesky_older cholesky_inverse geqrf pinv ldl_factor_ex"
        ).split(),
        naturally,
    ),
}


def _none(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    raise Unbatchable(op.name)


def _find(op: Op) -> Rule:
    found = rules.get(op.name)
    if found is not None:
        return found
    if (op.promote is not None and op.name != "dist") or op.kind == "elementwise":
        return pointwise
    return _none


examples.find_rule = _find
