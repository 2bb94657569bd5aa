"""How tangents go through ops and custom Functions: the derivative of each op from the same table as the reverse pass.

The rule of an op maps cotangents backwards; how tangents go forward follows from what kind of op it is:

    linear        the op itself, applied to the tangents
    elementwise   its rules: multiplying by a derivative is the same in both directions (conjugated for complex numbers)
    symmetric     its rules too, the matrix of derivatives being its own transpose (softmax)
    reduction     the sum along the reduced dimensions of the tangents times what the rule gives for ones (norms, deviations)
    bilinear      the sum of the op with one argument replaced by its tangent, for each argument
    any other     the transpose of the reverse rule: that rule is linear in the cotangent, and the derivative of a linear
                  map by its argument, in the reverse pass, is its transpose
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autograd import function_calls, grad_mode, interpreters, modes
from ..autograd.forward_ad import OTHER_SIZE, as_leaf, without_tangent
from ..autograd.gradients import grad
from ..autograd.interpreters import Answer, Args, Named
from ..autograd.tangents import held_by, state, tangent_at, with_tangent, write_tangent
from ..base.attributes import held
from ..tensor import Tensor, new_tensor, wrap
from . import table
from .forward_arrays import lacking, run_with_tangents
from .forward_decompositions import cholesky_tangent, eigh_tangent
from .rule_functions import conj


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _flat(value)


def _level_of(values: Sequence[Any]) -> int | None:
    """The innermost open level in which one of the tensors has a tangent."""
    found: set[int] = set()
    for value in _flat(values):
        found.update(held_by(value) or ())
    for level in reversed(state.levels):
        if level in found:
            return level
    return None


def _with_tangents(op: table.Op, args: tuple[Any, ...]) -> Any:
    if not modes.state.forward_levels or not modes.state.forward_enabled:
        return NotImplemented
    count = len(op.inputs)
    inputs, params = args[:count], args[count:]
    if len(state.levels) == 1:
        out = run_with_tangents(op, inputs, params, state.levels[0])
        if out is not NotImplemented:
            return out
    level = _level_of(inputs)
    if level is None:
        return NotImplemented
    primals, tangents = zip(*[_parts(value, level) for value in inputs], strict=True)
    out = op.call(*primals, *params)
    outs = out if isinstance(out, tuple) else (out,)
    if any(_any(tangent) for name, tangent in zip(op.inputs, tangents, strict=True) if name in op.sources):
        try:
            found = _tangents(op, primals, tangents, _with_defaults(op, params), out)
        except RuntimeError as error:
            raise lacking(op, error) from None
        found = found if isinstance(found, tuple) else (found,)
        for one, tangent in zip(outs, found, strict=False):
            if tangent is not None and one._array.dtype.kind in "fcVW":
                if op.kind == "elementwise" and (tangent._array.dtype.kind == "c") is not (one._array.dtype.kind == "c"):
                    tangent = table.tensors.astype(tangent, one._array.dtype)
                with_tangent(one, _shaped(tangent, one), level)
    if op.view and primals[0] is not inputs[0]:  # a write through it is to reach the tensor itself
        for one in outs:
            if one._base is primals[0]:
                one._base = inputs[0]
    for one in outs:
        if one._edge is not None:
            _keep_tangents(op, inputs, primals, outs, one._edge[0])
            break
    return out


def _keep_tangents(op: table.Op, inputs: Sequence[Any], primals: Sequence[Any], outs: Sequence[Any], node: Any) -> None:
    """Gives the op's node the tensors with their tangents, so that a backward pass can be differentiated forward."""
    if getattr(type(node), "op", None) is not op or not node.saved:
        return
    whole = {id(primal): value for primal, value in zip(_flat(primals), _flat(inputs), strict=True) if primal is not value}
    node.saved = tuple(
        tuple(whole.get(id(one), one) for one in item) if isinstance(item, tuple) else whole.get(id(item), item)
        for item in node.saved
    )
    node.tangents = {number: one._tangents for number, one in enumerate(outs) if one._tangents is not None} or None


def _parts(value: Any, level: int) -> tuple[Any, Any]:
    """An argument without its tangents in a level, and these, in the same lists."""
    if isinstance(value, Tensor):
        tangent = tangent_at(value, level)
        return (value if tangent is None else without_tangent(value, level)), tangent
    if isinstance(value, (list, tuple)):
        pairs = [_parts(one, level) for one in value]
        return [primal for primal, _ in pairs], [tangent for _, tangent in pairs]
    return value, value


def _map(value: Any, f: Any) -> Any:
    if isinstance(value, Tensor):
        return f(value)
    if isinstance(value, (list, tuple)):
        return [_map(one, f) for one in value]
    return value


def _any(tangent: Any) -> bool:
    return any(_any(one) for one in tangent) if isinstance(tangent, list) else isinstance(tangent, Tensor)


def _with_defaults(op: table.Op, params: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*params, *(default for _, default in op.params[len(params) :]))


def _shaped(tangent: Tensor, out: Tensor) -> Tensor:
    """A tangent in its output's shape, row by row where that is, so that what is a view of one can be of both.

    It may be of another dtype, as what a rule makes of a tangent of another.
    """
    if tangent._array.shape != out._array.shape:
        tangent = table.tensors.expand(tangent, out._array.shape)
    if out._array.flags.c_contiguous and not tangent._array.flags.c_contiguous:
        tangent = tangent.contiguous()
    return tangent


def _zeros(like: Any) -> Any:
    return wrap(np.zeros(like._array.shape, like._array.dtype))


def _no_tangent(primal: object) -> object:
    return _zeros(primal) if isinstance(primal, Tensor) else 0


def _tangents(op: table.Op, primals: Sequence[Any], tangents: Sequence[Any], params: tuple[Any, ...], out: Any) -> Any:
    if op.name == "alias":
        return tangents[0]
    if op.kind == "linear":
        moved = []
        for name, primal, tangent in zip(op.inputs, primals, tangents, strict=True):
            if name not in op.sources:
                moved.append(primal)
            elif isinstance(primal, (list, tuple)):
                pairs = zip(primal, tangent, strict=True)
                moved.append([t if isinstance(t, Tensor) else _no_tangent(p) for p, t in pairs])
            else:
                moved.append(tangent if isinstance(tangent, Tensor) else _no_tangent(primal) if primal is not None else None)
        return op.call(*moved, *params)
    if op.kind == "bilinear":
        total = None
        for index, tangent in enumerate(tangents):
            if isinstance(tangent, Tensor):
                if op.name == "mul":  # PyTorch writes it thus: errors name first what comes second
                    term = op.call(tangent, primals[1 - index])
                else:
                    term = op.call(*primals[:index], tangent, *primals[index + 1 :], *params)
                total = term if total is None else total + term
        return _beside_others(total, primals, tangents)
    if op.kind == "reduction":
        return _reduced(op, primals, tangents, params, out)
    if op.name == "beside_product":
        return _product_beside(primals, tangents)
    if op.kind in ("elementwise", "symmetric") and op.joint is None:
        total = None
        for name in op.sources:
            tangent = tangents[op.inputs.index(name)]
            if isinstance(tangent, Tensor):
                term = conj(_apply_rule(op, name, conj(tangent), primals, params, out))
                total = term if total is None else total + term
        if op.name == "threshold_backward":
            return _beside_others(total, [None, primals[1]], tangents)
        if op.name in ("fmod", "remainder"):  # times a quotient
            return _beside_others(total, [out], tangents)
        if op.name == "lerp_tensor":  # times the way from start to end
            return _beside_others(total, [out], [0, tangents[2]])
        return _beside_others(total, [out], [tangents[1], 0]) if op.name == "div" else total
    if op.name in ("prod", "prod_all") and not primals[0]._array.ndim:
        return table.tensors.sum_all(tangents[0]) if op.name == "prod_all" else table.tensors.sum(tangents[0], *params[:2])
    if op.name in _OWN:
        return _OWN[op.name](primals[0], tangents[0], out, *params)
    found = _transposed(op, primals, tangents, params)
    return _beside_others(found[0], [None, primals[1]], tangents) if op.name == "relu_backward" else found


def _beside_others(total: Tensor | None, primals: Sequence[object], tangents: Sequence[object]) -> Tensor | None:
    """PyTorch multiplies the tangent that an argument lacks, which is zero, too: the sum hangs on what that is multiplied by."""
    for index, primal in enumerate(primals if state.absent_count else ()):
        if (
            total is not None
            and not isinstance(tangents[1 - index], Tensor)
            and isinstance(primal, Tensor)
            and primal.requires_grad
        ):
            total = table.tensors.beside_product(total, primal, table.tensors.zeros_as(total))
    return total


def _product_beside(primals: Sequence[Any], tangents: Sequence[Any]) -> Tensor:
    """The tangent of what hangs on a product with zero: that product's has two terms of zeros."""
    total: Tensor = tangents[0] if isinstance(tangents[0], Tensor) else _zeros(primals[0])
    if isinstance(tangents[1], Tensor):
        for other in (tangents[1], primals[1]):
            if other.requires_grad or held_by(other):
                total = table.tensors.beside_product(total, other, primals[2])
    return total


def _logcumsumexp_tangent(x: Tensor, tangent: Tensor, out: Tensor, axis: int) -> Tensor:
    """Means of the tangents so far, weighed by exp(x): the reverse rule takes logarithms, whose second derivative is nan."""
    weights = (x if x._array.dtype.kind == "c" else x - x.max(axis, True)[0]).exp()
    return (weights * tangent).cumsum(axis) / (weights.cumsum(axis) + 1e-13)


# Not the transposes of the reverse rules.
_OWN: dict[str, Callable[..., Any]] = {
    "logcumsumexp": _logcumsumexp_tangent,
    "cholesky": cholesky_tangent,
    "cholesky_ex": lambda a, tangent, out, *params: (cholesky_tangent(a, tangent, out[0], *params), None),
    "eigh": eigh_tangent,
}


def _reduced(op: table.Op, primals: Sequence[Any], tangents: Sequence[Any], params: tuple[Any, ...], out: Any) -> Any:
    outs = out if isinstance(out, tuple) else (out,)
    given = dict(zip((name for name, _ in op.params), params, strict=True))
    axis, keepdims = given.get("axis"), given.get("keepdims", False)
    results = []
    for number, one in enumerate(outs):
        total, ones = None, one.new_ones(one.shape)
        g = [ones if place == number else None for place in range(len(outs))] if out is outs else ones
        for name in op.sources:
            tangent = tangents[op.inputs.index(name)]
            slope = _apply_rule(op, name, g, primals, params, out) if isinstance(tangent, Tensor) else None
            if slope is None:
                continue
            term = conj(slope) * tangent
            if one._array.dtype.kind == "f":
                term = table.tensors.real(term)
            term = table.tensors.sum_all(term).reshape(one.shape) if axis is None else table.tensors.sum(term, axis, keepdims)
            total = term if total is None else total + term
        results.append(total)
    return tuple(results)


def _apply_rule(op: table.Op, name: str, g: Any, primals: Sequence[Any], params: tuple[Any, ...], out: Any) -> Any:
    """The rule of one input on Tensors, with the values it asks for taken from here instead of from a node."""
    rule, words = op.rules[name], []
    for word in rule.__code__.co_varnames[: rule.__code__.co_argcount]:
        if word == "g":
            words.append(g)
        elif word == "xp":
            words.append(table.tensors)
        elif word in op.inputs:
            words.append(primals[op.inputs.index(word)])
        elif word in op.outputs:
            words.append(out[op.outputs.index(word)] if isinstance(out, tuple) else out)
        elif word.endswith(("_shape", "_dtype", "_strides")) and word.rpartition("_")[0] in op.inputs:
            of, _, kind = word.rpartition("_")
            words.append(getattr(primals[op.inputs.index(of)]._array, kind))
        else:
            words.append(params[[param for param, _ in op.params].index(word)])
    return rule(*words)


def _transposed(op: table.Op, primals: Sequence[Any], tangents: Sequence[Any], params: tuple[Any, ...]) -> Any:
    """The tangent by way of the reverse rule: the transpose of a linear map is its derivative in the reverse pass."""
    recording = modes.state.grad_enabled  # where not, a dual tensor that requires a gradient may be in no graph
    with grad_mode.enable_grad():
        shadows = [
            _map(primal, lambda one: one if recording and one.requires_grad else _stand_in(one))
            if name in op.sources and _floating(primal)
            else primal
            for name, primal in zip(op.inputs, primals, strict=True)
        ]
        out = op.call(*shadows, *params)
        outs = out if isinstance(out, tuple) else (out,)
        node = next(one._edge[0] for one in outs if one._edge is not None)
        seeds = [
            # Any point will do, the rule being linear; at zero some rules (which take logarithms) have no derivative.
            _ones(one) if one._edge is not None and one._edge[0] is node else None
            for one in outs
        ]
        given = [seed for seed in seeds if seed is not None]
        gradients = node.vjp_tensors(given if node.metas is not None else given[0], node.next)
        flat_primals = [one for name, value in zip(op.inputs, shadows, strict=True) if name in op.sources
                        for one in (value if isinstance(value, (list, tuple)) else [value])]  # fmt: skip
        flat_tangents = [one for name, value in zip(op.inputs, tangents, strict=True) if name in op.sources
                         for one in (value if isinstance(value, (list, tuple)) else [value])]  # fmt: skip
        pairs = [
            (g._unbroadcast(primal._array.shape, primal._array.dtype), tangent)
            for g, primal, tangent in zip(gradients, flat_primals, flat_tangents, strict=True)
            if g is not None and isinstance(tangent, Tensor)
        ]
        pairs = [(g, _shaped(t, g)) for g, t in pairs if g.requires_grad]
        if not pairs:
            return tuple(None if seed is None else _no_tangent(seed) for seed in seeds)
        record = recording and any(one.requires_grad for one in [*_flat(primals), *(t for _, t in pairs)])
        found = iter(grad([g for g, _ in pairs], given, [t for _, t in pairs], create_graph=record, allow_unused=True))
    results = []
    for seed in seeds:
        tangent = next(found) if seed is not None else None
        results.append(_no_tangent(seed) if seed is not None and tangent is None else tangent)
    return tuple(results)


def _ones(like: Tensor) -> Tensor:
    if like._of_batch:
        return _stand_in(like._rewrapped(like.whole.new_ones(like.whole._array.shape)))
    return _stand_in(wrap(np.ones(like._array.shape, like._array.dtype)))


def _stand_in(one: Tensor) -> Tensor:
    """A leaf of its own, which makes nobody's gradient."""
    leaf = one._as_leaf(_stand_in) if one._of_batch else as_leaf(one)
    leaf._stands_in = True
    return leaf


def _floating(value: Any) -> bool:
    values = value if isinstance(value, (list, tuple)) else [value]
    return all(isinstance(one, Tensor) and one._array.dtype.kind in "fcVW" for one in values)


# Custom Functions.


def _function(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not state.levels or not modes.state.forward_enabled:
        return NotImplemented
    level = _level_of(args)
    if level is None:
        return NotImplemented
    primals = tuple(without_tangent(arg, level) if isinstance(arg, Tensor) else arg for arg in args)
    node, out = function_calls.apply_with_node(cls, primals, kwargs)
    ctx = node.context
    tangents = [_given_tangent(arg, level, ctx.materialize_grads) for arg in args]
    versions = [None if tangent is None else tangent._counter[0] for tangent in tangents]
    ctx._in_jvp = True
    try:
        found = cls.jvp(ctx, *tangents)
    finally:
        ctx._in_jvp = False
    outs = out if isinstance(out, tuple) else (out,)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(outs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but got {len(found)})"
        )
    results = list(outs)
    for number, (one, tangent) in enumerate(zip(outs, found, strict=True)):
        if tangent is not None and not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {number}.")
        if not isinstance(one, Tensor):
            continue
        if tangent is not None and (number in node.undifferentiable or one._array.dtype.kind not in "fcVW"):
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {number}, but  the corresponding forward output is not a "
                "differentiable Tensor.You should return None at that position instead."
            )
        written = next((index for index, primal in enumerate(primals) if one is primal), None)
        if tangent is not None and tangent._array.shape != one._array.shape:
            raise RuntimeError(OTHER_SIZE.format(list(one._array.shape), list(tangent._array.shape)))
        if written is not None:
            same = tangent is not None and tangent is tangents[written] and tangent._counter[0] == versions[written]
            results[number] = _after_writing(args[written], one, tangent, level, same)
        elif tangent is not None:
            _check_view(one, tangent, primals, tangents)
            with_tangent(one, tangent, level)
    _keep_tangents_of_function(node, args, primals, outs)
    return tuple(results) if isinstance(out, tuple) else results[0]


def _keep_tangents_of_function(node: Any, args: Sequence[Any], primals: Sequence[Any], outs: Sequence[Any]) -> None:
    """Gives a Function's node the arguments with their tangents: see :func:`_keep_tangents`."""
    if not node.saved:
        return
    whole = {id(primal): arg for primal, arg in zip(primals, args, strict=True) if primal is not arg}
    node.saved = tuple((whole.get(id(value), value), *rest) for value, *rest in node.saved)
    node.tangents = {n: one._tangents for n, one in enumerate(outs) if isinstance(one, Tensor) and one._tangents} or None


def _given_tangent(arg: Any, level: int, materialize: bool) -> Tensor | None:
    """What jvp gets for an argument: its tangent, or zeros for a tensor that has none and could have one."""
    if not isinstance(arg, Tensor):
        return None
    tangent = tangent_at(arg, level)
    return _zeros(arg) if tangent is None and materialize and arg._array.dtype.kind in "fcVW" else tangent


def _after_writing(original: Tensor, written: Tensor, tangent: Tensor | None, level: int, same: bool) -> Tensor:
    """The argument that a Function wrote into: its history is what forward made, its tangent what jvp made of it in place."""
    have = tangent_at(original, level)
    if have is not None and (tangent is not have or same):
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
            "input inplace, then the jvp function must modify the corresponding gradient inplace."
        )
    if written is not original:
        held(original).update({key: value for key, value in held(written).items() if key != "_tangents"})
    if have is None and tangent is not None:
        write_tangent(original, with_tangent(new_tensor(original._array), tangent, level))
    return original


def _root(tensor: Tensor) -> Tensor:
    return tensor if tensor._base is None else tensor._base


def _check_view(out: Tensor, tangent: Tensor, primals: Sequence[Any], tangents: Sequence[Tensor | None]) -> None:
    """Where forward returned a view of an argument, jvp must return the same view of that argument's tangent."""
    if out._base is None:
        return
    for primal, given in zip(primals, tangents, strict=True):
        if given is None or out._base is not _root(primal):
            continue
        if tangent._base is None:
            raise RuntimeError(
                "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
            )
        if tangent._base is not _root(given):
            which = "of the given grad input." if given._base is None else "of the same base as the given grad input."
            raise RuntimeError(f"A custom Function is returning a view but the jvp is not returning a view {which}")
        return


class Tangents(interpreters.Interpreter):
    """Forward mode, where a level is open."""

    place = interpreters.TANGENTS

    def op(self, op: table.Op, args: Args) -> Answer:
        return _with_tangents(op, args)

    def function(self, cls: Any, args: Args, kwargs: Named) -> Answer:
        return _function(cls, args, kwargs)


interpreters.stack.put(Tangents())
