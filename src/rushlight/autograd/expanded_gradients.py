"""How gradients lie that are one number at every place: the gradient of ``x.sum()`` by ``x``.

PyTorch hands out an expanded view, which refuses to be written to; that of ``x.mean()`` is an array of its own. In a pass the
arrays are what computes fastest, and mostly go on to rules that make others of them; so only what ``grad`` hands out is
laid as in PyTorch, and that is told from the graph, not noted while the pass runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..backend import numpy as backend
from ..tensor import Tensor, wrap
from .hooks import mark_unrecorded
from .nodes import Edge, Node
from .observed_pass import ObservedPass
from .views import mark_view

# Ops whose rule hands on what arrives, or a view of it.
_HAND_ON = frozenset(
    "add clone contiguous expand expand_dims permute_dims squeeze squeeze_all sub sum t transpose view".split()
)
_OF_ONE_SHAPE = frozenset(("add", "expand", "sub"))  # so they are where nothing was broadcast
_MOST = 32  # nodes that are looked at: a gradient that has come a longer way was mostly computed with


def laid_by(roots: Sequence[Edge], task: ObservedPass, recorded: bool) -> Callable[[Tensor, Edge | None], None]:
    """What lays a gradient, that arrived at an edge in a pass from ``roots``, as PyTorch would.

    ``recorded``  whether the pass was, and so the views that it has made
    """
    if len(roots) != 1 or roots[0][0].hooked:
        return _as_it_is
    root = roots[0][0]
    name = _name(root)
    if name not in ("sum_all", "mean", "mean_all"):
        return _as_it_is
    lain: list[Tensor] = []

    def laid(gradient: Tensor, edge: Edge | None) -> None:
        array = gradient._array
        if (
            type(gradient) is Tensor
            and isinstance(array, np.ndarray)
            and array.size != 1
            and (gradient._base is None or any(gradient._base is one for one in lain))
            and edge is not None
            and _arrives_alone(root, edge[0], task)
        ):
            if name != "sum_all":
                gradient._array = _in_order(array)
            elif gradient._edge is None:
                lain.append(gradient)
                _expand(gradient, recorded)

    return laid


def _as_it_is(gradient: Tensor, edge: Edge | None) -> None:
    pass


def _name(node: Node) -> str | None:
    op = getattr(node, "op", None)
    return None if op is None else op.name


def _expand(gradient: Tensor, recorded: bool) -> None:
    array = gradient._array
    number = np.array(array.flat[0] if array.size else 0, array.dtype)
    gradient._array = backend.everywhere(number, array.shape)
    gradient._base = None
    (mark_view if recorded else mark_unrecorded)(gradient, wrap(number))


def _in_order(array: backend.Array) -> backend.Array:
    return np.ascontiguousarray(array) if 0 in array.strides else array


def _arrives_alone(root: Node, target: Node, task: ObservedPass) -> bool:
    """Whether what ``root`` gave came to ``target`` as it was, by one way, and nothing else did."""
    needed = task.needed
    assert needed is not None
    found, stack, looked = 0, [root], 0
    while stack:
        node = stack.pop()
        looked += 1
        if looked > _MOST:
            return False
        for position, edge in enumerate(node.next):
            if edge is None or edge[0] not in needed:
                continue
            onward = edge[0]
            found += onward is target
            if onward.metas is not None or onward.dtype is not node.dtype:
                return False
            name = _name(node)
            if (name in _OF_ONE_SHAPE and onward.shape != node.shape) or (name == "sub" and position == 1):
                return False
            if needed[onward] and onward is not target:
                if onward.hooked or _name(onward) not in _HAND_ON:
                    return False
                stack.append(onward)
    return found == 1
