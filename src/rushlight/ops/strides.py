"""Views by sizes, strides and offset; and the methods that change the shape of the tensor itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import grad_mode, views
from ..autograd.nodes import Edge, Node, leaf_edge, orders
from ..autograd.regenerated_views import taken_anew
from ..backend import strided as k
from ..tensor import Methods, Tensor, new_tensor
from .inplace import record_as
from .public import methods, ops, public
from .table import Op, op, table

op(
    "as_strided", lambda x, shape, strides, offset, x_strides, x_offset: k.as_strided(x, shape, strides, offset),
    kind="linear", view=True,
    x=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.full_like_shape(g, x_shape)
    if 0 in shape else xp.as_strided_adjoint(g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip
op(
    "as_strided_adjoint", k.as_strided_adjoint, kind="linear",
    g=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.gather_strided(
        g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip
op(
    "gather_strided",
    k.gather_strided,
    kind="linear",
    x=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.as_strided_adjoint(
        g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip


Array = np.ndarray[Any, Any]
OF_OTHER_KINDS = ("view_as_real", "view_as_complex")


class OfViews(Methods):
    """What writes through views need."""

    def _as_strided_node(self, view: Tensor) -> Node:
        return _as_strided_node(self, view)

    def _place_through_other_kinds(self, steps: list[Edge]) -> Edge | None:
        """The place of a view that ``steps`` made of this base, on top of its own; None where it is not known what a step did."""
        edge = self._edge or leaf_edge(self)
        source: Tensor = self
        for step, array in _landmarks(self._array, steps):
            view = new_tensor(array)
            edge = (_strided_node(source, edge, view), 0) if step is None else taken_anew(*step, edge)
            source = view
        return edge if source is not self else None

    def _seen_through_other_kinds(self, steps: list[Edge]) -> Tensor | None:
        """The view that ``steps`` made, of this tensor in the base's place."""
        seen: Tensor = self
        for step, array in _landmarks(self._array, steps):
            if step is None:
                strides = tuple(stride // array.itemsize for stride in array.strides)
                seen = as_strided(seen, array.shape, strides, new_tensor(array).storage_offset())
            else:
                seen = getattr(ops, type(step[0]).op.name)(seen)  # type: ignore[attr-defined]
        return seen if seen is not self else None

    def _clone_node(self) -> Node:
        """The node of ``self.clone()``, of whose values there is a copy already."""
        node = object.__new__(table["clone"].node_class)
        node.next, node.order = (self._edge,), next(orders)
        node.shape, node.dtype = self._array.shape, self._array.dtype
        return node

    def _in_other_kind(self) -> Tensor:
        """A view of complex numbers as real ones, or the other way round: of all the memory."""
        if self._array.dtype.kind in "cW":
            return ops.view_as_real(self)
        return ops.view_as_complex(as_strided(self, (self._array.size // 2, 2), (2, 1), 0))


def _as_strided_node(base: Tensor, view: Tensor) -> Node:
    """The node that a view gets after its base was written to: taken from the base by its geometry."""
    edge = base._edge or leaf_edge(base)
    if view._array.dtype.kind == base._array.dtype.kind:
        return _strided_node(base, edge, view)
    part = _in_the_kind_of_base(view)
    if part is None:
        base, edge = _in_other_kind(base, edge)
        return _strided_node(base, edge, view)
    if (part._array.shape, part._array.strides) != (base._array.shape, base._array.strides):
        edge = (_strided_node(base, edge, part), 0)
    return _in_other_kind(part, edge)[1][0]


def _in_the_kind_of_base(view: Tensor) -> Tensor | None:
    """What a view has seen as numbers of the other kind, if that was the last step to it; it is not where pairs come apart."""
    array, pair = view._array, 2 * view._array.itemsize
    if array.dtype.kind in "cW":
        return new_tensor(table["view_as_real"].kernel(array))
    if array.shape[-1:] != (2,) or array.strides[-1] != array.itemsize or view.storage_offset() % 2:
        return None
    if any(step % pair for step in array.strides[:-1]):
        return None
    return new_tensor(table["view_as_complex"].kernel(array))


def _strided_node(base: Tensor, edge: Edge | None, view: Tensor) -> Node:
    array, size = view._array, view._array.itemsize
    node = object.__new__(table["as_strided"].node_class)
    node.next = (edge,)
    base_size = base._array.itemsize
    values = {
        "x_shape": base._array.shape,
        "x_strides": tuple(stride // base_size for stride in base._array.strides),
        "x_offset": base.storage_offset(),
        "shape": array.shape,
        "strides": tuple(stride // size for stride in array.strides),
        "offset": view.storage_offset(),
    }
    node.saved = tuple(values[name] for _, name, _ in table["as_strided"].keep)
    node.shape, node.dtype, node.order = array.shape, array.dtype, next(orders)
    return node


def _landmarks(array: Array, steps: list[Edge]) -> list[tuple[Edge | None, Array]]:
    """How a view comes of ``array`` by steps of which one sees complex numbers as real ones or the other way round: that step, and
    what it gives. As in PyTorch all before the first is one view by strides (None), and each behind it is one of its own.

    Nothing where it is not known what a step did.
    """
    found: list[tuple[Edge | None, Array]] = []
    before: Array | None = None
    for node, number in steps:
        operation: Op = type(node).op  # type: ignore[attr-defined]
        known = dict(zip((name for _, name, _ in operation.keep), node.saved or (), strict=False))
        known["shape"] = node.shape
        if any(name not in known for name, _ in operation.params):
            return []
        seen = operation.kernel(array, *(known[name] for name, _ in operation.params))
        array = seen[number] if isinstance(seen, (list, tuple)) else seen
        if operation.name in OF_OTHER_KINDS:
            found += [] if before is None else [(None, before)]
            found.append(((node, number), array))
            before = None
        elif found:
            found.append((None, array))
        else:
            before = array
    return found


def _in_other_kind(base: Tensor, edge: Edge | None) -> tuple[Tensor, Edge]:
    """All of a base of complex numbers seen as real ones, or the other way round; and its place."""
    name = "view_as_real" if base._array.dtype.kind in "cW" else "view_as_complex"
    with grad_mode.no_grad():
        seen = getattr(ops, name)(base)
    node = object.__new__(table[name].node_class)
    node.next, node.saved, node.order = (edge,), (), next(orders)
    node.shape, node.dtype = seen._array.shape, seen._array.dtype
    return seen, (node, 0)


@public()
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the storage with given sizes, strides and offset, in elements."""
    array = input._array
    size, stride = tuple(int(n) for n in size), tuple(int(n) for n in stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: " + str(list(stride)))
    if any(length < 0 for length in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    start = input.storage_offset()
    offset = start if storage_offset is None else int(storage_offset)
    own = tuple(step // array.itemsize for step in array.strides)
    return ops.as_strided(input, size, stride, offset, own, start)


# Methods that change the shape of the tensor itself.


# PyTorch has derivatives of their own for these, under other numbers.
_INPLACE_NODES = {
    "AsStridedBackward0": "AsStridedBackward1",
    "TBackward0": "TBackward1",
    "TransposeBackward0": "TransposeBackward1",
    "UnsqueezeBackward0": "UnsqueezeBackward1",
    "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4",
    "SqueezeBackward2": "SqueezeBackward5",
}


def _inplace_view(name: str) -> None:
    function = methods[name]

    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._inference is None:
            views.check_writable(self)
        if name == "t" and self._array.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D")
        try:
            result = function(self, *args, **kwargs)
        except TypeError as error:
            _, missing, which = str(error).partition("() missing")
            if not missing:
                raise
            raise TypeError(f"{name}_{missing}{which}") from None
        if self._inference is not None:
            views.check_writable(self)  # of those PyTorch sees only what has been done
        node = result.grad_fn
        if node is not None and type(node).__name__ in _INPLACE_NODES:
            record_as(node, _INPLACE_NODES[type(node).__name__])
        views.become(self, result, name + "_")
        if self._base is None and self._counter.__class__ is list:
            self._counter[3:] = [self._array.shape]  # for what is said of versions
        return self

    change.__name__ = change.__qualname__ = name + "_"
    change.__doc__ = f"In-place version of :func:`{name}`: the tensor itself changes shape."
    methods[name + "_"] = change


for _name in ("t", "transpose", "squeeze", "unsqueeze", "as_strided", "swapaxes", "swapdims"):
    _inplace_view(_name)
