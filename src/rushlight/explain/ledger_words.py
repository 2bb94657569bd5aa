"""Why a `.grad` is what it is, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .entries import Entry
from .folding import Board
from .words import TABLE, Said, literal, say

ELEMENT = re.compile(r"(.+)\[(\d+)\]$")
SAME = ("scope", "leaf", "requires_grad", "grad", "why", "other")
LINES = 6  # that are named


@dataclass
class Row:
    """Names that are None for the same reason, or one with its gradient; `again` says that the row above has the same reason."""

    names: list[str]
    entry: Entry
    places: list[int] = field(default_factory=list)
    again: bool = False

    @property
    def name(self) -> str:
        """All names; neighbouring elements of a list as one: ``history[0…14]``."""
        told: list[str] = []
        first = last = None
        for name in self.names:
            found = ELEMENT.match(name)
            if found and last is not None and first is not None and (found[1], int(found[2])) == (last[0], last[1] + 1):
                told[-1] = f"{found[1]}[{first}…{found[2]}]"
            else:
                told.append(name)
                first = None if found is None else int(found[2])
            last = None if found is None else (found[1], int(found[2]))
        return ", ".join(told)


def rows_of(ledger: list[Entry]) -> list[Row]:
    """The lines of the ledger: names without a gradient that have one reason stand together, where the first of them does."""
    rows: list[Row] = []
    for entry in ledger:
        same = (one for one in rows if entry["grad"] is None and all(one.entry[key] == entry[key] for key in SAME))
        row = next(same, None)
        if row is None:
            row = Row([], entry, again=bool(rows) and _has_said(rows[-1].entry, entry))
            rows.append(row)
        row.names.append(entry["name"])
        if entry["place"] is not None and entry["place"] not in row.places:
            row.places.append(entry["place"])
    return rows


def _has_said(before: Entry, entry: Entry) -> bool:
    return before["why"] == entry["why"] and before["place"] == entry["place"] and entry["grad"] is not None


def why(board: Board, row: Row) -> Said:
    """The reason for a row of the ledger, with the program's lines where there are any; the code itself where it is not known."""
    if row.again:
        return say("as above")
    key = f"why {row.entry['why']}"
    if key not in TABLE:
        return literal(str(row.entry["why"]))
    lines = sorted({board.recording["places"][place]["line"] for place in row.places})
    told = [*map(str, lines[:LINES]), *(["…"] if len(lines) > LINES else [])]
    where = literal("") if not lines else say("at line", line=lines[0])
    if len(lines) > 1:
        where = say("at lines", lines=Said(", ".join(told), "、".join(told)))
    return say(key, where=where)
