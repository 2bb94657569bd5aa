"""Opening what a node kept: as arrays or as Tensors, never a value that was changed since.

A node keeps an input as the Tensor and the version it had; an output as its array with the storage's version list (not the
Tensor, which refers to the node and would make a cycle).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import modes
from ..autograd.graph import FREED, Node, describe

if TYPE_CHECKING:
    from ..tensor import Tensor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _package_files(folder: str) -> set[str]:
    names: set[str] = set()
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                names |= _package_files(entry.path)
            elif entry.name.endswith(".py"):
                names.add(entry.path)
    return names


# Source files of this package, and of the functions it compiles: a frame in none of these is the user's.
INSIDE = _package_files(ROOT)

# Set by tensor.py: Tensor around an array without history, and the text of a tensor's type ('torch.FloatTensor').
make_tensor: Any
type_name: Any


def here(frame: Any) -> tuple[Any, int] | None:
    """Code object and instruction of the nearest frame that is the user's."""
    while frame is not None and frame.f_code.co_filename in INSIDE:
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


class Packed:
    """A saved value that saved-tensor hooks took: what ``pack`` returned, and the ``unpack`` that turns it back."""

    _counter = (-2,)  # never a version that a node expects

    def __init__(self, packed: Any, unpack: Any) -> None:
        self.packed, self.unpack = packed, unpack

    def open(self) -> Tensor:
        return self.unpack(self.packed)  # type: ignore[no-any-return]


def modified(node: Node, kind: str, shape: tuple[int, ...], maker: str, versions: Any, expected: int) -> RuntimeError:
    """The error for a saved value that an in-place op changed: PyTorch's sentence, then who saved it and who changed it."""
    hint = (
        "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
        "was changed in there or anywhere later. Good luck!"
        if modes.state.anomaly
        else "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(shape)}]{maker} is at version {versions[0]}; expected version {expected} instead. {hint}"
    )
    saved_at = describe(node.where)
    if saved_at:
        text += f"\n  saved by {node.name()} at {saved_at}"
    if len(versions) > 2:
        changed_at = describe(versions[2])
        text += f"\n  changed by {versions[1]}" + (f" at {changed_at}" if changed_at else "")
    return RuntimeError(text + "\n  To keep both, change a copy (x.clone()) or use the op that makes a new tensor.")


def _maker(edge: Any) -> str:
    if edge is None or edge[0].is_leaf_sink:
        return ""
    name = edge[0].name()
    return f", which is output {edge[1]} of {name.removesuffix('0').replace('Backward', '')},"


def array_of(node: Node, value: Any, expected: int) -> np.ndarray[Any, Any]:
    """The array of a saved input whose version does not match: packed by hooks, or changed since."""
    if isinstance(value, Packed):
        return value.open()._array  # type: ignore[no-any-return]
    raise modified(node, type_name(value._array), value._array.shape, _maker(value._edge), value._counter, expected)


def array_of_list(node: Node, values: Any, expected: Any) -> Any:
    """The arrays of a saved list of inputs."""
    if expected is None:
        return values
    return [
        value
        if version is None
        else value._array
        if value._counter[0] == version
        else array_of(node, value, version)
        for value, version in zip(values, expected, strict=True)
    ]


def tensor_of(node: Node, position: int, value: Any, expected: int) -> Any:
    """A saved input as a Tensor with the history it had when it was saved."""
    if value._counter[0] != expected:
        if isinstance(value, Packed):
            return value.open()
        array_of(node, value, expected)
    edge = node.next[position] if position >= 0 else None
    now = value._edge
    if edge is None:
        return value.detach() if now is not None or value._needs_grad else value
    if edge[0].is_leaf_sink or now == edge:
        return value
    return make_tensor(value._array, value._counter, edge)


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
    raise modified(node, type_name(value), value.shape, _maker((node, number)), versions, expected)


def output_tensor(node: Node, number: int, value: Any, versions: Any, expected: int) -> Any:
    """A saved output as a Tensor: it is this very node's result."""
    if isinstance(value, Packed):
        tensor = value.open()
        return make_tensor(tensor._array, tensor._counter, (node, number))
    if versions[0] != expected:
        output_array(node, number, value, versions, expected)
    op = type(node).op  # type: ignore[attr-defined]
    differentiable = op.outputs[number] in op.differentiable
    return make_tensor(value, versions, (node, number) if differentiable else None)


__all__ = ["FREED", "INSIDE", "Packed", "array_of", "here", "modified", "output_array", "output_tensor", "tensor_of"]


def open_function_saved(node: Any, value: Any, counter: Any, expected: Any, edge: Any) -> Any:
    """A tensor that a custom Function saved: None, packed by hooks, an output (as its array), or any other tensor."""
    if value is None:
        return None
    if isinstance(value, Packed):
        tensor = value.open()
        return tensor if edge is None else make_tensor(tensor._array, tensor._counter, edge)
    array = value if isinstance(value, np.ndarray) else value._array
    if counter[0] != expected:
        maker = _maker(edge if edge is not None else getattr(value, "_edge", None))
        raise modified(node, type_name(array), array.shape, maker, counter, expected)
    return make_tensor(value, counter, edge) if isinstance(value, np.ndarray) else value
