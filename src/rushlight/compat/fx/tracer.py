"""Tracing: a program is run on Proxies, and the calls of modules, functions and methods that it makes become a graph."""

from __future__ import annotations

import builtins
import collections
import functools
import inspect
import math
import sys
import types
import typing
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import rushlight as torch
from rushlight.nn import Module, Sequential
from rushlight.nn.modules import calls
from rushlight.nn.parameter import Parameter
from rushlight.tensor import Tensor
from rushlight.utils import _pytree

from .code_generation import _PyTreeCodeGen, _PyTreeInfo
from .graph import Graph
from .node import Argument
from .proxy import ParameterProxy, Proxy, Scope, TracerBase, entered
from .qualified_names import home

__all__ = ["PH", "Tracer", "is_fx_tracing", "wrap"]

F = TypeVar("F")
_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_wrapped: dict[tuple[int, str], dict[str, Any]] = {}  # the globals that hold a function which stays one step
_running = 0


class PHBase:
    """Stands among concrete arguments for one that stays an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def is_fx_tracing() -> bool:
    """Whether a program is being traced."""
    return _running > 0


def wrap(fn_or_name: F) -> F:
    """Has calls of a function be one step of traces: a decorator, or called with the name of a global (``wrap("len")``).

    To be called where a module begins, NotImplementedError elsewhere; RuntimeError for what is no function and no name.

    >>> import rushlight as torch
    >>> @torch.fx.wrap
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else getattr(fn_or_name, "__name__", "")
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def _first_proxy(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy | None:
    return next((one for one in _pytree.tree_leaves((args, kwargs)) if isinstance(one, Proxy)), None)


def _one_step(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that becomes a node where it is given a Proxy."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        proxy = _first_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return call


@contextmanager
def _put(names: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    """Within the block a namespace of the traced program holds another value."""
    missing = object()
    before = names.get(name, missing)
    names[name] = value
    try:
        yield
    finally:
        if before is missing:
            del names[name]
        else:
            names[name] = before


class Tracer(TracerBase):
    """Traces modules and functions. Subclasses say which modules are steps (``is_leaf_module``), and see every node made.

    ``autowrap_modules`` are modules whose functions are steps where they are given Proxies, ``autowrap_functions`` further such
    functions; with ``param_shapes_constant`` the shapes of parameters are those of today, and not read when the graph runs.

    >>> import rushlight as torch
    >>> class Whole(torch.fx.Tracer):
    ...     def is_leaf_module(self, m, name):
    ...         return False
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 2))
    >>> [node.name for node in Whole().trace(net).nodes]
    ['input_1', '_0_weight', '_0_bias', 'linear', 'output']
    """

    def __init__(
        self,
        autowrap_modules: tuple[types.ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        self._autowrap_search = list(autowrap_modules)
        self._autowrap_function_ids = {
            id(value)
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        } | {id(function) for function in autowrap_functions}
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.tensor_attrs: dict[Tensor, str] = {}
        self._qualname_counter: collections.Counter[str] = collections.Counter()
        self._calls: collections.Counter[str] = collections.Counter()

    # What a program's parts become; to be overridden.

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a module is one step: torch's own are, but not Sequential."""
        is_own = home(m.__module__).startswith(("torch.nn", "torch.ao.nn"))
        return is_own and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Where a module is in the root, ``layers.0``; NameError where it is not in it."""
        if self.submodule_paths is None:
            found = next((name for name, one in self.root.named_modules() if one is mod), None)
        else:
            found = self.submodule_paths.get(mod)
        if found is None:
            raise NameError("module is not installed as a submodule")
        return found

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a module: a node of it where it is a leaf, else what its ``forward`` does."""
        path = self.path_of_module(m)
        count = self._calls[path]
        self._calls[path] += 1
        with entered(self, Scope(path, type(m)), f"{path}@{count}" if count else path):
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """An attribute that a module's ``forward`` reads: for a parameter (and, with ``proxy_buffer_attributes``, a buffer) a Proxy."""
        if isinstance(attr_val, Parameter):
            return self._attribute(attr_val, self.root.named_parameters(), parameter_proxy_cache, self.param_shapes_constant)
        if self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            return self._attribute(attr_val, self.root.named_buffers(), parameter_proxy_cache, False)
        return attr_val

    def _attribute(self, value: Any, members: Any, cache: dict[str, Any], constant_shape: bool) -> Any:
        name = next((name for name, one in members if one is value), None)
        if name is None:
            return value
        if name not in cache:
            factory = (lambda node: ParameterProxy(self, node, name, value)) if constant_shape else None
            cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
        return cache[name]

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the root has no attribute of: the prefix with a number."""
        while True:
            name = f"{prefix}{self._qualname_counter[prefix]}"
            self._qualname_counter[prefix] += 1
            if not hasattr(self.root, name):
                return name

    def create_arg(self, a: Any) -> Argument:
        """A value as a node's argument; tensors become attributes of the root, and nodes that read them."""
        if isinstance(a, Parameter):
            name = next((name for name, one in self.root.named_parameters() if one is a), None)
            if name is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Tensor):
            name = next((name for name, one in self.root.named_buffers() if one is a), None) or self.tensor_attrs.get(a)
            if name is None:
                name = self.get_fresh_qualname("_tensor_constant")
                self.tensor_attrs[a] = name
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(one) for one in a), {})
        return super().create_arg(a)

    # The inputs.

    def create_args_for_root(
        self, root_fn: Callable[..., Any], is_module: bool, concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """A function to call, and what to call it with: a placeholder for each parameter that ``concrete_args`` leaves open."""
        analysed = inspect.unwrap(root_fn)
        code = analysed.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        signature = inspect.signature(analysed)
        given: list[Any] = []
        if is_module:
            if not names:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            given.append(self.root)
            names = names[1:]
        concrete = dict(zip(names, concrete_args, strict=False)) if isinstance(concrete_args, tuple) else concrete_args or {}
        hints = _annotations(analysed)
        inputs = [self._input(name, concrete, signature, hints) for name in names]
        if concrete and any(not _pytree.tree_is_leaf(one) for one in inputs):
            return self._nested(root_fn, given, inputs, names)
        place = count
        for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
            if code.co_flags & flag:
                name = code.co_varnames[place]
                place += 1
                inputs.append(self._placeholder(f"{stars}{name}", inspect.Parameter.empty, hints.get(name)))
        if code.co_kwonlyargcount or code.co_flags & _VARIADIC:
            root_fn = _with_plain_parameters(analysed, place)
        return root_fn, [*given, *inputs]

    def _placeholder(self, name: str, default: Any, hint: Any) -> Proxy:
        args = () if default is inspect.Parameter.empty else (default,)
        return self.create_proxy("placeholder", name, args, {}, type_expr=hint)

    def _input(self, name: str, concrete: dict[str, Any], signature: inspect.Signature, hints: dict[str, Any]) -> Any:
        parameter = signature.parameters.get(name)
        default = inspect.Parameter.empty if parameter is None else parameter.default
        if name not in concrete:
            return self._placeholder(name, default, hints.get(name))
        count = 0

        def stand_in(value: Any) -> Any:
            nonlocal count
            count += 1
            proxy = self._placeholder(f"{name}_{count}", default, None)
            if isinstance(value, PHBase):
                return proxy
            if value is None or type(value) in (bool, int, float, str, complex, torch.dtype, torch.device):
                says = f"{name} has been specialized to have value {value} but got another value"
                function, held = (_assert_is_none, proxy) if value is None else (torch._assert, proxy == value)
                self.create_proxy("call_function", function, (held, says), {})
            else:
                warnings.warn(
                    f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user "
                    "to make sure that your inputs match the inputs you specialized the function with.",
                    stacklevel=2,
                )
            return value

        return _pytree.tree_map(stand_in, concrete[name])

    def _nested(
        self, root_fn: Callable[..., Any], given: list[Any], inputs: list[Any], names: list[str]
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Arguments that are nested are passed apart, and taken apart by the graph's code."""
        leaves, spec = _pytree.tree_flatten(inputs)
        self.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, spec, None))

        def flat(*leaves: Any) -> Any:
            args = _pytree.tree_unflatten(list(leaves), spec)
            parts, out_spec = _pytree.tree_flatten(root_fn(*given, *args))
            codegen = self.graph._codegen
            if isinstance(codegen, _PyTreeCodeGen):
                codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return parts

        return flat, leaves

    # The trace.

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """The graph of a module or function; AssertionError for what is neither.

        ``concrete_args`` gives parameters values that the graph is made for; :data:`PH` stands for what stays open in them.
        """
        global _running
        if isinstance(root, Module):
            function = getattr(type(root), self.traced_func_name)
            self.root = root
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            function = root
            self.root = Module()
            self.submodule_paths = {self.root: ""}
        if not isinstance(function, types.FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(function)}")
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
        self.tensor_attrs = dict(_plain_tensors(self.root))
        spaces = function.__globals__
        called, args = self.create_args_for_root(function, isinstance(root, Module), concrete_args)
        _running += 1
        try:
            with self._watching(spaces):
                returned = self.create_arg(called(*args))
            self.create_node("output", "output", (returned,), {}, type_expr=_annotations(function).get("return"))
        finally:
            _running -= 1
            self.submodule_paths = None
        return self.graph

    @contextmanager
    def _watching(self, spaces: dict[str, Any]) -> Iterator[None]:
        """Within the block the calls of modules, the attributes read of them and wrapped functions come here."""
        cache: dict[str, Any] = {}

        def called(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return self.call_module(module, functools.partial(calls.untraced, module), args, kwargs)

        def read(name: str, value: Any) -> Any:
            return self.getattr(name, value, cache)

        with ExitStack() as stack:
            stack.enter_context(calls.traced(called, read))
            for (_, name), names in list(_wrapped.items()):
                function = names.get(name, getattr(builtins, name, None))
                if function is not None:
                    stack.enter_context(_put(names, name, _one_step(function)))
            for names in [spaces, *map(vars, self._autowrap_search)]:
                for name, value in list(names.items()):
                    if id(value) in self._autowrap_function_ids and callable(value) and not name.startswith("_"):
                        stack.enter_context(_put(names, name, _one_step(value)))
            yield


def _assert_is_none(value: Any, message: str) -> None:
    if value is not None:
        raise AssertionError(message)


def _annotations(function: Any) -> dict[str, Any]:
    """The types that a function's parameters are annotated with; those that rushlight's own modules spell as text are looked up."""
    found = getattr(function, "__annotations__", {})
    if not (function.__module__ or "").startswith("rushlight.nn."):
        return found
    return {name: kind for name, kind in typing.get_type_hints(function).items() if kind is not Any}


def _plain_tensors(root: Module) -> Iterator[tuple[Tensor, str]]:
    """The tensors that modules keep as plain attributes, with their paths."""
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, Tensor):
                yield value, f"{path}.{name}" if path else name


def _with_plain_parameters(function: Any, count: int) -> Callable[..., Any]:
    """The function with all its parameters positional, ``*args`` and ``**kwargs`` too: each takes one Proxy."""
    code = function.__code__
    plain = code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~_VARIADIC)
    return types.FunctionType(plain, function.__globals__, function.__name__, None, function.__closure__)


_assert_is_none.__module__ = "torch.fx._symbolic_trace"  # where PyTorch has it: the code of a graph names the place
