"""How tangents go through ops in the ordinary case: by the table's rules over arrays, as in the reverse pass.

That case is one open level, plain floating-point tensors of one dtype, and nothing that a graph would record of the tangents.
:mod:`.forward_rules` has the rules for every case, and takes all others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd import modes
from ..tensor import PLAIN, new_tensor
from . import table

_Tangent = Callable[[list[Any], list[Any], tuple[Any, ...], Any], Any]
_NUMBERS = frozenset((int, float))
_found: dict[str, _Tangent | None] = {}


def run_with_tangents(op: table.Op, inputs: tuple[Any, ...], params: tuple[Any, ...], level: int) -> Any:
    """The result of an op, with its tangent in ``level``, the only one that is open; NotImplemented where the case is another."""
    special, state = modes.special, modes.state
    name = op.name
    rule = _found[name] if name in _found else _found.setdefault(name, _rule_of(op))
    if rule is None or special.hidden or state.saved_hooks or state.inference is not None:
        return NotImplemented
    arrays: list[Any] = []
    tangents: list[Any] = []
    if not _taken_apart(inputs, level, state.grad_enabled, arrays, tangents):
        return NotImplemented
    levels, state.forward_levels = state.forward_levels, 0  # to the op its inputs are ordinary tensors
    try:
        out = op.call(*inputs, *params)
    finally:
        state.forward_levels = levels
    array = out._array
    if array.dtype.kind in "fcVW":
        if len(params) < len(op.params):
            params = (*params, *(default for _, default in op.params[len(params) :]))
        try:
            tangent = np.asarray(rule(arrays, tangents, params, array))
        except NotImplementedError as error:
            raise lacking(op, error) from None
        out._tangents = {level: new_tensor(_laid_like(tangent, array))}
    return out


def lacking(op: table.Op, found: RuntimeError) -> RuntimeError:
    """PyTorch's error for an op that has no forward derivative, or none in a dtype; any other error as it is."""
    underivable = re.fullmatch(r"derivative for (aten::\w+) is not implemented", str(found))
    if underivable is not None and op.node_name == "NotImplemented":
        return NotImplementedError(f"Trying to use forward AD with {underivable[1]} that does not support it.")
    if not isinstance(found, NotImplementedError) or "not implemented for '" in str(found):
        return found
    name = {"unique": "_unique2"}.get(op.name, op.name)
    return NotImplementedError(
        f"Trying to use forward AD with {name} that does not support it because it has not been implemented "
        "yet.\nPlease file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template="
        "feature-request.yml so that we can prioritize its implementation or submit a PR adding the implementation "
        "to derivatives.yaml"
    )


def _laid_like(tangent: np.ndarray, array: np.ndarray) -> np.ndarray:
    """A tangent in its output's dtype and shape, row by row where that is."""
    if tangent.dtype is not array.dtype:
        tangent = tangent.astype(array.dtype)
    if tangent.shape != array.shape:
        tangent = np.broadcast_to(tangent, array.shape)
    if array.flags.c_contiguous and not tangent.flags.c_contiguous:
        tangent = np.ascontiguousarray(tangent)
    return tangent


def _taken_apart(inputs: Sequence[Any], level: int, recording: bool, arrays: list[Any], tangents: list[Any]) -> bool:
    """Whether all is ordinary; ``arrays`` are then the inputs' (numbers and None as they are), ``tangents`` theirs or None."""
    dtype, some = None, False
    for value in inputs:
        array, tangent, kind = value, None, value.__class__
        if kind in PLAIN:
            array = value._array
            if dtype is None:
                dtype = array.dtype
                if dtype.kind != "f" or dtype.itemsize < 4:
                    return False
            if array.dtype is not dtype or (recording and value._needs_grad):
                return False
            found = value._tangents
            if found is None:
                if value._base is not None and value._base._tangents is not None:
                    return False  # a view has what its base got since
            elif level in found:
                dual = found[level]
                tangent, kind = dual._array, dual.__class__
                if kind not in PLAIN or tangent.dtype is not dtype or tangent.shape != array.shape:
                    return False
                if recording and dual._needs_grad:
                    return False
                some = True
        elif value is not None and kind not in _NUMBERS:
            return False
        arrays.append(array)
        tangents.append(tangent)
    return some


def _rule_of(op: table.Op) -> _Tangent | None:
    """How tangents go through an op; None for one that :mod:`.forward_rules` takes always."""
    if op.view or op.joint is not None or op.variadic or op.outputs != ["out"] or op.node_name == "NotImplemented":
        return None
    if op.kind == "linear":
        return _linear(op)
    if op.kind == "bilinear":
        return _bilinear(op)
    return _elementwise(op) if op.kind in ("elementwise", "symmetric") else None


def _linear(op: table.Op) -> _Tangent:
    moves = [name in op.sources for name in op.inputs]

    def rule(arrays: list[Any], tangents: list[Any], params: tuple[Any, ...], out: np.ndarray) -> Any:
        moved = []
        for array, tangent, moving in zip(arrays, tangents, moves, strict=True):
            if tangent is None and moving and array is not None:
                tangent = np.zeros(array.shape, array.dtype) if isinstance(array, np.ndarray) else out.dtype.type(0)
            moved.append(tangent if moving else array)
        return op.kernel(*moved, *params)

    return rule


def _bilinear(op: table.Op) -> _Tangent:
    def rule(arrays: list[Any], tangents: list[Any], params: tuple[Any, ...], out: np.ndarray) -> Any:
        total = None
        for index, tangent in enumerate(tangents):
            if tangent is not None:
                term = op.kernel(*arrays[:index], tangent, *arrays[index + 1 :], *params)
                total = term if total is None else total + term
        return total

    return rule


def _elementwise(op: table.Op) -> _Tangent:
    known = [*op.inputs, *(name for name, _ in op.params), op.outputs[0], "xp"]
    each = []
    for place, name in enumerate(op.inputs):
        if name in op.sources:
            words = table.parameters(op.rules[name])
            each.append((place, op.rules[name], [(word, known.index(word) if word in known else -1) for word in words]))

    def rule(arrays: list[Any], tangents: list[Any], params: tuple[Any, ...], out: np.ndarray) -> Any:
        values = [*arrays, *params, out, table.arrays]
        total: Any = None
        for place, of_input, words in each:
            tangent = tangents[place]
            if tangent is not None:
                term = of_input(*[_said(word, index, tangent, op, values) for word, index in words])
                total = term if total is None else total + term
        return total if out.dtype.kind == "f" else np.conjugate(total)

    return rule


def _said(word: str, index: int, tangent: Any, op: table.Op, values: list[Any]) -> Any:
    """What a rule asks for by a word: a value, the tangent, or the shape or dtype of an input."""
    if index >= 0:
        return values[index]
    of, _, kind = word.rpartition("_")  # the shape, the dtype or the strides of an input
    return tangent if word == "g" else getattr(values[op.inputs.index(of)], kind)
