"""Matrices of numbers in a page."""

from __future__ import annotations

from html import escape

from .entries import Entry, Number
from .folding import Board
from .numerals import number
from .words import Said, literal, say

WIDEST = 24  # columns and rows that are written out
BROAD = 36  # characters of a row that fit on a phone


def matrix(rows: list[list[Number]], color: str, bars: bool = True) -> str:
    """Rows of numbers, their columns one below the other; `color` is f, b or nothing.

    >>> matrix([[1.0, 2.5], [-3.0, 4.0]], "f")
    '<span class="mx m f"> 1 2.5\\n-3   4</span>'
    """
    if len(rows) > WIDEST or (rows and len(rows[0]) > WIDEST):
        return f'<span class="mx m {color}">{len(rows)}×{len(rows[0])}</span>'
    texts = [[one if isinstance(one, str) else number(one) for one in row] for row in rows]
    sizes = [max(len(row[at]) for row in texts) for at in range(len(texts[0]))] if texts else []
    lines = (" ".join(one.rjust(size) for one, size in zip(row, sizes, strict=True)) for row in texts)
    text = escape(chr(10).join(lines))
    is_broad = sum(sizes) + len(sizes) > BROAD
    focus = ' tabindex="0"' if is_broad else ""  # it is scrolled on a phone, by the keyboard too
    return (
        f'<span class="mx{" m" if bars else ""}{" " + color if color else ""}{" lg" if is_broad else ""}"{focus}>{text}</span>'
    )


def chain(board: Board, entry: Entry, where: Said) -> str:
    """v^T J3 J2 J1 from the left: each node's matrix, and below it the row of numbers so far."""
    html = _figure([entry["v"]], "b", literal("vᵀ"))
    rows = ""
    names = [_name(board, link) for link in entry["chain"]]
    for at, (link, name) in enumerate(zip(entry["chain"], names, strict=True)):
        if names.count(name) > 1:  # of one expression, or of a line that ran again: in the order in which they ran
            name += f" ({names[at:].count(name)})"
        html += f'<span class="pair"><span>·</span>{_figure(link["J"], "f", say("J of", name=name))}</span>'
        row = _figure([link["row"]], "b", say("so far"))
        rows += f'<span class="pair"><span>→</span>{row}</span>' if rows else row
    return f'<p class="aside">{where.html()}</p><div class="line">{html}</div><div class="line">{rows}</div>'


def _name(board: Board, link: Entry) -> str:
    """The expression that made what a link's matrix is of."""
    node = board.nodes[link["node"]]
    card = board.card_of_node.get(node["id"])
    told = "" if card is None else board.cards[card].text or board.cards[card].name
    inner = [one for one in node["outputs"] if not board.tensors[one]["names"]]
    if card is not None and inner and board.cards[card].tensor not in inner:  # one of many on a card
        told = board.label(inner[0])
    elif not told and node["place"] is not None:
        told = board.recording["places"][node["place"]]["text"]
    return told or str(node["name"])


def _figure(rows: list[list[Number]], color: str, caption: Said) -> str:
    return f'<span class="fig">{matrix(rows, color)}<small>{caption.html()}</small></span>'
