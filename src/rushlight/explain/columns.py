"""Text in columns: how wide it is, where it is cut, and where its lines are broken."""

from __future__ import annotations

import re
import unicodedata

WIDTH = 80
CLOSES = tuple("，。；：、）？")  # what begins no line
KEPT_TOGETHER = 48  # columns of a matrix that is not broken
PLAIN = {  # of signs that an encoding lacks
    "├─": "|-", "└─": "`-", "│": "|", "∂": "d", "→": "->", "…": "...", "×": "x", "·": ".", "ᵀ": "^T", "⋮": ":",
}  # fmt: skip
START = re.compile(r"( +\d+  )?[ │├└─]*")  # of a line: the number of the program's, branches, depth


def spelled(text: str, encoding: str) -> str:
    """For an output whose encoding lacks signs: what they look like in its own.

    >>> spelled("├─ ∂out/∂y: 2×3 → …", "ascii"), spelled("∂ → é", "latin-1")
    ('|- dout/dy: 2x3 -> ...', 'd -> é')
    """
    for sign, plain in PLAIN.items():
        if sign.encode(encoding, "ignore").decode(encoding) != sign:
            text = text.replace(sign, plain)
    return text.encode(encoding, "replace").decode(encoding)


def width(text: str) -> int:
    """Columns of a text: Chinese characters take two, marks that combine take none.

    >>> width("∂y"), width("叶子")
    (2, 4)
    """
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text)


def fitted(text: str, columns: int) -> str:
    """Cut to so many columns, with … for what is left out."""
    if width(text) <= columns:
        return text
    kept = ""
    for one in text:
        if width(kept + one) >= columns:
            break
        kept += one
    return kept + "…"


def wrapped(text: str, first: str, rest: str, columns: int = WIDTH) -> list[str]:
    """In lines of so many columns, broken at blanks where there are any and between Chinese characters."""
    lines, line = [], first
    for word in _words(text):
        if width(line + word.rstrip()) > columns and line.strip() and line not in (first, rest):
            lines.append(line.rstrip())
            line, word = rest, word.lstrip()
        while width(line + word.rstrip()) > columns:
            piece = fitted(word, columns - width(line) + 1)[:-1]
            if not piece:
                break
            lines.append(line + piece)
            line, word = rest, word[len(piece) :]
        line += word
    return [*lines, line.rstrip()]


def narrowed(text: str, columns: int) -> str:
    """For a narrower terminal: what is too long goes on in the next line, at the same depth; columns of their own do, too.

    >>> print(narrowed("   4  y = x + 2          y = [3 3]   AddBackward0", 24))
       4  y = x + 2
          y = [3 3]
          AddBackward0
    """
    lines = []
    for line in text.split("\n"):
        if width(line) <= columns:
            lines.append(line)
            continue
        start = START.match(line)
        assert start is not None  # it matches anything
        depth = "".join(one if one == "│" else " " for one in start[0].replace("├", "│"))
        pieces = re.split(r" {2,}", line[start.end() :])
        rest = depth + "  " * (len(pieces) == 1)
        for number, piece in enumerate(pieces):
            lines += wrapped(piece, start[0] if number == 0 else depth, rest, columns)
    return "\n".join(lines)


def _words(text: str) -> list[str]:
    """Pieces that a line may end after; a short matrix stays in one."""
    words, depth = [""], 0
    for at, one in enumerate(text):
        words[-1] += one
        if one == "[":
            short = text.find("]", at) - at
            depth += depth > 0 or 0 < short < KEPT_TOGETHER
        elif one == "]":
            depth = max(depth - 1, 0)
        if depth == 0 and (one == " " or unicodedata.east_asian_width(one) in "WF") and text[at + 1 : at + 2] not in CLOSES:
            words.append("")
    return words
