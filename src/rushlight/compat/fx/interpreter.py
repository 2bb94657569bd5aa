"""Running a graph node by node: to watch it, to run it otherwise, to make another graph of it."""

from __future__ import annotations

from typing import Any

from rushlight.nn import Module

from .code_generation import last_uses
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, Target, map_aggregate, map_arg
from .proxy import Proxy
from .tracer import Tracer

__all__ = ["Interpreter", "Transformer"]

_ADVICE = (
    "Use tlparse to see full graph. (https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
)


class Interpreter:
    """Runs a GraphModule node by node. Subclasses override how nodes of a kind run.

    >>> import rushlight as torch
    >>> class Said(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         result = super().call_function(target, args, kwargs)
    ...         print(target.__name__, result)
    ...         return result
    >>> Said(torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)).run(torch.tensor(2.0))
    relu tensor(2.)
    add tensor(3.)
    tensor(3.)
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = graph if graph is not None else module.graph  # type: ignore[assignment]
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses = _last_uses(self.graph) if garbage_collect_values else {}

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """The result of the graph for these arguments; ``initial_env`` gives values to nodes that then do not run.

        An error tells which node raised it.
        """
        self.env = {} if initial_env is None else initial_env
        given = self.graph.process_inputs(*args) if enable_io_processing else args
        self.args_iter = iter(given)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if not self.extra_traceback:
                    raise
                said = f"While executing {node.format_node()}"
                said = f"{error.args[0]}\n\n{said}" if error.args else said
                said += f"\nOriginal traceback:\n{node.stack_trace}\n{_ADVICE}"
                error.args = (said, *error.args[1:])
                if isinstance(error, KeyError):
                    raise RuntimeError(*error.args) from error
                raise
            for last in self.user_to_last_uses.get(node, ()):
                del self.env[last]
            if node.op == "output":
                found = self.env[node]
                return self.graph.process_outputs(found) if enable_io_processing else found
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """:meth:`run` of the arguments in a list, which is emptied."""
        args = list(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """The result of one node, by the method that is called as its ``op``."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The next argument, or the input's default. RuntimeError where there is neither."""
        assert isinstance(target, str)
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!") from None

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """A parameter or other attribute of the module."""
        return self.fetch_attr(str(target))

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a function."""
        assert not isinstance(target, str)
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a method of the first argument."""
        owner, *rest = args
        return getattr(owner, str(target))(*rest, **kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a submodule."""
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """What the graph returns."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """The module's attribute at a path; RuntimeError where there is none."""
        value: Any = self.module
        parts = target.split(".")
        for place, part in enumerate(parts):
            if not hasattr(value, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: place + 1])}")
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A node's arguments with the results of the nodes in them."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Argument:
        """An argument with the results of the nodes in it. RuntimeError where one has not run."""

        def value(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues")
            return self.env[node]

        return map_arg(args, value)


def _last_uses(graph: Graph) -> dict[Node, list[Node]]:
    """For each node those whose results nothing behind it needs."""
    return last_uses(graph.nodes)


class Transformer(Interpreter):
    """Runs a graph on Proxies, which makes another; subclasses override how nodes of a kind are made.

    >>> import operator
    >>> import rushlight as torch
    >>> class Minus(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(operator.sub if target is operator.add else target, args, kwargs)
    >>> Minus(torch.fx.symbolic_trace(lambda x: x + 1)).transform()(3)
    2
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _IntoGraph(self.new_graph, module)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """An input of the new graph."""
        assert isinstance(target, str)
        default = {"default_value": args[0]} if args else {}
        return Proxy(self.new_graph.placeholder(target, **default), self.tracer)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """An attribute in the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a submodule in the new graph, or what its forward does where the tracer says that it is no leaf."""
        submodule = self.fetch_attr(str(target))
        return self.tracer.call_module(submodule, submodule.forward, args, kwargs)

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a function in the new graph."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module of the new graph, with the old one's parameters and submodules."""
        result = super().run(enable_io_processing=False)
        if result is not None:

            def node_of(value: Any) -> Any:
                return value.node if isinstance(value, Proxy) else value

            output = self.new_graph.output(map_aggregate(result, node_of))
            old = next((node for node in reversed(self.graph.nodes) if node.op == "output"), None)
            if old is not None:
                output.type = old.type
        return GraphModule(self.module, self.new_graph)


class _IntoGraph(Tracer):
    """Records into a graph that there is; every module of the one that is run is a step."""

    def __init__(self, graph: Graph, root: Module) -> None:
        super().__init__()
        self.graph, self.root = graph, root
        self.submodule_paths = {module: name for name, module in root.named_modules()}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True
