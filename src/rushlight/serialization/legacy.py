"""The format before PyTorch 1.6: pickles one after another, then the numbers of each storage.

A magic number, the version, what machine wrote it, the object, the keys of its storages; and for each key the count of
elements, 8 bytes, and the elements. Nothing but what stands before them tells where these lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pickletools import genops, markobject
from typing import IO, Any, NoReturn

import numpy as np

from ..base.dtypes import uint8
from ..storage import CLASSES as STORAGES
from ..storage import TypedStorage, UntypedStorage
from .archive import Bytes
from .pickling import StorageReader, StorageTable, writer

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
_MAGIC_OCTETS = MAGIC.to_bytes(10, "little")
_MACHINE = {"protocol_version": VERSION, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}


def is_legacy(head: bytes) -> bool:
    """Whether a file that begins so is of this format."""
    return head[:1] == b"\x80" and _MAGIC_OCTETS in head


def save(obj: Any, file: IO[bytes], pickle_module: Any, protocol: int, without_data: bool) -> None:
    """Writes an object to an open file."""
    for each in (MAGIC, VERSION, _MACHINE):
        pickle_module.dump(each, file, protocol=protocol)
    storages = _Table(without_data)
    writer(pickle_module, file, protocol, storages).dump(obj)
    keys = sorted(storages.memories)
    pickle_module.dump(keys, file, protocol=protocol)
    for key in keys:
        octets = storages.memories[key]
        file.write((octets.size // storages.item_sizes[key]).to_bytes(8, "little"))
        file.write(memoryview(octets))


class _Table(StorageTable):
    """Storages whose references end with what told views of storages from whole ones."""

    def __init__(self, without_data: bool) -> None:
        super().__init__(without_data)
        self.item_sizes: dict[str, int] = {}

    def reference(self, storage: Any) -> tuple[Any, ...]:
        reference = super().reference(storage)
        self.item_sizes.setdefault(reference[2], storage.element_size())
        return (*reference, None)


def load(file: IO[bytes], restore: Callable[[UntypedStorage, str], Any], next_object: Callable[[BytesIO, Any], Any]) -> Any:
    """The object of an open file, which then stands behind it: several may follow each other.

    ``next_object`` gives the object of the pickle at which a stream stands, by a function for its storages.
    RuntimeError where the file is damaged.
    """
    start = file.tell()
    stream = BytesIO(file.read())
    if next_object(stream, _no_storage) != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = next_object(stream, _no_storage)
    if version != VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    next_object(stream, _no_storage)  # the machine's sizes, which say nothing of the numbers
    begin = stream.tell()
    item_sizes = _item_sizes(stream)
    keys = next_object(stream, _no_storage)
    if not isinstance(keys, list):
        _damaged("the keys of the storages are no list")
    keys = [key.decode("ascii") if isinstance(key, bytes) else key for key in keys]  # bytes: written by Python 2
    memories = {key: _octets(stream, item_sizes.get(key) if isinstance(key, str) else None) for key in keys}
    end = stream.tell()
    stream.seek(begin)
    made = next_object(stream, _Storages(memories, restore))
    file.seek(start + end)
    return made


def _damaged(detail: str) -> NoReturn:
    raise RuntimeError(f"{detail}. The file might be corrupted.")


def _no_storage(reference: Any) -> NoReturn:
    _damaged(f"there is a reference to {reference!r} where there are no storages")


def _octets(stream: BytesIO, item_size: int | None) -> Bytes:
    """The memory of the storage at which a stream stands: how many elements, and the elements."""
    if item_size is None:
        _damaged("the file has a storage that nothing refers to")
    count = stream.read(8)
    size = int.from_bytes(count, "little", signed=True) * item_size
    lacks = (8 - len(count)) or max(size - (len(stream.getbuffer()) - stream.tell()), 0)
    if lacks or size < 0:
        _damaged(f"unexpected EOF, expected {lacks} more bytes")
    return np.frombuffer(stream.read(size), np.uint8).copy()


def _item_sizes(stream: BytesIO) -> dict[str, int]:
    """The bytes of an element of each storage that a pickle refers to; nothing of the pickle is made.

    The numbers lie behind the pickle and are wanted while it is read, and their size depends on what it says.
    """
    sizes: dict[str, int] = {}
    for reference in _references(stream):
        kind, *rest = _checked(reference)
        if kind in ("storage", b"storage") and isinstance(rest[1], str):
            storage = STORAGES.get(str(rest[0]).rpartition(" ")[2])
            sizes.setdefault(rest[1], getattr(storage, "dtype", uint8).itemsize)
    return sizes


def _references(stream: BytesIO) -> Iterator[Any]:
    """What a pickle refers to outside of it: names are texts, and what would be made is None."""
    stack: list[Any] = []
    memo: dict[Any, Any] = {}
    try:
        for code, argument, _ in genops(stream):
            takes = len(code.stack_before)
            if markobject in code.stack_before:
                at = len(stack) - 1 - stack[::-1].index(markobject)
                taken = stack[at + 1 :]
                del stack[at - code.stack_before.index(markobject) :]
            else:
                taken = stack[len(stack) - takes :]
                del stack[len(stack) - takes :]
            if code.name.endswith("PERSID"):
                yield taken[0]
            if code.name == "MEMOIZE":
                memo[len(memo)] = taken[0]
                stack += taken
            elif "PUT" in code.name:
                memo[argument] = stack[-1]
            elif "GET" in code.name:
                stack.append(memo[argument])
            elif "TUPLE" in code.name:
                stack.append(tuple(taken))
            elif code.name == "STACK_GLOBAL":
                stack.append(" ".join(taken))
            else:
                stack += [markobject if each is markobject else argument for each in code.stack_after]
    except (ValueError, IndexError, KeyError, TypeError) as error:
        _damaged(f"its pickle cannot be read ({error})")


class _Storages:
    """The storages of a file by what its pickle says of them: parts of others too."""

    def __init__(self, memories: dict[str, Bytes], restore: Callable[[UntypedStorage, str], Any]) -> None:
        self._memories = memories
        self._storages = StorageReader(self._octets, restore)
        self._views: dict[str, UntypedStorage] = {}

    def __call__(self, reference: Any) -> Any:
        """The storage of ``('storage', class, key, location, size, view)``, or the class of ``('module', class, ...)``."""
        kind, *rest = (each.decode("ascii") if isinstance(each, bytes) else each for each in _checked(reference))
        if kind == "module":  # with its source, which nobody compares any more
            return rest[0]
        *plain, view = rest
        whole = self._storages((kind, *plain))
        return whole if view is None else self._view(whole, view)

    def _octets(self, key: str, size: int) -> Bytes:
        if key not in self._memories:
            _damaged(f"the file has no storage {key!r}, which its pickle refers to")
        return self._memories[key]

    def _view(self, whole: TypedStorage, view: Any) -> TypedStorage:
        """A part of a storage, as PyTorch before 0.4 shared memory: its key, where it begins, and how long it is."""
        key, start, length = _checked_view(view)
        size = whole.element_size()
        if (start + length) * size > whole.nbytes():
            _damaged(f"a view of a storage reaches from {start} to {start + length}, over its end")
        part = self._views.setdefault(key, whole.untyped()[start * size : (start + length) * size])
        return TypedStorage(wrap_storage=part, dtype=whole.dtype)


def _checked(reference: Any) -> tuple[Any, ...]:
    if isinstance(reference, tuple):
        kind = reference[0] if reference else None
        if len(reference) == 6 and kind in ("storage", b"storage"):
            return reference
        if len(reference) == 4 and kind in ("module", b"module"):
            return reference
    _damaged(f"the pickle refers to {reference!r}, which is no storage")


def _checked_view(view: Any) -> tuple[str, int, int]:
    if isinstance(view, tuple) and len(view) == 3:
        key, start, length = view
        if isinstance(key, str) and type(start) is int and type(length) is int and start >= 0 and length >= 0:
            return key, start, length
    _damaged(f"{view!r} is no view of a storage")
