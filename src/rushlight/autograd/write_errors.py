"""PyTorch's errors for writes that the graph, or the kind of the result, does not allow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..tensor import Tensor
from . import modes
from .interpreters import stack
from .mirrors import Mirror
from .nodes import Node
from .rule_errors import broadcast_error


class Counted(modes.Inference):
    """The mark of what was detached, outside of the mode, from a tensor made in it: writes into that are counted."""

    __slots__ = ("made_in",)

    def __init__(self, made_in: modes.Inference) -> None:
        super().__init__()
        self.made_in = made_in


def mark_of_views(mark: modes.Inference) -> modes.Inference:
    """The mark of views of a tensor with a mark: nobody counts writes through them."""
    return mark.made_in if isinstance(mark, Counted) else mark


def mark_detached(result: Tensor, mark: modes.Inference) -> None:
    """Marks what was detached from a tensor of inference mode, which outside of that has a version of its own."""
    result._inference = mark_of_views(mark) if modes.state.inference else Counted(mark_of_views(mark))


def refuse_inference(tensor: Tensor) -> None:
    """Raises PyTorch's error for a write into a tensor made in inference mode: nobody would count it."""
    if tensor._inference is not None and not modes.state.inference and not isinstance(tensor._inference, Counted):
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def takes_history(tensor: Tensor, name: str, result: Tensor) -> bool:
    """Whether what was written to ``tensor`` is in its history: in that of integers too, as in PyTorch, but for copy_."""
    if tensor._array.dtype.kind in "fcVW":
        return True
    if name != "copy_":
        assert result._edge is not None
        node: Any = result._edge[0]
        node.mark = modes.Mark(hidden=True)  # while it lives ops ask refuse_integers
    return name != "copy_"


def refuse_integers(inputs: Sequence[object], results: Sequence[Tensor]) -> None:
    """Raises PyTorch's error for a node of integers that a write has put into the graph, whose results are integers too."""
    whole = [one for one in inputs if isinstance(one, Tensor) and one._array.dtype.kind in "bui"]
    if not any(one._needs_grad for one in whole) or any(one._made == "stand-in" for one in whole):
        return
    for result in results:
        if result._array.dtype.kind in "bui":
            raise RuntimeError(f"Autograd not support dtype: {result.dtype.scalar_name}")


def refuse_kept_integers(before: Tensor, result: Tensor) -> None:
    """The same error where a write's node keeps what was there: PyTorch keeps a clone, which is refused as other ops are."""
    if before._needs_grad and result._edge is not None and any(one is before for one in result._edge[0].saved or ()):
        raise RuntimeError(f"Autograd not support dtype: {before.dtype.scalar_name}")


def refuse_saving(values: Sequence[Any]) -> None:
    """Raises PyTorch's error where a value to be saved was made in inference mode: nothing counts the writes into it."""
    if any(isinstance(value, Tensor) and value._inference is not None for value in values) and stack.ask("wraps") is not True:
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
            "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
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


def output_error(shape: Sequence[int], wanted: Sequence[int]) -> RuntimeError:
    """PyTorch's error for a result of another shape than that of the tensor it is written to."""
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(wanted)}")


def check_output(shape: tuple[int, ...], *read: tuple[int, ...]) -> None:
    """PyTorch's error unless what is read, of these shapes, goes element by element into a tensor of the first."""
    wrong = broadcast_error([shape, *read])
    if wrong is not None:
        raise wrong from None
    wanted = np.broadcast_shapes(shape, *read)
    if wanted != shape:
        raise output_error(shape, wanted) from None


def check_result(self: Tensor, result: Tensor) -> None:
    """A result that is to be written must have the shape, and a dtype that goes into the tensor's."""
    have, got = self._array, result._array
    if got.shape != have.shape:
        raise output_error(have.shape, got.shape)
    dtypes.check_cast(got.dtype, have.dtype)


# What these write is of a dtype of its own, or their operands' are looked at in another way.
_OTHER_DTYPES = frozenset(
    "copy_ float_power_ heaviside_ ldexp_ nan_to_num_ eq_ ge_ greater_ greater_equal_ gt_ le_ less_ less_equal_ lt_ ne_ not_equal_ "
    "logical_and_ logical_or_ logical_xor_".split()
)
_FOUND_LATER = re.compile(
    r"not implemented for|^result type |^expected dtype |^output with shape |alpha only supported|argument alpha must"
)


_OF_ITS_DTYPE = frozenset({"celu_", "elu_", "leaky_relu_"})  # whatever numbers they are given


def refuse_operands(name: str, self: Tensor, values: Sequence[object], found: Exception) -> None:
    """PyTorch's error for what an op that goes element by element was to write into ``self``, if it comes before the one that was
    found: its iterators ask first whether shapes go together, then whether ``self`` has theirs, then whether their dtype goes
    into its own."""
    if _FOUND_LATER.search(str(found)) is None or (self._of_batch and str(found).startswith("output with shape")):
        return  # of examples it names the shapes of the batches
    read = [value for value in values if isinstance(value, Tensor)]
    have = self._array
    if str(found).startswith("expected dtype") and ("`weight`" not in str(found) or read[-1]._array.ndim):
        return  # lerp_ looks at them first
    check_output(have.shape, *(value._array.shape for value in read))
    if have.dtype.kind == "c" or name in _OTHER_DTYPES:
        return
    numbers = (
        ()
        if read or name in _OF_ITS_DTYPE
        else tuple(type(value) for value in values if isinstance(value, complex | float | int))
    )
    own = dtypes.of(have.dtype)
    of_all = [(value._array.ndim > 0, dtypes.of(value._array.dtype)) for value in (self, *read)]
    wide, narrow = (tuple(one for large, one in of_all if large is kind) for kind in (True, False))
    common = dtypes.result_dtype(wide, narrow, numbers)
    if common.is_complex:
        raise RuntimeError(
            f"result type {common.scalar_name} can't be cast to the desired output type {own.scalar_name}"
        ) from None
    if ("not implemented for" in str(found) or "alpha" in str(found)) and not dtypes.can_cast(common, own):
        raise RuntimeError(
            f"result type {common.scalar_name} can't be cast to the desired output type {own.scalar_name}"
        ) from None
