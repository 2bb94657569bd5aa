"""Proxies: what stands for the values of a program while it is traced. Whatever is done to one becomes a node."""

from __future__ import annotations

import dis
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.nn.parameter import Parameter
from rushlight.tensor import Tensor

from .graph import Graph
from .node import Argument, Node, Target, map_aggregate
from .qualified_names import is_method_of_tensor

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "Scope", "TraceError", "TracerBase"]

_BASE_TYPES = (
    str, int, float, bool, complex, torch.dtype, Tensor, torch.device, torch.memory_format, torch.layout, type(None), type(...)
)  # fmt: skip
_CONTROL_FLOW = "symbolically traced variables cannot be used as inputs to control flow"
_ITERATED = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function "
    "argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control flow can be traced, "
    "and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
)


class TraceError(ValueError):
    """A program does what depends on values, which a trace does not have."""


class Scope(NamedTuple):
    """The module that is running: its path from the root, and its class."""

    module_path: str
    module_type: Any


class TracerBase:
    """Records into ``graph``: makes nodes, and Proxies for them. See :class:`Tracer` for one that runs programs."""

    graph: Graph
    record_stack_traces: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: OrderedDict[str, tuple[str, Any]]

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A node of the graph; every node that is traced is made here."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = self.module_stack.copy()
        return node

    def proxy(self, node: Node) -> Proxy:
        """What stands for a node in the program."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """A node, with what it is called with made arguments of nodes, and the Proxy for it."""
        taken = self.create_arg(args)
        named = self.create_arg(kwargs)
        if not isinstance(taken, tuple) or not isinstance(named, dict):
            raise AssertionError(f"Expected a tuple and a dict, got {type(taken)} and {type(named)}")
        node = self.create_node(kind, target, taken, named, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a: Any) -> Argument:
        """A value as a node's argument: Proxies as their nodes. NotImplementedError for what no graph can hold."""
        if isinstance(a, Proxy):
            return a.node
        if isinstance(a, Node):
            return a
        if isinstance(a, tuple):
            parts = [self.create_arg(one) for one in a]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        if isinstance(a, list):
            return [self.create_arg(one) for one in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if is_dataclass(a) and not isinstance(a, type):
            held = {one.name: self.create_arg(getattr(a, one.name)) for one in fields(a)}
            return self.create_node("call_function", type(a), (), held)
        if isinstance(a, _BASE_TYPES) or hasattr(a, "_schema") or hasattr(a, "overloads"):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        made = self.create_arg(key)

        def refuse(one: Any) -> Any:
            if isinstance(one, Node):
                raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}")
            return one

        return map_aggregate(made, refuse)

    def to_bool(self, obj: Proxy) -> bool:
        """What a Proxy is as a condition: TraceError."""
        raise TraceError(_CONTROL_FLOW)

    def iter(self, obj: Any) -> Iterator[Any]:
        """What a Proxy is iterated over as: its items where a program unpacks a known number of them, else TraceError."""
        frame = sys._getframe(2)
        at = next((one for one in dis.get_instructions(frame.f_code) if one.offset == frame.f_lasti), None)
        if at is not None and at.opname == "UNPACK_SEQUENCE":
            return (obj[place] for place in range(at.argval))
        raise TraceError(_ITERATED)

    def keys(self, obj: Proxy) -> Any:
        """What ``**proxy`` asks for."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Appends to a graph whatever is done to the Proxies that were made with it.

    >>> import rushlight as torch
    >>> from rushlight.fx.proxy import GraphAppendingTracer
    >>> graph = torch.fx.Graph()
    >>> x = torch.fx.Proxy(graph.placeholder("x"), GraphAppendingTracer(graph))
    >>> torch.relu(x) + 1
    Proxy(add)
    >>> list(graph.nodes)
    [x, relu, add]
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()


class Proxy:
    """Stands for the value of ``node`` while a program runs to be traced.

    Operators, methods, attributes and functions of torch make nodes of it. What would need the value raises: TraceError for a
    condition or a loop, RuntimeError for ``len``, TypeError for numbers.

    >>> import rushlight as torch
    >>> def f(x):
    ...     return x if x.sum() > 0 else -x
    >>> torch.fx.symbolic_trace(f)
    Traceback (most recent call last):
    rushlight.fx.proxy.TraceError: symbolically traced variables cannot be used as inputs to control flow
    """

    node: Any
    tracer: TracerBase

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k == "_array":  # what tensors compute on: a Proxy has nothing of the kind
            raise AttributeError(f"'Proxy' object has no attribute {k!r}")
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        raise RuntimeError("__deepcopy__ is not supported on a Proxy: it stands for a value that there is not yet")

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def keys(self) -> Any:
        """See :meth:`TracerBase.keys`."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """A function of torch or a method of Tensor that was given a Proxy: a node of it."""
        kwargs = kwargs or {}
        tracers: dict[TracerBase, None] = {}

        def note(value: Any) -> Any:
            if isinstance(value, Proxy):
                tracers.setdefault(value.tracer)
            return value

        map_aggregate(args, note)
        map_aggregate(kwargs, note)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        tracer = next(iter(tracers))
        if is_method_of_tensor(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def _binary(name: str, function: Callable[..., Any]) -> None:
    def forward(self: Proxy, other: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", function, (self, other), {})

    def backward(self: Proxy, other: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", function, (other, self), {})

    setattr(Proxy, f"__{name}__", forward)
    if name not in ("eq", "ne", "lt", "gt", "le", "ge", "getitem"):
        setattr(Proxy, f"__r{name}__", backward)


def _unary(name: str, function: Callable[..., Any]) -> None:
    def call(self: Proxy) -> Proxy:
        return self.tracer.create_proxy("call_function", function, (self,), {})

    setattr(Proxy, f"__{name}__", call)


for _name in "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor eq ne lt gt le ge getitem".split():
    _binary(_name, getattr(operator, f"{_name}_" if _name in ("and", "or") else _name))
for _name in "neg pos invert".split():
    _unary(_name, getattr(operator, _name))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]


class Attribute(Proxy):
    """``proxy.name``: a node only once it is used as more than a method to call."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """Stands for a parameter whose shape may be asked for: see ``Tracer(param_shapes_constant=True)``."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Parameter) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, Parameter):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.name, self.param = name, param

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    def size(self) -> Any:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def numel(self) -> int:
        return self.param.numel()

    def nelement(self) -> int:
        return self.param.nelement()


@contextmanager
def entered(tracer: TracerBase, scope: Scope, key: str) -> Iterator[None]:
    """Within the block, nodes belong to the module of ``scope``."""
    before, tracer.scope = tracer.scope, scope
    tracer.module_stack[key] = (scope.module_path, scope.module_type)
    try:
        yield
    finally:
        tracer.scope = before
        tracer.module_stack.popitem()
