"""Archives by their records: what torch calls PyTorchFileReader and PyTorchFileWriter, for who looks into files himself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from .archive import SIGNATURE, ArchiveReader, ArchiveWriter, replacing


class PyTorchFileReader:
    """The records of a file of :func:`rushlight.save`, given by its path or open. RuntimeError where it is damaged.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save(torch.ones(2), file)
    >>> _ = file.seek(0)
    >>> torch.PyTorchFileReader(file).get_record("byteorder")
    b'little'
    """

    def __init__(self, file: Any) -> None:
        with ExitStack() as opened:
            if isinstance(file, (str, os.PathLike)):
                file = opened.enter_context(open(file, "rb"))
            self._archive = ArchiveReader(file)
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Closes a file that was given by its path."""
        self._opened.close()

    def has_record(self, name: str) -> bool:
        """Whether there is a record of that name."""
        return name in self._archive

    def get_record(self, name: str) -> bytes:
        """A record's bytes. RuntimeError where there is none of that name."""
        return self._archive.read(name)

    def get_record_size(self, name: str) -> int:
        """How many bytes a record has."""
        return self._archive.size(name)

    def get_record_offset(self, name: str) -> int:
        """Where in the file a record's bytes begin."""
        return self._archive.start(name)

    def get_all_records(self) -> list[str]:
        """The names of all records."""
        return self._archive.names()


class PyTorchFileWriter:
    """Writes records to a path (which gets them when all are written) or to an open file.

    RuntimeError for a second record of one name.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> writer = torch.PyTorchFileWriter(file)
    >>> writer.write_record("note", b"hello", 5)
    >>> writer.write_end_of_file()
    >>> _ = file.seek(0)
    >>> torch.PyTorchFileReader(file).get_all_records()
    ['note', 'version', 'byteorder']
    """

    def __init__(self, file: Any, compute_crc32: bool = True, alignment: int = 64) -> None:
        if not (isinstance(file, (str, os.PathLike)) or hasattr(file, "write")) or not (
            isinstance(compute_crc32, bool) and isinstance(alignment, int)
        ):
            raise TypeError("__init__(): incompatible constructor arguments.")
        self._opened = ExitStack()
        path = os.fspath(file) if isinstance(file, (str, os.PathLike)) else None
        self._root = "archive" if path is None else os.path.splitext(os.path.basename(path))[0] or "archive"
        self._archive = ArchiveWriter(file if path is None else self._opened.enter_context(replacing(path)), self._root)
        self._names: set[str] = set()

    def archive_name(self) -> str:
        """The folder in the archive that holds the records."""
        return self._root

    def get_all_written_records(self) -> set[str]:
        """The names of the records so far."""
        return set(self._names)

    def write_record(self, name: str, data: Any, size: int) -> None:
        """Adds a record of the first ``size`` bytes of some bytes or of a storage."""
        if name in self._names:
            raise RuntimeError(f"Tried to serialize file twice: {name}")
        octets = getattr(data, "_memory", data)
        self._archive.write(name, memoryview(octets).cast("B")[:size] if size else b"")
        self._names.add(name)

    def write_end_of_file(self) -> None:
        """Adds what says the format and the order of bytes, and ends the file."""
        for name, content in (("version", b"3\n"), ("byteorder", b"little")):
            if name not in self._names:
                self.write_record(name, content, len(content))
        self._archive.close()
        self._opened.close()


@contextmanager
def open_reader(file: Any) -> Iterator[PyTorchFileReader]:
    """A reader of a file, which is closed behind the block if it was given by its path."""
    reader = PyTorchFileReader(file)
    try:
        yield reader
    finally:
        reader.close()


@contextmanager
def open_writer(file: Any) -> Iterator[PyTorchFileWriter]:
    """A writer whose file is ended behind the block."""
    writer = PyTorchFileWriter(file)
    with writer._opened:
        yield writer
        writer.write_end_of_file()
    if hasattr(file, "flush"):
        file.flush()


def is_archive(file: Any) -> bool:
    """Whether an open file is a zip archive from where it stands. It stays there."""
    start = file.tell()
    head = file.read(len(SIGNATURE))
    file.seek(start)
    return bool(head == SIGNATURE)
