"""What an annotation of the package says, as text for a stub: names resolved in the module they were written in, and imported."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import types
import typing
import weakref
from collections import OrderedDict
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

Home = tuple[str, str]  # the stub that defines a thing, and its name there
_ANYTHING_IN = {
    dict: "[{0}, {0}]", OrderedDict: "[{0}, {0}]", list: "[{0}]", set: "[{0}]", frozenset: "[{0}]", tuple: "[{0}, ...]",
    weakref.ref: "[{0}]", np.ndarray: "[{0}, {0}]",
}  # fmt: skip
INNER = "rushlight._inner"  # the stub of classes that public signatures mention and PyTorch has no name for


class Homes:
    """Where each public class and function is defined among the stubs."""

    def __init__(self) -> None:
        self.known: dict[int, Home] = {}
        self.kept: list[object] = []  # so that no id is used twice
        self.inner: list[type] = []

    def settle(self, thing: object, module: str, name: str) -> Home:
        if id(thing) not in self.known:
            self.known[id(thing)] = module, name
            self.kept.append(thing)
        return self.known[id(thing)]

    def of_class(self, cls: type) -> Home:
        """Where a class of the package is defined; one without a public name gets a place among the inner ones."""
        if id(cls) not in self.known:
            taken = {name for module, name in self.known.values() if module == INNER}
            name = cls.__name__
            while name in taken:
                name += "_"
            self.inner.append(cls)
            self.settle(cls, INNER, name)
        return self.known[id(cls)]


def is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in ("rushlight", "torch")


class Scope:
    """The names of one stub: what it defines, and what it must import for the annotations in it."""

    def __init__(self, module: str, homes: Homes, names: set[str]) -> None:
        self.module, self.homes, self.names = module, homes, names
        self.imports: dict[str, str] = {}  # local name: the line that brings it
        self.variables: dict[str, str] = {}
        self.members: set[str] = set()  # of the class that is being written: they hide the names outside

    def name(self, module: str, name: str) -> str:
        """A local name for ``module.name``; what it would hide, or be hidden by, makes it begin with ``_``."""
        if module == "builtins" and name not in self.names and name not in self.members:
            return name
        first, _, rest = name.partition(".")
        if module == self.module:
            if first not in self.members:
                return name
            line = f"_{first}: {self.name('typing', 'TypeAlias')} = {first}"
        else:
            line = f"from {module} import {first}"
        is_free = module != self.module and first not in self.names and first not in self.members
        if is_free and self.imports.setdefault(first, line) == line:
            return name
        local = f"_{first}"
        wanted = line if module == self.module else f"{line} as {local}"
        while self.imports.setdefault(local, wanted) != wanted:
            local = f"_{local}"
            wanted = f"{line} as {local}"
        return f"{local}.{rest}" if rest else local

    def variable(self, variable: Any) -> str:
        """A type variable, declared in this stub."""
        kind = type(variable).__name__
        words = [repr(variable.__name__)]
        if getattr(variable, "__bound__", None) is not None:
            words.append(f"bound={self.text(variable.__bound__)}")
        words += [self.text(each) for each in getattr(variable, "__constraints__", ())]
        words += [f"{word}=True" for word in ("covariant", "contravariant") if getattr(variable, f"__{word}__", False)]
        local = f"_{variable.__name__.lstrip('_')}"
        line = f"{local} = {self.name('typing', kind)}({', '.join([repr(local), *words[1:]])})"
        while self.variables.setdefault(local, line) != line:
            local += "_"
            line = f"{local} = {self.name('typing', kind)}({', '.join([repr(local), *words[1:]])})"
        return local

    def any(self) -> str:
        return self.name("typing", "Any")

    def text(self, kind: Any) -> str:
        """A type as the stub writes it."""
        if kind is None or kind is type(None):
            return "None"
        if kind is Any:
            return self.any()
        if kind is ...:
            return "..."
        if isinstance(kind, list):
            return f"[{', '.join(map(self.text, kind))}]"
        if isinstance(kind, typing.TypeVar | typing.ParamSpec):
            return self.variable(kind)
        if isinstance(kind, typing.ParamSpecArgs | typing.ParamSpecKwargs):
            tail = "args" if isinstance(kind, typing.ParamSpecArgs) else "kwargs"
            return f"{self.variable(kind.__origin__)}.{tail}"
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if kind is typing.Generic:
            return self.name("typing", "Generic")
        if origin in (typing.Union, types.UnionType):
            return " | ".join(dict.fromkeys(map(self.text, arguments)))
        if origin is typing.Literal:
            return f"{self.name('typing', 'Literal')}[{', '.join(map(repr, arguments))}]"
        if origin is not None:
            inner = "()" if origin is tuple and not arguments else ", ".join(map(self.text, arguments))
            return f"{self.of_class(origin)}[{inner}]"
        if isinstance(kind, type):
            return self.of_class(kind) + _ANYTHING_IN.get(kind, "").format(self.any() if kind in _ANYTHING_IN else "")
        name = getattr(kind, "_name", None) or getattr(kind, "__name__", None)
        return self.name("typing", name) if name and getattr(kind, "__module__", "") == "typing" else self.any()

    def of_class(self, cls: type) -> str:
        if is_ours(cls):
            return self.name(*self.homes.of_class(cls))
        module = cls.__module__
        if cls.__name__.startswith("_") and module in ("collections", "_collections", "functools"):
            return self.any()  # how these two make a property or a function is theirs
        if module == "builtins" and not hasattr(builtins, cls.__name__):  # function, module, ...
            found = next((name for name, value in vars(types).items() if value is cls), None)
            return self.name("types", found) if found else self.any()
        module = "collections" if module == "_collections" else module
        public = ".".join(part for part in module.split(".") if not part.startswith("_")) or module
        if getattr(sys.modules.get(public), cls.__name__, None) is cls:
            module = public
        return self.any() if "<locals>" in cls.__qualname__ else self.name(module, cls.__qualname__)

    def annotation(self, written: Any, function: Any) -> str:
        """An annotation of a function or class, a string as a rule, as this stub writes it."""
        kind = evaluated(written, function)
        return self.text(kind)


def namespace(module: str) -> dict[str, Any]:
    return {**vars(typing), **vars(sys.modules[module]), **for_type_checkers(module)}


@cache
def for_type_checkers(module: str) -> dict[str, Any]:
    """What a module imports under TYPE_CHECKING only, imported."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    found: dict[str, Any] = {"__package__": sys.modules[module].__package__, "__name__": module}
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for statement in node.body:
                if isinstance(statement, ast.Import | ast.ImportFrom):
                    exec(compile(ast.Module([statement], []), "<imports>", "exec"), found)
    return found


def evaluated(written: Any, function: Any) -> Any:
    """The type that an annotation means; Any where nobody can tell."""
    if written is inspect.Parameter.empty:
        return Any
    if isinstance(written, typing.ForwardRef):
        written = written.__forward_arg__
    if not isinstance(written, str):
        return written
    if isinstance(function, type):
        methods = (each for each in vars(function).values() if isinstance(each, types.FunctionType))
        rooms = (each.__globals__["__name__"] for each in methods)
        module = next((room for room in rooms if room.startswith("rushlight")), function.__module__)
    else:
        module = inspect.unwrap(function).__globals__["__name__"]
    module = "rushlight" + module.removeprefix("torch") if module.partition(".")[0] == "torch" else module
    try:
        names = namespace(module)
        kind = eval(written, names)
        return evaluated(kind, function) if isinstance(kind, str) else kind
    except (NameError, AttributeError, TypeError, KeyError):
        print(f"no such type: {written!r} in {module}, {function}", file=sys.stderr)
        return Any


def default_text(value: Any) -> str:
    """A default as the stub writes it: itself where it is plain."""
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return repr(value)
    if isinstance(value, tuple) and all(isinstance(each, bool | int | str) for each in value):
        return repr(value)
    return "..."


def imported(name: str) -> types.ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name and str(error.name).startswith("rushlight"):  # one that is broken, whose stub would go
            raise
        return None
