"""Why a `.grad` is what it is, in words."""

from __future__ import annotations

from .entries import Entry
from .folding import Board
from .words import TABLE, Said, literal, say


def why(board: Board, entry: Entry) -> Said:
    """The reason for a line of the ledger, with the program's line where there is one; the code itself where it is not known."""
    key = f"why {entry['why']}"
    if key not in TABLE:
        return literal(str(entry["why"]))
    place = entry["place"]
    where = literal("") if place is None else say("at line", line=board.recording["places"][place]["line"])
    return say(key, where=where)
