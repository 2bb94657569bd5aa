"""A call of a custom Function: its forward is run, and its outputs get their place in the graph."""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Sequence
from typing import Any

from ..tensor import Tensor
from . import engine, modes, saved, views
from .anomaly_mode import keep_traceback
from .handles import observers
from .nodes import leaf_edge, orders
from .source_lines import here
from .write_errors import check_made, refuse_saving


def no_setup(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
    """Keeps what backward needs, where forward has no context."""
    raise NotImplementedError("setup_context is not implemented.")


def _among(value: Any, values: Sequence[Any]) -> bool:
    """Whether a very object is one of several: tensors compare by their elements."""
    for one in values:  # noqa: SIM110 - `any` takes three times as long
        if one is value:
            return True
    return False


def apply_with_node(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Runs forward and records it; returns the node too, whose ``context`` forward was given."""
    node, ctx = object.__new__(cls._backward_cls), object.__new__(cls._context_cls)
    node.context, ctx._node = ctx, weakref.ref(node)
    tensors = [isinstance(arg, Tensor) for arg in args]
    for arg, tensor in zip(args, tensors, strict=True):
        if tensor and arg._base is not None:
            views.refresh_to_record(arg)
    node.is_tensor_input = tuple(tensors)
    ctx.needs_input_grad = needs = tuple([tensor and arg.requires_grad for arg, tensor in zip(args, tensors, strict=True)])
    state = modes.state
    recording = True in needs and modes.is_grad_enabled()
    before = [arg._edge if tensor else None for arg, tensor in zip(args, tensors, strict=True)]
    previous = state.grad_enabled, state.forward_enabled
    state.grad_enabled = state.forward_enabled = False
    try:
        if cls.setup_context is not no_setup:
            output = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, output)
        else:
            output = cls.forward(ctx, *args, **kwargs)
    finally:
        state.grad_enabled, state.forward_enabled = previous
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    if ctx.non_differentiable:
        if not all(isinstance(one, Tensor) for one in ctx.non_differentiable):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
        node.undifferentiable = {n for n, value in enumerate(outputs) if _among(value, ctx.non_differentiable)}
    if not all(isinstance(one, Tensor) for one in ctx.dirty_tensors):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if ctx.dirty_tensors and not all(_among(value, outputs) for value in ctx.dirty_tensors):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
            "inplace must all be outputs of the Function."
        )
    if ctx._is_pure_view and (len(outputs) > 1 or sum(tensors) != 1):
        raise RuntimeError(
            "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
            "support more."
        )
    if cls.setup_context is not no_setup:
        _check_kept(ctx, args, outputs, recording)
    if recording:
        results = _record(node, args, before, outputs)
    else:
        results = tuple([_unrecorded(node, args, value) for value in outputs])
    if ctx.dirty_tensors or ctx.non_differentiable:  # they may be outputs, which refer to the node, and that to the context
        ctx.dirty_tensors = ctx.non_differentiable = ()
    return node, (results[0] if single else results)


def _check_kept(ctx: Any, args: Sequence[object], outputs: Sequence[object], recording: bool) -> None:
    """RuntimeError where ``setup_context`` kept an input that forward returned: it saw no output that differs from it."""
    if recording:
        _check_saved(ctx.to_save or ())
    kept = [one for one in (*(ctx.to_save or ()), *(ctx.saved_for_forward or ())) if isinstance(one, Tensor)]
    for one in kept:
        if not _among(one, args) or not _among(one, outputs) or _among(one, ctx.dirty_tensors):
            continue
        if not one.requires_grad or (recording and not _among(one, ctx.non_differentiable)):  # others come out detached
            raise RuntimeError(
                "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
                "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
                "setup ctx inside the forward function itself."
            )


def _check_saved(values: Sequence[object]) -> None:
    for position, value in enumerate(values):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {position} is of type {type(value).__name__}"
            )


def _unrecorded(node: Any, args: Sequence[Any], value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    if _among(value, node.context.dirty_tensors):
        views.bump(value, node.name())
        return value.detach() if value.requires_grad else value
    if _among(value, args):
        value = value.detach() if value.requires_grad else value.view_as(value)
    if value._base is not None:
        value._made = "function"
    return value


def _record(node: Any, args: tuple[Any, ...], before: list[Any], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gives the outputs of forward their place in the graph."""
    node.recorded = True
    node.next = tuple(
        [
            (edge or leaf_edge(arg)) if need else None
            for arg, edge, need, tensor in zip(args, before, node.context.needs_input_grad, node.is_tensor_input, strict=True)
            if tensor
        ]
    )
    node.order = next(orders)
    observers.present = True
    node.where = here(sys._getframe(2))
    if modes.state.anomaly:
        keep_traceback(node, sys._getframe(3), engine.recording_node())
    several = len(outputs) > 1
    node.output_count = len(outputs)
    dirty = node.context.dirty_tensors
    results: list[Any] = []
    metas: list[Any] = []
    for number, value in enumerate(outputs):
        if not isinstance(value, Tensor):
            results.append(value)
            metas.append(None)
            continue
        is_dirty, is_input = _among(value, dirty), _among(value, args)
        if is_dirty and not is_input:
            _warn_of_dirty(value)
        twin = next((n for n in range(number) if outputs[n] is value), None) if several else None
        if twin is not None and (is_dirty or not is_input):
            value = results[twin]
        elif (is_dirty or is_input) and number in node.undifferentiable:
            value = _unrecorded(node, args, value)
        elif is_dirty:
            value = _dirtied(node, value, number, several)
        elif is_input:
            value = _alias(value)
        elif value._base is not None and value._base is not value:
            value._made = "function_several" if several else None if node.context._is_pure_view else "function"
        elif value._edge is not None:
            value = value.detach()
        if is_dirty and value._base is not None and value._edge is not None:
            pass  # it has its place: what its base has became of it
        elif number not in node.undifferentiable and value._array.dtype.kind in "fcVW":
            value._edge, value._needs_grad = (node, number), True
            value._seen = value._counter[0]
        else:
            value._edge, value._needs_grad = None, False
        results.append(value)
        metas.append((value._array.shape, value._array.dtype))
    if several:
        node.metas = metas
    elif metas and metas[0] is not None:
        node.shape, node.dtype = metas[0]
    _keep(node, results)
    return tuple(results)


def _alias(value: Any) -> Any:
    """An input that forward returned as it is: a view of it, that may not be written through."""
    result = value.detach()
    result._base = value if value._base is None else value._base
    result._seen = result._counter[0]
    result._made = "function"
    return result


def _warn_of_dirty(value: Any) -> None:
    """Where forward marked what was no input as dirty."""
    text = (
        "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed "
        "to ctx.mark_dirty()."
    )
    if value._base is not None:
        raise RuntimeError(text)
    warnings.warn(text, stacklevel=5)


def _dirtied(node: Any, value: Any, number: int, several: bool) -> Any:
    """An input that forward wrote into, in its new place in the graph."""
    base = value._base
    if base is None:
        views.bump(value, node.name())
        if value._needs_grad and value._edge is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if value._retains and value._edge is not None:
            views.move_retained(value._edge, (node, number))
        value._grad = None
        return value
    if several:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
            "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
            "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
            "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
            "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
        )
    views.bump(value, node.name())
    if value._edge is None and value._needs_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    check_made(value)
    if base._edge is None and value._needs_grad:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    node.shape, node.dtype = value._array.shape, value._array.dtype
    views.write_through(value, node)
    return value


def _keep(node: Any, results: list[Any]) -> None:
    """Stores what save_for_backward was given: outputs without a reference to the Tensor, which refers to the node."""
    # Taken away at once: a hook that raises must not leave an output in its own node.
    to_save, node.context.to_save = node.context.to_save, None
    if to_save is None:
        return
    _check_saved(to_save)
    refuse_saving(to_save)
    hooks = modes.state.saved_hooks
    kept: list[Any] = []
    for value in to_save:
        if value is None:
            kept.append((None, None, None, None))
            continue
        if hooks:
            number = next((n for n, out in enumerate(results) if out is value), None)
            edge = (None, number) if number is not None else value._edge or (leaf_edge(value) if value._needs_grad else None)
            kept.append((saved.Packed(value, hooks[-1]), None, None, edge))
            continue
        for number, result in enumerate(results):
            if result is value:
                # Its own output: the node is left out of the edge, where it would refer to itself.
                edge = (None, number) if result._edge is not None else None
                kept.append((result._array, result._counter, result._counter[0], edge))
                break
        else:
            kept.append((value, value._counter, value._counter[0], None))
    node.saved = tuple(kept)
    node.kept_something = bool(kept)
