"""Opening what a node kept: as arrays or as Tensors, never a value that was changed since.

A node keeps an input as the Tensor and the version it had; an output as its array with the storage's version list (not the
Tensor, which refers to the node and would make a cycle).
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..backend.notes import with_notes
from ..base import dtypes
from ..base.attributes import held
from ..tensor import Tensor, make_tensor
from . import grad_mode, modes
from .nodes import Edge, Node
from .source_lines import describe
from .write_errors import short_name


class Packed:
    """A saved value that saved-tensor hooks took: what ``pack`` returned, and the ``unpack`` that turns it back."""

    _counter = (-2,)  # never a version that a node expects

    def __init__(self, value: Tensor, hooks: tuple[Any, Any]) -> None:
        pack, self.unpack = hooks
        version = value._counter[0]
        with grad_mode.no_grad():
            self.packed = pack(held(value).get("stands_for", value))  # a sparse tensor for its dense stand-in
        if value._counter[0] != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
                "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you "
                "need to perform in-place operations on the input to a pack hook."
            )

    def open(self, edge: Any = None) -> Tensor:
        """The tensor, at a place in the graph."""
        return self.placed(self.unpacked(), edge)

    def unpacked(self) -> Tensor:
        """What the unpack hook gives."""
        with grad_mode.no_grad():
            value: Tensor = self.unpack(self.packed)
        if not hasattr(value, "_array"):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(value).__name__}"
            )
        return value

    def placed(self, value: Tensor, edge: Any) -> Tensor:
        if not value._strided:
            value = value.to_dense()
        if edge is None:
            return value.detach() if value._needs_grad else value
        if not edge[0].is_leaf_sink:
            return make_tensor(value._array, value._counter, edge)
        leaf: Tensor = make_tensor(value._array, value._counter, None)
        leaf._needs_grad, leaf._sink = True, weakref.ref(edge[0])
        return leaf


def type_name(array: Any) -> str:
    """What errors call the type of an array."""
    return dtypes.of(array.dtype).type_in_errors


def modified(node: Node, kind: str, shape: tuple[int, ...], maker: str, versions: Any, expected: int) -> RuntimeError:
    """The error for a saved value that an in-place op changed: PyTorch's sentence, then who saved it and who changed it."""
    hint = (
        "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
        "was changed in there or anywhere later. Good luck!"
        if modes.state.anomaly
        else "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    now, then = int(versions[0]), int(expected)
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(shape)}]{maker} is at version {now}; expected version {then} instead. {hint}"
    )
    notes = []
    saved_at = describe(node.where)
    if saved_at:
        notes.append(f"saved by {node.name()} at {saved_at}")
    if len(versions) > 2:
        changed_at = describe(versions[2])
        notes.append(f"changed by {versions[1]}" + (f" at {changed_at}" if changed_at else ""))
    notes.append("To keep both, change a copy (x.clone()) or use the op that makes a new tensor.")
    return with_notes(RuntimeError(text), *notes)


def _maker(edge: Any) -> str:
    if edge is None or edge[0].is_leaf_sink:
        return ""
    node = edge[0]
    # PyTorch names the place of the view that was written to, while the view has not been given a newer one.
    place = node.written_through and node.written_through()
    return f", which is output {edge[1]} of {short_name(place or node)},"


def _given(value: Tensor, edge: Edge | None) -> tuple[Tensor, Edge | None]:
    """What a transform was given, of which a saved input is a view of its own, and the place of that."""
    while (reference := held(value).get("_given")) is not None and (source := reference()) is not None:
        value = source
        if edge is not None and edge[0].next:
            edge = edge[0].next[0]
    return value, edge


def detached_since() -> RuntimeError:
    """The error for a saved value that has lost its place in the graph."""
    return RuntimeError(
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
        "This is not supported, please use out-of-place `.detach()` instead"
    )


def array_of(node: Node, position: int, value: Any, expected: int) -> np.ndarray[Any, Any]:
    """The array of a saved input whose version does not match: packed by hooks, detached, or changed since."""
    if isinstance(value, Packed):
        return value.open()._array
    edge = node.next[position] if position >= 0 else None
    source, edge = _given(value, edge)
    # Asking a view for its node may raise: it may be one that must not be used any more.
    detached = source.grad_fn is None and (source is value or not source._needs_grad)
    if detached and edge is not None and not edge[0].is_leaf_sink:
        raise detached_since()
    if int(value._counter[0]) == int(expected):
        return value._array
    # Of inputs PyTorch does not note which outputs they are.
    maker = _maker(source._edge and (source._edge[0], 0))
    raise modified(node, type_name(value._array), source._array.shape, maker, value._counter, expected)


def array_of_list(node: Node, values: Any, expected: Any) -> Any:
    """The arrays of a saved list of inputs."""
    if expected is None:
        return values
    differentiable = len(node.next) == len(values)
    return [
        value
        if version is None
        else value._array
        if value._counter[0] == version
        else array_of(node, index if differentiable else -1, value, version)
        for index, (value, version) in enumerate(zip(values, expected, strict=True))
    ]


def tensor_of(node: Node, position: int, value: Any, expected: int) -> Any:
    """A saved input as a Tensor with the history it had when it was saved."""
    if value._counter[0] != expected:
        if isinstance(value, Packed):
            return value.open(node.next[position] if position >= 0 else None)
        array_of(node, position, value, expected)
    edge = node.next[position] if position >= 0 else None
    now = value._edge
    if edge is None:
        # A view made in no_grad needs a gradient because its base does: what is computed from it does too.
        return value.detach() if now is not None or value._needs_grad is True else value
    if edge[0].is_leaf_sink or now == edge or (now is not None and now[0].next[:1] == (edge,)):
        return value  # the last: it is the copy of what was written over since
    opened = make_tensor(value._array, value._counter, edge)
    opened._tangents = value._tangents
    return opened


def tensor_of_list(node: Node, values: Any, expected: Any) -> Any:
    """A saved list of inputs as Tensors."""
    if expected is None:
        return values
    differentiable = len(node.next) == len(values)
    return [
        value if version is None else tensor_of(node, index if differentiable else -1, value, version)
        for index, (value, version) in enumerate(zip(values, expected, strict=True))
    ]


def output_array(node: Node, number: int, value: Any, versions: Any, expected: int) -> Any:
    """A saved output whose version does not match."""
    if isinstance(value, Packed):
        return value.open()._array
    if int(versions[0]) == int(expected):
        return value
    op = type(node).op  # type: ignore[attr-defined]
    differentiable = op.outputs[number] in op.differentiable
    shape = value.shape if differentiable or len(versions) < 4 else versions[3]  # of others PyTorch keeps the tensor itself
    raise modified(node, type_name(value), shape, _maker((node, number)) if differentiable else "", versions, expected)


def output_tensor(node: Node, number: int, value: Any, versions: Any, expected: int) -> Any:
    """A saved output as a Tensor: it is this very node's result."""
    op = type(node).op  # type: ignore[attr-defined]
    edge = (node, number) if op.outputs[number] in op.differentiable else None
    if node.joined is not None and (whole := node.joined[0]()) is not None:
        edge = (whole, node.joined[1])
    if isinstance(value, Packed):
        return value.open(edge)
    if versions[0] != expected:
        output_array(node, number, value, versions, expected)
    opened = make_tensor(value, versions, edge)
    if node.tangents is not None:
        opened._tangents = node.tangents.get(number)
    return opened


def open_function_saved(node: Any, value: Any, counter: Any, expected: Any, edge: Any) -> Any:
    """A tensor that a custom Function saved: None, packed by hooks, an output (as its array), or any other tensor."""
    if value is None:
        return None
    if edge is not None and edge[0] is None:
        edge = (node, edge[1])
    if isinstance(value, Packed):
        return value.open(edge)
    array = value if isinstance(value, np.ndarray) else value._array
    if int(counter[0]) != int(expected):
        maker = _maker(edge if edge is not None else getattr(value, "_edge", None))
        raise modified(node, type_name(array), array.shape, maker, counter, expected)
    if not isinstance(value, np.ndarray):
        return value
    opened = make_tensor(value, counter, edge)
    if node.tangents is not None and edge is not None:
        opened._tangents = node.tangents.get(edge[1])
    return opened
