"""A Node: one step of a traced program, linked to the steps whose results it takes and to those that take its own."""

from __future__ import annotations

import builtins
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .immutable_collections import immutable_dict, immutable_list
from .qualified_names import public_name, shown_target, type_name

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Callable[..., Any] | str
F = TypeVar("F", bound=Callable[..., Any])
LEGAL_OPS = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
_side_effectful_functions: set[Callable[..., Any]] = {operator.setitem, builtins.setattr, builtins.print}
_KEPT = frozenset(("torch._assert", "torch.manual_seed", "torch.seed", "torch.set_grad_enabled"))
_RANDOM = frozenset(
    f"torch.{name}" for name in "bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like "
    "randperm dropout alpha_dropout".split()
)  # fmt: skip


def has_side_effect(fn: F) -> F:
    """Marks a function whose calls are kept though nobody uses their results; a decorator.

    >>> import rushlight as torch
    >>> @torch.fx.has_side_effect
    ... def note(x):
    ...     return x
    >>> graph = torch.fx.Graph()
    >>> graph.call_function(note, (1,)).is_impure()
    True
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Any], Any]) -> Any:
    """An argument with ``fn`` applied to what its tuples, lists, dicts and slices hold; lists and dicts come out immutable.

    >>> from rushlight.fx.node import map_aggregate
    >>> map_aggregate((1, [2, {"k": 3}], slice(4, None)), lambda x: x and 10 * x)
    (10, [20, {'k': 30}], slice(40, None, None))
    """
    if isinstance(a, tuple):
        parts = [map_aggregate(one, fn) for one in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list([map_aggregate(one, fn) for one in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Any]) -> Any:
    """An argument with ``fn`` applied to each Node in it.

    >>> import rushlight as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> torch.fx.map_arg([x, 1, (x,)], lambda node: node.name)
    ['x', 1, ('x',)]
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda one: fn(one) if isinstance(one, Node) else one)


def shown(arg: object) -> str:
    """An argument as a printed graph shows it: nodes as ``%name``, strings without quotes."""
    if isinstance(arg, Node):
        return f"%{arg.name}"
    if isinstance(arg, list):
        return f"[{', '.join(map(shown, arg))}]"
    if isinstance(arg, tuple):
        return f"({', '.join(map(shown, arg))}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {shown(value)}' for key, value in arg.items())}}}"
    return str(arg)


class Node:
    """A step of a graph: what it does (``op`` and ``target``), on what (``args``, ``kwargs``), and who uses it (``users``).

    A Graph makes them. ``op`` is one of ``placeholder`` (an input called ``target``), ``get_attr`` (a parameter or buffer),
    ``call_function``, ``call_method``, ``call_module`` and ``output``.

    >>> import rushlight as torch
    >>> graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1).graph
    >>> [(node.op, node.name, node.args) for node in graph.nodes]  # doctest: +NORMALIZE_WHITESPACE
    [('placeholder', 'x', ()), ('call_function', 'relu', (x,)), ('call_function', 'add', (relu, 1)), ('output', 'output', (add,))]
    """

    graph: Graph
    name: str
    op: str
    target: Any
    type: Any

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        if op not in LEGAL_OPS:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a str is expected"
            )
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._repr_fn: Callable[[Node], str] | None = None
        self._inputs: dict[Node, None] = {}
        self._prev = self._next = self
        self._erased = False
        self._set(args, kwargs)

    # Arguments.

    def _set(self, args: tuple[Argument, ...], kwargs: Mapping[str, Argument]) -> None:
        """Keeps arguments, and tells the nodes among them who uses them."""
        inputs: dict[Node, None] = {}

        def note(node: Node) -> Node:
            inputs.setdefault(node)
            return node

        self._args, self._kwargs = map_arg(tuple(args), note), map_arg(dict(kwargs), note)
        for node in self._inputs:
            node.users.pop(self, None)
        self._inputs = inputs
        for node in inputs:
            node.users.setdefault(self)

    @property
    def args(self) -> tuple[Argument, ...]:
        """The positional arguments; to change them, assign a new tuple."""
        return self._args  # type: ignore[no-any-return]

    @args.setter
    def args(self, args: tuple[Argument, ...]) -> None:
        self._set(args, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The arguments by keyword; to change them, assign a new dict."""
        return self._kwargs  # type: ignore[no-any-return]

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Argument]) -> None:
        self._set(self._args, kwargs)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once, in order."""
        return list(self._inputs)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Puts another positional argument in the place of one."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Puts a positional argument before the one at ``idx``; AssertionError where there is no such place."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Gives an argument by keyword another value."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Has this node take ``new_input`` wherever it takes ``old_input``."""

        def other(node: Node) -> Node:
            return new_input if node is old_input else node

        self._set(map_arg(self.args, other), map_arg(self.kwargs, other))

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Has every user (for which ``delete_user_cb`` says so) take ``replace_with`` instead; gives those that now do.

        >>> import rushlight as torch
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> x, relu, *_ = traced.graph.nodes
        >>> relu.replace_all_uses_with(x), relu.users
        ([add], {})
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # Order.

    @property
    def next(self) -> Node:
        """The node behind this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def _unlink(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def prepend(self, x: Node) -> None:
        """Puts ``x``, of the same graph, before this node."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            warnings.warn("Trying to prepend a node to itself. This behavior has no effect on the graph.", stacklevel=2)
            return
        x._unlink()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Puts ``x``, of the same graph, behind this node."""
        self._next.prepend(x)

    def __lt__(self, other: Node) -> bool:
        """Whether this node stands before another of its graph."""
        return self is not other and any(node is other for node in self.graph._from(self))

    def __gt__(self, other: Node) -> bool:
        return other < self

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or other < self

    # What it is.

    @property
    def stack_trace(self) -> str | None:
        """Where in the program the node was traced, if its tracer noted that."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the node does more than give its result, so that it stays though nobody uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name = public_name(self.target)
            writes = self.target in _side_effectful_functions or shown_target(self.target) in _KEPT
            return writes or (impure_random and name in _RANDOM)
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return bool(getattr(owner.get_submodule(self.target), "_is_impure", False))
        return False

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)

    def _pretty_print_target(self, target: object) -> str:
        return shown_target(target)

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The line that stands for the node in a printed graph.

        >>> import rushlight as torch
        >>> graph = torch.fx.symbolic_trace(lambda x: x.sum(dim=0)).graph
        >>> print(graph.find_nodes(op="call_method")[0].format_node())
        %sum_1 : [num_users=1] = call_method[target=sum](args = (%x,), kwargs = {dim: 0})
        """
        if self.op == "output":
            if self.type is not None and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_name(self.type)}"
            return f"return {self.args[0]}"
        kind = f"{type_name(self.type)} " if self.type is not None else ""
        start = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={shown_target(self.target)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(f"{self.target} : {kind.strip()}" if kind else self.target)
            return start + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return start
        return f"{start}(args = {shown(self.args)}, kwargs = {shown(self.kwargs)})"
