"""Sharing of memory, version counters, and in-place changes.

Tensors that share memory share one version counter, the list ``_counter``: its first item counts the writes, the others say
which op wrote last and from where. A view knows its ``_base``; the version it has *seen* tells whether its place in the
graph still holds. A write to a tensor of the graph puts a node on top of it; a write through a view puts ``CopySlices``
on top of the base, and every view of the base takes a new ``AsStridedBackward0`` the next time somebody looks.

All writes into the memory of tensors pass through :func:`write`.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend import numpy as backend
from ..backend.line_sums import unbroadcast
from ..backend.notes import leaf_written
from ..backend.ownership import BY_NAME, is_only_here
from ..base.attributes import held
from ..tensor import Tensor, new_tensor
from . import mirrors, modes, overlaps, tangents
from .graph import BORROWED, Edge, Node, leaf_edge, orders
from .interpreters import stack as interpreters
from .program_lines import here


def mark_view(result: Tensor, source: Tensor, one_of_several: bool = False) -> None:
    """Makes ``result`` a differentiable view of ``source``."""
    recorded = modes.state.grad_enabled
    if recorded and source._base is not None:
        refresh(source)
    result._counter = source._counter
    result._base = source if source._base is None else source._base
    result._seen = result._counter[0]
    if not recorded:
        result._made = "inference" if modes.state.inference else "no_grad"
        result._needs_grad = BORROWED if result._base._needs_grad else False
    elif one_of_several:
        result._made = "several"
    elif source._made is not None:
        result._made = source._made


def in_inference(result: Tensor, source: Tensor) -> Tensor:
    """A view that was made as in no_grad, as inference mode makes it: of an inference tensor it is one, and no view."""
    if source._inference is None:
        result._made = "inference"
    else:
        result._base, result._made, result._needs_grad = None, None, False
        result._inference = source._inference
    return result


def refresh(view: Tensor) -> None:
    """Gives a view its place in the graph again after its base was written to, or its base's place has changed."""
    version, seen = view._counter[0], view._seen
    if seen == version:
        return
    base = view._base
    assert base is not None
    if int(seen) != int(version):
        if not base._needs_grad and view._edge is None:
            if view._needs_grad is BORROWED:
                view._needs_grad = False
            return
        check_made(view, "its base or another view of its base has been")
        again = modes.state.view_replay or base._array.dtype is not view._array.dtype
        edge = (_replayed(base, view) if again else None) or (base._as_strided_node(view), 0)
        if view._retains and view._edge is not None:
            move_retained(view._edge, edge)
        view._edge, view._needs_grad = edge, True
    elif view._edge is None and view._needs_grad is not True:
        view._needs_grad = BORROWED if base._needs_grad else False
    view._seen = version


def _replayed(base: Tensor, view: Tensor) -> Edge | None:
    """The nodes that made a view of its base once more, on top of the base's place now; None where they are not known."""
    made: list[Edge] = []
    edge = view._edge
    while edge is not None and (op := getattr(type(edge[0]), "op", None)) is not None and op.view:
        made.append(edge)
        edge = edge[0].next[0]
    if not made:
        return None
    edge = base._edge or leaf_edge(base)
    for node, number in reversed(made):
        again = object.__new__(type(node))
        again.next, again.saved, again.where = (edge,), node.saved, node.where
        again.shape, again.dtype, again.metas, again.order = node.shape, node.dtype, node.metas, next(orders)
        edge = (again, number)
    return edge


def refresh_to_record(view: Tensor) -> None:
    """:func:`refresh` before an op that may record: where nothing is recorded, nobody asks for a view's place."""
    if modes.state.grad_enabled:
        refresh(view)


# A version is a whole number of writes plus a small fraction that counts changes of place without a write: so that it
# equals no version noted before, and whoever compares looks closer.
_RESTATED = 2.0**-26


def restate(tensor: Tensor) -> None:
    """Makes views of ``tensor``, and nodes that saved it, look again at its place in the graph."""
    tensor._counter[0] += _RESTATED


def bump(tensor: Tensor, name: str) -> None:
    """Counts a write, and remembers what wrote from where."""
    mirrors.count(tensor._counter, name, here(sys._getframe(1)))


def write(tensor: Tensor, value: Any, name: str) -> None:
    """Copies ``value`` (an array, broadcast and cast) into the memory of ``tensor``."""
    if tensor._of_batch:
        raise RuntimeError(
            f"Batching rule not implemented for aten::{name}.out; the fallback path doesn't work on out= or view ops."
        )
    if modes.special.active and modes.state.mutation_allowed is not None:
        modes.state.mutation_allowed.before_write(tensor)
    np.copyto(tensor._array, value, casting="unsafe")
    bump(tensor, name)


def refuse_inference(tensor: Tensor) -> None:
    """Raises PyTorch's error for a write into a tensor made in inference mode: nobody would count it."""
    if tensor._inference is not None and not modes.state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def check_writable(tensor: Tensor, needs: bool = False) -> None:
    """Raises PyTorch's errors for tensors that the graph does not allow to be changed in place now.

    ``needs``  whether what is written into the tensor needs a gradient
    """
    refuse_inference(tensor)
    if not modes.state.grad_enabled or not ((own := tensor.requires_grad) or needs):
        return
    base = tensor._base
    mirrors.check_mirrored(tensor._counter)
    if base is not None:
        check_made(tensor)
        if own and base._edge is None:
            raise leaf_written("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if own and tensor._edge is None:
        raise leaf_written("a leaf Variable that requires grad is being used in an in-place operation.")


def check_made(tensor: Tensor, what: str = "is being") -> None:
    """The errors for views that remember too little of how they were made to be written through."""
    made, edge = tensor._made, tensor._edge
    if made is None or tensor._base is None:
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


def _checked_overlap(
    function: Callable[..., Tensor], name: str, self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """PyTorch's errors for memory that a write meets twice; whether only what changes is to be written."""
    overlapping = name in overlaps.INTO_OVERLAP and overlaps.overlaps_itself(self._array)
    if overlapping and name[:3] == "tri":
        overlapping = not overlaps.repeated_within(self._array)
    if not overlapping:
        if name in overlaps.REFUSE_FIRST and overlaps.overlaps_itself(self._array):
            function(self.detach(), *args, **kwargs)  # for its error, which comes before
        if name not in overlaps.LOOK_LAST:
            overlaps.check_memory(self, () if name in overlaps.WHATEVER_IS_READ else args, name in overlaps.BY_PLACE)
        if name not in overlaps.BY_ELEMENT and overlaps.overlaps_itself(self._array):
            raise overlaps.overlap_error()
    else:
        self._warn_of_overlap(name)
    return overlapping


def inplace(function: Callable[..., Tensor], name: str, self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Runs ``function(self, ...)``, which makes a new tensor, and puts the result into ``self`` and its history.

    The function sees a stand-in for ``self`` that keeps today's values and today's place in the graph, so the derivative
    is that of the ordinary op.
    """
    if modes.special.active:
        written = interpreters.ask("write", function, name, self, args, kwargs)
        if written is not NotImplemented:
            return written
    check_writable(self, any(getattr(value, "requires_grad", False) for value in args))
    if self._base is not None:
        refresh_to_record(self)
    overlapping = _checked_overlap(function, name, self, args, kwargs)
    if not overlapping and overlaps.overlaps_itself(self._array):
        return _in_rows(function, name, self, args, kwargs)
    # A hook that packs the stand-in may keep its memory, which is about to be written to.
    before = new_tensor(self._array.copy() if modes.state.saved_hooks else self._array)
    before._counter = list(self._counter)
    before._edge, before._needs_grad = self._edge, self._needs_grad
    before._tangents = tangents.tangents_of(self) if modes.state.forward_levels and self._base is not None else self._tangents
    if before._needs_grad and before._edge is None:
        before._edge = leaf_edge(self)  # only reached for leaves in a mode that records nothing
    result = function(before, *args, **kwargs)
    if result is before:
        bump(self, name)
        return self
    _check_result(self, result, name)
    if name in overlaps.LOOK_LAST and not overlapping:
        overlaps.check_memory(self, args, True)
    # Somebody but this frame holds the stand-in: a node kept it, so its values must outlive the write.
    if not is_only_here(before, BY_NAME) or np.may_share_memory(result._array, self._array):
        old = self._array.copy()
        if result._array.base is not None and np.may_share_memory(result._array, self._array):
            result._array = result._array.copy()
        before._array = old
    if overlapping:
        overlaps.write_changes(self._array, result._array)
        bump(self, name)
    else:
        write(self, result._array, name)
    if result._needs_grad and self._array.dtype.kind in "fcV":
        _adopt(self, before, result)
    if self._tangents is not None or result._tangents is not None:
        tangents.write_tangent(self, result)
    mirrors.carry_history(self._counter)
    return self


def _in_rows(function: Callable[..., Tensor], name: str, self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """:func:`inplace` of an op that goes element by element, for a tensor whose elements meet: a part after another, none of
    which overlaps itself. Each part is a write of its own where that is recorded, so gradients are those of all of them."""
    array, shape = self._array, self._array.shape
    _check_result(self, function(new_tensor(array.copy()), *args, **kwargs), name)  # for the errors of the whole

    def part(value: Any, index: tuple[Any, ...]) -> Any:
        return value.expand(shape)[index] if hasattr(value, "_array") else value

    recorded = modes.state.grad_enabled and any(
        getattr(value, "requires_grad", False) for value in (self, *args, *kwargs.values())
    )
    for index in overlaps.rows(array):
        given = [part(value, index) for value in args]
        named = {key: part(value, index) for key, value in kwargs.items()}
        if recorded:
            inplace(function, name, self[index], *given, **named)
        else:
            array[index] = function(new_tensor(array[index]), *given, **named)._array
    if not recorded:
        bump(self, name)
    return self


def become(self: Tensor, result: Tensor, name: str) -> None:
    """Makes ``self`` what its view ``result`` is: the in-place form of ops that only change the shape.

    Where nothing is recorded, ``self`` keeps its node; a view will take a new one when somebody looks.
    """
    if self._tangents is not None and modes.state.forward_levels:
        self._tangents = tangents.tangents_of(result)
    self._array = result._array
    bump(self, name)
    if self._of_batch:  # a batch: what it stands for changes with it
        held(self).update(whole=held(result)["whole"], origin=None)
        return
    if not modes.state.grad_enabled:
        return
    if result._edge is not None:
        self._edge, self._needs_grad = result._edge, result._needs_grad
        self._seen = self._counter[0]


def _check_result(self: Tensor, result: Tensor, name: str) -> None:
    have, got = self._array, result._array
    if got.shape != have.shape:
        raise RuntimeError(f"output with shape {list(have.shape)} doesn't match the broadcast shape {list(got.shape)}")
    check_cast(got.dtype, have.dtype)


def check_cast(got: np.dtype[Any], have: np.dtype[Any]) -> None:
    if got != have and not castable(got, have):
        raise RuntimeError(f"result type {type_word(got)} can't be cast to the desired output type {type_word(have)}")


def castable(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """PyTorch's can_cast: never from complex to real, floating to integer, or anything to bool."""
    order = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
    return order[source.kind] <= order[target.kind]


_TYPE_WORDS = {
    "float16": "Half", "float32": "Float", "float64": "Double", "bfloat16": "BFloat16", "complex64": "ComplexFloat",
    "complex128": "ComplexDouble", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "uint8": "Byte",
    "bool": "Bool", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
}  # fmt: skip


def type_word(dtype: np.dtype[Any]) -> str:
    """PyTorch's word for a dtype in messages: Float, Long, ..."""
    return _TYPE_WORDS[dtype.name]


def _adopt(self: Tensor, before: Tensor, result: Tensor) -> None:
    """Puts the node of ``result`` into the history of ``self``."""
    edge = result._edge
    assert edge is not None
    node = edge[0]
    own = node.metas is None and bool(node.next) and (node.next[0] == before._edge if before._edge else node.next[0] is None)
    if own and node.saved:
        # The op kept its result: from now on that is self's memory, watched by self's version.
        node.saved = tuple(
            self._array if item is result._array else self._counter if item is result._counter else item for item in node.saved
        )
        if any(item is self._counter for item in node.saved):
            items = list(node.saved)
            for index, item in enumerate(items):
                if item is self._counter:
                    items[index + 1] = self._counter[0]
            node.saved = tuple(items)
    if self._base is None:
        if self._edge is not None:
            move_retained(self._edge, edge)
        self._edge, self._needs_grad = edge, True
        if node.metas is None:
            node.shape, node.dtype = self._array.shape, self._array.dtype
        return
    if own:
        write_through(self, node)
    else:
        write_through(self, before._copy_node(result))


def write_through(view: Tensor, node: Node) -> None:
    """The history of a base after a write through one of its views: CopySlices around the node of the write."""
    base = view._base
    assert base is not None
    node.shape, node.dtype = view._array.shape, view._array.dtype
    copies = object.__new__(CopySlices)
    copies.inner = node
    first: Edge | None = None
    if base._needs_grad:
        first = base._edge or leaf_edge(base)
    copies.next = (first, *node.next[1:])
    copies.shape, copies.dtype = base._array.shape, base._array.dtype
    copies.geometry = overlaps.geometry(base, view)
    copies.order = next(orders)
    copies.where = node.where
    if base._edge is not None:
        move_retained(base._edge, (copies, 0))
    base._edge, base._needs_grad = (copies, 0), True
    view._seen = -1
    refresh(view)
    node.written_through = weakref.ref(view._edge[0]) if view._edge is not None else None


def move_retained(old: Edge, new: Edge) -> None:
    """A tensor that keeps its gradient keeps it when it takes another node."""
    retained = old[0].retained
    if retained and old[1] in retained:
        new[0].retain(new[1], retained.pop(old[1]))


class CopySlices(Node):
    """A write through a view, seen from the base: the view's part of the cotangent goes through the write's own rule."""

    __module__ = "builtins"  # where PyTorch's nodes say they are from

    inner: Node | None
    geometry: overlaps.Geometry

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.inner is None:
            raise self.freed()
        shape, strides, offset, base_strides, dtype = self.geometry
        result = overlaps.like_base(np.asarray(g), base_strides)
        if dtype != result.dtype:  # an array of no dimensions has no view of another size of elements
            seen = result.real if result.dtype.kind == "c" else result.view(dtype)
        else:
            seen = result
        part = backend.strided(seen, shape, strides, offset)
        first = edges[0] if edges[0] is not None else None
        grads = self.inner.vjp(part.copy(), (first, *edges[1:]))
        if edges[0] is not None:
            if overlaps.is_stretched(part):
                raise overlaps.overlap_error()
            part[...] = 0 if grads[0] is None else unbroadcast(np.asarray(grads[0]), shape, dtype)
        return (result if edges[0] is not None else None, *grads[1:])

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.inner is None:
            raise self.freed()
        shape, strides, offset, base_strides, dtype = self.geometry
        result = new_tensor(overlaps.like_base(g._array, base_strides))
        result.zero_()
        result.copy_(g)
        size = dtype.itemsize
        seen = result if dtype.kind == result._array.dtype.kind else result._in_other_kind()
        part = seen.as_strided(shape, [stride // size for stride in strides], offset // size)
        grads = self.inner.vjp_tensors(part.clone(), edges)
        if edges[0] is not None:
            if grads[0] is None:
                part.zero_()
            else:
                part.copy_(grads[0])
        return (result if edges[0] is not None else None, *grads[1:])

    def release(self) -> None:
        self.inner = None
