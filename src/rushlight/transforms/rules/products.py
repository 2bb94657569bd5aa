"""The rules by which products and linear algebra take a batch along."""

from __future__ import annotations

from typing import Any

from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op
from ...tensor import Tensor
from ..batched_tensors import Level, Rule, along, call_op, is_batched
from ..outlines import Unbatchable
from . import forms
from .forms import dims_of, folded, folded_view, lifted, naturally, with_batches


def _product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


def _whole(value: Any, level: Level) -> Any:
    return value.whole if is_batched(value, level) else value


def _mm(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    a, b = inputs
    x, y = _whole(a, level), _whole(b, level)
    if is_batched(a, level) and not is_batched(b, level) and dims_of(a) == 2:
        rows, inner = a._array.shape
        return ops.unsafe_view(ops.mm(folded_view(x, (level.size * rows, inner)), y), (level.size, rows, b._array.shape[1]))
    return _product(x, y)


def _turned(matrix: Tensor) -> Tensor:
    return ops.permute_dims(matrix, (1, 0))


def _mv(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    a, b = inputs
    if not is_batched(b, level):
        return _product(a.whole, b)
    y = b.whole
    if not is_batched(a, level):
        return _turned(ops.mm(a, _turned(y))) if dims_of(y) == 2 else _product(y, ops.t(a))
    return ops.squeeze(_product(a.whole, ops.expand_dims(b.whole, 2)), (2,))


def _dot(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    a, b = (_whole(value, level) for value in inputs)
    if dims_of(a) == 1:
        return _product(b, a)
    if dims_of(b) == 1:
        return _product(a, b)
    product = _product(ops.expand_dims(a, 1), ops.expand_dims(b, 2))
    return ops.squeeze(ops.squeeze(product, (2,)), (1,))


def _outer(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    a, b = (_whole(value, level) for value in inputs)
    row = lifted(b, 2) if is_batched(inputs[1], level) else b
    return ops.view(a, (*a._array.shape, 1)) * row


def _addmm(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    bias, a, b = inputs
    product = _mm(op, [a, b], {}, level) if is_batched(a, level) or is_batched(b, level) else ops.mm(a, b)
    alpha, beta = params.get("alpha", 1), params.get("beta", 1)
    if not beta:
        product = product if alpha == 1 else product * alpha
        return product if dims_of(product) == 3 else along(product, level)
    start = ops.times(_whole(bias, level), beta)
    if is_batched(bias, level):
        start = lifted(start, 2)
    return ops.add(start, product) if alpha == 1 else ops.add_scaled(start, product, alpha)


def _baddbmm(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
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


def _vdot(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    a, b = (along(value, level) for value in inputs)
    return ops.sum(ops.mul(ops.conj(a), b), (1,), False)


def _solve(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    a, b = inputs
    if dims_of(a) - 2 != dims_of(b) - (1 if params["vector"] else 2):
        raise Unbatchable(op.name)
    return naturally(op, inputs, params, level)


def _trilinear(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``sum_ij a[n, i] * weight[o, i, j] * b[n, j]``."""
    a, weight, b = inputs
    left, right = along(a, level), along(b, level)
    if not is_batched(weight, level):
        rows = [folded_view(one, (-1, one._array.shape[-1])) for one in (left, right)]
        return folded_view(call_op(op, [rows[0], weight, rows[1]], params), (*left._array.shape[:-1], weight._array.shape[0]))
    products = _product(ops.expand_dims(left, 1), weight.whole) * ops.expand_dims(right, 1)
    return ops.transpose(ops.sum(products, (3,), False), 1, 2)


def _attention(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    mask = params["mask"]
    if mask is not None and (hasattr(mask, "level") or mask.ndim > 2):  # not the same for all examples
        raise Unbatchable(op.name)
    if dims_of(inputs[0]) > 2 and len({one._array.shape[:-2] for one in inputs}) == 1:
        return folded(op, inputs, params, level)
    return with_batches(*(2 for _ in inputs))(op, inputs, params, level)


def _least_squares(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    found = with_batches(2, 2)(op, inputs, params, level)
    return tuple(along(one, level) if one._array.shape == (0,) else one for one in found)  # what was not asked for is empty


RULES: dict[str, Rule] = {
    "addmm": _addmm,
    "attention": _attention,
    "bmm": lambda op, inputs, params, level: _product(*(_whole(value, level) for value in inputs)),
    "dot": _dot,
    "lstsq": _least_squares,
    "mm": _mm,
    "mv": _mv,
    "outer": _outer,
    "solve": _solve,
    "solve_ex": _solve,
    "trilinear": _trilinear,
    "vdot": _vdot,
    **dict.fromkeys("baddbmm addbmm addmv addr".split(), _baddbmm),
    **dict.fromkeys("cdist euclidean_dist solve_triangular triangular_solve cholesky_solve copy".split(), with_batches(2, 2)),
    **dict.fromkeys("householder_product lu_unpack".split(), with_batches(2, 1)),
    **dict.fromkeys("lu_solve ldl_solve".split(), with_batches(2, 2, 1)),
    "ormqr": with_batches(2, 1, 2),
}
forms.rules.update(RULES)
