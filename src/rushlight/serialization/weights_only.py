"""Reading a pickle without running it: only the classes and functions of an allow-list can be named, and only called with
arguments that make tensors and plain containers.

A machine of its own for the opcodes that a saved state dict is made of. Python's unpickler would do more than it is told:
set attributes of any object, call methods of any class.
"""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from io import BytesIO
from pickle import UnpicklingError
from pickletools import genops
from typing import Any

from ..base import dtypes
from ..base.device import device
from ..base.rare_dtypes import RARE
from ..base.size import Size
from ..nn import parameter
from ..nn.parameter import Parameter
from ..sparse import creation
from ..storage import CLASSES as STORAGES
from ..storage import TypedStorage, UntypedStorage
from ..tensor import Tensor
from ..tensors import rebuilding
from ..tensors.creation import legacy
from .names import _get_layout, full_name

_BLOCKED = ("sys", "os", "posix", "nt", "subprocess", "builtins.eval", "builtins.exec", "importlib")
# What Python 2 called them is what protocol 2 calls them.
_MODULE_NAMES = {"__builtin__": "builtins", "copy_reg": "copyreg"}

_user_globals: list[Any] = []


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Lets ``load`` with ``weights_only=True`` make instances of these classes and call these functions.

    An entry is a class or function, or a pair of one and the name under which files know it.
    """
    known = set(_user_globals)
    _user_globals.extend(dict.fromkeys(each for each in safe_globals if each not in known))


def get_safe_globals() -> list[Any]:
    """What :func:`add_safe_globals` was given."""
    return list(_user_globals)


def clear_safe_globals() -> None:
    """Takes all entries back."""
    _user_globals.clear()


class safe_globals:
    """Lets ``load`` use these classes and functions in a ``with`` block.

    >>> import rushlight as torch
    >>> from collections import deque
    >>> with torch.serialization.safe_globals([deque]):
    ...     torch.serialization.get_safe_globals()
    [<class 'collections.deque'>]
    """

    def __init__(self, safe_globals: list[Any]) -> None:
        self._given = safe_globals

    def __enter__(self) -> None:
        self._before = list(_user_globals)
        add_safe_globals(self._given)

    def __exit__(self, *exc: object) -> None:
        _user_globals[:] = self._before


def _encode(text: str, encoding: str = "latin1") -> bytes:
    if encoding not in ("latin1", "latin-1"):
        raise UnpicklingError(f"bytes are encoded in {encoding!r}, not in latin1")
    return text.encode("latin1")


def _bytearray(source: Any = b"", encoding: str = "latin1") -> bytearray:
    if not isinstance(source, (str, bytes)):  # a number would be a size
        raise UnpicklingError("a bytearray is made of something that is not bytes")
    return bytearray(_encode(source, encoding) if isinstance(source, str) else source)


_CALLABLE: dict[str, Callable[..., Any]] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "_codecs.encode": _encode,
    "builtins.bytearray": _bytearray,
    "builtins.set": set,
    "builtins.complex": complex,
    "torch.Size": Size,
    "torch.device": device,
    "torch.serialization._get_layout": _get_layout,
    "torch.nn.parameter.Parameter": Parameter,
    "torch._tensor._rebuild_from_type_v2": rebuilding._rebuild_from_type_v2,
    **{
        f"torch._utils.{function.__name__}": function
        for function in (
            rebuilding._rebuild_tensor,
            rebuilding._rebuild_tensor_v2,
            rebuilding._rebuild_tensor_v3,
            rebuilding._rebuild_meta_tensor_no_storage,
            rebuilding._rebuild_wrapper_subclass,
            creation._rebuild_sparse_tensor,
            parameter._rebuild_parameter,
            parameter._rebuild_parameter_with_state,
        )
    },
}
# Things that can be named, not called.
_NAMED: dict[str, Any] = {
    "torch.Tensor": Tensor,
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.storage.TypedStorage": TypedStorage,
    **{f"torch.{each.name}": each for each in dtypes.ALL},
    **{f"torch.{each.name}": each for each in RARE.values()},
    **{f"torch.{name}": cls for name, cls in legacy.CLASSES.items()},
    **{f"torch.{place}{name}": cls for name, cls in STORAGES.items() for place in ("", "cuda.")},
}


class _Mark:
    pass


_MARK = _Mark()


def message(detail: str, can_be_allowed: bool) -> str:
    """What is said of a pickle that is refused."""
    advice = (
        "If you trust the file, either allow what it asks for as said below, or load it with `weights_only=False`, which runs "
        "whatever code the file names."
        if can_be_allowed
        else "If you trust the file, `weights_only=False` loads more, and runs whatever code the file names."
    )
    return f"Weights only load failed. {advice}\n\tWeightsUnpickler error: {detail}"


class _Refused(Exception):
    def __init__(self, detail: str, can_be_allowed: bool = False) -> None:
        super().__init__(detail)
        self.can_be_allowed = can_be_allowed


def load(stream: BytesIO, storages: Callable[[Any], Any], encoding: str = "ASCII") -> Any:
    """The object of the pickle at which a stream stands, if it is made of nothing but what is allowed; the stream then stands
    behind it. UnpicklingError otherwise."""
    machine = _Machine(stream.getvalue(), stream.tell(), storages, encoding)
    try:
        made = machine.run()
    except _Refused as error:
        raise UnpicklingError(message(str(error), error.can_be_allowed)) from None
    except (RuntimeError, MemoryError, UnpicklingError, RecursionError):
        raise
    except Exception as error:
        raise UnpicklingError(message(f"{type(error).__name__}: {error}", False)) from error
    stream.seek(machine.at)
    return made


class _Machine:
    """A stack, a memo, and a method for each opcode."""

    def __init__(self, content: bytes, at: int, storages: Callable[[Any], Any], encoding: str) -> None:
        self._content = content
        self.at = at
        self._storages = storages
        self._encoding = encoding
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._users = _allowed_by_user()
        self._called_by_user = {id(value) for value in self._users.values()}
        self._callable = {id(value) for value in _CALLABLE.values()} | self._called_by_user

    def run(self) -> Any:
        actions = _ACTIONS
        content = self._content
        while True:
            if self.at >= len(content):
                raise _Refused("the pickle ends early")
            code = content[self.at]
            self.at += 1
            if code == _STOP:
                return self._pop()
            action = actions.get(code)
            if action is None:
                raise _Refused(f"Unsupported operand {code}")
            action(self)

    # Reading.

    def _take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self._content):
            raise _Refused("the pickle ends early")
        part = self._content[self.at : end]
        self.at = end
        return part

    def _line(self) -> str:
        end = self._content.find(b"\n", self.at)
        if end < 0:
            raise _Refused("the pickle ends early")
        line = self._content[self.at : end].decode("utf-8")
        self.at = end + 1
        return line

    def _unpack(self, form: struct.Struct) -> Any:
        return form.unpack(self._take(form.size))[0]

    def _above_mark(self) -> list[Any]:
        stack = self._stack
        for place in range(len(stack) - 1, -1, -1):
            if stack[place] is _MARK:
                above = stack[place + 1 :]
                del stack[place:]
                return above
        raise _Refused("a mark is missing")

    def _pop(self) -> Any:
        if self._stack and self._stack[-1] is _MARK:
            raise _Refused("a mark is where a value should be")
        return self._stack.pop()

    # What can be named, and what can be done with it.

    def find(self) -> None:
        module, name = self._line(), self._line()
        module = _MODULE_NAMES.get(module, module)
        full = f"{module}.{name}"
        for table in (_CALLABLE, _NAMED):
            if full in table:
                self._stack.append(table[full])
                return
        if module.partition(".")[0] in _BLOCKED or full in _BLOCKED:  # no entry of a user's allows these
            raise _Refused(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        spoken = full.removeprefix("builtins.")
        if spoken in self._users:
            self._stack.append(self._users[spoken])
            return
        raise _Refused(
            f"Unsupported global: GLOBAL {spoken} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{spoken}])` or the `torch.serialization.safe_globals([{spoken}])` context "
            "manager to allowlist this global if you trust this class/function.",
            can_be_allowed=True,
        )

    def reduce(self) -> None:
        arguments, function = self._pop(), self._pop()
        if function is Tensor and arguments == ():  # an empty one, which gets its state next: files of old
            self._stack.append(Tensor())
            return
        if id(function) not in self._callable or not isinstance(arguments, tuple):
            raise _Refused(f"Trying to call reduce for unrecognized function {function}")
        self._stack.append(function(*arguments))

    def new(self) -> None:
        arguments, cls = self._pop(), self._pop()
        if not isinstance(arguments, tuple):
            raise _Refused(f"Trying to make a new {cls} with arguments that are no tuple")
        if cls is OrderedDict or cls is Counter or cls is Size or cls is set or cls is Parameter:
            self._stack.append(cls(*arguments))
        elif id(cls) in self._called_by_user and isinstance(cls, type):
            self._stack.append(cls.__new__(cls, *arguments))
        else:
            raise _Refused(f"Trying to create new object for unrecognized class {cls}")

    def build(self) -> None:
        state, made = self._pop(), self._stack[-1]
        kind = type(made)
        if kind is OrderedDict or kind is Counter:
            made.__dict__.update(state)
        elif isinstance(made, Tensor) and id(kind) not in self._called_by_user:
            rebuilding.set_state(made, state)
        elif id(kind) in self._called_by_user:
            if hasattr(made, "__setstate__"):
                made.__setstate__(state)
            elif isinstance(made, Tensor):
                rebuilding.set_state(made, state)
            else:
                names, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
                if names:
                    made.__dict__.update(names)
                for name, value in (slots or {}).items():
                    setattr(made, name, value)
        else:
            raise _Refused(
                f"Can only build Tensor, Parameter, OrderedDict or types allowlisted via add_safe_globals, not {kind}"
            )

    def persistent(self) -> None:
        self._stack.append(self._storages(self._pop()))

    # Containers.

    def append(self) -> None:
        value = self._pop()
        self._list().append(value)

    def appends(self) -> None:
        values = self._above_mark()
        self._list().extend(values)

    def _list(self) -> list[Any]:
        target = self._stack[-1]
        if type(target) is list:
            return target
        raise _Refused(f"Can only append to lists, not to {type(target)}")

    def set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._dict()[key] = value

    def set_items(self) -> None:
        values = self._above_mark()
        if len(values) % 2:
            raise _Refused("a dict has a key without a value")
        self._dict().update(zip(values[::2], values[1::2], strict=True))

    def _dict(self) -> dict[Any, Any]:
        target = self._stack[-1]
        if type(target) in (dict, OrderedDict, Counter):
            return target
        if isinstance(target, dict) and id(type(target)) in self._called_by_user:
            return target
        raise _Refused(f"Can only set items of dicts, not of {type(target)}")

    def pack(self, count: int) -> None:
        values = tuple(self._pop() for _ in range(count))
        self._stack.append(values[::-1])

    def pack_above_mark(self) -> None:
        values = self._above_mark()
        self._stack.append(tuple(values))

    # Plain values.

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def number(self, form: struct.Struct) -> None:
        self._stack.append(self._unpack(form))

    def long(self) -> None:
        self._stack.append(int.from_bytes(self._take(self._unpack(_BYTE)), "little", signed=True))

    def text(self) -> None:
        self._stack.append(self._take(self._unpack(_WORD)).decode("utf-8", "surrogatepass"))

    def old_text(self) -> None:
        octets = self._take(self._unpack(_BYTE))
        self._stack.append(octets if self._encoding == "bytes" else octets.decode(self._encoding, "strict"))

    def get(self, form: struct.Struct) -> None:
        place = self._unpack(form)
        if place not in self._memo:
            raise _Refused(f"the memo has no entry {place}")
        self._stack.append(self._memo[place])

    def put(self, form: struct.Struct) -> None:
        place = self._unpack(form)
        if not self._stack or self._stack[-1] is _MARK:
            raise _Refused("a mark is where a value should be")
        self._memo[place] = self._stack[-1]

    def protocol(self) -> None:
        number = self._unpack(_BYTE)
        if number > 5:
            raise _Refused(f"a pickle of protocol {number}")


_BYTE, _HALF, _WORD, _INT = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<i")
_DOUBLE = struct.Struct(">d")
_STOP = ord(".")
_ACTIONS: dict[int, Callable[[_Machine], None]] = {
    0x80: _Machine.protocol,
    ord("c"): _Machine.find,
    ord("R"): _Machine.reduce,
    0x81: _Machine.new,
    ord("b"): _Machine.build,
    ord("Q"): _Machine.persistent,
    ord("a"): _Machine.append,
    ord("e"): _Machine.appends,
    ord("s"): _Machine.set_item,
    ord("u"): _Machine.set_items,
    ord("("): lambda machine: machine.push(_MARK),
    ord("t"): _Machine.pack_above_mark,
    0x85: lambda machine: machine.pack(1),
    0x86: lambda machine: machine.pack(2),
    0x87: lambda machine: machine.pack(3),
    ord("N"): lambda machine: machine.push(None),
    0x88: lambda machine: machine.push(True),
    0x89: lambda machine: machine.push(False),
    ord(")"): lambda machine: machine.push(()),
    ord("]"): lambda machine: machine.push([]),
    ord("}"): lambda machine: machine.push({}),
    ord("G"): lambda machine: machine.number(_DOUBLE),
    ord("J"): lambda machine: machine.number(_INT),
    ord("K"): lambda machine: machine.number(_BYTE),
    ord("M"): lambda machine: machine.number(_HALF),
    0x8A: _Machine.long,
    ord("X"): _Machine.text,
    ord("U"): _Machine.old_text,
    ord("h"): lambda machine: machine.get(_BYTE),
    ord("j"): lambda machine: machine.get(_WORD),
    ord("q"): lambda machine: machine.put(_BYTE),
    ord("r"): lambda machine: machine.put(_WORD),
}


def _allowed_by_user() -> dict[str, Any]:
    return {
        (each[1] if isinstance(each, tuple) else full_name(each)): (each[0] if isinstance(each, tuple) else each)
        for each in _user_globals
    }


def unsafe_globals(content: bytes) -> list[str]:
    """The names in a pickle that :func:`load` would refuse."""
    allowed = {*_CALLABLE, *_NAMED}
    users = _allowed_by_user()
    missing: dict[str, None] = {}
    texts: list[str] = []
    for opcode, argument, _ in genops(content):
        if opcode.name == "GLOBAL":
            module, _, name = str(argument).partition(" ")
        elif opcode.name == "STACK_GLOBAL":
            module, name = texts[-2:]
        else:
            if isinstance(argument, str):
                texts.append(argument)
            continue
        full = f"{_MODULE_NAMES.get(module, module)}.{name}"
        spoken = full.removeprefix("builtins.")
        if full not in allowed and spoken not in users:
            missing[spoken] = None
    return list(missing)
