"""The zip archives that hold saved tensors: each record stored as it is, from an offset that is a multiple of 64.

Only what PyTorch's own writer makes is read: nothing compressed, nothing encrypted, no two records over the same bytes. So a
hostile archive can claim no more memory than it is long.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np

Bytes = Any  # a one-dimensional np.ndarray of np.uint8

ALIGNMENT = 64
SIGNATURE = b"PK\x03\x04"
_LOCAL = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR64 = struct.Struct("<4sIQI")
_UTF8 = 1 << 11
_LIMIT = 0xFFFFFFFF  # from here on a number stands in a field of 64 bits
_JANUARY_1980 = 0x21


class Record(NamedTuple):
    """Where a record's bytes lie in the archive."""

    start: int
    size: int
    crc: int
    is_stored: bool


def broken(detail: str) -> NoReturn:
    """The error for a file that is no archive, or a damaged one."""
    raise RuntimeError(
        f"PytorchStreamReader failed reading zip archive: {detail}. The file is damaged: it was not saved or not copied "
        "completely, or it was changed since."
    )


class ArchiveReader:
    """The records of an archive, from where the file stands to its end. RuntimeError where it is not sound.

    ``mapped`` (of the whole file) gives records as views of that memory instead of copies.
    """

    def __init__(self, file: IO[bytes], mapped: mmap.mmap | None = None) -> None:
        self._file = file
        self._mapped = mapped
        self._first = file.tell()
        self._size = file.seek(0, os.SEEK_END) - self._first
        self._root, self._records = self._directory()

    def __contains__(self, name: str) -> bool:
        return name in self._records

    def names(self) -> list[str]:
        """The names of the records, without that of the folder they are in."""
        return list(self._records)

    def size(self, name: str) -> int:
        return self._record(name).size

    def start(self, name: str) -> int:
        """Where a record's bytes begin, counted from the archive's start."""
        return self._record(name).start

    def read(self, name: str) -> bytes:
        """A record's bytes, compared with the archive's checksum."""
        record = self._record(name)
        content = self._bytes(record.start, record.size)
        if zlib.crc32(content) != record.crc:
            broken(f"the bytes of {name} are not those that were written")
        return content

    def array(self, name: str) -> Bytes:
        """A record as writable memory."""
        record = self._record(name)
        if not record.size:
            return np.empty(0, np.uint8)
        if self._mapped is not None:
            return np.frombuffer(self._mapped, np.uint8, record.size, self._first + record.start)
        memory: Bytes = np.empty(record.size, np.uint8)
        self._file.seek(self._first + record.start)
        if _fill(self._file, memory) != record.size:
            broken(f"{name} ends early")
        if zlib.crc32(memory) != record.crc:
            broken(f"the bytes of {name} are not those that were written")
        return memory

    def _record(self, name: str) -> Record:
        record = self._records.get(name)
        if record is None:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found. The file is damaged.")
        if not record.is_stored:
            broken(f"{name} is compressed or encrypted, which PyTorch's records never are")
        return record

    def _bytes(self, start: int, size: int) -> bytes:
        if start < 0 or size < 0 or start + size > self._size:
            broken("a part lies outside of the file")
        self._file.seek(self._first + start)
        content = self._file.read(size)
        if len(content) != size:
            broken("the file ends early")
        return content

    def _directory(self) -> tuple[str, dict[str, Record]]:
        count, size, start, end = self._end()
        if start + size != end:
            broken("failed finding central directory")
        listing = self._bytes(start, size)
        places: list[tuple[int, Record, bytes]] = []
        at = 0
        for _ in range(count):
            if at + _ENTRY.size > size:
                broken("the directory ends early")
            entry = _ENTRY.unpack_from(listing, at)
            (signature, _, _, flags, method, _, _, crc, packed, plain, name_size, extra_size, note_size) = entry[:13]
            offset = entry[16]
            at += _ENTRY.size
            name = listing[at : at + name_size]
            extra = listing[at + name_size : at + name_size + extra_size]
            at += name_size + extra_size + note_size
            if signature != b"PK\x01\x02" or at > size:
                broken("the directory is not one")
            plain, packed, offset = _wide(extra, plain, packed, offset)
            is_stored = not (flags & 1 or method) and plain == packed
            places.append((offset, Record(self._content_start(offset, name), packed, crc, is_stored), name))
        if at != size:
            broken("the directory does not end where it should")
        return _under_one_root(self._apart(places, start))

    def _content_start(self, offset: int, name: bytes) -> int:
        header = _LOCAL.unpack(self._bytes(offset, _LOCAL.size))
        if header[0] != SIGNATURE or header[9] != len(name):
            broken(f"{name!r} is not where the directory says")
        start = offset + _LOCAL.size
        if self._bytes(start, len(name)) != name:
            broken(f"{name!r} has two names")
        return int(start + header[9] + header[10])

    def _apart(self, places: list[tuple[int, Record, bytes]], end: int) -> Iterator[tuple[str, Record]]:
        """The records by name, if each ends before the next begins."""
        in_order = sorted(places)
        for (_, record, name), following in zip(in_order, [*(place[0] for place in in_order[1:]), end], strict=True):
            if record.start + record.size > following:
                broken(f"{name!r} reaches into what comes behind it")
        for _, record, name in places:
            try:
                yield name.decode("utf-8"), record
            except UnicodeDecodeError:
                broken(f"{name!r} is no name")

    def _end(self) -> tuple[int, int, int, int]:
        """How many records the directory has, its size, and where it starts and ends."""
        reach = min(self._size, _END.size + 0xFFFF)
        tail = self._bytes(self._size - reach, reach)
        found = tail.rfind(b"PK\x05\x06")
        if found < 0 or found + _END.size > reach:
            broken("failed finding central directory")
        _, disk, first_disk, here, count, size, start, _ = _END.unpack_from(tail, found)
        end = self._size - reach + found
        if found >= _LOCATOR64.size or _LIMIT in (size, start):
            locator = _LOCATOR64.unpack(self._bytes(end - _LOCATOR64.size, _LOCATOR64.size))
            if locator[0] == b"PK\x06\x07":  # the numbers in 64 bits stand before it; PyTorch always writes them
                end = locator[2]
                wide = _END64.unpack(self._bytes(end, _END64.size))
                if wide[0] != b"PK\x06\x06":
                    broken("failed finding central directory")
                disk, first_disk, here, count, size, start = wide[4:]
        if disk or first_disk or here != count:
            broken("it is one of several parts")
        return count, size, start, end


def _fill(file: IO[bytes], memory: Bytes) -> int:
    """Reads into an array until it is full or the file ends; how many bytes came."""
    view = memoryview(memory)
    done = 0
    readinto = getattr(file, "readinto", None)
    while done < len(view):
        if readinto is not None:
            came = readinto(view[done:])
        else:
            content = file.read(len(view) - done)
            came = len(content)
            view[done : done + came] = content
        if not came:
            break
        done += came
    return done


def _wide(extra: bytes, plain: int, packed: int, offset: int) -> tuple[int, int, int]:
    """The two sizes and the offset, those that do not fit 32 bits from the extra field."""
    numbers = [plain, packed, offset]
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        at += 4
        if kind == 1:
            field = extra[at : at + length]
            for which, number in enumerate(numbers):
                if number == _LIMIT and len(field) >= 8:
                    numbers[which] = int.from_bytes(field[:8], "little")
                    field = field[8:]
        at += length
    return numbers[0], numbers[1], numbers[2]


def _under_one_root(named: Iterator[tuple[str, Record]]) -> tuple[str, dict[str, Record]]:
    """The archive's folder and the records in it."""
    root: str | None = None
    records: dict[str, Record] = {}
    for name, record in named:
        folder, slash, rest = name.partition("/")
        if root is None:
            root = folder
        if not slash or not rest or folder != root:
            broken(f"{name!r} is not in the archive's folder")
        if rest in records:
            broken(f"there are two records {rest}")
        records[rest] = record
    if root is None:
        broken("it is empty")
    return root, records


class ArchiveWriter:
    """Writes records one after another to anything that has ``write``; :meth:`close` writes the directory."""

    def __init__(self, file: IO[bytes], root: str) -> None:
        self._file = file
        self._root = root
        self._at = 0
        self._directory: list[bytes] = []

    def write(self, name: str, content: bytes | Bytes) -> None:
        """Adds a record."""
        view = memoryview(content).cast("B") if len(content) else memoryview(b"")
        full_name = f"{self._root}/{name}".encode()
        crc, size, offset = zlib.crc32(view), len(view), self._at
        large = struct.pack("<HHQQ", 1, 16, size, size) if size >= _LIMIT else b""
        short = _LIMIT if large else size
        extra = large + _padding(offset + _LOCAL.size + len(full_name) + len(large))
        header = (20, _UTF8, 0, 0, _JANUARY_1980, crc, short, short, len(full_name))
        self._put(_LOCAL.pack(SIGNATURE, *header, len(extra)) + full_name + extra)
        self._put(view)
        numbers = [number for number in (size, size, offset) if number >= _LIMIT]
        wide = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
        entry = _ENTRY.pack(b"PK\x01\x02", 0, *header, len(wide), 0, 0, 0, 0, min(offset, _LIMIT))
        self._directory.append(entry + full_name + wide)

    def close(self) -> None:
        """Ends the archive. The file stays open."""
        start, count = self._at, len(self._directory)
        listing = b"".join(self._directory)
        self._put(listing)
        end = self._at
        if start >= _LIMIT or len(listing) >= _LIMIT or count >= 0xFFFF:
            self._put(_END64.pack(b"PK\x06\x06", 44, 0, 45, 0, 0, count, count, len(listing), start))
            self._put(_LOCATOR64.pack(b"PK\x06\x07", 0, end, 1))
        short = min(count, 0xFFFF)
        self._put(_END.pack(b"PK\x05\x06", 0, 0, short, short, min(len(listing), _LIMIT), min(start, _LIMIT), 0))

    def _put(self, content: bytes | memoryview) -> None:
        self._file.write(content)
        self._at += len(content)


def _padding(position: int) -> bytes:
    """An extra field after which the content starts at a multiple of ALIGNMENT."""
    length = -(position + 4) % ALIGNMENT
    return struct.pack("<2sH", b"FB", length) + b"Z" * length


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A file to write; only when that is done and on the disk does it take the place of ``path``.

    A crash, or an exception in the block, leaves what was there. Where the folder takes no new file, but the old one may be
    written to, that is done in place, as PyTorch always does. RuntimeError where nothing can be written.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):  # a pipe or a device cannot be replaced
        with open(target, "wb") as file:
            yield file
        return
    folder, name = os.path.split(target)
    draft = os.path.join(folder, f".{name[:200]}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileNotFoundError:
        raise RuntimeError(f"Parent directory {os.path.dirname(path)} does not exist.") from None
    except OSError as error:
        in_place = _opened_in_place(target) if isinstance(error, PermissionError) else None
        if in_place is None:
            what = f"open file failed with strerror: {error.strerror}"
            raise RuntimeError(f"[enforce fail at inline_container.cc:747] . {what}") from error
        with in_place:
            yield in_place
        return
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(draft, os.stat(target).st_mode & 0o7777)
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
    _sync_folder(folder)


def _opened_in_place(target: str) -> IO[bytes] | None:
    try:
        return open(target, "r+b", opener=lambda path, flags: os.open(path, flags | os.O_TRUNC))
    except OSError:
        return None


def _sync_folder(folder: str) -> None:
    """Has the folder's new entry on the disk too, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # some file systems have no such thing for folders
        pass
    finally:
        os.close(descriptor)
