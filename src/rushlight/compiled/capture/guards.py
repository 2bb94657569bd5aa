"""What a program found when it ran, and whether it would find the same again.

From the function and its arguments on, whatever its code may ask for by the names that stand in the code that ran: globals,
closures, attributes, the contents of containers. Each is a check: *this* dict still has *that* under *this* key. Objects are held,
and compared by identity; numbers and texts by value. An object that cannot be looked into (an iterator, a generator of random
numbers, an array of NumPy's) ends it: the program may have found anything there.
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
from ...optim import optimizer
from ...random import Generator
from ...tensor import Tensor
from .watching import globals_of

_PACKAGE = __name__.partition(".")[0]
_VALUES = (bool, int, float, complex, str, bytes)
_FIELD = type(vars(collections.namedtuple("_One", "first"))["first"])
_FIXED = (
    type(None), type(...), type(NotImplemented), np.dtype, np.generic, np.ufunc, dtypes.dtype, device, layout,
    types.BuiltinFunctionType, types.BuiltinMethodType, types.CodeType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodWrapperType, types.ClassMethodDescriptorType, range, slice,
    re.Pattern, _FIELD,
)  # fmt: skip
_OF_NO_MATTER = frozenset(("__dict__", "__weakref__", "__doc__", "__module__", "__abstractmethods__", "_abc_impl"))
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8
_OPS = f"{_PACKAGE}.ops.", "torch.ops."
_SWITCHES = tuple(f"{name}.backends." for name in (_PACKAGE, f"{_PACKAGE}.compat", "torch"))
_KNOWN = (object, *_CONTAINERS, *_VALUES, collections.OrderedDict, collections.defaultdict)
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
        self.codes: set[types.CodeType] = set()
        self.seen: dict[int, Any] = {}
        self.weak: list[weakref.ref[object]] = []
        self.attributes: dict[int, tuple[Tensor, dict[str, object]]] = {}  # that programs gave to tensors
        self.waiting: list[Any] = list(roots)
        for tensor in given:
            self._tensor(tensor)
        self._functions(
            vars(functional), {name for name in vars(functional) if name[0] != "_" and (names is None or name in names)}
        )
        while self.waiting:
            self._look(self.waiting.pop())
        if any(one() is not None and id(one()) not in self.seen for one in self.weak):
            raise CannotTell("a weak reference to what may end, since nothing else leads to it")

    def _found(self, kind: str, holder: Any, key: Any, value: Any) -> None:
        self.checks.append((kind, holder, key, value))
        self.waiting.append(value)

    def _look(self, value: Any) -> None:
        kind = type(value)
        if kind in _VALUES or isinstance(value, _FIXED) or id(value) in self.seen or value is ABSENT:
            return
        self.seen[id(value)] = value
        if isinstance(value, Generator):  # whose state is no number that a program could look at
            return
        if isinstance(value, Tensor):
            self.tensors[id(value)] = value
            if value._grad is not None:
                self.grads.add(id(value._grad))
                self.waiting.append(value._grad)
            self._tensor(value)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.MethodType):
            self.waiting += [value.__self__, value.__func__]
        elif isinstance(value, types.ModuleType):
            if not _trusted(value.__name__):
                self._dict(vars(value), self.names)
            elif value.__name__.partition(".")[0] in (_PACKAGE, "torch"):
                self._own_module(vars(value))
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.CellType):
            self._cell(value)
        elif kind in (staticmethod, classmethod):
            self.waiting.append(value.__func__)
        elif kind is property:
            self.waiting += [value.fget, value.fset, value.fdel]
        elif kind is functools.partial:
            self.waiting += [value.func, value.args, value.keywords]
        elif kind is functools.cached_property:
            self.waiting.append(value.func)
        elif isinstance(value, weakref.ref):
            self.weak.append(value)
            self.checks.append(("weak", value, None, value()))
        elif isinstance(value, functools._lru_cache_wrapper):
            raise CannotTell("a cache, whose entries come and go")
        elif isinstance(value, _CONTAINERS) or kind.__flags__ & _HEAP_TYPE or kind is types.SimpleNamespace:
            self._object(value)
        elif kind is types.MappingProxyType:
            self.waiting.append(dict(value))
        else:
            raise CannotTell(f"an object of the kind {kind.__module__}.{kind.__qualname__}")

    def _tensor(self, tensor: Tensor) -> None:
        found = attributes_of(tensor, self.names)
        self.attributes[id(tensor)] = tensor, found
        self.waiting += found.values()

    def _own_module(self, found: dict[str, object]) -> None:
        """What of this package users change: switches, and functions that they put others of their own in the place of."""
        if self.names is None or "backends" in self.names:
            self.waiting += [module for name, module in sys.modules.items() if name.startswith(_SWITCHES)]
        self._functions(found, self.users)

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
        if isinstance(value, dict):
            self._dict(value, None)
        elif isinstance(value, (list, tuple, collections.deque)):
            self.checks.append(("length", value, len(value), None))
            for index, one in enumerate(value):
                if type(value) is tuple:
                    self.waiting.append(one)
                else:
                    self._found("item", value, index, one)
        elif isinstance(value, (set, frozenset)):
            self.checks.append(("set", value, frozenset(value), None))
            self.waiting += value
        if hasattr(value, "__dict__"):
            self._attributes(value, names)
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if slot not in ("__dict__", "__weakref__") and (names is None or slot in names):
                    slot = f"_{base.__name__.lstrip('_')}{slot}" if slot.startswith("__") and not slot.endswith("__") else slot
                    self._found("slot", value, slot, getattr(value, slot, ABSENT))

    def _attributes(self, value: Any, names: set[str] | None) -> None:
        self._dict(vars(value), names)

    def _dict(self, found: dict[Any, Any], names: set[str] | None) -> None:
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
        self._found("slot", function, "__defaults__", function.__defaults__)
        self._found("slot", function, "__kwdefaults__", function.__kwdefaults__)
        if vars(function):
            self._dict(vars(function), None)
        if not _trusted(str(function.__module__)):
            space = function.__globals__
            for name in asked:
                if name in space:
                    self._found("key", space, name, space[name])
                else:
                    self.checks.append(("key", space, name, ABSENT))

    def _cell(self, cell: types.CellType) -> None:
        self._found("cell", cell, None, _contents(cell))

    def _class(self, kind: type) -> None:
        if kind is operator.attrgetter and self.names is not None:
            raise CannotTell("operator.attrgetter under another name, which asks for what no name in the code tells")
        for base in kind.__mro__:
            if id(base) in self.seen and base is not kind:
                continue
            self.seen[id(base)] = base
            if base.__flags__ & _HEAP_TYPE and not _trusted(base.__module__):
                space = vars(base)
                if self.names is not None:
                    self.checks.append(("absent", space, {name for name in self.names if name not in space}, None))
                for name, one in list(space.items()):
                    asked = self.names is None or name in self.names or name.startswith("__")
                    if asked and name not in _OF_NO_MATTER:
                        self._found("class", base, name, one)

    # Is it all as it was?

    def changed(self) -> str | None:
        """What is not as it was, None where all is."""
        for tensor, before in self.attributes.values():
            if not same_attributes(tensor, self.names, before):
                return "attributes of a tensor"
        for check in self.checks:
            if not holds(check):
                kind, holder, key, _ = check
                what = type(holder).__name__ if not isinstance(holder, types.FunctionType) else holder.__qualname__
                return f"{kind} {key!r} of {what}" if kind in ("key", "item", "slot", "class") else f"{kind} of {what}"
        return None


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
            return tuple(holder) == key
        case "absent":
            return bool(key.isdisjoint(holder))
        case "moves":
            now = _moved(holder)
            return len(now) == len(value) and all(map(operator.is_, now, value))
        case "set":
            return bool(holder == key)
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
    if kind in _VALUES or kind in (range, slice) or isinstance(value, (np.dtype, device)):
        return bool(value == before)
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


@functools.cache
def _is_of_the_library(name: str) -> bool:
    """Whether a module that has a name of the standard library's is that one: a user's `profile.py` may stand before it."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or file.startswith(_LIBRARY)


def unreached(codes: Mapping[types.CodeType, bool], found: Findings) -> types.CodeType | None:
    """A function of the user's that ran, although nothing led to it: what it looked at is not known. ``codes`` says of each
    whether it is another's."""
    for code, of_others in codes.items():
        if not of_others and code not in found.codes and not code.co_filename.startswith(ROOT):
            return code
    return None
