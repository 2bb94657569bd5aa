"""Where a shared library keeps what it does not export, as the symbol table in its file says (ELF, 64 bits)."""

from __future__ import annotations

import ctypes

import numpy as np

_HEADER = np.dtype(
    {"names": ["magic", "sections", "count"], "formats": ["S5", "u8", "u2"], "offsets": [0, 40, 60], "itemsize": 64}
)
_MAGIC = b"\x7fELF\x02"
_SECTION = np.dtype(
    {
        "names": ["kind", "offset", "size", "strings"],
        "formats": ["u4", "u8", "u8", "u4"],
        "offsets": [4, 24, 32, 40],
        "itemsize": 64,
    }
)
_SYMBOL = np.dtype({"names": ["name", "section", "value"], "formats": ["u4", "u2", "u8"], "offsets": [0, 6, 8], "itemsize": 24})
_SYMBOL_TABLE = 2


def addresses(library: ctypes.CDLL, exported: str, *names: str) -> list[int] | None:
    """Where the functions and variables of these names lie; None if the file does not have each of them once.

    An ``exported`` symbol is needed to learn where the library itself lies.
    """
    try:
        values = _values(library._name, [exported, *names])
    except (OSError, ValueError, IndexError):  # no such file, or not in this format
        return None
    if None in values or not hasattr(library, exported):
        return None
    place = ctypes.cast(getattr(library, exported), ctypes.c_void_p).value or 0
    first, *others = (value or 0 for value in values)
    return [place - first + other for other in others]


def _values(path: str, names: list[str]) -> list[int | None]:
    header = np.fromfile(path, _HEADER, 1)[0]
    if header["magic"] != _MAGIC:
        raise ValueError(path)
    sections = np.fromfile(path, _SECTION, int(header["count"]), offset=int(header["sections"]))
    table = sections[sections["kind"] == _SYMBOL_TABLE][0]
    symbols = np.fromfile(path, _SYMBOL, int(table["size"]) // _SYMBOL.itemsize, offset=int(table["offset"]))
    of_names = sections[table["strings"]]
    text = np.fromfile(path, np.uint8, int(of_names["size"]), offset=int(of_names["offset"])).tobytes()
    symbols = symbols[symbols["section"] != 0]
    return [_value(symbols, text, name.encode() + b"\0") for name in names]


def _value(symbols: np.ndarray, text: bytes, name: bytes) -> int | None:
    """The value of the one symbol of this name; a name may stand where a longer one ends."""
    starts, start = [], text.find(name)
    while start >= 0:
        starts.append(start)
        start = text.find(name, start + 1)
    found = symbols["value"][np.isin(symbols["name"], starts)]
    return int(found[0]) if len(found) == 1 else None
