"""Text in columns: how wide it is, where it is cut, and where its lines are broken."""

from __future__ import annotations

import re
import unicodedata

WIDTH = 80
CLOSES = tuple("，。；：、）？")  # what begins no line
LEAST = 8  # columns of what is left in the brackets of a call that is cut
CALLED = re.compile(r"[\w.]+\(…\)")
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


def trimmed(text: str, columns: int) -> str:
    """A name and its value in so many columns; no number of a matrix is cut in two.

    >>> trimmed("w = [0.125 -0.1567 -0.2149]", 21), trimmed("w = 8 numbers, mean 3", 10)
    ('w = [0.125 -0.1567 …]', 'w = 8 num…')
    """
    if width(text) <= columns or "[" not in text:
        return fitted(text, columns)
    kept = fitted(text, columns - 2)[:-1]
    kept = (kept if text[len(kept)] == " " else kept.rpartition(" ")[0]).rstrip("; ")
    return f"{kept} …]" if "[" in kept else fitted(text, columns)


def shortened(text: str, columns: int) -> str:
    """An expression in so many columns: what stands in the brackets of its calls gives way first, the innermost before the others.

    >>> shortened("F.linear(torch.tanh(F.linear(x, w, b)), out_w, out_b)", 40)
    'F.linear(torch.tanh(…), out_w, out_b)'
    >>> shortened("F.linear(torch.tanh(F.linear(x, w, b)), out_w, out_b)", 30)
    'F.linear(…, out_w, out_b)'
    >>> shortened("h = torch.tanh(W @ h + U @ xs[t] + b)", 30)
    'h = torch.tanh(W @ h + U @ x…)'
    """
    while width(text) > columns:
        found = max(_calls(text), default=None)
        if found is None:
            return fitted(text, columns)
        depth, _, start, end = found
        inside = text[start:end]
        pieces = [CALLED.sub("…", one) if "(…)" in one else one for one in inside.split(", ")]
        room = columns - width(text) + width(inside)
        if len(pieces) > 1 and ", ".join(pieces) != inside:
            inside = ", ".join(pieces)
        else:
            inside = fitted(inside, room) if depth == 1 and "…" not in inside and room >= LEAST else "…"
        text = text[:start] + inside + text[end:]
    return text


def _calls(text: str) -> list[tuple[int, int, int, int]]:
    """What stands in the brackets of each call and may give way: how deep, how wide, from where to where."""
    found, opened = [], []
    for at, one in enumerate(text):
        if one in "([":
            opened.append(at + 1)
        elif one in ")]" and opened:
            start = opened.pop()
            is_call = one == ")" and start > 1 and (text[start - 2].isalnum() or text[start - 2] in "_)]")
            if is_call and at - start > 1:
                found.append((len(opened) + 1, at - start, start, at))
    return found


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
