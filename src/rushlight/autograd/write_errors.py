"""PyTorch's errors for writes that the graph, or the kind of the result, does not allow."""

from __future__ import annotations

from ..base import dtypes
from ..tensor import Tensor
from . import modes
from .mirrors import Mirror
from .nodes import Node


def refuse_inference(tensor: Tensor) -> None:
    """Raises PyTorch's error for a write into a tensor made in inference mode: nobody would count it."""
    if tensor._inference is not None and not modes.state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def check_made(tensor: Tensor, what: str = "is being") -> None:
    """The errors for views that remember too little of how they were made to be written through."""
    made, edge = tensor._made, tensor._edge
    if made is None or (tensor._base is None and not isinstance(tensor._counter, Mirror)):
        return
    if made == "inference" or made == "no_grad" or edge is None:
        start = "A view was" if edge is None else f"Output {edge[1]} of {short_name(edge[0])} is a view of a view which was"
        if made == "inference":
            text = f"{start} created in inference mode and {what} modified inplace in normal mode."
        else:
            text = f"{start} created in no_grad mode and {what} modified inplace with grad mode enabled."
    else:
        text = f"Output {edge[1]} of {short_name(edge[0])} is a view and {what} modified inplace."
    raise RuntimeError(f"{text} {_MADE[made]}")


_AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
    "view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both outside (if "
    "you want the inplace to be tracked)."
)
_SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place one."
)
_MADE = {
    "no_grad": _AMBIGUOUS.format("no_grad"),
    "inference": _AMBIGUOUS.format("inference_mode"),
    "several": _SEVERAL,
    "function_several": _SEVERAL,
    "function": (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
        "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
        "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
    ),
}


def short_name(node: Node) -> str:
    """A node's name in errors: Mul for MulBackward0, Squeeze1 for SqueezeBackward1."""
    name, found, number = node.name().rpartition("Backward")
    if not found or not (number.isdigit() or not number):
        return node.name()
    return name if number == "0" else name + number


def check_result(self: Tensor, result: Tensor) -> None:
    """A result that is to be written must have the shape, and a dtype that goes into the tensor's."""
    have, got = self._array, result._array
    if got.shape != have.shape:
        raise RuntimeError(f"output with shape {list(have.shape)} doesn't match the broadcast shape {list(got.shape)}")
    dtypes.check_cast(got.dtype, have.dtype)
