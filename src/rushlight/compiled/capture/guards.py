"""What a program found when it ran, and whether it would find the same again.

From the function and its arguments on, whatever its code may ask for by the names that stand in the code that ran. Each is a check:
*this* dict still has *that* under *this* key. Objects are held, and compared by identity; numbers and texts by value. An object that
cannot be looked into (an iterator, an array of NumPy's) ends it: the program may have found anything there.
"""

from __future__ import annotations

import collections
import functools
import operator
import os
import re
import sys
import sysconfig
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.arguments import OWN_CODE, ROOT
from ...base.device import device, layout
from ...nn import functional
from ...ops.public import CompiledOnUse
from ...optim import optimizer
from ...random import Generator
from ...tensor import Tensor
from . import known_functions
from .bytecode import globals_of, imports_of, operators_of

_PACKAGE = __name__.partition(".")[0]
_VALUES = (bool, int, float, complex, str, bytes)
_FIELD = type(vars(collections.namedtuple("_One", "first"))["first"])
_FIXED = (
    type(None), type(...), type(NotImplemented), np.dtype, np.generic, np.ufunc, dtypes.dtype, device, layout,
    types.CodeType, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType, range, re.Pattern, _FIELD,
)  # fmt: skip
_OF_NO_MATTER = frozenset(("__dict__", "__weakref__", "__doc__", "__module__", "__abstractmethods__", "_abc_impl"))
_NAMES = frozenset(("__name__", "__qualname__", "__doc__", "__module__"))  # that functions and classes may be given anew
_ASKED = frozenset(("get", "items", "__iter__", "__len__", "__getitem__"))  # of containers, by what looks at them here
_WITH_CONTEXT = frozenset(("decimal", "_decimal", "_pydecimal"))  # what they compute depends on what nothing leads to
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8
_OPS = f"{_PACKAGE}.ops.", "torch.ops."
_SWITCHES = tuple(f"{name}.backends." for name in (_PACKAGE, f"{_PACKAGE}.compat", "torch"))
_KNOWN = (object, *_CONTAINERS, *_VALUES, collections.OrderedDict, collections.defaultdict)
_PARTS = {  # what others are made of, for good
    staticmethod: ("__func__",), classmethod: ("__func__",), property: ("fget", "fset", "fdel"), functools.cached_property: ("func",),
    slice: ("start", "stop", "step"),
}  # fmt: skip
ABSENT: Any = object()


class CannotTell(Exception):
    """Something that the program may have looked at, and that cannot be compared."""


class Findings:
    """What is to be found from ``roots`` on.

    ``names``   the attributes and globals that any code asks for; None: all
    ``users``   those that the user's code asks for: of optimizers, which are called as they stand, no others matter
    ``given``   tensors that the program is given: others may be, another time
    """

    def __init__(self, roots: Iterable[object], names: set[str] | None, users: set[str], given: Iterable[Tensor] = ()) -> None:
        self.names, self.users = names, users
        self.checks: list[tuple[str, Any, Any, Any]] = []  # (kind, holder, key, what is there)
        self.tensors: dict[int, Tensor] = {}
        self.grads: set[int] = set()  # of those, the ones that are another's gradient
        self.no_others: set[int] = set()  # of those, the ones that nothing else leads to
        self.owned: list[tuple[Tensor, Tensor]] = []  # tensors with their gradients, which are looked at when all else has been
        self.codes: set[types.CodeType] = set()
        self.classes: list[type] = []  # of libraries
        self.seen: dict[int, Any] = {}
        self.weak: list[weakref.ref[object]] = []
        self.attributes: dict[int, tuple[Tensor, dict[str, object]]] = {}  # that programs gave to tensors
        self.waiting: list[Any] = list(roots)
        self.given = list(given)
        self.gradients = [(one, one._grad) for one in self.given]  # of tensors
        for tensor in (*self.given, *(one._grad for one in self.given if one._grad is not None)):
            self._tensor(tensor)
        self._functions(
            vars(functional), {name for name in vars(functional) if name[0] != "_" and (names is None or name in names)}
        )
        self._look_on()
        for _, grad in self.owned:  # which grows meanwhile
            self.no_others.update({id(grad)} - self.seen.keys())
            self.waiting.append(grad)
            self._look_on()
        asked = users.union(["forward"], (f"__{name}__" for name in users), *map(operators_of, self.codes))
        for kind in (Tensor, *self.classes):
            self._library_class(kind, asked)
        if any(one() is not None and id(one()) not in self.seen for one in self.weak):
            raise CannotTell("a weak reference to what may end, since nothing else leads to it")

    def _look_on(self) -> None:
        while self.waiting:
            self._look(self.waiting.pop())

    def _found(self, kind: str, holder: Any, key: Any, value: Any) -> None:
        self.checks.append((kind, holder, key, value))
        self.waiting.append(value)

    def _look(self, value: Any) -> None:
        kind = type(value)
        if isinstance(kind.__getattribute__, types.FunctionType):
            raise CannotTell(f"an object that finds its attributes in a way of its own, of the kind {kind.__qualname__}")
        if kind in _VALUES or id(value) in self.seen or value is ABSENT or (isinstance(value, _FIXED) and kind is not np.void):
            return
        self.seen[id(value)] = value
        if isinstance(value, Generator):  # whose state is no number that a program could look at
            return
        if isinstance(value, Tensor):
            self.tensors[id(value)] = value
            self.gradients.append((value, value._grad))
            if value._grad is not None:
                self.grads.add(id(value._grad))
                self.owned.append((value, value._grad))
            self._tensor(value)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.MethodType):
            self.waiting += [value.__self__, value.__func__]
        elif isinstance(value, types.ModuleType):
            self._module(value)
        elif isinstance(value, (types.BuiltinFunctionType, types.MethodWrapperType)):
            self._built_in(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.CellType):
            self._found("cell", value, None, _contents(value))
        elif kind in _PARTS:
            self.waiting += [getattr(value, name) for name in _PARTS[kind]]
        elif kind is functools.partial:
            if isinstance(value.func, types.BuiltinFunctionType) and not known_functions.pure(value.func):
                raise CannotTell(f"{value.func.__qualname__}(), which may give another result each time")
            for name in ("func", "args", "keywords"):
                self._found("slot", value, name, getattr(value, name))
            self._dict(vars(value), self.names)
        elif isinstance(value, weakref.ref):
            self.weak.append(value)
            self.checks.append(("weak", value, None, value()))
        elif isinstance(value, functools._lru_cache_wrapper):
            raise CannotTell("a cache, whose entries come and go")
        elif isinstance(value, _CONTAINERS) or kind.__flags__ & _HEAP_TYPE or kind is types.SimpleNamespace:
            self._object(value)
        elif kind is types.MappingProxyType:
            self._dict(value, None)
        else:
            raise CannotTell(f"an object of the kind {kind.__module__}.{kind.__qualname__}")

    def _tensor(self, tensor: Tensor) -> None:
        found = attributes_of(tensor, self.names)
        self.attributes[id(tensor)] = tensor, found
        self.waiting += found.values()

    def _module(self, module: types.ModuleType) -> None:
        """A module of the user's; of the libraries' what users change: switches, numbers, and functions that they put others of
        their own in the place of."""
        found, first = vars(module), module.__name__.partition(".")[0]
        if not _trusted(module.__name__):
            self._found("type", module, type(module), type(module))  # another may find attributes in a way of its own
            self._dict(found, self.names)
            return
        own = first in (_PACKAGE, "torch")
        if own and (self.names is None or "backends" in self.names):
            self.waiting += [one for name, one in sys.modules.items() if name.startswith(_SWITCHES)]
        self._functions(found, self.users)
        if first in _WITH_CONTEXT or (module is sys and "modules" in self.users):
            raise CannotTell(f"the module {first}")
        if not own:
            self.waiting += [
                found[name] for name in self.users & found.keys() if isinstance(found[name], (*_CONTAINERS, Mapping))
            ]

    def _built_in(self, function: types.BuiltinFunctionType | types.MethodWrapperType) -> None:
        """A built-in function, or a method of an object that is written in C: what it is bound to may change."""
        if self.names is not None and (function in known_functions.BY_NAME or function.__name__ in known_functions.BY_TEXT):
            raise CannotTell(f"{function.__name__} under another name, which asks for what no name in the code tells")
        if not isinstance(function.__self__, types.ModuleType):
            self.waiting.append(function.__self__)

    def _named(self, value: object) -> None:
        for name in _NAMES if self.names is None else _NAMES & self.users:
            self.checks.append(("slot", value, name, getattr(value, name)))

    def _library_class(self, kind: type, names: set[str]) -> None:
        """What users have put into a class of a library's, or may: attributes that they ask for, in the place of its own."""
        space = vars(kind)
        for name in names & space.keys():
            if isinstance(space[name], CompiledOnUse):
                getattr(kind, name)  # another stands there from its first use on, which is now
            self.checks.append(("class", kind, name, space[name]))
        self.checks.append(("length", space, len(space), None))

    def _functions(self, found: dict[str, object], names: set[str]) -> None:
        for name in names & found.keys():
            self.checks.append(("key", found, name, found[name]))
            if isinstance(found[name], (types.ModuleType, types.FunctionType, type)):
                self.waiting.append(found[name])

    def _object(self, value: Any) -> None:
        kind = type(value)
        own = [base for base in kind.__mro__ if base.__flags__ & _IMMUTABLE_TYPE or not base.__flags__ & _HEAP_TYPE]
        strange = [base for base in own if base not in _KNOWN]
        if strange and kind is not types.SimpleNamespace and not issubclass(kind, BaseException):
            raise CannotTell(f"an object of the kind {kind.__module__}.{kind.__qualname__}")
        slots = any("__slots__" in vars(base) for base in kind.__mro__)
        if (
            kind.__flags__ & _HEAP_TYPE and not slots and not hasattr(value, "__dict__")
        ):  # of an extension's: it may keep anything
            raise CannotTell(f"an object of the kind {kind.__module__}.{kind.__qualname__}")
        if any(base not in own and not _ASKED.isdisjoint(vars(base)) for base in kind.__mro__) and isinstance(
            value, _CONTAINERS
        ):
            raise CannotTell(f"a container that tells what is in it in a way of its own, of the kind {kind.__qualname__}")
        if kind.__flags__ & _HEAP_TYPE:  # others' instances stay what they are
            self.checks.append(("type", value, kind, None))
        self.waiting.append(kind)
        names = self.names
        if _live(kind):
            names = self.users
            if hasattr(value, "param_groups"):
                self.checks.append(("moves", value, None, _moved(value)))
                for hooks in optimizer.step_hooks(value):
                    self._dict(hooks, None)
        self._container(value)
        if hasattr(value, "__dict__"):
            if kind.__flags__ & _HEAP_TYPE:
                self.checks.append(("slot", value, "__dict__", vars(value)))
            self._dict(vars(value), names)
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if slot.startswith("__") and not slot.endswith("__"):
                    slot = f"_{base.__name__.lstrip('_')}{slot}"
                if slot not in ("__dict__", "__weakref__") and (names is None or slot in names):
                    self._found("slot", value, slot, getattr(value, slot, ABSENT))

    def _container(self, value: object) -> None:
        """What is in a container, or nothing."""
        if isinstance(value, dict):
            self._dict(value, None)
            if isinstance(value, collections.defaultdict):
                self._found("slot", value, "default_factory", value.default_factory)
        elif isinstance(value, (list, tuple, collections.deque)):
            self.checks.append(("length", value, len(value), None))
            for index, one in enumerate(value):
                if type(value) is tuple:
                    self.waiting.append(one)
                else:
                    self._found("item", value, index, one)
        elif isinstance(value, (set, frozenset)):
            if type(value) is not frozenset:
                self.checks.append(("set", value, tuple(value), None))
            self.waiting += value

    def _dict(self, found: Mapping[Any, Any], names: set[str] | None) -> None:
        if names is None:
            self.checks.append(("keys", found, tuple(found), None))
            for key, one in found.items():
                self.waiting.append(key)
                self._found("key", found, key, one)
            return
        for key in names if len(names) < len(found) else list(found):
            if key in names and key in found:
                self._found("key", found, key, found[key])
        absent = {key for key in names if key not in found}
        self.checks.append(("absent", found, absent, None))

    def _function(self, function: types.FunctionType) -> None:
        code = function.__code__
        if code.co_filename.startswith(OWN_CODE):
            if hasattr(function, "_torchdynamo_orig_callable"):  # compiled: what runs inside of another is the function itself
                self.waiting.append(function._torchdynamo_orig_callable)
            for cell in function.__closure__ or ():  # a wrapper of this package's around what is the user's, and stays so
                inner = _contents(cell)
                if isinstance(inner, types.FunctionType) or (
                    isinstance(inner, types.MethodType) and not type(inner.__self__).__module__.startswith(_OPS)
                ):
                    self.waiting.append(inner)
            return
        self.checks.append(("code", function, code, None))
        asked: set[str] = set()
        for one in _nested(code):
            self.codes.add(one)
            asked.update(globals_of(one))
        for cell in function.__closure__ or ():
            self.waiting.append(cell)
        for name in ("__defaults__", "__kwdefaults__", "__annotations__"):
            if name != "__annotations__" or self.names is None or name in self.names:
                self._found("slot", function, name, getattr(function, name))
        if vars(function) or self.names is None:
            self._dict(vars(function), None)
        space = function.__globals__
        if _trusted(str(space.get("__name__"))):
            return
        self._named(function)
        known = function.__builtins__  # type: ignore[attr-defined]
        for name in asked:
            if name in space:
                self._found("key", space, name, space[name])
            else:
                self.checks.append(("key", space, name, ABSENT))
                self.checks.append(("key", known, name, known.get(name, ABSENT)))
        for name in {name for one in _nested(code) for name in imports_of(one, str(space.get("__package__")))}:
            self._found("key", sys.modules, name, sys.modules.get(name, ABSENT))

    def _class(self, kind: type) -> None:
        if kind is operator.attrgetter and self.names is not None:
            raise CannotTell("operator.attrgetter under another name, which asks for what no name in the code tells")
        if kind.__module__ in _WITH_CONTEXT:
            raise CannotTell(f"the class {kind.__qualname__}")
        for base in kind.__mro__:
            if id(base) in self.seen and base is not kind:
                continue
            self.seen[id(base)] = base
            if not base.__flags__ & _HEAP_TYPE:
                continue
            if _of_library(base):
                self.classes.append(base)
            else:
                space = vars(base)
                self.checks.append(("slot", base, "__mro__", base.__mro__))
                if type(base) is not type:
                    self.checks.append(("type", base, type(base), None))
                    self.waiting.append(type(base))
                self._named(base)
                if self.names is not None:
                    self.checks.append(("absent", space, {name for name in self.names if name not in space}, None))
                self.checks.append(("length", space, len(space), None))  # what is asked for by operators, such as __getattr__
                for name, one in list(space.items()):
                    asked = self.names is None or name in self.names or name.startswith("__")
                    if asked and name not in _OF_NO_MATTER:
                        self._found("class", base, name, one)

    def are_of(self, leaves: Iterable[object]) -> bool:
        """Whether they would be the same anew for a program that is given ``leaves``, where nothing has changed."""
        given = [one for one in leaves if isinstance(one, Tensor)]
        alike = len(given) == len(self.given) and all(map(operator.is_, given, self.given))
        return alike and all(tensor._grad is grad for tensor, grad in self.gradients)

    # Is it all as it was?

    def changed(self) -> str | None:
        """What is not as it was, None where all is."""
        if not all(same_attributes(tensor, self.names, before) for tensor, before in self.attributes.values()):
            return "attributes of a tensor"
        return next((self.told(*check) for check in self.checks if not holds(check)), None)

    def told(self, kind: str, holder: Any, key: object, value: object) -> str:
        """What a check looks at, in words."""
        if kind == "key":
            for one in self.seen.values():
                if not isinstance(one, type) and getattr(one, "__dict__", None) is holder:
                    name = one.__name__ if isinstance(one, types.ModuleType) else type(one).__name__
                    return f"attribute {key!r} of {name}"
            return f"global {key!r}" if "__builtins__" in holder else f"key {key!r} of dict"
        what = type(holder).__name__ if not isinstance(holder, types.FunctionType) else holder.__qualname__
        if kind == "cell":
            names = [
                name for one in self.seen.values() if isinstance(one, types.FunctionType)
                for name, cell in zip(one.__code__.co_freevars, one.__closure__ or (), strict=True) if cell is holder
            ]  # fmt: skip
            return f"variable {names[0]!r} of a closure" if names else "a variable of a closure"
        return f"{kind} {key!r} of {what}" if kind in ("item", "slot", "class") else f"{kind} of {what}"


def holds(check: tuple[str, Any, Any, Any]) -> bool:
    """Whether a check still holds."""
    kind, holder, key, value = check
    match kind:
        case "key":
            return same(holder.get(key, ABSENT), value)
        case "item":
            return len(holder) > key and same(holder[key], value)
        case "slot":
            return same(getattr(holder, key, ABSENT), value)
        case "class":
            return same(holder.__dict__.get(key, ABSENT), value)
        case "cell":
            return same(_contents(holder), value)
        case "type":
            return type(holder) is key
        case "weak":
            return same(holder(), value)
        case "length":
            return len(holder) == key
        case "keys":
            return same(tuple(holder), key)
        case "absent":
            return bool(key.isdisjoint(holder))
        case "moves":
            now = _moved(holder)
            return len(now) == len(value) and all(map(operator.is_, now, value))
        case "set":
            return same(tuple(holder), key)  # in the same order
        case _:
            return holder.__code__ is key


def same(value: Any, before: Any) -> bool:
    """Whether a program would see no difference: the same object, or the same number or text to the last bit."""
    if value is before:
        return True
    kind = type(value)
    if kind is not type(before):
        return False
    if kind in (float, complex):
        return repr(value) == repr(before)
    if kind in _VALUES or kind is range or isinstance(value, (np.dtype, device)):
        return bool(value == before)
    if kind is slice:
        return same((value.start, value.stop, value.step), (before.start, before.stop, before.step))
    if kind is tuple:
        return len(value) == len(before) and all(map(same, value, before))
    if kind is types.MethodType:
        return value.__self__ is before.__self__ and value.__func__ is before.__func__
    return False


def attributes_of(tensor: Tensor, names: set[str] | None) -> dict[str, object]:
    """The attributes that programs gave a tensor, of such names."""
    return {name: value for name, value in vars(tensor).items() if names is None or name in names}


def same_attributes(tensor: Tensor, names: set[str] | None, before: Mapping[str, object]) -> bool:
    """Whether the attributes of a tensor are those that it, or another in its place, had."""
    now = attributes_of(tensor, names)
    return now.keys() == before.keys() and all(same(now[name], one) for name, one in before.items())


def _moved(optimizer: Any) -> list[Tensor]:
    """The parameters that an optimizer moves, and clears the gradients of."""
    return [one for group in optimizer.param_groups for one in group["params"]]


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _nested(one)


def _live(kind: type) -> bool:
    """Whether instances are called as they stand, and so may change: optimizers, schedules of learning rates."""
    return any(base.__module__.startswith((f"{_PACKAGE}.optim.", "torch.optim")) for base in kind.__mro__)


_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__"}
_LIBRARY = os.path.join(sysconfig.get_paths()["stdlib"], "")


def _trusted(module: str) -> bool:
    """Whether a module is this package's, NumPy's or the standard library's: they do not change while a program runs."""
    if module.startswith(_SWITCHES):
        return False
    first = module.partition(".")[0]
    return first in (_PACKAGE, "torch", "numpy", "scipy", "builtins") or (first in _STANDARD and _is_of_the_library(first))


def _of_library(kind: type) -> bool:
    """Whether a class is a library's, as it stands there: users may say that theirs is, or put a function of theirs in."""
    if not _trusted(kind.__module__):
        return False
    functions = [one for one in vars(kind).values() if isinstance(one, types.FunctionType)]
    if functions:
        return all(_trusted(str(one.__globals__.get("__name__"))) for one in functions)
    found: object = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


@functools.cache
def _is_of_the_library(name: str) -> bool:
    """Whether a module that has a name of the standard library's is that one: a user's `profile.py` may stand before it."""
    return (getattr(sys.modules.get(name), "__file__", None) or _LIBRARY).startswith(_LIBRARY)


def unreached(codes: Mapping[types.CodeType, bool], found: Findings) -> types.CodeType | None:
    """A function of the user's that ran, although nothing led to it: what it looked at is not known. ``codes`` says of each
    whether it is another's."""
    for code, of_others in codes.items():
        if not of_others and code not in found.codes and not code.co_filename.startswith(ROOT):
            return code
    return None
