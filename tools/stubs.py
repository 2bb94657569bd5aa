"""Writes the stubs that type checkers and editors read: ``python tools/stubs.py [--check]``.

They lie in ``src/rushlight-stubs``, a stub package (PEP 561) beside the package, so that mypy still reads our own sources when it
checks these. All comes from the package as it runs: names from PyTorch's list and ``__all__``, signatures from ``inspect.signature``,
types from annotations, the op table and, where one signature is not enough, :mod:`stub_overloads`.
"""

from __future__ import annotations

import abc
import ast
import enum
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import stub_overloads as by_hand
from stub_types import INNER, Homes, Scope, default_text, evaluated, imported, is_ours

import rushlight as torch
from rushlight.base.missing_names import torch_names
from rushlight.base.return_types import Results
from rushlight.ops.public import CompiledOnUse, registry
from rushlight.tensor import Methods

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / "src" / "rushlight-stubs"
HEAD = "# Written by tools/stubs.py; `make stubs` writes it anew.\n"

# Rooms whose files people import classes from by name, as `from torch.nn.modules.linear import Linear`.
OPEN_ROOMS = "nn.modules nn.utils optim distributions utils utils.data"
_DUNDERS_LEFT_OUT = frozenset(
    "__class__ __class_getitem__ __dict__ __dir__ __doc__ __format__ __getattribute__ __getnewargs__ __getstate__ __init_subclass__ "
    "__module__ __new__ __reduce__ __reduce_ex__ __repr__ __setstate__ __slots__ __str__ __subclasshook__ __weakref__ "
    "__annotations__ __orig_bases__ __parameters__ __qualname__ __sizeof__ __array_priority__ __match_args__ __abstractmethods__ "
    "__static_attributes__ __firstlineno__ __post_init__ __dataclass_fields__ __dataclass_params__ __wrapped__".split()
)
_HIDDEN = re.compile(r"_(?!_\w+__$|version$|base$)")  # what begins so is not for users


def public_modules() -> dict[str, set[str]]:
    """The modules that have stubs, and the names that each offers."""
    found: dict[str, set[str]] = {}
    for spelled, names in torch_names().items():
        module = imported("rushlight" + spelled.removeprefix("torch"))
        if module is not None and reached(spelled) is module:
            found[module.__name__] = {name for name in (*names, *getattr(module, "__all__", ())) if offers(module, name)}
    for room in OPEN_ROOMS.split():
        package = imported(f"rushlight.{room}")
        for path in sorted(Path(package.__path__[0]).iterdir()) if package else ():
            name = f"rushlight.{room}.{path.stem}"
            if not path.stem.startswith("_") and (path.suffix == ".py" or (path / "__init__.py").exists()):
                module = imported(name)
                if module is not None:
                    found.setdefault(name, set()).update(own_names(module))
    for name in by_hand.MORE_MODULES:
        module = imported(name)
        assert module is not None, name
        found[name] = set(own_names(module))
    for name in list(found):
        passed_on = [getattr(sys.modules[name], each) for each in found[name]]
        for module in passed_on:
            if isinstance(module, types.ModuleType) and module.__name__.startswith("rushlight.") and imported(module.__name__):
                found.setdefault(module.__name__, set(own_names(module)))
    for name in list(found):  # a package is there for each module in it
        while "." in (name := name.rpartition(".")[0]):
            found.setdefault(name, set())
    return found


def reached(spelled: str) -> Any:
    """What a program gets that writes ``torch.name.name``: where a class and a module have one name, the class."""
    found: Any = torch
    for part in spelled.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def offers(module: types.ModuleType, name: str) -> bool:
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return False
    return True


def own_names(module: types.ModuleType) -> Iterator[str]:
    """What a module defines itself, or says that it offers."""
    listed = getattr(module, "__all__", None)
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == module.__name__ and isinstance(value, type | types.FunctionType)
        if isinstance(value, type) and issubclass(value, Methods):
            continue  # its methods are another class's
        if name in listed if listed is not None else is_own and (not name.startswith("_") or isinstance(value, type)):
            yield name


def settle_homes(modules: dict[str, set[str]]) -> Homes:
    """Each thing is defined in the module that it names as its own, or else in the highest that offers it."""
    homes = Homes()
    things = [(module, name, getattr(sys.modules[module], name)) for module, names in modules.items() for name in sorted(names)]
    things = [each for each in things if isinstance(each[2], type | types.FunctionType) and getattr(each[2], "__module__", "")]
    things.sort(key=lambda each: (each[0].count("."), each[0], each[1]))
    for module, name, thing in things:  # mypy would take `rushlight.device` for the file of that name
        if module == "rushlight" and imported(f"rushlight.{name}"):
            homes.settle(thing, INNER, name)
    for module, name, thing in things:
        if thing.__module__ == module and thing.__name__ == name:
            homes.settle(thing, module, name)
    for module, name, thing in things:
        if thing.__name__ == name and (not isinstance(thing, type) or is_ours(thing)):
            homes.settle(thing, module, name)
    for module, name, thing in things:
        if not isinstance(thing, type) or is_ours(thing):
            homes.settle(thing, module, name)
    return homes


class Stub:
    """The text of one stub, as it grows."""

    def __init__(self, module: str, names: set[str], homes: Homes) -> None:
        self.module, self.public = module, names
        self.homes = homes
        self.scope = Scope(module, homes, set(names))
        self.lines: list[str] = []
        self.passed_on: list[str] = []

    def write(self) -> None:
        for name in sorted(self.public):
            self.item(name, getattr(sys.modules[self.module], name))

    def item(self, name: str, value: Any) -> None:
        if isinstance(value, types.ModuleType):
            if value.__name__ == f"{self.module}.{name}":
                self.passed_on.append(f"from . import {name} as {name}")
            elif value.__name__.partition(".")[0] == "rushlight":
                parent, _, last = value.__name__.rpartition(".")
                self.passed_on.append(f"from {parent} import {last} as {name}")
            return
        source = by_hand.PASSED_ON.get(self.module)
        if source is not None and getattr(sys.modules[source], name, None) == value:
            self.passed_on.append(f"from {source} import {name} as {name}")
            return
        home = self.homes.known.get(id(value))
        if home is not None and home != (self.module, name):
            if home[0] == self.module:
                self.lines.append(f"{name} = {home[1]}")
            else:
                self.passed_on.append(f"from {home[0]} import {home[1]} as {name}")
        elif isinstance(value, type):
            if is_ours(value):
                self.class_(name, value)
            elif name != value.__name__ or value.__module__ != "builtins":
                self.lines.append(f"{name}: {self.scope.name('typing', 'TypeAlias')} = {self.scope.of_class(value)}")
        elif callable(value) and isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
            self.function(name, value, f"{self.module}.{name}")
        else:
            written = vars(sys.modules[self.module]).get("__annotations__", {}).get(name)
            kind = self.of_value(value, None if written is None else evaluated(written, _Of(self.module)))
            self.lines.append(f"{name}: {kind}")

    def of_value(self, value: Any, kind: Any = None) -> str:
        """The type of a constant."""
        if kind is not None and kind is not Any:
            return self.scope.text(kind)
        if value is None:
            return "None"
        if isinstance(value, types.FunctionType) or type(value).__module__ in ("typing", "types"):
            return self.scope.any()
        return self.scope.text(type(value))

    # Functions.

    def function(self, name: str, function: Callable[..., Any], qualified: str, first: str = "", pad: str = "") -> None:
        """A function or method; ``first`` is ``self`` or ``cls`` for methods."""
        decorator = {"self": "", "cls": f"{pad}@classmethod\n"}.get(first, f"{pad}@staticmethod\n" if pad else "")
        said = described(function)
        tail = f"\n{pad}    {said}\n{pad}    ..." if said else " ..."
        forms = by_hand.forms(qualified)
        if forms:
            texts = [self.by_hand(form, first) for form in forms]
            overloaded = f"{pad}@{self.scope.name('typing', 'overload')}\n" if len(texts) > 1 else ""
            lines = [f"{overloaded}{decorator}{pad}def {name}{text}: ..." for text in texts[:-1]]
            self.lines += [*lines, f"{overloaded}{decorator}{pad}def {name}{texts[-1]}:{tail}"]
            return
        self.lines.append(f"{decorator}{pad}def {name}{self.signature(function, qualified, first)}:{tail}")

    def by_hand(self, form: str, first: str) -> str:
        """A signature of :mod:`stub_overloads` with its names as they are here."""
        text = f"({first}{', ' if first and not form.startswith('()') else ''}{form[1:]}"
        return re.sub(r"<([\w. ]+)>", lambda found: self.scope.text(by_hand.TYPES[found[1]]), text)

    def signature(self, function: Callable[..., Any], qualified: str, first: str) -> str:
        try:
            signature = inspect.signature(function)
        except (ValueError, TypeError):
            inner = [first] if first else []
            return (
                f"({', '.join([*inner, f'*args: {self.scope.any()}', f'**kwargs: {self.scope.any()}'])}) -> {self.scope.any()}"
            )
        parameters = list(signature.parameters.values())
        words: list[str] = []
        mine: Any = None
        if first and parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
            one = parameters.pop(0)
            words.append(first)
            if one.kind is inspect.Parameter.POSITIONAL_ONLY and not any(p.kind is p.POSITIONAL_ONLY for p in parameters):
                words.append("/")
            mine = one.annotation
        elif first:
            words.append(first)
        starred = False
        for place, parameter in enumerate(parameters):
            if parameter.kind is parameter.VAR_POSITIONAL:
                starred = True
            elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
                words.append("*")
                starred = True
            words.append(self.parameter(parameter, function, qualified))
            by_position = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            if (
                by_position
                and parameter.default is parameter.empty
                and any(p.default is not p.empty for p in parameters[:place])
            ):
                words[-1] += " = ..."  # its default is the mark of having none
            follower = parameters[place + 1] if place + 1 < len(parameters) else None
            if parameter.kind is parameter.POSITIONAL_ONLY and (
                follower is None or follower.kind is not parameter.POSITIONAL_ONLY
            ):
                words.append("/")
        is_self = mine is not None and mine == signature.return_annotation and isinstance(evaluated(mine, function), TypeVar)
        returned = self.scope.name("typing", "Self") if is_self else self.returned(function, signature, qualified)
        return f"({', '.join(words)}) -> {returned}"

    def parameter(self, parameter: inspect.Parameter, function: Callable[..., Any], qualified: str) -> str:
        kind = evaluated(parameter.annotation, function)
        written = self.scope.text(kind)
        if kind is Any:
            guess = by_hand.parameter(parameter, qualified, is_op(function))
            written = written if guess is None else self.scope.text(guess)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text = f"{stars}{parameter.name}: {written}"
        if parameter.default is not parameter.empty:
            if parameter.default is None and "None" not in written and written != self.scope.any():
                text += " | None"
            text += f" = {default_text(parameter.default)}"
        return text

    def returned(self, function: Callable[..., Any], signature: inspect.Signature, qualified: str) -> str:
        kind = evaluated(signature.return_annotation, function)
        known = by_hand.returned(qualified)
        if known is not None and (kind is Any or qualified in by_hand.RETURNS):
            return self.scope.text(known)
        if kind is Any:
            name = qualified.rpartition(".")[2]
            function_too = registry["torch"].get(name, function) if qualified.startswith("rushlight.Tensor.") else function
            if (
                from_table(function)
                or from_table(function_too)
                or (name.endswith("_") and not name.startswith("_") and is_op(function))
            ):
                return self.scope.text(torch.Tensor)
            left_open.append(qualified)
        return self.scope.text(kind)

    # Classes.

    def class_(self, name: str, cls: type) -> None:
        bases = [self.scope.text(base) for base in getattr(cls, "__orig_bases__", cls.__bases__) if base is not object]
        if issubclass(cls, Results) and cls is not Results:  # so that its items are known too
            bases = [self.scope.text(tuple[(torch.Tensor,) * len(cls._fields)])]
        if type(cls) is abc.ABCMeta and not any(type(base) is abc.ABCMeta and is_ours(base) for base in cls.__bases__):
            bases.append(f"metaclass={self.scope.name('abc', 'ABCMeta')}")
        self.lines.append(f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:")
        attributes = assigned(cls)
        outer, self.scope.members = self.scope.members, {*vars(cls), *vars(cls).get("__annotations__", ()), *attributes}
        start = len(self.lines)
        said = described(cls)
        if said:
            self.lines.append(f"    {said}")
        qualified = f"{self.module}.{name}"
        own = dict(sorted(vars(cls).items()))
        annotations = own.get("__annotations__", {})
        for each, written in annotations.items():
            if not _HIDDEN.match(each) and not isinstance(own.get(each), property):
                self.lines.append(f"    {each}: {self.attribute(qualified, each, evaluated(written, cls))}")
        for each, kind in attributes.items():
            known = any(each in vars(base) or each in vars(base).get("__annotations__", {}) for base in cls.__mro__)
            if not known and not _HIDDEN.match(each):
                self.lines.append(f"    {each}: {self.attribute(qualified, each, kind)}")
        for each, value in own.items():
            if not _HIDDEN.match(each) and each not in _DUNDERS_LEFT_OUT and each not in annotations:
                self.member(each, value, cls, qualified)
        if "__new__" in own and "__init__" not in own and not hasattr(cls, "_make") and not issubclass(cls, Results):
            self.new(cls.__new__, qualified)
        for form in by_hand.MORE_MEMBERS.get(qualified, ()):
            self.lines.append(textwrap.indent(re.sub(r"<([\w. ]+)>", self.here, form), "    "))
        if len(self.lines) == start:
            self.lines[-1] += " ..."
        self.scope.members = outer

    def here(self, found: re.Match[str]) -> str:
        return self.scope.text(by_hand.TYPES[found[1]])

    def attribute(self, qualified: str, name: str, kind: Any) -> str:
        known = by_hand.returned(f"{qualified}.{name}")
        return self.scope.text(kind if known is None else known)

    def member(self, name: str, value: Any, cls: type, qualified: str) -> None:
        inner = f"{qualified}.{name}"
        if inner in by_hand.LEFT_OUT or type(value).__name__ == "Missing":
            return
        if isinstance(value, CompiledOnUse):
            value = value.compile()
        value = getattr(value, "does", value)  # behind what asks before it
        if isinstance(value, property) or type(value).__name__ in ("cached_property", "lazy_property"):
            self.property(name, value, cls, inner)
        elif isinstance(value, classmethod):
            self.function(name, value.__func__, inner, "cls", "    ")
        elif isinstance(value, staticmethod):
            self.function(name, value.__func__, inner, "", "    ")
        elif isinstance(value, types.FunctionType):
            if "_name" in (getattr(value, "__kwdefaults__", None) or ()):
                return  # one for all methods that are refused
            if name in ("__eq__", "__ne__") and cls is not torch.Tensor:
                self.lines.append(f"    def {name}(self, other: {self.scope.name('builtins', 'object')}) -> "
                                  f"{self.scope.name('builtins', 'bool')}: ...")  # fmt: skip
            elif name == "__hash__":
                self.lines.append(f"    def __hash__(self) -> {self.scope.name('builtins', 'int')}: ...")
            else:
                self.function(name, value, inner, "self", "    ")
        elif isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType) or is_inner(value, cls):
            self.lines.append(f"    {name}: {self.scope.any()}")
        elif isinstance(value, type):
            self.lines.append(f"    {name}: {self.scope.name('builtins', 'type')}[{self.scope.text(value)}]")
        elif isinstance(value, enum.Enum) and isinstance(value, cls):
            self.lines.append(f"    {name} = ...")
        elif name == "__hash__" and value is None:
            return
        elif callable(value) and hasattr(value, "__get__") and not hasattr(value, "fget"):
            self.function(name, value, inner, "self", "    ")
        else:
            self.lines.append(f"    {name}: {self.attribute(qualified, name, Any) if value is None else self.of_value(value)}")

    def new(self, function: Callable[..., Any], qualified: str) -> None:
        """What a class is made from, where ``__new__`` takes it: written as ``__init__``, which all checkers read alike."""
        text = self.signature(function, f"{qualified}.__new__", "self").rpartition(" -> ")[0]
        self.lines.append(f"    def __init__{text} -> None: ...")

    def property(self, name: str, value: Any, cls: type, inner: str) -> None:
        getter = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "wrapped", None)
        getter = getattr(getter, "does", getter)
        written = getattr(getter, "__annotations__", {}).get("return", inspect.Parameter.empty)
        known = by_hand.returned(inner)
        kind = known if known is not None else evaluated(written, getter or cls)
        if kind is Any:
            left_open.append(inner)
        text = self.scope.text(kind)
        said = described(value)
        self.lines.append(f"    @{self.scope.name('builtins', 'property')}")
        self.lines.append(f"    def {name}(self) -> {text}:" + (f"\n        {said}\n        ..." if said else " ..."))
        if getattr(value, "fset", None):
            setter = getattr(value.fset, "does", value.fset)
            taken = [*inspect.signature(setter).parameters.values()][1]
            given = evaluated(taken.annotation, setter) if known is None else Any
            text = text if given in (Any, object) else self.scope.text(given)
            self.lines.append(f"    @{name}.setter\n    def {name}(self, value: {text}) -> None: ...")
        if getattr(value, "fdel", None):
            self.lines.append(f"    @{name}.deleter\n    def {name}(self) -> None: ...")

    def text(self) -> str:
        imports = sorted(self.scope.imports.values(), key=lambda line: (not line.startswith("from"), line))
        before = [line for line in imports if line.startswith("from")]
        after = [line for line in imports if not line.startswith("from")]
        more = re.sub(r"<([\w. ]+)>", self.here, by_hand.MORE_TEXT.get(self.module, ""))
        parts = [
            [*before, *sorted(set(self.passed_on))],
            list(self.scope.variables.values()),
            [more] * bool(more),
            self.lines,
            after,
        ]
        return HEAD + "\n" + "\n\n".join("\n".join(part) for part in parts if part) + "\n"


class _Of(type):
    """Stands for a module where a class or function is asked for its own."""

    def __new__(cls, module: str) -> Any:
        return type.__new__(type, "Of", (), {"__module__": module})


def is_inner(value: Any, cls: type) -> bool:
    """Whether a value is a class that is defined in the body of ``cls``."""
    return isinstance(value, type) and is_ours(value) and value.__qualname__.startswith(cls.__name__ + ".")


left_open: list[str] = []  # what is said to return Any


def from_table(function: Callable[..., Any]) -> bool:
    """Whether a function is an op's, its text written from the table: all of these return one Tensor."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and code.co_filename.startswith("<rushlight")


def is_op(function: Callable[..., Any]) -> bool:
    """Whether a function stands in the registry: its tensors are Tensors."""
    module = getattr(inspect.unwrap(function), "__globals__", {}).get("__name__", "")
    return from_table(function) or ".ops." in module or getattr(function, "__qualname__", ".").find(".") < 0


def described(thing: Any) -> str:
    """The first paragraph of a docstring, as a docstring."""
    doc = getattr(thing, "__doc__", None)
    if (
        not isinstance(doc, str)
        or not doc.strip()
        or doc.startswith("itemgetter(")
        or (isinstance(thing, type) and "__doc__" not in vars(thing))
    ):
        return ""
    first = " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())
    quoted = first.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{quoted}{" " if quoted.endswith(chr(34)) else ""}"""'


def assigned(cls: type) -> dict[str, Any]:
    """The attributes that methods of a class give its instances, with their types where they are plain to see."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, Any] = {}
    for method in ast.walk(tree):
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        me = method.args.args[0].arg
        arguments = {each.arg: each.annotation for each in (*method.args.args, *method.args.kwonlyargs)}
        for node in ast.walk(method):
            pairs: list[tuple[ast.expr, ast.expr | None]] = []
            if isinstance(node, ast.AnnAssign):
                if _is_mine(node.target, me):
                    found[node.target.attr] = evaluated(ast.unparse(node.annotation), cls)  # type: ignore[union-attr]
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Tuple):
                        values = node.value.elts if isinstance(node.value, ast.Tuple) else [None] * len(target.elts)
                        pairs += zip(target.elts, values, strict=False)
                    else:
                        pairs.append((target, node.value))
            for target, value in pairs:
                if _is_mine(target, me):
                    kind: Any = Any
                    if isinstance(value, ast.Name) and arguments.get(value.id) is not None:
                        kind = evaluated(ast.unparse(arguments[value.id]), cls)  # type: ignore[arg-type]
                    elif isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float | str):
                        kind = type(value.value)
                    name = target.attr  # type: ignore[attr-defined]
                    found[name] = kind if found.get(name, kind) == kind else Any
    return found


def _is_mine(target: ast.expr, me: str) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me


def written() -> dict[Path, str]:
    """All stubs: their paths below STUBS, and their texts."""
    modules = public_modules()
    homes = settle_homes(modules)
    children = {name: {other.rpartition(".")[2] for other in modules if other.rpartition(".")[0] == name} for name in modules}
    stubs = {name: Stub(name, names, homes) for name, names in modules.items()}
    for name, stub in stubs.items():
        stub.scope.names |= children[name]
        stub.write()
        stub.passed_on += [f"from . import {child} as {child}" for child in children[name] - stub.public
                           if name != "rushlight" or child in torch_names()["torch"] or child in dir(torch)]  # fmt: skip
    inner = stubs[INNER] = Stub(INNER, set(), homes)
    for thing in list(homes.kept):
        module, name = homes.known[id(thing)]
        if module == INNER and thing not in homes.inner:
            inner.scope.names.add(name)
            inner.item(name, thing)
    for cls in homes.inner:  # grows as its classes mention others
        inner.scope.names.add(homes.known[id(cls)][1])
        inner.class_(homes.known[id(cls)][1], cls)
    # A package's stub is one too: pyright takes the source of a package before a stub that is a file.
    packages = {name for name in stubs if children.get(name) or hasattr(sys.modules.get(name), "__path__")}
    texts = {path_of(name, name in packages): stub.text() for name, stub in stubs.items()}
    return {**texts, Path("py.typed"): "partial\n"}


def path_of(module: str, is_package: bool) -> Path:
    below = Path(*module.split(".")[1:])
    return below / "__init__.pyi" if is_package or module == "rushlight" else below.with_suffix(".pyi")


def main(arguments: list[str]) -> int:
    texts = written()
    there = {path.relative_to(STUBS): path.read_text() for path in STUBS.rglob("*") if path.is_file()}
    if "--open" in arguments:
        print(*sorted(set(left_open)), sep="\n")
    if there == texts:
        return 0
    differ = sorted(path for path in there.keys() | texts.keys() if there.get(path) != texts.get(path))
    if "--check" in arguments:
        print("`make stubs` would change:", *differ, sep="\n    ", file=sys.stderr)
        return 1
    for path in differ:
        if path in texts:
            (STUBS / path).parent.mkdir(parents=True, exist_ok=True)
            (STUBS / path).write_text(texts[path])
        else:
            (STUBS / path).unlink()
    print(f"{len(differ)} of {len(texts)} stubs written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
