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
from ..backend.notes import leaf_written
from ..backend.ownership import BY_NAME, is_only_here
from ..backend.unbroadcast import unbroadcast
from ..base.attributes import held
from ..base.strides import is_stretched
from ..tensor import Tensor, new_tensor
from . import mirrors, modes, overlaps, tangents
from .interpreters import stack as interpreters
from .nodes import BORROWED, Edge, Node, leaf_edge, orders
from .regenerated_views import place_anew, steps_to
from .source_lines import here
from .write_errors import check_made, mark_of_views, refuse_inference, takes_history


def mark_view(result: Tensor, source: Tensor, one_of_several: bool = False) -> None:
    """Makes ``result`` a differentiable view of ``source``."""
    recorded = modes.state.grad_enabled
    if recorded and source._base is not None:
        refresh(source)
    result._counter = source._counter
    result._base = source if source._base is None else source._base
    result._seen = result._counter[0]
    if source._tangents is not None and source._base is not None:
        result._tangents = {}  # it has those of its source, and not what the base got since
    if not recorded:
        result._made = "inference" if modes.state.inference else "no_grad"
        result._needs_grad = BORROWED if result._base._needs_grad else False
    else:
        result._made = "several" if one_of_several else source._made


def in_inference(result: Tensor, source: Tensor) -> Tensor:
    """A view that was made as in no_grad, as inference mode makes it: of an inference tensor it is one, and no view."""
    if source._inference is None:
        result._made = "inference"
    else:
        result._base, result._made, result._needs_grad, result._inference = None, None, False, mark_of_views(source._inference)
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
        edge = place_anew(base, view)
        if view._retains and view._edge is not None:
            move_retained(view._edge, edge)
        view._edge, view._needs_grad = edge, True
    elif view._edge is None and view._needs_grad is not True:
        view._needs_grad = BORROWED if base._needs_grad else False
    view._seen = version


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


def check_writable(tensor: Tensor, needs: bool = False, name: str = "") -> None:
    """Raises PyTorch's errors for tensors that the graph does not allow to be changed in place now.

    ``needs``  whether what is written into the tensor needs a gradient
    """
    refuse_inference(tensor)
    if name[:8] == "logical_":  # PyTorch's autograd does not hear of these
        return
    if not modes.state.grad_enabled or not ((own := tensor.requires_grad) or needs):
        return
    base = tensor._base
    if base is not None or tensor._made is not None:
        check_made(tensor)
    mirrors.check_mirrored(tensor._counter)
    if base is not None and own and base._edge is None:
        raise leaf_written("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if own and tensor._edge is None:
        raise leaf_written("a leaf Variable that requires grad is being used in an in-place operation.")


def inplace(function: Callable[..., Tensor], name: str, self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Runs ``function(self, ...)``, which makes a new tensor, and puts the result into ``self`` and its history.

    The function sees a stand-in for ``self`` that keeps today's values and today's place in the graph, so the derivative
    is that of the ordinary op.
    """
    if modes.special.active:
        written = interpreters.ask("write", function, name, self, args, kwargs)
        if written is not NotImplemented:
            return written
    check_writable(self, any(getattr(value, "requires_grad", False) for value in args), name)
    if self._base is not None:
        refresh_to_record(self)
    overlapping = overlaps.check_write(function, name, self, args, kwargs)
    if not overlapping and overlaps.overlaps_itself(self._array):
        if not overlaps.write_in_parts(inplace, function, name, self, args, kwargs):
            bump(self, name)
        return self
    # A hook that packs the stand-in may keep its memory, which is about to be written to.
    before = new_tensor(self._array.copy() if modes.state.saved_hooks else self._array)
    before._counter, before._tangents = list(self._counter), tangents.copied(self)
    before._edge, before._needs_grad = self._edge, self._needs_grad
    if before._needs_grad and before._edge is None:
        before._edge = leaf_edge(self)  # only reached for leaves in a mode that records nothing
    result = overlaps.result_for(self, function, name, before, args, kwargs)
    if result is before:
        bump(self, name)
        return self
    # Somebody but this frame holds the stand-in: a node kept it, so its values must outlive the write.
    is_kept = not is_only_here(before, BY_NAME)
    if is_kept or np.may_share_memory(result._array, self._array):
        old = self._array.copy()
        if result._array.base is not None and np.may_share_memory(result._array, self._array):
            result._array = result._array.copy()
        before._array = old
    if overlapping:
        overlaps.write_changes(name, self._array, result._array, *args, **kwargs)
        bump(self, name)
    else:
        write(self, result._array, name)
    if result._needs_grad and takes_history(self, name, result):
        _adopt(self, before, result)
        if is_kept and before._edge is not None and not before._edge[0].is_leaf_sink:
            keep_as_copy(before)
    if self._tangents is not None or result._tangents is not None:
        tangents.write_tangent(self, result)
    mirrors.carry_history(self, write_through)
    if self._base is not None and self._made is None and self._counter.__class__ is mirrors.Mirror and modes.state.grad_enabled:
        self._seen = -1  # its base has another place
    return self


def keep_as_copy(before: Tensor) -> None:
    """What a node keeps of a tensor that it writes to is a copy, which has a node of its own in PyTorch's graph."""
    before._edge = (before._clone_node(), 0)


def become(self: Tensor, result: Tensor, name: str) -> None:
    """Makes ``self`` what its view ``result`` is: the in-place form of ops that only change the shape.

    Where nothing is recorded, ``self`` keeps its node; a view will take a new one when somebody looks.
    """
    if self._tangents is not None and modes.state.forward_levels:
        self._tangents = tangents.tangents_of(result)
    self._array = result._array
    bump(self, name)
    if self._of_batch:  # a batch: what it stands for changes with it
        held(self).update(held(result), origin=None, seen_from=None)
        return
    if not modes.state.grad_enabled:
        return
    if result._edge is not None:
        self._edge, self._needs_grad = result._edge, result._needs_grad
        self._seen = self._counter[0]


def _adopt(self: Tensor, before: Tensor, result: Tensor) -> None:
    """Puts the node of ``result`` into the history of ``self``."""
    edge = result._edge
    assert edge is not None
    node = edge[0]
    own = node.metas is None and bool(node.next) and (node.next[0] == before._edge if before._edge else node.next[0] is None)
    if own and node.saved:
        # The op kept its result: from now on that is self's memory, watched by self's version.
        own_memory = {id(result._array): self._array, id(result._counter): self._counter}
        items = [own_memory.get(id(item), item) for item in node.saved]
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
    copies.next = ((base._edge or leaf_edge(base)) if base._needs_grad else None, *node.next[1:])
    copies.shape, copies.dtype = base._array.shape, base._array.dtype
    steps, through_other_kinds = steps_to(base, view)
    copies.saved = (node, overlaps.geometry(base, view), steps if through_other_kinds else None)
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

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def _opened(self) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        return self.saved

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        inner, (shape, strides, offset, base_strides, dtype), _ = self._opened()
        result = overlaps.like_base(np.asarray(g), base_strides)
        if dtype != result.dtype:  # an array of no dimensions has no view of another size of elements
            seen = result.real if result.dtype.kind == "c" else result.view(dtype)
        else:
            seen = result
        part = backend.strided(seen, shape, strides, offset)
        grads = inner.vjp(part.copy(), edges)
        if edges[0] is not None:
            if is_stretched(part):
                raise overlaps.overlap_error()
            part[...] = 0 if grads[0] is None else unbroadcast(np.asarray(grads[0]), shape, dtype)
        return (result if edges[0] is not None else None, *grads[1:])

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        inner, (shape, strides, offset, base_strides, dtype), steps = self._opened()
        result = new_tensor(overlaps.like_base(g._array, base_strides))
        result.zero_()
        result.copy_(g)
        part = result._seen_through_other_kinds(steps) if steps else None
        if part is None:
            size = dtype.itemsize
            seen = result if dtype.kind == result._array.dtype.kind else result._in_other_kind()
            part = seen.as_strided(shape, [stride // size for stride in strides], offset // size)
        grads = inner.vjp_tensors(part.clone(), edges)
        if edges[0] is not None:
            if grads[0] is None:
                part.zero_()
            else:
                part.copy_(grads[0])
        return (result if edges[0] is not None else None, *grads[1:])
