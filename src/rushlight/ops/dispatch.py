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
from ..autograd.graph import leaf_edge, orders
from ..autograd.handles import observers
from ..autograd.interpreters import stack as interpreters
from ..autograd.program_lines import here
from ..autograd.rule_errors import broadcast_error
from ..backend import numpy as backend
from ..backend.pointwise import kernel_for
from ..base import dtypes
from ..base.arguments import NUMBERS, type_name
from ..tensor import Tensor, new_tensor
from .argument_forms import refusal

if TYPE_CHECKING:
    from .table import Op


# A division by zero gives inf, as in PyTorch, and no warning. The filter looks at the module that called NumPy.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"rushlight\.")


def require_kind(input: Any, name: str, kinds: str = "fc") -> None:
    """NotImplementedError for a dtype whose kind the kernel ``name`` does not know."""
    if input._array.dtype.kind not in kinds and input._array.dtype.kind != "V":
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.scalar_name}'")


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
                return run(op, (args[0], new_tensor(value)), 1)
            return unless_refused(foreign_method, value, op.name, args)
    return run(op, args, 1)


def unless_refused(call: Callable[..., Any], operand: Any, *args: Any) -> Any:
    """A call for an operator with a foreign operand, if that defines ``__torch_function__``; NotImplemented where it does not,
    or will not, so that Python asks the operand's own operator."""
    if not hasattr(type(operand), "__torch_function__"):
        return NotImplemented
    try:
        return call(*args)
    except TypeError:
        return NotImplemented


def other_side(name: str, self: Any, other: Any) -> Any:
    """What a foreign operand makes of ``Tensor.<name>``: see :func:`unless_refused`."""
    return unless_refused(foreign_method, other, name, (self, other))


def foreign_method(name: str, args: tuple[Any, ...]) -> Any:
    """What objects that are no tensors, but define ``__torch_function__``, make of ``Tensor.<name>``; else NotImplemented."""
    func = getattr(Tensor, name, None)
    return NotImplemented if func is None else interpreters.ask("foreign", func, args, {})


def run(
    op: Op, args: tuple[Any, ...], first: int, asked: Sequence[Callable[[Op, tuple[Any, ...]], Any]] = interpreters.ops
) -> Any:
    """The op, by the first of ``asked`` that takes it, or by its kernel; ``first`` is the number of its first argument."""
    count = len(op.inputs)
    inputs, params = list(args[:count]), args[count:]
    if asked:
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
            _check(op, position, value, first, args)
    if op.promote is not None and not tensors:
        if op.name not in _OF_NUMBERS:
            raise no_such_form(op.name, args)
        inputs[0] = _as_tensor(inputs[0])
    if op.check is not None:
        op.check(inputs)
    arrays = promoted(op, inputs) if op.promote is not None else [_array(value) for value in inputs]
    early = packed_first(op, inputs) if modes.state.saved_hooks else None
    given = _in_single(op, inputs, arrays)
    try:
        if given is not None:
            out = np.asarray(op.kernel(*given)).astype(arrays[0].dtype)
            arrays = [x if isinstance(value, Tensor) else y for value, x, y in zip(inputs, arrays, given, strict=True)]
        else:
            out = kernel_for(op.kernel, arrays[0])(*arrays, *params)
    except Exception as error:
        out = _retry(op, arrays, params, error)
    if op.promote is not None and op.outputs == ["out"] and getattr(out, "ndim", 0) > 1:
        given = [value._array for value in inputs if isinstance(value, Tensor)]
        in_order, stretched = [x.flags.c_contiguous for x in given], [x.shape != out.shape for x in given]
        if False in in_order or False not in stretched:
            out = backend.laid_out(out, given)
    return finish(op, inputs, arrays, params, out, early)


_OF_PRODUCTS = frozenset(("mul", "div"))


def _in_single(op: Op, inputs: Sequence[Any], arrays: Sequence[Any]) -> list[Any] | None:
    """For products and quotients of numbers of two bytes and one that has more digits, a Python number say, both in single
    precision: the result is rounded once. Of sums PyTorch rounds the number first."""
    if op.name not in _OF_PRODUCTS or arrays[0].dtype.itemsize != 2 or arrays[0].dtype.kind not in "fV":
        return None
    dtype = arrays[0].dtype
    kinds = [isinstance(value, Tensor) and value._array.dtype == dtype for value in inputs]
    if all(kinds) or (op.name == "div" and not kinds[0]):
        return None
    return [value._array.astype(np.float32) if isinstance(value, Tensor) else np.asarray(value, np.float32) for value in inputs]


def refuse_history(dtype: dtypes.dtype, *inputs: Any) -> None:
    """PyTorch's error for a result that would need a gradient and, of integers, cannot have one."""
    if dtype.numpy.kind in "bui" and modes.state.grad_enabled and any(one.requires_grad for one in inputs):
        raise RuntimeError(f"Autograd not support dtype: {dtype.scalar_name}")


# The functions whose second argument has a form of its own as a number, so that PyTorch names no kind that it must be of.
_ALSO_OF_A_NUMBER = frozenset(
    "pow fmod remainder eq ne lt le gt ge floor_divide bitwise_and bitwise_or bitwise_xor bitwise_left_shift "
    "bitwise_right_shift xlogy copysign".split()
)
# The functions that take two numbers.
_OF_NUMBERS = frozenset("add add_scaled sub sub_scaled mul div div_rounded div_floor div_trunc floor_divide".split())


def _as_tensor(number: Any) -> Tensor:
    kind = number_type(number)
    if kind is complex:
        dtype = dtypes.default_complex_dtype()
    else:
        dtype = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.get_default_dtype()}[kind]
    return new_tensor(number_array(number, dtype.numpy))


def _check(op: Op, position: int, value: Any, first: int, args: Sequence[Any]) -> None:
    name = op.inputs[position]
    if name == op.variadic:
        for index, item in enumerate(value):
            if item is not None and not isinstance(item, Tensor):
                raise TypeError(f"expected Tensor as element {index} in argument {position}, but got {type_name(item)}")
        return
    if value is None and name in op.optional:
        return
    if op.promote is not None and isinstance(value, NUMBERS) and len(op.inputs) > 1 and op.numbers != "none":
        if position > 0 or op.numbers == "any":
            return
        raise no_such_form(op.name, args)
    if position == 1 and op.name in _ALSO_OF_A_NUMBER:
        raise no_such_form(op.name, args)
    label = ("input", "other")[position] if op.promote is not None and position < 2 else name
    raise TypeError(f"{op.name}(): argument '{label}' (position {position + first}) must be Tensor, not {type_name(value)}")


def no_such_form(name: str, args: Sequence[Any]) -> TypeError:
    """PyTorch's error for arguments that none of a function's forms takes."""
    return refusal(name, False, args, {}) or TypeError(f"{name}() received an invalid combination of arguments")


def _array(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._array
    if isinstance(value, (list, tuple)):
        return [_array(item) for item in value]
    return value


def common_dtype(values: Sequence[Any]) -> dtypes.dtype:
    """The dtype that tensors and numbers meet in: PyTorch's three categories."""
    dimensioned: list[Any] = []
    zero_dim: list[Any] = []
    numbers: list[Any] = []
    for value in values:
        if isinstance(value, Tensor):
            array = value._array
            (dimensioned if array.ndim else zero_dim).append(dtypes.of(array.dtype))
        else:
            numbers.append(number_type(value))
    return dtypes.result_dtype(tuple(dimensioned), tuple(zero_dim), tuple(numbers))


def number_type(value: Any) -> type:
    """bool, int, float or complex, for Python's and NumPy's numbers."""
    for kind, families in ((bool, (bool, np.bool_)), (int, (int, np.integer)), (float, (float, np.floating))):
        if isinstance(value, families):
            return kind
    return complex


def promoted(op: Op, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as arrays of one dtype; numbers become 0-dim arrays."""
    common = common_dtype(inputs)
    if op.promote == "float" and not (common.is_floating_point or common.is_complex):
        common = dtypes.get_default_dtype()
    dtype = common.numpy
    arrays = []
    for value in inputs:
        if isinstance(value, Tensor):
            array = value._array
            arrays.append(array if array.dtype == dtype else backend.copied(array, dtype))
        else:
            arrays.append(number_array(value, dtype))
    return arrays


_meeting: dict[tuple[Any, ...], np.dtype[Any]] = {}


def together(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], floats: bool) -> tuple[Any, Any] | None:
    """Two arrays of different dtypes in the one they meet in, as :func:`promoted` gives them; ``floats``: if it is inexact.

    None where that takes a closer look: at the default dtype, or at how the arrays lie.
    """
    if not (a.flags.c_contiguous and b.flags.c_contiguous):
        return None
    key = (a.dtype, b.dtype, a.ndim > 0, b.ndim > 0)
    if (dtype := _meeting.get(key)) is None:
        dtype = _meeting[key] = common_dtype([new_tensor(a), new_tensor(b)]).numpy
    if (floats and dtype.kind in "bui") or dtype.itemsize == 2:
        return None
    return (a if a.dtype is dtype else a.astype(dtype)), (b if b.dtype is dtype else b.astype(dtype))


def beside_number(x: np.ndarray[Any, Any], value: float) -> tuple[Any, Any] | None:
    """Whole numbers and a Python number that their dtype does not hold, in the one they meet in; None for the general path."""
    if value.__class__ is float and x.dtype.kind in "bui":
        dtype = dtypes.get_default_dtype().numpy
    elif value.__class__ is int and x.dtype.kind in "bui":
        dtype = dtypes.int64.numpy if x.dtype.kind == "b" else x.dtype
    else:
        return None
    return (x.astype(dtype, copy=False), number_array(value, dtype)) if x.flags.c_contiguous else None


def number_array(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A Python number as a 0-dim array; integers wrap around as C casts do, and too large ones are PyTorch's error."""
    if dtype.kind in "iu" and isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    if dtype.kind in "iu" and isinstance(value, int):
        return np.asarray(value & (2**64 - 1), dtype=np.uint64).astype(dtype)
    return np.asarray(value).astype(dtype)


def _retry(op: Op, arrays: list[Any], params: tuple[Any, ...], error: Exception) -> Any:
    """After a failed kernel: once more without warnings if it was a warning turned into an error, else PyTorch's error."""
    if isinstance(error, RuntimeWarning):
        with warnings.catch_warnings(action="ignore"):
            return kernel_for(op.kernel, arrays[0])(*arrays, *params)
    raise translated(op, arrays, error) from None


def translated(op: Op, arrays: Sequence[Any], error: Exception) -> Exception:
    """A kernel's error in PyTorch's words, where the matter is shapes that do not go together."""
    if isinstance(error, ValueError) and str(error).startswith(("operands could not be broadcast", "shape mismatch: obj")):
        shapes = [array.shape for array in arrays if isinstance(array, np.ndarray)]
        mismatch = broadcast_error(shapes)
        if mismatch is not None:
            return mismatch
    return error


def failed(op: Op, args: tuple[Any, ...], error: Exception, general: Callable[..., Any]) -> Any:
    """Where a compiled op goes when its kernel raised: the general path finds the right words, or the way around."""
    if isinstance(error, RuntimeWarning):
        return general(op, args)
    count = len(op.inputs)
    raise translated(op, [_array(value) for value in args[:count]], error) from None


Early = dict[str, Any]  # what hooks made of an op's inputs, by name, before the op ran


def finish(op: Op, inputs: list[Any], arrays: list[Any], params: tuple[Any, ...], out: Any, early: Early | None = None) -> Any:
    """Wraps what the kernel returned and records the op."""
    several = len(op.outputs) > 1 or op.outputs == ["*"]
    outs = list(out) if several else [out]
    results = [new_tensor(value if isinstance(value, np.ndarray) else np.asarray(value)) for value in outs]
    if op.view:
        base = inputs[0]
        if base._inference is not None:  # an inference tensor too, and no view as far as autograd is concerned
            for result in results:
                result._counter, result._inference = base._counter, base._inference
            return tuple(results) if several else results[0]
        for result in results:
            views.mark_view(result, base, several)
    noted(op, inputs, arrays, params, results, early)
    return tuple(results) if several else results[0]


def noted(
    op: Op, inputs: list[Any], arrays: list[Any], params: tuple[Any, ...], results: list[Any], early: Early | None = None
) -> None:
    """Records the op where a gradient is wanted of its results."""
    flat, needs = _needs(op, inputs)
    if any(needs):
        record(op, inputs, flat, needs, arrays, params, results, early or {})
    elif modes.state.grad_enabled and (op.rules or op.joint is not None):
        return
    elif modes.state.inference and not (op.view and not inputs[0]._inference):
        for result in results:
            result._inference = modes.state.inference


def _needs(op: Op, inputs: Sequence[Any]) -> tuple[list[Any], list[bool]]:
    """The inputs that have a derivative, and which of them need a gradient now."""
    flat: list[Any] = []
    for value in inputs:
        if isinstance(value, (list, tuple)):
            flat.extend(value)
        else:
            flat.append(value)
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
    _, needs = _needs(op, inputs)
    early: Early = {}
    if any(needs):
        needed = _needed(op, needs)
        hooks = modes.state.saved_hooks or []
        for kind, name, users in op.keep:
            value = inputs[op.inputs.index(name)] if kind == "input" else None
            if value is None or needed.isdisjoint(users):
                continue
            refuse_inference(value if name == op.variadic else [value])
            if name == op.variadic:
                early[name] = tuple(packed(item, hooks) if isinstance(item, Tensor) else item for item in value)
            elif isinstance(value, Tensor):
                early[name] = packed(value, hooks)
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
    flat = [one for value in inputs for one in (value if isinstance(value, (list, tuple)) else [value])]
    return all(one is None or getattr(one, "_inference", None) is not None for one in flat)


def record(
    op: Op,
    inputs: list[Any],
    flat: list[Any],
    needs: list[bool],
    arrays: list[Any],
    params: tuple[Any, ...],
    results: list[Tensor],
    early: Early,
) -> None:
    """Makes the op's node: edges to the inputs, and what the rules ask for."""
    node = object.__new__(op.node_class)
    node.next = tuple([(value._edge or leaf_edge(value)) if need else None for value, need in zip(flat, needs, strict=True)])
    needed = _needed(op, needs)
    kept: list[Any] = []
    hooks = modes.state.saved_hooks
    for kind, name, users in op.keep:
        wanted = kind == "output" or not needed.isdisjoint(users)
        if kind == "input":
            position = op.inputs.index(name)
            value = inputs[position]
            if not wanted:
                kept += [None, None]
            elif name == op.variadic:
                refuse_inference(value)
                kept += [
                    early[name] if name in early else tuple(value),
                    tuple((-1 if name in early else item._counter[0]) if isinstance(item, Tensor) else None for item in value),
                ]
            elif isinstance(value, Tensor):
                refuse_inference([value])
                kept += [early[name], -1] if name in early else [value, value._counter[0]]
            else:
                kept += [arrays[position], None]
        elif kind == "output":
            result = results[op.outputs.index(name)]
            if not wanted:
                kept += [None, None, None]
            elif hooks:
                kept += [result, saved.Packed._counter, -1]  # packed below, once the result is in the graph
            else:
                kept += [result._array, result._counter, result._counter[0]]
        elif kind == "param":
            kept.append(params[[param for param, _ in op.params].index(name)])
        else:
            source = arrays[op.inputs.index(name[:-6])]
            if name[:-6] == op.variadic:
                kept.append([getattr(item, kind) for item in source])
            else:
                kept.append(None if source is None else getattr(source, kind))
    if kept and not hooks:
        node.saved = tuple(kept)
    node.order = next(orders)
    if op.node_name == "NotImplemented":  # which leaves have their gradients before it raises is seen
        observers.present = True
    node.where = here(sys._getframe(1))
    if modes.state.anomaly:
        keep_traceback(node, sys._getframe(1), engine.recording_node())
    differentiable = op.differentiable
    if op.outputs == ["*"]:
        node.metas = [(result._array.shape, result._array.dtype) for result in results]
        targets = list(results)
    else:
        targets = [result for result, name in zip(results, op.outputs, strict=True) if name in differentiable]
        if len(targets) > 1:
            node.metas = [(result._array.shape, result._array.dtype) for result in targets]
        else:
            node.shape, node.dtype = targets[0]._array.shape, targets[0]._array.dtype
    for number, result in enumerate(targets):
        if result._array.dtype.kind in "fc" or result._array.dtype.kind == "V":
            result._edge = (node, number)
            result._needs_grad = True
    if hooks and kept:  # a hook that raises leaves the node empty: a result that it kept would keep the node
        node.saved = tuple(packed(value, hooks) if any(value is result for result in results) else value for value in kept)


def refuse_inference(values: Sequence[Any]) -> None:
    """Raises PyTorch's error where a value to be saved was made in inference mode: nothing counts the writes into it."""
    if any(isinstance(value, Tensor) and value._inference is not None for value in values):
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
            "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
        )


def packed(value: Tensor, hooks: list[tuple[Any, Any]]) -> saved.Packed:
    return saved.Packed(value, hooks[-1])
