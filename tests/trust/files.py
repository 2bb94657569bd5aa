"""Corrupted files: an error, or a whole object, in bounded time and memory, and nothing executed.

    python tests/trust/files.py --count 5000 --seed 1

Each file is read in a forked process whose memory is limited; an audit hook there sees whatever would be executed, imported
or opened.
"""

from __future__ import annotations

import argparse
import codecs
import collections
import contextlib
import functools
import io
import pickle
import random
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from forked import Ended, answers

import rushlight as torch
from rushlight.ops.argument_forms import refusal
from rushlight.serialization.archive import ArchiveReader, ArchiveWriter

MEMORY = 512 << 20
ALLOWED = (RuntimeError, EOFError, ValueError, pickle.UnpicklingError)
# What reading a file may do, of what Python tells its audit hooks: mapping it into memory is asked for.
HARMLESS = ("object.", "sys._getframe", "mmap.__new__", "builtins.id", "gc.", "marshal.", "sys.excepthook", "tempfile.")


def samples() -> list[bytes]:
    """Files as `save` writes them."""
    torch.manual_seed(0)
    base = torch.arange(24.0).reshape(4, 6)
    objects: list[Any] = [
        OrderedDict(weight=base, row=torch.nn.Parameter(torch.ones(3)), other=[torch.tensor(True), {"a": (1, 2.5, "b")}]),
        [base, base[1], base.t(), base.view(-1)[::2]],
        {"half": torch.ones(5, dtype=torch.bfloat16), "complex": torch.ones(2, dtype=torch.complex64).conj(), "long": 2**70},
        torch.ones(3, 3).to_sparse(),
        torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).state_dict(),
        {"size": torch.Size([1, 2]), "dtype": torch.float16, "device": torch.device("cpu"), "set": {1, 2}, "bytes": b"abc"},
    ]
    files = []
    for each in objects:
        file = io.BytesIO()
        torch.save(each, file)
        files.append(file.getvalue())
    return files


def records_of(content: bytes) -> dict[str, bytes]:
    reader = ArchiveReader(io.BytesIO(content))
    return {name: reader.read(name) for name in reader.names()}


def archive(records: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    writer = ArchiveWriter(file, "archive")
    for name, content in records.items():
        writer.write(name, content)
    writer.close()
    return file.getvalue()


# Ways to spoil a file. Each takes the file and what draws, and gives another.

_LARGE = [0, 1, 255, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
_NUMBERS = [-1, -6, 0, 1, 7, 255, 2**31, 2**40, 2**60, 2**62, 2**63 - 1, 2**63, 2**64, -(2**63), 10**40]


def flipped(content: bytes, draw: random.Random) -> bytes:
    octets = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 8, 64])):
        octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)
    return bytes(octets)


def cut(content: bytes, draw: random.Random) -> bytes:
    start, end = sorted(draw.choices(range(len(content)), k=2))
    return draw.choice([content[:end], content[start:], content[:start] + content[end:], content[:end] + content[start:]])


def other_fields(content: bytes, draw: random.Random) -> bytes:
    """Numbers of the zip format exchanged: sizes, offsets, counts, methods."""
    octets = bytearray(content)
    marks = [b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"]
    for _ in range(draw.randint(1, 3)):
        mark = draw.choice(marks)
        places = [at for at in range(len(content)) if content.startswith(mark, at)]
        if places:
            at = min(draw.choice(places) + draw.randrange(4, 46, 2), len(octets) - 4)
            form, values = draw.choice([("<I", _LARGE), ("<H", [value & 0xFFFF for value in _LARGE])])
            struct.pack_into(form, octets, at, draw.choice(values))
    return bytes(octets)


def widened(content: bytes, draw: random.Random) -> bytes:
    """Ends with numbers of 64 bits, such as a size of 2**60."""
    at = content.rindex(b"PK\x05\x06")
    count, size, start = struct.unpack_from("<HII", content, at + 10)
    numbers = [count, count, size, start]
    numbers[draw.randrange(4)] = draw.choice([2**60, 2**63, 2**64 - 1, 0, len(content)])
    end = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 0, 45, 0, 0, *numbers)
    return content[:at] + end + struct.pack("<4sIQI", b"PK\x06\x07", 0, draw.choice([at, 2**60, 0]), 1) + content[at:]


def bomb(content: bytes, draw: random.Random) -> bytes:
    """Compressed records that would be a thousand times as large."""
    return _compressed(content, draw.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2]))


@functools.cache
def _compressed(content: bytes, method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as target:
        for name, record in records_of(content).items():
            target.writestr(f"archive/{name}", bytes(20_000_000) if name.startswith("data/") else record)
    return file.getvalue()


def _with_pickle(change: Callable[[bytes, random.Random], bytes]) -> Callable[[bytes, random.Random], bytes]:
    """Spoils the pickle alone, in an archive whose checksums are right."""

    def spoiled(content: bytes, draw: random.Random) -> bytes:
        records = records_of(content)
        return archive(records | {"data.pkl": change(records["data.pkl"], draw)})

    spoiled.__name__ = f"pickle_{change.__name__}"
    return spoiled


def _number(value: int) -> bytes:
    octets = value.to_bytes(18, "little", signed=True)
    return b"\x8a" + bytes([len(octets)]) + octets


def numbers(program: bytes, draw: random.Random) -> bytes:
    """Sizes, strides, offsets and counts exchanged: negative ones, 2**60."""
    places = [at for at in range(len(program) - 1) if program[at : at + 1] == b"K"]
    for at in sorted(draw.sample(places, min(len(places), draw.randint(1, 3))), reverse=True):
        program = program[:at] + _number(draw.choice(_NUMBERS)) + program[at + 2 :]
    return program


def names(program: bytes, draw: random.Random) -> bytes:
    """Storages of other dtypes, functions for other functions, and some that would do harm."""
    theirs = [
        b"FloatStorage",
        b"DoubleStorage",
        b"BFloat16Storage",
        b"BoolStorage",
        b"LongStorage",
        b"UntypedStorage",
        b"Tensor",
    ]
    theirs += [
        b"_rebuild_tensor_v2",
        b"_rebuild_parameter",
        b"_rebuild_sparse_tensor",
        b"_rebuild_tensor_v3",
        b"Size",
        b"device",
    ]
    others = [*theirs, b"float16", b"save", b"load", b"hub", b"__builtins__", b"compile", b"nn.Module"]
    for _ in range(draw.randint(1, 3)):
        have = [name for name in theirs if name in program]
        if have:
            program = program.replace(draw.choice(have) + b"\n", draw.choice(others) + b"\n", 1)
    if draw.random() < 0.3:
        harm = draw.choice([b"cos\nsystem\n", b"cbuiltins\neval\n", b"csubprocess\nPopen\n", b"cbuiltins\ngetattr\n"])
        program = program[:2] + harm + b"X\x04\0\0\0true\x85R0" + program[2:]
    return program


def operations(program: bytes, draw: random.Random) -> bytes:
    """Operations of the machine put in, taken out and exchanged."""
    codes = b"\x80cR\x81bQaesu(t\x85\x86\x87N\x88\x89)]}GJKM\x8aXUhjqr.0\x8c\x93\x94\x90\x8f\x8b\x82\x95io"
    octets = bytearray(program)
    for _ in range(draw.choice([1, 1, 2, 4])):
        at = draw.randrange(2, len(octets))
        way = draw.randrange(3)
        if way:
            octets[at : at + way - 1] = bytes([draw.choice(codes)])
        else:
            del octets[at]
    return bytes(octets)


def deep(program: bytes, draw: random.Random) -> bytes:
    """Containers in one another, a hundred thousand deep."""
    count = draw.choice([2_000, 100_000])
    inner = program[2:-1]
    return draw.choice(
        [
            b"\x80\x02" + b"(" * count + inner + b"t" * count + b".",
            b"\x80\x02" + b"]" * count + inner + b"a" * count + b".",
            b"\x80\x02" + b"}X\x01\0\0\0a" * count + inner + b"s" * count + b".",
            b"\x80\x02" + inner + b"\x85" * count + b".",
        ]
    )


def cyclic(program: bytes, draw: random.Random) -> bytes:
    """Containers that hold themselves, and tensors made of such."""
    return b"\x80\x02" + draw.choice(
        [
            b"]q\x01h\x01a.",
            b"}q\x01X\x01\0\0\0ah\x01s.",
            b"ccollections\nOrderedDict\n)Rq\x01h\x01b.",
            b"ctorch._utils\n_rebuild_tensor_v2\n(]q\x01h\x01ah\x01h\x01h\x01\x89NtR.",
            b"ccollections\nOrderedDict\n]q\x01h\x01a\x85R.",
            b"ctorch\nSize\n]q\x01h\x01a\x85R.",
            b"ctorch\ndevice\n]q\x01h\x01a\x85R.",
        ]
    )


def old_format(content: bytes, draw: random.Random) -> bytes:
    """The same object in the format before PyTorch 1.6, spoiled in one of these ways."""
    file = io.BytesIO()
    torch.save(torch.load(io.BytesIO(content)), file, _use_new_zipfile_serialization=False)
    return draw.choice([flipped, cut, numbers, names, operations])(file.getvalue(), draw)


WAYS: list[Callable[[bytes, random.Random], bytes]] = [
    *(flipped, cut, other_fields, widened, bomb, old_format),
    *map(_with_pickle, (flipped, cut, numbers, names, operations, deep, cyclic)),
]


def spoiled_files(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Files, each with the way it was spoiled; the same for the same seed."""
    files = samples()
    for number in range(count):
        draw = random.Random(f"{seed}:{number}")
        way = WAYS[number % len(WAYS)]
        yield way.__name__, way(draw.choice(files), draw)


# Reading them.


def read_all(files: list[bytes], read: Callable[[bytes], str]) -> list[str]:
    """What ``read`` says of each file in forked processes: "crash" and "hang" where it says nothing."""
    said = answers(len(files), _begin, lambda number: read(files[number]), MEMORY)
    return [": ".join(filter(None, each)) if isinstance(each, Ended) else each for each in said]


def _begin() -> None:
    warnings.simplefilter("ignore")
    watch()


def watch() -> None:
    """From now on :func:`read_safely` sees what is executed in it."""
    codecs.lookup("raw_unicode_escape")  # Python imports it when a pickle first has such a text
    refusal("add", False, ("a",), {})  # the forms of functions are read when an argument first does not fit
    sys.addaudithook(_audit)


_events: list[str] | None = None


def _audit(event: str, arguments: Any) -> None:
    if _events is None or event.startswith(HARMLESS):
        return
    file = arguments[1] if event == "compile" else getattr(arguments[0], "co_filename", "") if event == "exec" else ""
    if not str(file).startswith("<rushlight"):  # an op of rushlight's own, compiled when it is first used
        _events.append(f"{event} {str(arguments)[:80]}")


def read_safely(content: bytes) -> str:
    """What loading a file comes to: "whole", "refused", or what is wrong."""
    global _events
    _events = []
    try:
        got = torch.load(io.BytesIO(content))
        seen, _events = _events, None
        if seen:
            return f"executed: {seen[:3]}"
        _look_at(got)
        return "whole"
    except ALLOWED:
        seen, _events = _events, None
        return f"executed: {seen[:3]}" if seen else "refused"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        _events = None


def read_mapped(content: bytes) -> str:
    """As :func:`read_safely`, by a path and mapped into memory."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            _look_at(torch.load(file.name, mmap=True))
        except ALLOWED:
            return "refused"
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    return "whole"


def _look_at(got: Any) -> None:
    """Reads every element of what came."""
    waiting, seen = [got], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, torch.Tensor):
            repr(one)
            if one.numel() < 1_000_000:
                one.to_dense().clone()
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set)):
            waiting.extend(one)


def _of_safetensors(count: int, seed: int) -> dict[str, int]:
    """Spoiled files of the safetensors library, read by it into rushlight's tensors."""
    torch.install_as_torch()
    from safetensors.torch import load, save

    plain = save({"weight": torch.arange(12.0).reshape(3, 4), "row": torch.ones(3, dtype=torch.bfloat16)})

    def read(content: bytes) -> str:
        try:
            _look_at(load(content))
        except Exception as error:
            return "refused" if type(error).__name__ == "SafetensorError" or isinstance(error, ALLOWED) else repr(error)[:200]
        return "whole"

    def spoil(number: int) -> bytes:
        draw = random.Random(f"{seed}:safetensors:{number}")
        if number % 3:
            return (flipped, cut)[number % 3 - 1](plain, draw)
        size = struct.unpack_from("<Q", plain)[0]
        header = plain[8 : 8 + size].decode()
        for _ in range(draw.randint(1, 3)):
            digits = [at for at, sign in enumerate(header) if sign.isdigit()]
            at = draw.choice(digits)
            header = header[:at] + str(draw.choice(_NUMBERS)) + header[at + 1 :]
        return struct.pack("<Q", draw.choice([len(header), 2**60])) + header.encode() + plain[8 + size :]

    return dict(collections.Counter(read_all([spoil(number) for number in range(count)], read)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    found = collections.Counter[tuple[str, str]]()
    files = list(spoiled_files(asked.count, asked.seed))
    print(f"{len(files)} files, seed {asked.seed}", flush=True)
    failed = False
    for title, read in (("under the default", read_safely), ("mapped", read_mapped)):
        begun = time.monotonic()
        said = read_all([content for _, content in files], read)
        found = collections.Counter(zip([way for way, _ in files], said, strict=True))
        print(f"{title}: {dict(collections.Counter(said))}, {time.monotonic() - begun:.0f} s", flush=True)
        for (way, word), times in sorted(found.items()):
            if word not in ("refused", "whole"):
                print(f"    {times} of {way}: {word}")
                failed = True
    with contextlib.suppress(ImportError):
        print(f"safetensors: {_of_safetensors(asked.count // 5, asked.seed)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
