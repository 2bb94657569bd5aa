"""Why a `.grad` is what it is, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .entries import Entry
from .folding import Board
from .words import TABLE, Said, literal, say

ELEMENT = re.compile(r"(.+)\[(\d+)\]$")
SAME = ("scope", "leaf", "requires_grad", "grad", "why", "place", "other")


def lines_of(ledger: list[Entry]) -> Iterator[tuple[str, Entry]]:
    """The lines with their names; of a list's elements that are None for the same reason one for all: ``history[0…14]``."""
    at = 0
    while at < len(ledger):
        entry, found = ledger[at], ELEMENT.match(ledger[at]["name"])
        end = at + 1
        while found and entry["grad"] is None and end < len(ledger):
            following = ELEMENT.match(ledger[end]["name"])
            same = following is not None and following[1] == found[1] and int(following[2]) == int(found[2]) + end - at
            if not same or any(ledger[end][key] != entry[key] for key in SAME):
                break
            end += 1
        yield (
            (entry["name"] if end == at + 1 or found is None else f"{found[1]}[{found[2]}…{int(found[2]) + end - at - 1}]"),
            entry,
        )
        at = end


def why(board: Board, entry: Entry) -> Said:
    """The reason for a line of the ledger, with the program's line where there is one; the code itself where it is not known."""
    key = f"why {entry['why']}"
    if key not in TABLE:
        return literal(str(entry["why"]))
    place = entry["place"]
    where = literal("") if place is None else say("at line", line=board.recording["places"][place]["line"])
    return say(key, where=where)
