"""The transforms that are running in a thread (``vmap``, ``grad``, ``jvp``, ...), the outermost first.

A layer begins when a transform calls its function and ends when the function returns. ``vmap`` and forward mode mark the
tensors of their layer; those of a ``grad`` are known by the graph: they lead to the inputs that the layer made. So the
functions here can say of a tensor what PyTorch says of its wrappers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..autograd import modes, tangents
from ..autograd.nodes import AccumulateGrad, orders
from ..autograd.topological_order import reached
from ..backend.notes import leaf_written
from ..base.attributes import held
from ..base.pytree import tree_flatten
from ..base.thread_state import carried

if TYPE_CHECKING:
    from ..tensor import Tensor

REQUIRES_GRAD = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a "
    "function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch transforms "
    "(e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being transformed instead."
)
RETAIN_GRAD = (
    "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch transform. This is "
    "unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
    "retain_grad() outside of a function being transformed instead."
)
CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation (aten::{}) that "
    "would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept "
    "the mutated Tensor(s) as inputs."
)


class Layer:
    """One running transform."""

    kind = "Grad"
    internal = False  # made by a function that is no transform itself, whose callers are to notice nothing

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self.function = function
        self.inputs: list[Tensor] = []  # the tensors that the function was given in the place of its arguments
        self.others: object = None  # the arguments that it got as they are
        self.first = self.last = 0  # the orders of the nodes made in it lie between
        self.ended = False
        self.level = 0
        self.outside: tuple[bool, Any, tuple[int, ...]] | None = None  # of a vmap with a grad inside of it: see open_graph
        self.opened: Layer | None = None  # of a grad: the vmap whose examples have a graph of their own since

    @property
    def alive(self) -> bool:
        return self in state.stack


class ForwardLayer(Layer):
    """A running ``jvp``."""

    kind = "Jvp"
    tangents = 0  # the level of forward mode
    replays = False  # of what linearize gives: PyTorch replays what it has recorded, beginning at leaves


class _State(threading.local):
    def __init__(self) -> None:
        self.stack: list[Layer] = []
        self.mark: modes.Mark | None = None
        self.inplace_requires_grad = False


state = carried(_State())


def push(layer: Layer) -> Layer:
    """Begins a layer."""
    layer.first, layer.ended = next(orders), False
    _run([*state.stack, layer])
    layer.level = len(state.stack)
    if layer.kind == "Grad":
        layer.opened = open_graph()
    return layer


def _run(stack: list[Layer]) -> None:
    """Has these layers run, and no others."""
    mark = modes.marked(state.mark, stack)
    state.stack, state.mark, modes.state.transforms = stack, mark, len(stack)


def open_graph() -> Layer | None:
    """Begins the graph of the examples of the innermost ``vmap``, which a ``grad`` inside of it is to record; None if it has begun.

    The graph of the ``grad`` has a node for each op on an example. What the batch is computed with is recorded beneath, as far as
    was recorded around the ``grad``: the modes there and the levels of forward mode are noted.
    """
    level = next((layer for layer in reversed(state.stack) if layer.kind == "Vmap"), None)
    if level is None or level.outside is not None:
        return None
    level.outside = surroundings()
    return level


def surroundings() -> tuple[bool, Any, tuple[int, ...]]:
    """Whether ops are recorded, or run in inference mode, and the levels of forward mode that are open."""
    return modes.state.grad_enabled, modes.state.inference, tuple(tangents.state.levels)


def pop(layer: Layer) -> None:
    """Ends a layer, and those in it that an interrupt kept from being ended."""
    layer.last, layer.ended = next(orders), True
    place_of_it = place(layer)
    _run(state.stack[:place_of_it] if place_of_it >= 0 else state.stack)
    layer.inputs, layer.others, layer.function = [], None, None
    if layer.opened is not None:
        layer.opened.outside = None
        layer.opened = None


def belong(layer: Layer, tensors: list[Any]) -> None:
    """Makes tensors inputs of a layer."""
    layer.inputs += tensors
    if layer.kind == "Grad":
        for one in tensors:
            held(one)["_layer"] = layer


@contextmanager
def without(layer: Layer) -> Iterator[None]:
    """As if a layer, and those inside of it, were not running."""
    stack = state.stack
    try:
        _run(stack[: stack.index(layer)])
        yield
    finally:
        _run(stack)


@contextmanager
def entered(layer: Layer) -> Iterator[Layer]:
    """A layer for the length of a block."""
    try:
        yield push(layer)
    finally:
        try:
            pop(layer)
        except BaseException:  # an interrupt
            pop(layer)
            raise


def place(layer: object) -> int:
    """Where a layer stands among the running ones; -1 once it has ended."""
    return state.stack.index(layer) if layer in state.stack else -1


def layers_inside(layer: Layer) -> list[Layer]:
    """The layers that run inside of one."""
    return state.stack[state.stack.index(layer) + 1 :]


def within_another() -> bool:
    """Whether the innermost running layer is no vmap."""
    return bool(state.stack) and state.stack[-1].kind != "Vmap"


def leads_to(tensor: Any, layer: Layer) -> bool:
    """Whether a tensor was computed from the inputs of a ``grad``."""
    own = layer.inputs
    if any(tensor is one for one in own):
        return True
    if tensor._edge is None:
        return False
    inner = {one._edge[0] for one in own if one._edge is not None}
    return any(
        node in inner or (isinstance(node, AccumulateGrad) and any(node.variable is one for one in own))
        for node in reached([tensor._edge[0]])
    )


def has(layer: Layer, tensor: Any) -> bool:
    """Whether a tensor is one of a running layer."""
    if layer.kind == "Vmap":
        while tensor._of_batch:
            if tensor.level is layer and not tensor.shared:
                return True
            tensor = tensor.whole
        return False
    if isinstance(layer, ForwardLayer):
        return bool(tensor._tangents and layer.tangents in tensor._tangents)
    return layer.kind == "Grad" and leads_to(tensor, layer)


def innermost_of(tensor: Any) -> Layer | None:
    """The innermost running layer that a tensor is of."""
    return next((layer for layer in reversed(state.stack) if has(layer, tensor)), None)


def is_left_over(tensor: Any) -> bool:
    """Whether a tensor was made in a layer that has ended since."""
    level = held(tensor).get("level")
    own = level if level is not None else held(tensor).get("_layer")
    if own is not None:
        return not own.alive
    if tensor._edge is None:
        return False
    order = tensor._edge[0].order
    leaves = (node.variable for node in reached([tensor._edge[0]]) if isinstance(node, AccumulateGrad))
    layers = (held(leaf).get("_layer") for leaf in leaves)
    return any(layer is not None and not layer.alive and layer.last < order < layer.first for layer in layers)


def source_of(tensor: Any) -> Any:
    """The tensor that an input of a ``grad`` stands for."""
    return tensor.detach() if tensor._base is None else tensor._base


def held_by(function: Any, counter: object) -> bool:
    """Whether a function finds the memory with a version counter in what it closes over, not among its arguments."""
    pending, seen = [function], set()
    while pending:
        one = pending.pop()
        if id(one) in seen or one is None:
            continue
        seen.add(id(one))
        if getattr(one, "_counter", None) is counter:
            return True
        if hasattr(one, "func") and hasattr(one, "keywords"):  # functools.partial
            pending.append(one.func)
        if _is_module(one):  # of buffers the counts: others may have been made anew by the function that runs
            pending += [each for each in one._buffers.values() if each is not None and each._array.dtype.kind == "i"]
            pending += one._modules.values()
        pending.append(getattr(one, "__self__", None))
        code = getattr(one, "__code__", None)
        if code is None:
            continue
        for cell in one.__closure__ or ():
            try:
                pending.append(cell.cell_contents)
            except ValueError:  # not filled yet
                continue
        named = [one.__globals__.get(name) for name in code.co_names]
        pending += [value for value in named if getattr(value, "_counter", None) or _is_module(value)]
    return False


def _is_module(one: object) -> bool:
    return isinstance(getattr(one, "_buffers", None), dict) and isinstance(getattr(one, "_modules", None), dict)


def refuse_captured(tensor: Tensor, name: str) -> None:
    """RuntimeError where an in-place op writes into a tensor that the innermost ``grad`` or ``jvp`` was not given, or into what
    ``linearize`` has computed beforehand."""
    layer = state.stack[-1]
    if isinstance(layer, ForwardLayer) and layer.replays and tensor.requires_grad and not tensor._counter[0]:
        raise leaf_written("a leaf Variable that requires grad is being used in an in-place operation.")
    if layer.internal or layer.kind not in ("Grad", "Jvp") or not held_by(layer.function, tensor._counter):
        return
    if any(tensor._counter is getattr(one, "_counter", None) for one in layer.inputs + tree_flatten(layer.others)[0]):
        return
    if layer.kind == "Grad" and leads_to(tensor, layer):
        return
    raise RuntimeError(CAPTURED.format(f"{name}.Tensor" if name in ("add_", "sub_", "mul_", "div_") else name))


def in_user_transform() -> bool:
    """Whether a transform runs that the user called."""
    return any(not layer.internal for layer in state.stack)


def refuse(what: str) -> None:
    """RuntimeError for what would change how tensors are recorded, inside of a transform."""
    if what == "backward":
        if not in_user_transform():
            return
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
            "instead or call backward() outside of functorch transforms."
        )
    if not in_user_transform() or (what == "requires_grad_" and state.inplace_requires_grad):
        return
    raise RuntimeError(REQUIRES_GRAD if what == "requires_grad_" else RETAIN_GRAD)


def shown(value: Any, stack: list[Layer] | None = None) -> str | None:
    """How a tensor prints inside of transforms; None if it prints as ever."""
    stack = state.stack if stack is None else stack
    for count in range(len(stack), 0, -1):
        layer, outer = stack[count - 1], stack[: count - 1]
        if getattr(value, "level", None) is layer and not value.shared:
            whole, dim = value.origin or (value.whole, 0)
            return _enclosed(f"BatchedTensor(lvl={layer.level}, bdim={dim}, value=", whole, outer)
        tracked = layer.kind == "Grad" and leads_to(value, layer)
        if tracked or (isinstance(layer, ForwardLayer) and value._tangents and layer.tangents in value._tangents):
            return _enclosed(f"GradTrackingTensor(lvl={layer.level}, value=", value, outer)
    return None


def _enclosed(start: str, value: Any, outer: list[Layer]) -> str:
    text = shown(value, outer)
    if text is None:
        text = value.detach().resolve_conj()._text()
    lines = "\n".join("    " + line for line in text.splitlines())
    return f"{start}\n{lines}\n)"
