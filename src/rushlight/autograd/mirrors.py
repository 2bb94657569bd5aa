"""Conjugates and negatives as views: in PyTorch they share memory with what they are of, so a write into one changes the other.

Here their values are computed at once, in memory of their own. Their version counter knows where they came from: as it counts a
write, it carries the new values back. Whoever counts a write into what is mirrored calls :func:`renew`, which carries them on to
the mirrors. :func:`carry_history` does both for the graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.numpy import address, strided
from . import modes
from .nodes import Edge, Node

if TYPE_CHECKING:
    from ..tensor import Tensor


_Array = np.ndarray[Any, Any]
_Turn = Callable[[_Array], _Array]


class Mirror(list[Any]):
    """The version counter of a tensor that mirrors another, and of its views."""

    __slots__ = ("__weakref__", "array", "of", "place", "source", "tensor", "turn", "turned")

    def __init__(self, tensor: Tensor, of: Tensor, turn: _Turn, turned: Callable[[Tensor], Tensor]) -> None:
        super().__init__((of._counter[0],))
        self.tensor, self.array = weakref.ref(tensor), tensor._array
        self.of, self.source, self.turn, self.turned = of, of._array, turn, turned
        self.place: Edge | None = tensor._edge  # in the graph, before a write
        key = id(of._counter)  # which lives as long as this does

        def forget(gone: weakref.ref[Mirror]) -> None:
            left = [one for one in mirrors_by_counter[key] if one is not gone]
            if left:
                mirrors_by_counter[key] = left
            else:
                del mirrors_by_counter[key]

        mirrors_by_counter.setdefault(key, []).append(weakref.ref(self, forget))

    def __setitem__(self, index: object, value: object) -> None:  # type: ignore[override]
        before, counter = self[0], self.of._counter
        list.__setitem__(self, index, value)  # type: ignore[call-overload]
        if index == 0:
            np.copyto(self.source, self.turn(self.array))
            counter[0] += self[0] - before
            list.__setitem__(self, 0, counter[0])
            _let_refuse(self)
        else:
            counter[1:] = self[1:]  # what wrote, and where
        renew(counter, self)


class Aside(list[Any]):
    """The version counter of what ``.data`` gives: its writes are counted nowhere else."""

    __slots__ = ("counter",)
    counter: list[object]  # that of the tensor, which tells whose memory it is


class Unnoticed(Aside):
    """The same where there are mirrors: carries writes on to them."""

    __slots__ = ()

    def __setitem__(self, index: object, value: object) -> None:  # type: ignore[override]
        list.__setitem__(self, index, value)  # type: ignore[call-overload]
        if index == 0:
            counter = self.counter
            renew(counter)
            while isinstance(counter, Mirror):
                np.copyto(counter.source, counter.turn(counter.array))
                renew(counter.of._counter, counter)
                counter = counter.of._counter


mirrors_by_counter: dict[int, list[weakref.ref[Mirror]]] = {}
"""The mirrors of the tensors that share a counter, by its id; empty in a program without any."""


def _mirrors(counter: list[Any]) -> Iterator[Mirror]:
    for one in list(mirrors_by_counter.get(id(counter), ())):
        found = one()
        if found is not None:
            yield found


def count(counter: list[Any], name: str, where: object, writes: int = 1) -> None:
    """Counts a write, or several at once, by what and in which line of the program, and carries it on to the mirrors."""
    counter[0] += writes
    counter[1:3] = (name, where)
    renew(counter)


def renew(counter: list[Any], but: Mirror | None = None) -> None:
    """Carries a write into the memory of ``counter`` on to its mirrors, one of which it may come from."""
    if not mirrors_by_counter:
        return
    for each in _mirrors(counter):
        if each is not but:
            np.copyto(each.array, each.turn(each.source))
            list.__setitem__(each, slice(None), counter)
            _let_refuse(each)
            renew(each)


def _let_refuse(mirror: Mirror) -> None:
    """Lets a mirror that cannot take a new place in the graph say so, as a view does, when somebody asks for it."""
    tensor, of = mirror.tensor(), mirror.of
    if tensor is not None and tensor._made is not None:
        tensor._base = of if of._base is None else of._base


def in_one_memory(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors are of the same memory, wherever they lie in it."""
    first, second = one._counter, other._counter
    while first.__class__ is not list and isinstance(first, Aside):
        first = first.counter
    while second.__class__ is not list and isinstance(second, Aside):
        second = second.counter
    return first is second


def where_it_is(tensor: Tensor) -> tuple[list[Any], _Array]:
    """Whose memory a tensor is of in PyTorch, by the counter, and the part of that which it stands for."""
    array = tensor._array
    counter: Any = tensor._counter
    while isinstance(counter, (Aside, Mirror)):
        if isinstance(counter, Aside):
            counter = counter.counter
        else:
            offset = address(array) - address(counter.array)
            source = counter.source if counter.source.dtype is array.dtype else counter.source.real
            array, counter = strided(source, array.shape, array.strides, offset), counter.of._counter
    return counter, array


def mirror(tensor: Tensor, of: Tensor, turn: _Turn, turned: Callable[[Tensor], Tensor]) -> None:
    """Makes writes into ``tensor``, which ``turned`` made of another, writes into that too, turned once more; and the reverse.

    ``turn``  what ``turned`` does, of arrays
    """
    if not modes.state.transforms and not of._of_batch and isinstance(of._array, np.ndarray):
        tensor._array = _laid_as(tensor._array, of._array)
        tensor._counter = Mirror(tensor, of, turn, turned)
        tensor._seen = of._counter[0]
        if not modes.state.grad_enabled:
            tensor._made = "inference" if modes.state.inference else "no_grad"
            tensor._needs_grad = (of if of._base is None else of._base).requires_grad
        elif of._base is not None or isinstance(of._counter, Mirror):
            tensor._made = of._made
            if of._base is not None and of._needs_grad is True and not of._base._needs_grad:
                tensor._base = of._base  # of a leaf in memory of another, as which no_grad's views need a gradient


def _laid_as(array: _Array, like: _Array) -> _Array:
    """``array`` with the strides of ``like``, so that elements share a place, or have gaps between them, where those of that do."""
    if array.strides == like.strides or not array.size or any(step < 0 or step % array.itemsize for step in like.strides):
        return array
    span = 1 + sum((size - 1) * step for size, step in zip(like.shape, like.strides, strict=True)) // array.itemsize
    laid = strided(np.zeros(span, array.dtype), array.shape, like.strides)
    laid[...] = array
    return laid


def is_conjugate(tensor: Tensor) -> bool:
    """Whether PyTorch would have a conjugation pending: of a tensor, or of the one of which it is a view."""
    base = tensor._base
    if tensor._conjugate or base is None or tensor._array.dtype.kind not in "cW":
        return tensor._conjugate
    odd, counter = base._conjugate, tensor._counter
    if isinstance(counter, Mirror):
        odd = False
        while isinstance(counter, Mirror):
            odd, counter = odd != (counter.turn is np.conjugate), counter.of._counter
    return odd


def check_mirrored(counter: list[object]) -> None:
    """Raises PyTorch's error for a write through a mirror of a leaf."""
    of = None
    while isinstance(counter, Mirror):
        of, counter = counter.of, counter.of._counter
    if of is not None and of.requires_grad and (of if of._base is None else of._base)._edge is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


def carry_history(written: Tensor, write_through: Callable[[Tensor, Node], None]) -> None:
    """Puts a write that has just been recorded into the history of what is mirrored, and gives mirrors their new place in it.

    ``write_through``  how the history of a base takes a write through one of its views
    """
    counter = written._counter
    if isinstance(counter, Mirror):
        if (written if written._base is None else written._base) is not counter.tensor():
            return  # of detached memory
        counter = _carry_back(counter, write_through)
    if modes.state.grad_enabled:
        _give_places(counter)


def _give_places(counter: list[Any]) -> None:
    for each in _mirrors(counter):
        tensor = each.tensor()
        if tensor is not None and tensor._made is None and each.of.requires_grad:
            again = each.turned(each.of)
            each.place = tensor._edge = again._edge
            tensor._needs_grad = again._needs_grad
            _give_places(each)


def _carry_back(counter: Mirror, write_through: Callable[[Tensor, Node], None]) -> list[Any]:
    """The history of a write into a mirror becomes that of what is mirrored in the end, whose counter it gives."""
    tensor, of = counter.tensor(), counter.of
    root: list[Any] = counter
    while isinstance(root, Mirror):
        root = root.of._counter
    if tensor is None or not modes.state.grad_enabled or not (tensor.requires_grad or of.requires_grad):
        return root
    place = tensor._edge
    if place is not None and place != counter.place and place[0].next[:1] == (counter.place,) and tensor._tangents is None:
        node, each = place[0], counter
        while True:
            node = Turned(node, each)
            if not isinstance(each.of._counter, Mirror):
                break
            each = each.of._counter
        of = each.of
        write_through(of if of._base is not None else of.view_as(of), node)  # type: ignore[attr-defined]
        return root
    version = root[0]
    of.view_as(of).copy_(counter.turned(tensor))  # type: ignore[attr-defined]
    root[0] = version  # it is one write
    renew(root)
    return counter


class Turned(Node):
    """A write into a mirror, seen from what is mirrored: what arrives is turned on its way to the write's rule, and back."""

    def __init__(self, node: Node, mirror: Mirror) -> None:
        self.saved, self.next, self.where = (node, mirror.turn, mirror.turned), node.next, node.where

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        node, turn, _ = self.saved
        seen = turn(g)
        first, *rest = node.vjp(seen, edges)
        if first is None:
            return (first, *rest)
        back = turn(np.asarray(first))
        return (np.where(np.equal(first, seen), back, back + 0), *rest)  # zeros that the rule has put there have no sign

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        node, _, turned = self.saved
        first, *rest = node.vjp_tensors(turned(g), edges)
        return (first if first is None else turned(first), *rest)
