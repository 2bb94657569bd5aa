"""The rules by which ops that arrange elements take a batch along: views, copies of views, joins and pads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op, table
from ...tensor import wrap
from ..batched_tensors import Level, Rule, along, call_op
from ..outlines import Unbatchable
from . import forms
from .forms import by_parameters, dims_of, find, folded_view, lifted, pointwise


def _copied(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``view_copy`` and its like: the view, copied."""
    view = table[op.name.removesuffix("_copy")]
    out = find(view)(view, inputs, params, level)
    return tuple(ops.clone(one) for one in out) if isinstance(out, (tuple, list)) else ops.clone(out)


def _permuted(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x = inputs[0]
    return call_op(op, [x.whole], {"axes": (0, *(axis % dims_of(x) + 1 for axis in params["axes"]))})


def _repeated(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x = lifted(inputs[0].whole, len(params["counts"]))
    return call_op(op, [x], {"counts": (1, *params["counts"])})


def _expanded(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    return call_op(op, [lifted(inputs[0].whole, len(params["shape"]))], {"shape": (level.size, *params["shape"])})


def _transposed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x = inputs[0].whole
    return x if dims_of(x) == 1 else ops.transpose(x, 1, dims_of(x) - 1)


def _squeezed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x = inputs[0].whole
    axes = tuple(axis for axis, size in enumerate(x._array.shape) if axis and size == 1)
    return ops.squeeze_several(x, axes) if axes else ops.alias(x)


def _stretched(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``expand_number`` and ``divide_number``."""
    shape = params["shape"]
    x = ops.expand(lifted(ops.view(inputs[0].whole, (level.size,)), len(shape)), (level.size, *shape))
    return ops.divide_by(x, params["divisor"]) if "divisor" in params else ops.clone(x)


def _reshaped(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    return folded_view(inputs[0].whole, (level.size, *params["shape"]))


def _rolled(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    if params["axes"] is not None:
        return by_parameters(op, inputs, params, level)
    whole = inputs[0].whole
    flat = ops.roll(folded_view(whole, (level.size, -1)), params["shifts"], (1,))
    return folded_view(flat, whole._array.shape)


def _strided(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    whole: Any = inputs[0].whole
    view = whole.as_strided((level.size, *params["shape"]), (whole.stride(0), *params["strides"]), params["offset"])
    return view if op.view else ops.clone(view)


def _listed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    axis = params["axis"]
    if op.name.startswith("concat") and not any(map(dims_of, inputs[0])):  # numbers of no example, a vector of none
        axis = -1
    return call_op(op, [[along(one, level) for one in inputs[0]]], {**params, "axis": axis + 1 if axis >= 0 else axis})


def _unsqueezed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x = inputs[0]
    return call_op(op, [x.whole], {"axis": params["axis"] % (dims_of(x) + 1) + 1})


def _narrowed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    axis = params["axis"]
    return call_op(op, [inputs[0].whole], {**params, "axis": axis + 1 if axis >= 0 else axis})


def _recast(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """A copy of another dtype, perhaps with the channels of each image last in memory."""
    x = inputs[0]
    if not params["memory_format"].startswith("channels_last"):
        return pointwise(op, inputs, params, level)
    if dims_of(x) != (4 if params["memory_format"] == "channels_last" else 5):
        raise Unbatchable(op.name)
    shape = x._array.shape
    return folded_view(call_op(op, [folded_view(x.whole, (-1, *shape[1:]))], params), (level.size, *shape))


def _blocks(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``block_diag``: matrices with zeros beside them, one below the other."""
    matrices = []
    for one in inputs[0]:
        whole = along(one, level)
        matrices.append(folded_view(whole, (level.size, *((1, 1, *one._array.shape)[-2:]))))
    wide = sum(one._array.shape[2] for one in matrices)
    rows, start = [], 0
    for one in matrices:
        _, height, width = one._array.shape
        beside = [wrap(np.zeros((level.size, height, size), one._array.dtype)) for size in (start, wide - start - width)]
        rows.append(ops.concat([beside[0], one, beside[1]], 2))
        start += width
    return ops.concat(rows, 1)


RULES: dict[str, Rule] = {
    "as_strided": _strided,
    "as_strided_copy": _strided,
    "block_diag": _blocks,
    "expand": _expanded,
    "expand_dims": _unsqueezed,
    "expand_number": _stretched,
    "divide_number": _stretched,
    "narrow_copy": _narrowed,
    "permute_dims": _permuted,
    "repeat": _repeated,
    "roll": _rolled,
    "squeeze_all": _squeezed,
    "t": _transposed,
    "to_copy": _recast,
    "to_integers": _recast,
    "unsafe_view": _reshaped,
    **dict.fromkeys(("concat", "concat_mixed", "stack", "stack_mixed"), _listed),
    **dict.fromkeys(
        (
            "view_copy expand_copy split_with_sizes_copy split_copy permute_dims_copy squeeze_copy squeeze_all_copy "
            "squeeze_several_copy expand_dims_copy transpose_copy unbind_copy unfold_copy t_copy select_copy slice_copy"
        ).split(),
        _copied,
    ),
}
forms.rules.update(RULES)
