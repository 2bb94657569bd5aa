"""Has recordings keep of each value all that it is, to the last bit, where otherwise there are statistics and a thumbnail.

And has them say where they could not note something, which they otherwise keep to themselves; and memory that nobody has written to
yet be zeros, where two runs would find there what the one and the other had left.

A recording has the bytes' digest in their stead. The bytes are in a file beside it, once: in recordings they would be most of what is
written and read.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

DIGEST = 20  # bytes of one
LENGTH = 8  # of the number behind it, which says how many bytes follow


def keep_all() -> None:
    from rushlight.explain import recording, values

    np.empty, np.empty_like = np.zeros, np.zeros_like  # type: ignore[assignment]
    shortened = values.value_of

    def value_of(array: Any, full: bool = False, holes: Any = None) -> Any:
        value, found = shortened(array, full, holes), values.array_of(array)
        if found is not None and value is not None and value["data"] is None and value["stats"] is not None:
            value["bits"] = kept.put(np.ascontiguousarray(found))
        return value

    values.value_of = recording.value_of = value_of
    begin = recording.Recording.__init__

    def with_loud_failures(self: Any, *args: Any) -> None:
        begin(self, *args)
        self.failures = Loud()

    recording.Recording.__init__ = with_loud_failures


class Loud(list[str]):
    def append(self, text: str) -> None:
        print(text, file=sys.stderr)


class Kept:
    """Where the bytes of values go; nowhere until it is begun."""

    def __init__(self) -> None:
        self.file: int | None = None
        self.there: set[bytes] = set()

    def begin(self, path: Path) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)

    def put(self, array: Any) -> str:
        """The digest of its bytes."""
        data = array.reshape(-1).view(np.uint8)
        digest = hashlib.sha1(data)
        found = digest.digest()
        if self.file is not None and found not in self.there:
            self.there.add(found)
            said = found + len(data).to_bytes(LENGTH)
            assert os.writev(self.file, [said, data]) == len(said) + len(data)  # at once, whatever else writes
        return digest.hexdigest()


kept = Kept()


def beside(out: Path) -> Path:
    """The file with the bytes of a recording's values."""
    return out.with_suffix(".bits")


def explain(words: list[str]) -> None:
    """``rushlight explain -o OUT ...``, with all that is recorded kept."""
    from rushlight.__main__ import main

    kept.begin(beside(Path(words[2])))
    main(words)


class Bits:
    """What is kept beside a recording."""

    def __init__(self, out: Path) -> None:
        self.places: dict[str, slice] = {}
        with open(beside(out), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""
        at = 0
        while at < len(self.data):
            begin = at + DIGEST + LENGTH
            end = begin + int.from_bytes(self.data[at + DIGEST : begin])
            self.places[self.data[at : at + DIGEST].hex()] = slice(begin, end)
            at = end

    def of(self, value: dict[str, Any], dtype: Any) -> Any:
        """The array that was kept so."""
        return np.frombuffer(self.data[self.places[value["bits"]]], dtype).reshape(value["shape"])


def digest(value: Any) -> str:
    """A few letters for a value as recordings have it."""
    return hashlib.sha1(json.dumps(bare(value)).encode()).hexdigest()[:12]


def bare(value: Any) -> Any:
    """Without what is made of its bits, which are there."""
    if value is not None and value.get("parts"):
        return value | {"parts": {name: bare(one) for name, one in value["parts"].items()}}
    if value is not None and "bits" in value:
        return {name: value[name] for name in ("shape", "dtype", "bits")}
    return value
