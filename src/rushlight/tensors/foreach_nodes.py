"""The places in the graph of what ``torch._foreach_*`` hands out: one node for all results of a call, as PyTorch has.

Each tensor's operation has been recorded by itself; their nodes become the parts of one, under whose name errors, hooks and
``next_functions`` know them. Where one part is differentiated, all are spent, and none may have been written to.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import modes
from ..autograd.interpreters import Interpreter, stack
from ..autograd.nodes import Edge, Node, orders
from ..autograd.saved import array_of, modified, type_name
from ..autograd.views import CopySlices
from ..autograd.write_errors import short_name
from ..base import dtypes
from ..ops.inplace import record_as
from ..tensor import Tensor

# What a node keeps of the lists; of all others every list.
_NOTHING = frozenset("ceil clone floor frac neg round sign trunc".split())
_RESULTS = frozenset("exp expm1 reciprocal rsqrt sigmoid sqrt tan tanh".split())
_BOTH = frozenset(("max", "norm"))

# How PyTorch numbers the derivatives of a function of a number, of numbers, of tensors.
_NUMBERED = ("1Scalar", "1ScalarList", "0List")
_BOUNDED = ("0Scalar", "0ScalarList", "1List")
_EXTREME = ("0", "1", "0List")
_FORMS = {
    "add": _NUMBERED, "sub": _NUMBERED, "mul": _NUMBERED, "div": ("1Scalar", "1ScalarList", "0"),
    "pow": ("0Scalar", "1", "0"), "maximum": _EXTREME, "minimum": _EXTREME,
    "clamp_min": _BOUNDED, "clamp_max": _BOUNDED, "lerp": _BOUNDED, "addcmul": _BOUNDED, "addcdiv": _BOUNDED,
}  # fmt: skip


_Kept = tuple[int, Any, int]


class ForeachNode(Node):
    """The node of all results of one call."""

    __module__ = "builtins"  # where PyTorch's nodes say they are from

    parts: list[Node | None]
    _kept: tuple[_Kept, ...] | None

    def __getattr__(self, name: str) -> object:
        """What was saved for all tensors of the list, asked of one's part."""
        if name in ("_saved_scalar", "_saved_scalars", "_saved_ord"):
            return getattr(next(part for part in self.parts if part is not None), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @property
    def saved(self) -> tuple[_Kept, ...] | None:  # type: ignore[override]
        """What must not have changed: a place among the edges, or the number of a result, with the value and its version."""
        return self._kept

    @saved.setter
    def saved(self, value: tuple[_Kept, ...] | None) -> None:
        self._kept = value
        if value is None:
            for part in self.parts:
                if part is not None:
                    part.saved = None

    def without_cotangent(self, edges: tuple[Edge | None, ...]) -> tuple[object, ...]:
        """Nothing, once what was saved has been looked at."""
        return self._pulled("vjp", (None,) * len(self.parts), edges)

    def _pulled(self, rule: str, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self._kept is None:
            raise self.freed()
        for position, value, expected in self._kept:
            if isinstance(value, Tensor):
                if value._counter[0] != expected:
                    array_of(self, position, value, expected)
            elif int(value[1][0]) != int(expected):
                array, versions = value
                maker = f", which is output {position} of {short_name(self)},"
                raise modified(self, type_name(array), array.shape, maker, versions, expected)
        if type(self).__name__.startswith("ForeachAddcdiv"):
            self._check_rows_of_divisors(g, edges)
        found: list[object] = [None] * len(edges)
        count = len(self.parts)
        slots = len(edges) // count
        for place, (part, one) in enumerate(zip(self.parts, g, strict=True)):
            if part is not None and one is not None:
                own = (*edges[place::count], *part.next[slots:])[: len(part.next)]
                gradients = getattr(part, rule)(one, own)
                found[place::count] = (*gradients, *[None] * slots)[:slots]
        return tuple(found)

    def _check_rows_of_divisors(self, g: Sequence[object], edges: tuple[Edge | None, ...]) -> None:
        """IndexError where a divisor has no row of its own number in the list: PyTorch asks that row for the dtype."""
        before = 2 * len(self.parts)
        if not any(edges[before:]):
            return
        for position, value, _ in self._kept or ():
            place = position - before
            if place < 0 or g[place] is None:
                continue
            shape = value._array.shape
            if not shape:
                raise IndexError("select() cannot be applied to a 0-dim tensor.")
            if place >= shape[0]:
                raise IndexError(f"select(): index {place} out of range for tensor of size {list(shape)} at dimension 0")

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        return self._pulled("vjp", g, edges)

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        return self._pulled("vjp_tensors", g, edges)


@functools.cache
def _node_class(name: str) -> type[ForeachNode]:
    return type(name, (ForeachNode,), {"__module__": "builtins"})


def each_node_counts() -> bool:
    """Whether somebody follows ops and their nodes one by one: a transform, or who runs backward passes of its own."""
    if modes.state.transforms:
        return True
    return bool(modes.special.hidden) and any(
        type(one).backward_pass is not Interpreter.backward_pass for one in stack.interpreters
    )


def is_list_of_tensors(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], Tensor)


def form_of(plain: str, last: object) -> str:
    """The name of a call's node; ``last`` is the argument that tells PyTorch's forms apart, None where there is but one."""
    forms = _FORMS.get(plain)
    if forms is None:
        ending = "1" if plain == "max" else "0"
    elif plain in ("mul", "div") and isinstance(last, Tensor):
        ending = "0Tensor"
    else:
        ending = forms[2 if is_list_of_tensors(last) else 1 if isinstance(last, (list, tuple)) else 0]
    return f"Foreach{plain.title().replace('_', '')}Backward{ending}"


def joined(plain: str, lists: Sequence[Sequence[Tensor]], last: object, results: Sequence[Tensor], before: int) -> None:
    """Gives the results of a call one node, if one of them has any.

    ``before``  the number that the next node had before the call
    """
    parts: list[Node | None] = [one._edge[0] if one._edge is not None else None for one in results]
    made = [part for part in parts if part is not None]
    if not made or any(not isinstance(one._array, np.ndarray) for one in results):
        return
    if any(part.metas is not None or part._sequence_nr() < before for part in made):
        return
    for one in results:
        kind = dtypes.of(one._array.dtype)
        if not (kind.is_floating_point or kind.is_complex):
            raise RuntimeError(f"Autograd not support dtype: {kind.scalar_name}")
    slots, count = len(lists), len(parts)
    node = object.__new__(_node_class(form_of(plain, last)))
    edges: list[Edge | None] = [None] * (slots * count)
    for place, part in enumerate(parts):
        if part is not None:
            edges[place::count] = (*part.next, *[None] * slots)[:slots]
    node.next, node.order, node.where = tuple(edges), next(orders), made[-1].where
    node.metas = [(one._array.shape, one._array.dtype) for one in results]
    node.shape, node.dtype = node.metas[0]
    node.parts = parts
    node.frees = not (plain in _NOTHING or (plain == "lerp" and not is_list_of_tensors(last)))
    node._kept = _kept(plain, lists, last, results) if node.frees else ()
    for place, (one, part) in enumerate(zip(results, parts, strict=True)):
        one._edge, one._needs_grad = (node, place), True
        if part is not None:
            part.joined = (weakref.ref(node), place)


def _kept(plain: str, lists: Sequence[Sequence[Tensor]], last: object, results: Sequence[Tensor]) -> tuple[_Kept, ...]:
    kept: list[_Kept] = []
    count = len(results)
    if plain not in _RESULTS and modes.state.saved_hooks is None:
        for number in (1, 0) if len(lists) == 2 else range(len(lists)):  # by PyTorch's names: other before self
            kept += [(number * count + place, one, one._counter[0]) for place, one in enumerate(lists[number])]
    if plain in _RESULTS or plain in _BOTH or (plain == "pow" and is_list_of_tensors(last)):
        kept += [(place, (one._array, one._counter), one._counter[0]) for place, one in enumerate(results)]
    return tuple(kept)


def rename_written(plain: str, last: object, written: Tensor, before: int) -> None:
    """Calls the node of a write what PyTorch calls it: that of a number has another, and some have no derivative."""
    edge = (written if written._base is None else written._base)._edge
    if edge is None or edge[0]._sequence_nr() < before:
        return
    node, tensors = edge[0], is_list_of_tensors(last)
    if plain == "copy" or (plain in ("maximum", "minimum") and not tensors):
        inner = node.saved[0] if isinstance(node, CopySlices) and node.saved else node
        record_as(inner, "NotImplemented", f"derivative for _foreach_{plain}_ is not implemented")
    elif node.name().startswith("Clamp") and plain.startswith("clamp"):
        record_as(node, f"{plain.title().replace('_', '')}Backward{int(tensors)}")
    elif not tensors and plain in ("add", "sub", "mul", "div") and node.name() == f"{plain.title()}Backward0":
        record_as(node, f"{plain.title()}Backward1")
