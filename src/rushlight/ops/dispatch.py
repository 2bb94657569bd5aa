"""The general path of an op: everything that compiled ops do not settle themselves.

Python numbers, mixed dtypes, lists of tensors, several outputs, subclasses, modes, and errors. The steps are the same as in
a compiled op, spelled out: look at the inputs, bring them to one dtype, call the kernel, wrap, record.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import engine, modes, saved, views
from ..autograd.anomaly_mode import keep_traceback
from ..autograd.handles import observers
from ..autograd.interpreters import stack as interpreters
from ..autograd.nodes import leaf_edge, orders
from ..autograd.rule_errors import broadcast_error
from ..autograd.source_lines import here
from ..autograd.write_errors import mark_of_views, refuse_integers, refuse_saving
from ..backend import numpy as backend
from ..backend.pointwise import kernel_for
from ..backend.sparse_gradients import ScatteredArray
from ..base.arguments import NUMBERS
from ..tensor import Tensor, new_tensor, wrap
from .operands import OF_NUMBERS, check_operand, foreign_method, no_such_form, unless_refused
from .promotion import in_single, promoted, tensor_of_number

if TYPE_CHECKING:
    from .table import Op


# A division by zero gives inf, as in PyTorch, and no warning. The filter looks at the module that called NumPy.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"rushlight\.")


def general(op: Op, args: tuple[Any, ...]) -> Any:
    """The op as a function: foreign arguments are a TypeError in PyTorch's words."""
    return run(op, args, 1)


def general_method(op: Op, args: tuple[Any, ...]) -> Any:
    """The op as a method, whose arguments are counted without self."""
    return run(op, args, 0)


def general_operator(op: Op, args: tuple[Any, ...]) -> Any:
    """The op as an operator: foreign operands leave the matter to the other side."""
    if not isinstance(args[0], Tensor):
        raise TypeError(
            f"descriptor '{op.name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type(args[0]).__name__}' object"
        )
    for value in args[1 : len(op.inputs)]:
        if not isinstance(value, (Tensor, *NUMBERS)):
            if op.name == "eq" and isinstance(value, np.ndarray):  # == cannot be left to the other side, as < and + are
                return run(op, (args[0], new_tensor(np.asarray(value))), 1)  # also where it is of a class of its own
            return unless_refused(foreign_method, value, op.name, args)
    return run(op, args, 1)


def run(
    op: Op, args: tuple[Any, ...], first: int, asked: Sequence[Callable[[Op, tuple[Any, ...]], Any]] = interpreters.ops
) -> Any:
    """The op, by the first of ``asked`` that takes it, or by its kernel; ``first`` is the number of its first argument."""
    count = len(op.inputs)
    inputs, params = list(args[:count]), args[count:]
    for intercept in asked:
        result = intercept(op, args)
        if result is not NotImplemented:
            return result
    if modes.state.saved_hooks:
        result = op.hooked(*args)
        if result is not NotImplemented:
            return result
    tensors = False
    for position, value in enumerate(inputs):
        if isinstance(value, Tensor):
            tensors = True
        else:
            if first == 0 and hasattr(type(value), "__torch_function__"):
                result = foreign_method(op.name, args)
                if result is not NotImplemented:
                    return result
            check_operand(op, position, value, first, args)
    if op.promote is not None and not tensors:
        if op.name not in OF_NUMBERS:
            raise no_such_form(op.name, args)
        inputs[0] = tensor_of_number(inputs[0])
    if op.check is not None:
        op.check(inputs)
    arrays = promoted(op, inputs) if op.promote is not None else [_array(value) for value in inputs]
    early = packed_first(op, inputs)
    out, arrays = _computed(op, inputs, arrays, params)
    return finish(op, inputs, arrays, params, out, early)


def _computed(op: Op, inputs: list[Any], arrays: list[Any], params: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """What the kernel gives, laid out in memory as in PyTorch, and the arrays that a node keeps of the inputs."""
    single = in_single(op, inputs, arrays)
    try:
        if single is not None:
            out = backend.converted(np.asarray(op.kernel(*single)), arrays[0].dtype)
            arrays = [x if isinstance(value, Tensor) else y for value, x, y in zip(inputs, arrays, single, strict=True)]
        else:
            out = kernel_for(op.kernel, arrays[0])(*arrays, *params)
    except Exception as error:
        out = _retry(op, arrays, params, error)
    out = out.dense() if isinstance(out, ScatteredArray) else out  # over Tensors cotangents are dense
    if op.promote is not None and op.outputs == ["out"] and len(inputs) > 1 and getattr(out, "ndim", 0) > 1:
        given = [value._array for value in inputs if isinstance(value, Tensor)]
        in_order, stretched = [x.flags.c_contiguous for x in given], [x.shape != out.shape for x in given]
        if False in in_order or False not in stretched:
            out = backend.laid_out(out, given)
    return out, arrays


def _array(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._array
    if isinstance(value, (list, tuple)):
        return [_array(item) for item in value]
    return value


def _retry(op: Op, arrays: list[Any], params: tuple[Any, ...], error: Exception) -> Any:
    """After a failed kernel: once more without warnings if it was a warning turned into an error, else PyTorch's error."""
    if isinstance(error, RuntimeWarning):
        with warnings.catch_warnings(action="ignore"):
            return kernel_for(op.kernel, arrays[0])(*arrays, *params)
    try:
        raise translated(op, arrays, error) from None
    finally:
        del error  # its traceback has this frame: what both hold would wait for the collector


def translated(op: Op, arrays: Sequence[Any], error: Exception) -> Exception:
    """A kernel's error in PyTorch's words, where the matter is shapes that do not go together."""
    is_mismatch = str(error).startswith(("operands could not be broadcast", "shape mismatch: obj"))
    # Of elementwise ops PyTorch looks at the shapes before the dtypes.
    if is_mismatch if isinstance(error, ValueError) else isinstance(error, NotImplementedError) and op.promote is not None:
        return broadcast_error([array.shape for array in arrays if isinstance(array, np.ndarray)]) or error
    return error


def failed(op: Op, args: tuple[Any, ...], error: Exception, general: Callable[..., Any]) -> Any:
    """Where a compiled op goes when its kernel raised: the general path finds the right words, or the way around."""
    if isinstance(error, RuntimeWarning):
        return general(op, args)
    try:
        raise translated(op, [_array(value) for value in args[: len(op.inputs)]], error) from None
    finally:
        del error


Early = dict[str, Any]  # what hooks made of an op's inputs, by name, before the op ran


def finish(op: Op, inputs: list[Any], arrays: list[Any], params: tuple[Any, ...], out: Any, early: Early) -> Any:
    """Wraps what the kernel returned and records the op."""
    several = len(op.outputs) > 1 or op.is_list
    results = [wrap(value) for value in (out if several else [out])]
    if op.view:
        base = inputs[0]
        if base._inference is not None:  # an inference tensor too, and no view as far as autograd is concerned
            for result in results:
                result._counter, result._inference = base._counter, mark_of_views(base._inference)
            return tuple(results) if several else results[0]
        for result in results:
            views.mark_view(result, base, several)
    record(op, inputs, arrays, params, results, early)
    return tuple(results) if several else results[0]


def _needs(op: Op, inputs: Sequence[Any]) -> tuple[list[Any], list[bool]]:
    """The inputs that have a derivative, and which of them need a gradient now."""
    flat = list(inputs) if op.variadic is None else _flat(inputs)
    if not modes.state.grad_enabled:  # a view need not know its place then, and one made in no_grad could not be told it
        return flat, []
    for value in flat:
        if isinstance(value, Tensor) and value._base is not None:
            views.refresh(value)
    if not op.sources:
        return flat, []
    if op.variadic not in op.sources and len(op.sources) < len(op.inputs):
        flat = [value for name, value in zip(op.inputs, inputs, strict=True) if name in op.sources]
    needs = [isinstance(value, Tensor) and value._needs_grad for value in flat]
    return flat, [] if any(needs) and _all_inference(inputs) else needs


def packed_first(op: Op, inputs: Sequence[Any]) -> Early:
    """The inputs that the op's node will keep, packed by hooks before the op runs: the second run of a checkpoint may end with
    one of them."""
    hooks = modes.state.saved_hooks
    if not hooks or not any(needs := _needs(op, inputs)[1]):
        return {}
    early: Early = {}
    needed = _needed(op, needs)
    for kind, name, users in op.keep:
        value = inputs[op.inputs.index(name)] if kind == "input" else None
        if value is None or (needed.isdisjoint(users) and not op.keeps_anyhow(kind, users)):
            continue
        refuse_saving(value if name == op.variadic else [value])
        if name == op.variadic:
            early[name] = tuple(saved.Packed(item, hooks[-1]) if isinstance(item, Tensor) else item for item in value)
        elif isinstance(value, Tensor):
            early[name] = saved.Packed(value, hooks[-1])
    return early


def _needed(op: Op, needs: Sequence[bool]) -> set[str]:
    """The inputs whose rules may run. A view made in no_grad has no place in the graph: nothing is kept for its cotangent."""
    if op.variadic in op.sources:
        return set(op.sources)
    return {name for name, need in zip(op.sources, needs, strict=False) if need is True}


def _all_inference(inputs: Sequence[Any]) -> bool:
    """Whether an op sees inference tensors only: PyTorch's autograd does not hear of it. A number counts as a tensor."""
    first = inputs[0][0] if isinstance(inputs[0], (list, tuple)) and inputs[0] else inputs[0]
    if getattr(first, "_inference", None) is None:
        return False
    return all(one is None or getattr(one, "_inference", None) is not None for one in _flat(inputs))


def _flat(inputs: Sequence[Any]) -> list[Any]:
    return [one for value in inputs for one in (value if isinstance(value, (list, tuple)) else [value])]


def record(op: Op, inputs: list[Any], arrays: list[Any], params: tuple[Any, ...], results: list[Any], early: Early) -> None:
    """Makes the op's node where a gradient is wanted of its results: edges to the inputs, and what the rules ask for."""
    flat, needs = _needs(op, inputs)
    if not any(needs):
        recordable = modes.state.grad_enabled and (op.rules or op.joint is not None)
        if not recordable and modes.state.inference and not (op.view and not inputs[0]._inference):
            for result in results:
                result._inference = modes.state.inference
        return
    underivable = op.node_name == "NotImplemented"
    if modes.special.hidden and op.name != "astype" and not underivable:
        refuse_integers(flat, [result for result, name in zip(results, op.outputs, strict=False) if name in op.differentiable])
    node = op.Node()
    node.next = tuple([(value._edge or leaf_edge(value)) if need else None for value, need in zip(flat, needs, strict=True)])
    hooks = modes.state.saved_hooks
    kept = _kept(op, inputs, _needed(op, needs), arrays, params, results, early)
    if kept and not hooks:
        node.saved = tuple(kept)
    if op.frees_if:
        node.frees = any(kept[place] is not None for place in op.frees_if)
    node.order = next(orders)
    if underivable:  # which leaves have their gradients before it raises is seen
        observers.present = True
    if op.keeps_tensors:
        node.where = here(sys._getframe(1))
    if modes.state.anomaly:
        keep_traceback(node, sys._getframe(1), engine.recording_node())
    targets = results
    if not op.is_list:
        targets = [result for result, name in zip(results, op.outputs, strict=True) if name in op.differentiable]
    if op.is_list or len(targets) > 1:
        node.metas = [(result._array.shape, result._array.dtype) for result in targets]
    else:
        node.shape, node.dtype = targets[0]._array.shape, targets[0]._array.dtype
    asked = underivable or (len(op.outputs) > 1 and not op.is_list)  # others record integers too, as in PyTorch
    for number, result in enumerate(targets):
        if not asked or result._array.dtype.kind in "fcVW":
            result._edge = (node, number)
            result._needs_grad = True
    if hooks and kept:  # a hook that raises leaves the node empty: a result that it kept would keep the node
        made = {id(result) for result in results}
        node.saved = tuple(saved.Packed(value, hooks[-1]) if id(value) in made else value for value in kept)


def _kept(
    op: Op, inputs: list[Any], needed: set[str], arrays: list[Any], params: tuple[Any, ...], results: list[Tensor], early: Early
) -> list[Any]:
    """What the rules for the inputs in ``needed`` ask for, in the order in which nodes keep it."""
    kept: list[Any] = []
    for kind, name, users in op.keep:
        wanted = op.keeps_anyhow(kind, users) or not needed.isdisjoint(users)
        if kind == "input":
            position = op.inputs.index(name)
            value = inputs[position]
            if not wanted:
                kept += [None, None]
            elif name == op.variadic:
                refuse_saving(value)
                kept += [
                    early[name] if name in early else tuple(value),
                    tuple((-1 if name in early else item._counter[0]) if isinstance(item, Tensor) else None for item in value),
                ]
            elif isinstance(value, Tensor):
                refuse_saving([value])
                kept += [early[name], -1] if name in early else [value, value._counter[0]]
            else:
                kept += [arrays[position], None]
        elif kind == "output":
            result = results[op.outputs.index(name)]
            if not wanted:
                kept += [None, None, None]
            elif modes.state.saved_hooks:
                kept += [result, saved.Packed._counter, -1]  # packed below, once the result is in the graph
            else:
                kept += [result._array, result._counter, result._counter[0]]
        elif kind == "param":
            kept.append(params[[param for param, _ in op.params].index(name)])
        else:
            of = name.removesuffix("_" + kind)
            source = arrays[op.inputs.index(of)]
            if of == op.variadic:
                kept.append([getattr(item, kind) for item in source])
            else:
                kept.append(None if source is None else getattr(source, kind))
    return kept
