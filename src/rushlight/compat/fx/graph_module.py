"""GraphModule: a module whose ``forward`` is written from a graph, and written anew when the graph has changed."""

from __future__ import annotations

import copy
import inspect
import itertools
import linecache
import os
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import rushlight as torch
from rushlight.nn import Module, Parameter
from rushlight.tensor import Tensor

from .code_generation import BUILTINS, PythonCode, _PyTreeCodeGen, _PyTreeInfo
from .graph import Graph
from .qualified_names import home
from .tracer import Tracer

__all__ = ["GraphModule", "reduce_graph_module"]

_counter = itertools.count()
# Under which name of ``meta`` a library keeps attributes that copies are to have as well.
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_TORCH = re.compile(r"^(import|from) torch\b(?P<rest>.*)$")


def _function_from(src: str, names: dict[str, Any], name: str = "forward") -> Callable[..., Any]:
    """The function that a text defines; tracebacks show its lines."""
    file = f"<eval_with_key>.{next(_counter)}"
    linecache.cache[file] = (len(src), None, src.splitlines(keepends=True), file)
    space = names.copy()
    exec(compile(src, file, "exec", dont_inherit=True), space)
    return space[name]  # type: ignore[no-any-return]


def _import_statement(name: str, value: Any) -> str:
    """The line by which the text of a pickled module gets one of its globals."""
    if name in BUILTINS and value is BUILTINS[name].obj:
        return BUILTINS[name].import_str
    if isinstance(value, types.ModuleType):
        return f"import {home(value.__name__)} as {name}"
    module = getattr(value, "__module__", None) or "builtins"
    if module == "_operator":
        module = "operator"
    inner = getattr(value, "__name__", None)
    if inner is None:  # what has no name of its own is found by the one that typing gives it
        inner = getattr(value, "_name", name)
    return f"from {home(module)} import {inner} as {name}"


def _imports_of(names: dict[str, Any]) -> str:
    return "\n".join(sorted({_import_statement(name, value) for name, value in names.items()}))


def _imported(block: str) -> dict[str, Any]:
    """What a block of imports gives; torch is this one, by whatever name it was imported."""
    lines = []
    for line in block.splitlines():
        found = _TORCH.match(line)
        if found is None:
            lines.append(line)
        elif line == "import torch":
            lines.append(f"import {torch.__spec__.name} as torch")
        else:
            lines.append(f"{found[1]} {torch.__spec__.name}{found['rest']}")
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)
    return space


class _CodeOnlyModule(Module):
    """A pickled module before its code is traced again: its attributes, with the function as its class's ``forward``."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def reduce_graph_module(body: dict[str, Any], import_block: str) -> GraphModule:
    """A GraphModule from what one was pickled as: its attributes and its code, which is traced again."""
    code = body.get("_code") or body["code"]
    forward = _function_from(code, _imported(import_block))
    return _deserialize_graph_module(forward, body)


def _deserialize_graph_module(forward: Callable[..., Any], body: dict[str, Any]) -> GraphModule:
    base: Any = body.get("_tracer_cls") or Tracer

    class KeepModules(base):  # type: ignore[misc]
        """Every module is a step: what is traced is a graph's own code."""

        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    kept = type("CodeOnlyModule", (_CodeOnlyModule,), {"forward": forward})(body)
    name = body.get("_graphmodule_cls_name", "GraphModule")
    graph = KeepModules(**(body.get("_tracer_extras") or {})).trace(kept)
    graph._tracer_cls = body.get("_tracer_cls")
    if "_in_spec" in body:
        names = list(inspect.signature(forward).parameters)[1:]
        graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, body["_in_spec"], body["_out_spec"]))
    made = GraphModule(kept, graph, class_name=name)
    for key, value in body.items():
        if not hasattr(made, key):
            setattr(made, key, value)
    made.meta = body.get("meta", {})
    return made


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Gives a module another's attribute, and empty modules on the way to it."""
    *path, name = target.split(".")
    for part in path:
        found, made = getattr(from_module, part), getattr(to_module, part, None)
        if found is made:
            return
        if made is None:
            made = Module()
            setattr(to_module, part, made)
        from_module, to_module = found, made
    value = getattr(from_module, name)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        to_module.register_buffer(name, value)
    else:
        setattr(to_module, name, value)


def _assign_attr(from_obj: Any, to_module: Module, target: str) -> None:
    """Gives a module an attribute, and empty modules on the way to it."""
    *path, name = target.split(".")
    for part in path:
        made = getattr(to_module, part, None)
        if made is None:
            made = Module()
            setattr(to_module, part, made)
        to_module = made
    if isinstance(from_obj, Tensor) and not isinstance(from_obj, Parameter):
        to_module.register_buffer(name, from_obj)
    else:
        setattr(to_module, name, from_obj)


def _where_it_failed(error: BaseException) -> str:
    """The line of generated code that raised, between those around it."""
    frames = traceback.extract_tb(error.__traceback__)
    at = next(one for one in reversed(frames) if one.filename.startswith("<eval_with_key>"))
    lines = linecache.getlines(at.filename)
    number = at.lineno or 0
    before = "".join(lines[max(number - 3, 0) : number])
    after = "\n".join(lines[number : number + 2])
    mark = "~" * (len(lines[number - 1]) + 1 if lines else 0) + " <--- HERE"
    said = f"Call using an FX-traced Module, line {number} of the traced Module's generated forward function:"
    return "\n".join([said, before, mark, after])


class GraphModule(Module):
    """A module that runs a graph. ``graph`` may be changed, then ``recompile()`` writes ``code`` and ``forward`` anew.

    ``root`` is the module, or the dict by qualified names, that the graph's parameters and submodules are taken from; they are
    shared with it. RuntimeError where a dict lacks one, AttributeError where a module does.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Flatten()))
    >>> [node.target for node in traced.graph.nodes]
    ['input', '0', '1', 'output']
    >>> for node in traced.graph.nodes:
    ...     if node.target == "0":
    ...         with traced.graph.inserting_after(node):
    ...             doubled = traced.graph.call_function(torch.mul, (node, 2))
    ...         _ = node.replace_all_uses_with(doubled, lambda user: user is not doubled)
    >>> _ = traced.recompile()
    >>> traced(torch.ones(1, 2))
    tensor([[2., 2.]])
    """

    meta: dict[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # Every instance has a class of its own, where its forward lies: it is found as any module's is.
        own = next(one for one in cls.__mro__ if one.__qualname__ != "GraphModule.__new__.<locals>.GraphModuleImpl")

        class GraphModuleImpl(own):  # type: ignore[misc,valid-type]
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            targets = []
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    if node.target not in root:
                        raise RuntimeError(
                            f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                        )
                    targets.append(node.target)
            for target in sorted(targets, key=lambda one: one.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self._tracer_cls = graph._tracer_cls if "<locals>" not in getattr(graph._tracer_cls, "__qualname__", "") else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta = {}
        self.graph = graph

    @property
    def graph(self) -> Graph:
        """The graph that the module runs; assigning one writes the code anew."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of ``forward``."""
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Writes ``forward`` from the graph as it is now."""
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            self._in_spec = self._graph._codegen.pytree_info.in_spec
            self._out_spec = self._graph._codegen.pytree_info.out_spec
        made = self._graph.python_code(root_module="self")
        self._code = made.src
        type(self).forward = _function_from(made.src, made.globals)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            if frames and frames[-1].filename.startswith("<eval_with_key>"):
                print(_where_it_failed(error), file=sys.stderr)
            raise

    # Copies and pickles.

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        body = copy.deepcopy({key: value for key, value in self.__dict__.items() if key != "_graph"}, memo)
        kept = _CodeOnlyModule(body)
        made = GraphModule.__new__(type(self))
        memo[id(self)] = made
        GraphModule.__init__(made, kept, copy.deepcopy(self._graph), type(self).__name__)
        for key, value in body.items():
            if key not in made.__dict__ or key in ("meta", "_modules", "_parameters", "_buffers"):
                made.__dict__[key] = value
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph, type(self).__name__)
        made.meta = getattr(self, "meta", {})
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its attributes, its code and what that imports; the code is traced again."""
        body = {key: value for key, value in self.__dict__.items() if key != "_graph"}
        return reduce_graph_module, (body, _imports_of(self._graph.python_code(root_module="self").globals))

    # Submodules.

    def add_submodule(self, target: str, m: Module) -> bool:
        """Puts a module at a path, with empty modules on the way; False where something else is on the way.

        >>> import rushlight as torch
        >>> traced = torch.fx.symbolic_trace(torch.nn.Identity())
        >>> traced.add_submodule("new.relu", torch.nn.ReLU()), traced.new
        (True, Module(
          (relu): ReLU()
        ))
        """
        *path, name = target.split(".")
        owner: Any = self
        for part in path:
            found = getattr(owner, part, None)
            if found is None:
                found = Module()
                setattr(owner, part, found)
            elif not isinstance(found, Module):
                return False
            owner = found
        owner.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Takes a module out; False where there is none at the path."""
        *path, name = target.split(".")
        owner: Any = self
        for part in path:
            owner = getattr(owner, part, None)
            if not isinstance(owner, Module):
                return False
        if not isinstance(getattr(owner, name, None), Module):
            return False
        delattr(owner, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Takes out the modules that no node of the graph calls or reads of, and that hold none that is."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[:place]) for place in range(1, len(parts) + 1))
                if node.op == "call_module" and isinstance(self.get_submodule(node.target), Module):
                    inner = self.get_submodule(node.target).named_modules(prefix=node.target)
                    used.update(name for name, _ in inner)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # Text.

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        **options: Any,
    ) -> str:
        """Prints the code as a class, with the shapes that were propagated, and gives it back.

        >>> import rushlight as torch
        >>> text = torch.fx.symbolic_trace(lambda x: torch.relu(x)).print_readable()
        class <lambda>(torch.nn.Module):
            def forward(self, x):
                # No stacktrace found for following nodes
                relu = torch.relu(x);  x = None
                return relu
        <BLANKLINE>
        """
        code = self._graph.python_code(root_module="self", verbose=True).src.lstrip("\n")
        body = "".join(f"    {line}\n" if line.strip() else "\n" for line in code.rstrip().split("\n"))
        inner = [
            module.print_readable(print_output=False, **options)
            for module in self.children()
            if isinstance(module, GraphModule)
        ]
        nested = "".join("\n" + "".join(f"    {line}\n" if line else "\n" for line in text.splitlines()) for text in inner)
        text = f"class {self._get_name()}(torch.nn.Module):\n{body}{nested}"
        if print_output:
            print(text)
        return text

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Writes the module as a package: its code as a class, its parameters and submodules beside it."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        torch.save(self.state_dict(), place / "state_dict.pt")
        lines = [
            "import torch",
            "from math import inf, nan",
            "from torch import device",
            "",
            "",
            f"class {module_name}(torch.nn.Module):",
        ]
        lines += ["    def __init__(self):", "        super().__init__()"]
        lines += list(self._rebuilding(place))
        lines += [f"        self.load_state_dict(torch.load(r'{place}/state_dict.pt'))"]
        lines += [f"    {line}" for line in self.code.strip().split("\n")]
        (place / "module.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (place / "__init__.py").write_text("from .module import *\n", encoding="utf-8")

    def _rebuilding(self, place: Path) -> Iterable[str]:
        for name, child in self.named_children():
            torch.save(child, place / f"{name}.pt")
            yield f"        self.{name} = torch.load(r'{place / name}.pt', weights_only=False)"
        for kind, members in (("torch.nn.Parameter(", self._parameters), ("", self._buffers)):
            for name, value in members.items():
                if value is not None:
                    made = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
                    text = f"self.{name} = {kind}{made})" if kind else f"self.register_buffer('{name}', {made})"
                    yield f"        {text}"

    def __str__(self) -> str:
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, reminder])
