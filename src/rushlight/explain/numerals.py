"""Numbers and tensors as text: four digits, rows of a matrix, or a summary of what is too large."""

from __future__ import annotations

from .entries import Entry, Number, Value
from .words import Said, joined, literal, say

LONGEST = 64  # characters of a value in a line
WIDEST = 8  # columns and rows of a matrix that is written out


def number(x: Number) -> str:
    """A number in at most four digits.

    >>> [number(x) for x in (4.5, 27.0, 238556.64, 1e-9, "nan", True, {"re": 1.0, "im": -2.0})]
    ['4.5', '27', '2.386e5', '1e-9', 'nan', 'True', '1-2j']
    """
    if isinstance(x, dict):
        imaginary = number(x["im"])
        return f"{number(x['re'])}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    if not isinstance(x, float):
        return "?" if x is None else str(x)  # nobody has set it
    text = f"{x:.4g}"
    if "e" in text:
        digits, power = text.split("e")
        text = f"{digits}e{int(power)}"
    return text


def size_of(shape: list[int]) -> Said:
    """A shape: 2×3, 12 numbers."""
    return say("numbers", count=shape[0]) if len(shape) == 1 else literal("×".join(str(one) for one in shape))


def rows(value: Value | None) -> list[list[str]] | None:
    """The rows of a matrix as texts, blocks of more dimensions one below the other; None for what is too large or not kept.

    >>> rows({"shape": [2, 2], "dtype": "float32", "data": [[1.0, 2.5], [3.0, 4.0]]})
    [['1', '2.5'], ['3', '4']]
    """
    if value is None or value.get("data") is None:
        return None
    data, shape = value["data"], value["shape"]
    if not shape:
        return [[number(data)]]
    for _ in shape[2:]:
        data = [row for block in data for row in block]
    lines = [data] if len(shape) == 1 else data
    if not lines or not lines[0] or len(lines) > WIDEST or len(lines[0]) > WIDEST:
        return None
    return [[number(x) for x in line] for line in lines]


def inline(value: Value | None) -> Said:
    """In a line: 4.5, [1 2; 3 4], or a summary.

    >>> inline({"shape": [2, 2], "dtype": "float32", "data": [[1.0, 2.5], [3.0, 4.0]]}).en
    '[1 2.5; 3 4]'
    """
    if value is None:
        return literal("None")
    lines = rows(value)
    if lines is None:
        return summary(value)
    if not value["shape"]:
        return literal(lines[0][0])
    return literal("[" + "; ".join(" ".join(line) for line in lines) + "]")


def brief(value: Value | None, longest: int = LONGEST) -> Said:
    """As :func:`inline`, and a summary of what would be longer than a line.

    >>> brief({"shape": [2, 2], "dtype": "float32", "data": [[1.0, 2.5], [3.0, 4.0]]}, 8).en
    '2×2: mean 2.625, 1 to 4'
    """
    told = inline(value)
    return told if value is None or len(told.en) <= longest else summary(value)


def summary(value: Value) -> Said:
    """The shape, and how its elements lie."""
    size = size_of(value["shape"])
    stats = value.get("stats") or _statistics(value.get("data"))
    unwritten = None if stats is None or not stats.get("unwritten") else say("summary unwritten", count=stats["unwritten"])
    if stats is None or stats["mean"] is None:
        told = literal(value["dtype"]) if unwritten is None else unwritten
        return joined([size, told], " ") if unwritten is None else Said(f"{size.en}: {told.en}", f"{size.zh}：{told.zh}")
    if stats["min"] == stats["max"] and not stats.get("nonfinite"):
        told = say("summary of one", value=number(stats["min"]))
    else:
        told = say("summary", **{name: number(stats[name]) for name in ("mean", "min", "max")})
    if stats.get("nonfinite"):
        more = say("summary nonfinite", count=stats["nonfinite"])
        told = Said(f"{told.en}, {more.en}", f"{told.zh}，{more.zh}")
    if unwritten is not None:
        told = Said(f"{told.en}, {unwritten.en}", f"{told.zh}，{unwritten.zh}")
    return Said(f"{size.en}: {told.en}", f"{size.zh}：{told.zh}")


def has_holes(value: Value | None) -> bool:
    """Whether a value has elements that nobody has set, and shows them one by one."""
    flat = [] if value is None or rows(value) is None else [value["data"]]
    for one in flat:  # which grows
        flat += one if isinstance(one, list) else []
    return None in flat


def _statistics(data: Number) -> Entry | None:
    flat, waiting = [], [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        else:
            flat.append(one)
    unwritten = flat.count(None)
    numbers = [float(one) for one in flat if isinstance(one, int | float)]
    if not numbers:
        return {"mean": None, "unwritten": unwritten}
    return {
        "mean": sum(numbers) / len(numbers),
        "min": min(numbers),
        "max": max(numbers),
        "nonfinite": len(flat) - len(numbers) - unwritten,
        "unwritten": unwritten,
    }


def size_in_bytes(count: int) -> str:
    """32 B, 1.5 kB; nothing for none."""
    if not count:
        return ""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000  # type: ignore[assignment]
    return f"{count:.3g} GB"
