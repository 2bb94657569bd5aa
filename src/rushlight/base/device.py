"""Where tensors live, and how: device, layout and memory format objects. Every tensor of rushlight is on the CPU.

Other devices can be named, as scripts do before they ask what is available; asking for a tensor there is the error.
"""

from __future__ import annotations

import re
from functools import cache
from threading import Lock, local
from typing import Any, NoReturn

import numpy as np

_TYPES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)
_KNOWN = frozenset(_TYPES.split(", "))
_WITH_INDEX = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?")


class device:
    """A device by name, 'cpu' or 'cuda:1' say, or by type and index. As a context it is the default for new tensors.

    Raises RuntimeError for a name that is no device.

    >>> import rushlight as torch
    >>> torch.device("cuda", 1)
    device(type='cuda', index=1)
    >>> torch.device("cpu") == torch.device("cpu:0")
    False
    """

    __module__ = "rushlight"  # where pickles find it
    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __new__(cls, *args: Any, **kwargs: Any) -> device:
        if len(args) == 1 and not kwargs and args[0].__class__ is device:
            return args[0]
        made = object.__new__(cls)
        kind, index = _parse(args, kwargs)
        object.__setattr__(made, "type", kind)
        object.__setattr__(made, "index", index)
        return made

    def __setattr__(self, name: str, value: object) -> NoReturn:
        if name in ("type", "index"):
            raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")
        raise AttributeError(f"'torch.device' object has no attribute '{name}'")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def _unordered(self, other: object) -> NoReturn:
        raise TypeError("comparison not implemented")

    __lt__ = __le__ = __gt__ = __ge__ = _unordered

    def __enter__(self) -> device:
        _entered().append(self)
        changes.add(1)
        return self

    def __exit__(self, *exc: object) -> None:
        _entered().pop()
        changes.add(-1)

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type,) if self.index is None else (self.type, self.index)


def _parse(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, int | None]:
    given = dict(zip(("type", "index"), args, strict=False)) | kwargs
    if "device" in given and len(given) == 1:
        given = {"type": given["device"]}
    kind, index = given.get("type"), given.get("index")
    if isinstance(kind, device) and len(given) == 1:
        return kind.type, kind.index
    if isinstance(kind, (int, np.integer)) and not isinstance(kind, bool) and len(given) == 1:
        if kind >= 2**63:
            raise ValueError("Overflow when unpacking long long")
        if kind < 0:
            raise RuntimeError("Device index must not be negative")
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if len(args) > 2 or not given or given.keys() - {"type", "index"} or "type" not in given:
        _refuse(args, kwargs)
    if not isinstance(kind, str):
        if len(given) == 1:
            _refuse(args, kwargs)
        raise TypeError(f"device(): argument 'type' (position 1) must be str, not {_type_name(kind)}")
    if index is not None and (not isinstance(index, int) or isinstance(index, bool)):
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {_type_name(index)}")
    name, found = _parse_name(kind)
    if index is None:
        return name, found
    if found is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {kind}")
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    return name, index


def _refuse(args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    got = ", ".join([_type_name(a) for a in args] + [f"{k}={_type_name(v)}" for k, v in kwargs.items()])
    why = ""
    if len(args) == 1 and not kwargs:
        kind = "list of []" if isinstance(args[0], list) and not args[0] else _type_name(args[0])
        why = f"      didn't match because some of the arguments have invalid types: (!{kind}!)\n"
    raise TypeError(
        f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        f" * (torch.device device)\n{why} * (str type, int index = -1)\n"
    )


def _type_name(value: object) -> str:
    kind = type(value)
    return "torch.device" if kind is device else f"{'numpy.' * (kind.__module__ == 'numpy')}{kind.__name__}"


def _parse_name(name: str) -> tuple[str, int | None]:
    if not name:
        raise RuntimeError("Device string must not be empty")
    match = _WITH_INDEX.fullmatch(name)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{name}'")
    kind, index = match.groups()
    if kind not in _KNOWN:
        raise RuntimeError(f"Expected one of {_TYPES} device type at start of device string: {name}")
    if index is not None and int(index) >= 2**31:
        raise RuntimeError(f"Could not parse device index '{index}' in device string '{name}'")
    return kind, None if index is None else int(index)


# What is in use.

CPU = device("cpu")
META = device("meta")
_default: device = CPU


class _Entered(local):
    """The devices whose ``with`` blocks a thread is in."""

    def __init__(self) -> None:
        self.devices: list[device] = []


_this_thread = _Entered()


def _entered() -> list[device]:
    return _this_thread.devices


class _Changes:
    """How many ``with`` blocks and defaults, in all threads, say where new tensors go."""

    __slots__ = ("count", "lock")

    def __init__(self) -> None:
        self.count = 0
        self.lock = Lock()

    def add(self, number: int) -> None:
        with self.lock:
            self.count += number


changes = _Changes()


def get_default_device() -> device:
    """The device new tensors are asked for when the call names none."""
    entered = _entered()
    return entered[-1] if entered else _default


def set_default_device(device: Any) -> None:
    """Make `device` the one new tensors are asked for; None means the CPU."""
    global _default
    before = _default is not CPU
    _default = CPU if device is None else as_device(device, "set_default_device")
    changes.add((_default is not CPU) - before)


def as_device(where: Any, function: str = "device") -> device:
    """The device object for a device, a name or an index. Raises TypeError, naming `function`, for anything else."""
    if isinstance(where, device):
        return where
    if isinstance(where, str):
        return _from_name(where)
    if isinstance(where, (int, np.integer)) and not isinstance(where, bool):
        return device(int(where))
    raise TypeError(f"{function}(): argument 'device' must be torch.device, not {type(where).__name__}")


_from_name = cache(device)


class Elsewhere(RuntimeError):
    """A tensor is asked for on the meta device: whoever makes tensors there is asked (autograd/interpreters.py)."""


def require_cpu(where: Any = None, function: str = "device") -> device:
    """The CPU, if that is where a tensor is asked for (None: wherever the default is). Raises what PyTorch's CPU build
    raises for other devices: AssertionError for CUDA and XPU, RuntimeError for the rest.
    """
    chosen = get_default_device() if where is None else as_device(where, function)
    if chosen.type == "cpu":
        return CPU
    if chosen.type == "meta":
        raise Elsewhere(f"{function}(): there is no way onto the meta device")
    if chosen.type in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {chosen.type.upper()} enabled")
    raise RuntimeError(f"PyTorch is not linked with support for {chosen.type} devices")


# Layouts and memory formats: there are a few of each, and no more are made.


def _no_more(cls: type, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")


def _shown(self: layout | memory_format) -> str:
    return f"torch.{self.name}"


def _by_name(self: layout | memory_format) -> str:
    return self.name


class layout:
    """How a tensor's values are laid out. `torch.strided` unless asked for otherwise; see `Tensor.to_sparse`."""

    __module__ = "rushlight"  # where pickles find it
    __slots__ = ("name",)
    name: str
    __new__, __repr__, __reduce__ = _no_more, _shown, _by_name


class memory_format:
    """An order of dimensions in memory, for the `memory_format=` arguments."""

    __module__ = "rushlight"  # where pickles find it
    __slots__ = ("name",)
    name: str
    __new__, __repr__, __reduce__ = _no_more, _shown, _by_name


def _make(kind: Any, name: str) -> Any:
    made = object.__new__(kind)
    made.name = name
    return made


strided: layout = _make(layout, "strided")
sparse_coo: layout = _make(layout, "sparse_coo")
sparse_csr: layout = _make(layout, "sparse_csr")
sparse_csc: layout = _make(layout, "sparse_csc")
sparse_bsr: layout = _make(layout, "sparse_bsr")
sparse_bsc: layout = _make(layout, "sparse_bsc")
jagged: layout = _make(layout, "jagged")
_mkldnn: layout = _make(layout, "_mkldnn")

contiguous_format: memory_format = _make(memory_format, "contiguous_format")
preserve_format: memory_format = _make(memory_format, "preserve_format")
channels_last: memory_format = _make(memory_format, "channels_last")
channels_last_3d: memory_format = _make(memory_format, "channels_last_3d")
legacy_contiguous_format = contiguous_format


def named(name: str) -> layout | memory_format:
    """The layout or memory format of that name. Earlier pickles ask for them so."""
    return globals()[name]
