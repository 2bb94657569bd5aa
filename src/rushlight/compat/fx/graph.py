"""A Graph: a traced program as a list of Nodes, to be looked at, changed, and written out as Python again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from .code_generation import CodeGen, PythonCode
from .namespace import Namespace, snake_case
from .node import Argument, Node, Target, map_arg
from .qualified_names import qualified_name

if TYPE_CHECKING:
    from rushlight.nn import Module

    from .graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]

_Namespace = Namespace
NO_DEFAULT = Parameter.empty


class _InsertPoint:
    """Where new nodes go; in a ``with`` block, until its end."""

    def __init__(self, graph: Graph, before: Node) -> None:
        self.graph, self._earlier = graph, graph._before
        graph._before = before

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self.graph._before = self._earlier


class _node_list:
    """The nodes of a graph in order, or backwards; the list may change while it is walked."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        if direction not in ("_next", "_prev"):
            raise RuntimeError(f"direction must be '_prev' or '_next', got {direction}")
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        node = getattr(self.graph._root, self.direction)
        while node is not self.graph._root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> Iterator[Node]:
        return iter(_node_list(self.graph, "_next" if self.direction == "_prev" else "_prev"))


class Graph:
    """A program as nodes in the order in which they run: inputs, calls, one output.

    >>> import rushlight as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> doubled = graph.call_function(torch.mul, (x, 2))
    >>> _ = graph.output(doubled)
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %mul : [num_users=1] = call_function[target=torch.mul](args = (%x, 2), kwargs = {})
        return mul
    >>> torch.fx.GraphModule({}, graph)(torch.ones(2))
    tensor([2., 2.])
    """

    def __init__(
        self, owning_module: GraphModule | None = None, tracer_cls: Any = None, tracer_extras: dict[str, Any] | None = None
    ) -> None:
        self._graph_namespace = Namespace()
        self._root = Node(self, "", "root", "", (), {})
        self._before = self._root
        self._len = 0
        self._owners = 0
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self) -> GraphModule | None:
        """The GraphModule that runs this graph; None where there is none, or more than one."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: GraphModule | None) -> None:
        if mod is not None:
            self._owning_module = mod if not self._owners else None
            self._owners += 1

    @property
    def nodes(self) -> _node_list:
        """The nodes in order: iterable, both ways, and with a length."""
        return _node_list(self)

    def _from(self, node: Node) -> Iterator[Node]:
        while node is not self._root:
            yield node
            node = node._next

    def output_node(self) -> Node:
        """The node that says what the program returns."""
        return next(node for node in reversed(self.nodes) if node.op == "output")

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of an ``op``, of one target if it is given."""
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    # Nodes are made.

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node at the insert point, which is the end unless ``inserting_before`` or ``inserting_after`` has moved it.

        Its name is made from ``name`` or the target. AssertionError for an ``op`` that there is not.
        """
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        unique = self._graph_namespace.create_name(name if name is not None else self._target_to_str(target), None)
        node = Node(self, unique, op, target, args, kwargs, type_expr)
        self._graph_namespace.associate_name_with_obj(unique, node)
        self._before.prepend(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Target | None) -> str:
        """What a node is called after its target, before the name is made unique."""
        if isinstance(target, str):
            named = target[2:-2] if target.startswith("__") and target.endswith("__") else target
        else:
            full = qualified_name(target)
            named = full.removeprefix("torch.ops.aten.").replace(".", "_") if "torch.ops." in full else full.rpartition(".")[2]
        return snake_case(named)

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = NO_DEFAULT) -> Node:
        """An input of the program; its name may begin with ``*`` or ``**``."""
        args = () if default_value is NO_DEFAULT else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A parameter, buffer or other attribute of the module, ``layer.weight``."""
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A call of a submodule."""
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A call of a method of ``args[0]``."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the program returns: a node, or tuples, lists and dicts of them."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda node: node) -> Node:
        """A copy of another graph's node in this one; ``arg_transform`` says which nodes here stand for its arguments."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        copied.meta = dict(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Argument | None:
        """Copies all nodes of ``g`` here but its output; gives what that returned, in nodes of this graph.

        ``val_map`` says which nodes here stand for nodes of ``g`` already, and is filled with the others.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                returned = map_arg(node.args[0], lambda one: val_map[one])
                return (returned, node) if return_output_node else returned
            val_map[node] = self.node_copy(node, lambda one: val_map[one])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        """A graph with the same nodes: what they hold, tensors too, is not copied."""
        copied = Graph(tracer_cls=self._tracer_cls)
        copied._codegen = self._codegen
        found = copied.graph_copy(self, {}, return_output_node=True)
        if found is not None:
            returned, old = found
            output = copied.output(returned, old.type)
            output.meta = dict(old.meta)
        return copied

    # Nodes are moved and go.

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """New nodes go before ``n``, or to the beginning; for a ``with`` block.

        >>> import rushlight as torch
        >>> traced = torch.fx.symbolic_trace(lambda x: x + 1)
        >>> x, add, _ = traced.graph.nodes
        >>> with traced.graph.inserting_before(add):
        ...     relu = traced.graph.call_function(torch.relu, (x,))
        >>> list(traced.graph.nodes)
        [x, relu, add, output]
        """
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """New nodes go behind ``n``, or to the end; for a ``with`` block."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n._next)

    def erase_node(self, to_erase: Node) -> None:
        """Takes a node out; RuntimeError while others use it."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        if self._before is to_erase:
            self._before = to_erase._next
        to_erase._unlink()
        to_erase._erased = True
        self._len -= 1
        to_erase._set((), {})

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Takes out the nodes that nobody uses and that do nothing else; whether there were any.

        >>> import rushlight as torch
        >>> def f(x):
        ...     torch.sin(x)
        ...     return x + 1
        >>> traced = torch.fx.symbolic_trace(f)
        >>> traced.graph.eliminate_dead_code(), list(traced.graph.nodes)
        (True, [x, add, output])
        """
        self.lint()
        changed = False
        for node in reversed(self.nodes):
            impure = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not impure and not node.users:
                self.erase_node(node)
                changed = True
        return changed

    def lint(self) -> None:
        """RuntimeError unless the graph is well formed: arguments defined before they are used, names unique, targets there."""
        names: set[str] = set()
        seen: set[Node] = set()

        def check(arg: Node, node: Node) -> None:
            where = f"Argument '{arg}' of Node '{node}'"
            if arg.graph is not self:
                raise RuntimeError(
                    f"{where} does not belong to this Graph, but was used as an argument! If you are copying nodes from another "
                    "graph, make sure to use ``arg_transform`` on node_copy() to remap values"
                )
            if arg not in seen:
                raise RuntimeError(
                    f"{where} was used before it has been defined! Please check that Nodes in the graph are topologically ordered"
                )

        for node in self.nodes:
            if node.op not in ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output"):
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node.all_input_nodes:
                check(arg, node)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    _check_target(self.owning_module, node)

    # Text.

    def python_code(self, root_module: str, **options: Any) -> PythonCode:
        """The program as a function ``forward``: its source, and the globals that the source needs.

        >>> import rushlight as torch
        >>> print(torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph.python_code("self").src.strip())
        def forward(self, x):
            relu = torch.relu(x);  x = None
            return relu
        """
        names = Namespace()

        def spoken(node: Node) -> str:
            return names.create_name(node.name, node)

        with self._spoken_as(spoken):
            return self._python_code(root_module, names, **options)

    @contextmanager
    def _spoken_as(self, spoken: Callable[[Node], str]) -> Iterator[None]:
        before = {node: node._repr_fn for node in self.nodes}
        for node in before:
            node._repr_fn = spoken
        try:
            yield
        finally:
            for node, earlier in before.items():
                node._repr_fn = earlier

    def _python_code(self, root_module: str, namespace: Namespace, **options: Any) -> PythonCode:
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, **options)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Has another object write the program out."""
        self._codegen = codegen

    @contextmanager
    def on_generate_code(self, make_transformer: Callable[[Any], Any]) -> Iterator[None]:
        """Within the block, the lines of generated code pass through a function: ``make_transformer(the one before)``."""
        earlier = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(earlier)
        try:
            yield
        finally:
            self._codegen._body_transformer = earlier

    def process_inputs(self, *args: Any) -> Any:
        """The arguments of a call as the placeholders take them."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """The result as a caller gets it."""
        return self._codegen.process_outputs(out)

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return "\n    ".join(["graph():", *(line for line in lines if line)])

    def print_tabular(self) -> None:
        """Prints the nodes as a table. ImportError without the package ``tabulate``."""
        try:
            from tabulate import tabulate  # type: ignore[import-untyped]
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run `pip install "
                "tabulate` to install the library."
            )
            raise
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))


def _check_target(module: Module, node: Node) -> None:
    """RuntimeError where the module has no such attribute as the node names."""
    value: Any = module
    parts = node.target.split(".")
    for place, part in enumerate(parts):
        missing = object()
        found = getattr(value, part, missing)
        if found is missing:
            raise RuntimeError(
                f"Node {node} target {node.target} references nonexistent attribute {part} of {'.'.join(parts[:place])}"
            )
        value = found
