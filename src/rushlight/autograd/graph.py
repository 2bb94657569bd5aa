"""The graph that a forward pass leaves behind: nodes, edges, the values they keep, and hooks.

A :class:`Node` is one recorded operation. Its ``next`` holds an edge ``(node, output number)`` for each tensor input that
needs a gradient, None for the others: the backward pass walks along them. The nodes of leaves are :class:`AccumulateGrad`.
Each op of the table makes a subclass of Node (``MulBackward0``) when it is compiled; see ops/table.py.
"""

from __future__ import annotations

import itertools
import linecache
import operator
import sys
import threading
import traceback
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..backend.notes import with_notes
from ..base import dtypes
from ..base.arguments import OWN_CODE, ROOT
from ..base.device import CPU
from ..base.missing import attribute_error
from ..tensor import OWN_DTYPE, Tensor

Edge = tuple["Node", int]

_MOST = 1 << 62

# Counts down, so that the smallest order is the latest op and heapq gives it first; operator.length_hint says how many are left.
orders: Iterator[int] = iter(range(-1, -_MOST - 1, -1))


def coming_number() -> int:
    """The sequence number that the next node will have."""
    return _MOST - operator.length_hint(orders)


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after "
    "calling backward."
)


class RemovableHandle:
    """What registering a hook returns; ``remove()`` takes the hook out again, and so does leaving a ``with`` block.

    ``extra_dict``  further dicts, one or a list, from which the same key goes too
    """

    __module__ = "torch.utils.hooks"
    _ids: ClassVar[Iterator[int]] = itertools.count()

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        self.id = next(self._ids)
        extra = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self.extra_dict_ref: Any = tuple(weakref.ref(one) for one in extra)

    def remove(self) -> None:
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> Any:
        return (self.hooks_dict_ref(), self.id, tuple(reference() for reference in self.extra_dict_ref))

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if one is None else one) for one in extra)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        self.remove()


Hooks = OrderedDict[int, Any]
"""Hooks in the order of their registration; they can be referred to weakly, which handles do."""


def add_hook(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class Observers:
    """Whether the program has code that a backward pass calls: it may look at gradients in the middle of one."""

    present = False


observers = Observers()


class Node:
    """One recorded operation.

    ``next``    an edge for each tensor input, None where no gradient is needed
    ``saved``   what the derivative rules asked for, None once freed
    ``shape``, ``dtype``  of the output, which its cotangent must have; ``metas`` where there are several outputs
    ``order``   minus one, minus two, ...: the smallest runs first in the backward pass

    >>> import rushlight as torch
    >>> node = torch.ones(1, requires_grad=True).exp().grad_fn
    >>> node.name(), isinstance(node, torch.autograd.graph.Node)
    ('ExpBackward0', True)
    """

    next: tuple[Edge | None, ...] = ()
    saved: tuple[Any, ...] | None = ()
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any]
    metas: list[tuple[tuple[int, ...], np.dtype[Any]]] | None = None
    order: int = 0
    where: Any = None
    always_runs = False  # a Function's backward is called even when no gradient arrives
    is_leaf_sink = False
    at_once = False  # runs before whatever else is ready
    keeps_anyhow = False  # keeps a tensor whichever inputs need a gradient
    frees: bool | None = None  # whether `release` sets `saved` to None, or does nothing; None for anything else
    written_through: weakref.ref[Node] | None = None  # the place of the view through which its result was written
    hooked = False  # whether any of the following was ever set
    tensor_hooks: dict[int, Hooks] | None = None
    retained: dict[int, weakref.ref[Tensor]] | None = None
    pre_hooks: Hooks | None = None
    post_hooks: Hooks | None = None
    tangents: dict[int, Any] | None = None  # of the outputs, in forward mode: a rule that reads an output needs them
    _metadata: dict[str, Any] | None = None

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The cotangents of the inputs from the outputs' (arrays), for the inputs whose edge is not None."""
        raise NotImplementedError

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The same with Tensors, recorded as it goes."""
        raise NotImplementedError

    def release(self) -> None:
        """Drops what was saved; reading it afterwards is an error."""
        self.saved = None

    # What PyTorch's users ask a grad_fn.

    @classmethod
    def mro(cls) -> list[type]:
        """The classes of a node without Node itself, which in PyTorch the nodes' classes only behave as if derived from."""
        return [base for base in cls.__mro__ if base is not Node or cls is Node]

    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return tuple(edge if edge is not None else (None, 0) for edge in self.next)

    @property
    def metadata(self) -> dict[str, Any]:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        metas = self.metas if self.metas is not None else [(self.shape, self.dtype)]
        return tuple(InputMetadata(*meta) for meta in metas)

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return -self.order - 1

    def _set_sequence_nr(self, number: int) -> None:
        """Among nodes that are ready, those of higher numbers run first."""
        self.order = -number - 1
        observers.present = True

    def __lt__(self, other: Node) -> bool:  # of nodes with the same number, whichever
        return id(self) < id(other)

    def __call__(self, *grads: Any) -> Any:
        """The cotangents of the inputs from those of the outputs, outside of any backward pass."""
        expected = 1 if self.metas is None else len(self.metas)
        if len(grads) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
        if not self.always_runs and all(g is None for g in grads):
            return None if len(self.next) == 1 else (None,) * len(self.next)
        values: Any = list(grads) if self.metas is not None else grads[0]
        results = self.vjp_tensors(values, self.next)
        return results[0] if len(results) == 1 else results

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(grad_inputs, grad_outputs)`` runs after the node; what it returns, if anything, replaces grad_inputs."""
        self.hooked = observers.present = True
        if self.post_hooks is None:
            self.post_hooks = OrderedDict()
        return add_hook(self.post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(grad_outputs)`` runs before the node; what it returns, if anything, replaces grad_outputs."""
        self.hooked = observers.present = True
        if self.pre_hooks is None:
            self.pre_hooks = OrderedDict()
        return add_hook(self.pre_hooks, hook)

    def _register_hook_dict(self, hooks: dict[int, Any]) -> None:
        self.hooked = observers.present = True
        self.post_hooks = hooks  # type: ignore[assignment]

    def retain(self, number: int, tensor: weakref.ref[Tensor]) -> None:
        """Has the cotangent of one output put into a tensor's ``.grad``."""
        self.hooked = True
        self.retained = {**(self.retained or {}), number: tensor}

    def hooks_of_output(self, number: int) -> Hooks:
        """The tensor hooks of one output, made when first asked for."""
        self.hooked = observers.present = True
        if self.tensor_hooks is None:
            self.tensor_hooks = {}
        return self.tensor_hooks.setdefault(number, OrderedDict())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    # Raised from compiled ops.

    def freed(self) -> RuntimeError:
        return with_notes(RuntimeError(FREED), self.explain())

    def explain(self) -> str:
        """What a note of an error says: where in the user's program this node was made, as far as is known."""
        place = describe(self.where)
        return f"{self.name()} was recorded at {place}" if place else ""


class InputMetadata(NamedTuple):
    """What a node knows of one of its outputs, whose cotangent is an input of its backward."""

    shape: tuple[int, ...]
    numpy_dtype: Any

    @property
    def dtype(self) -> Any:
        return dtypes.of(self.numpy_dtype)

    @property
    def device(self) -> Any:
        return CPU

    is_nested_tensor = is_cpp_nested_tensor = is_tensor_subclass = False  # type: ignore[misc]


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor arrives in the graph; can stand for the tensor in ``grad`` and ``backward``.

    Made by :func:`get_gradient_edge`. ``ownership_token`` keeps alive what the edge belongs to.

    >>> import rushlight as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> torch.autograd.grad((x * 3).sum(), edge)
    (tensor([3.]),)
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


GradientEdge.__module__ = "torch.autograd.graph"


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives to the leaf's ``.grad``.

    The leaf refers to its AccumulateGrad weakly and the node to its leaf strongly, so a leaf and its graph are freed
    without the cycle collector.
    """

    __module__ = "builtins"  # where PyTorch's nodes say they are from
    is_leaf_sink = at_once = True
    order = -(1 << 62)  # before every other node that is ready

    variable: Tensor

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def _sequence_nr(self) -> int:
        return (1 << 64) - 1

    def __call__(self, *grads: Any) -> Any:
        """Adds a gradient to the leaf's ``.grad``, outside of any backward pass."""
        (g,) = grads
        if g is not None:
            self.variable.grad = g.clone() if self.variable.grad is None else self.variable.grad + g
        return ()

    def release(self) -> None:
        pass


accumulate_lock = threading.RLock()


def new_sink(leaf: Tensor) -> AccumulateGrad:
    """The end of the graph at ``leaf``: every op on a leaf that is in no graph yet makes one."""
    sink = AccumulateGrad()
    sink.variable = leaf
    array = leaf._array
    sink.shape = array.shape  # for good, as in PyTorch: also where the leaf is given another one later
    sink.dtype = array.dtype if leaf._grad_dtype is OWN_DTYPE else leaf._grad_dtype
    return sink


BORROWED: Any = 1
"""``_needs_grad`` of a view made in no_grad: its base needs a gradient, the view itself has no place in the graph."""


def leaf_edge(leaf: Tensor) -> Edge | None:
    """The edge that a recorded op keeps for a leaf; None for a view made in no_grad, which is one without being one."""
    if leaf._needs_grad is BORROWED:
        return None
    reference = leaf._sink
    sink = reference() if reference is not None else None
    if sink is None:
        sink = new_sink(leaf)
        made = weakref.ref(sink)
        # In place of a lock, a tenth of a small op: the interpreter changes threads at calls and loops, so not between these two.
        if leaf._sink is not reference:
            return leaf_edge(leaf)  # another thread's, come in between
        leaf._sink = made
    return (sink, 0)


def here(depth: int = 2) -> tuple[Any, int] | None:
    """Code object and instruction of the nearest frame outside the package: cheap to keep, turned into a line on demand."""
    frame: Any = sys._getframe(depth)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_CODE):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


def describe(where: Any) -> str:
    """``file:line, in function: source`` of a place kept by :func:`here`."""
    if where is None:
        return ""
    code, instruction = where
    line = None
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    if line is None:
        return ""
    source = linecache.getline(code.co_filename, line).strip()
    return (
        f"{code.co_filename}:{line}"
        + (f", in {code.co_name}" if code.co_name != "<module>" else "")
        + (f": {source}" if source else "")
    )


def user_traceback(frame: Any) -> list[str]:
    """The lines of a traceback that ends at ``frame``, without the frames of this package and what started it."""
    stack = traceback.extract_stack(frame)
    own = [entry.filename.startswith(OWN_CODE) for entry in stack]
    first = max((index + 1 for index, entry in enumerate(stack) if entry.filename == ROOT + "__main__.py"), default=0)
    return traceback.format_list([entry for index, entry in enumerate(stack) if index >= first and not own[index]])


def keep_traceback(node: Node, frame: Any, parent: Node | None) -> None:
    """Under anomaly detection: where a node was recorded, and in the backward of which other node, if in any."""
    node.metadata["traceback_"] = user_traceback(frame)
    if parent is not None:
        node.metadata["parent_"] = parent


def warn_of_origin(node: Node) -> None:
    """Warns of an error in a node with the traceback of its forward call, and of what that was part of."""
    trace = node.metadata.get("traceback_")
    if trace is None:
        _warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during forward "
            "pass for more information."
        )
        return
    _warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(trace)}")
    parent = node.metadata.get("parent_")
    while parent is not None:
        trace = parent.metadata.get("traceback_")
        if trace is None:
            _warn(
                f"\n\nPrevious calculation was induced by {parent.name()}. No forward pass information available. Enable "
                "detect anomaly during forward pass for more information."
            )
            return
        _warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the previous "
            f"calculation:\n{''.join(trace)}"
        )
        parent = parent.metadata.get("parent_")


def _warn(text: str) -> None:
    """Warns beside an error that is on its way: a filter that makes errors of warnings must not hide that one."""
    try:
        warnings.warn(text, stacklevel=8)
    except UserWarning:
        print(text, file=sys.stderr)


# What other files of this room put into the namespace torch.autograd.graph.
offered: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    if name in offered:
        return offered[name]
    raise attribute_error("torch.autograd.graph", name, f"module 'torch.autograd.graph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *offered})
