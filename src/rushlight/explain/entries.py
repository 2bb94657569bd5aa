"""What a recording is made of, as it is read: docs/recording.md says which fields each has."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]  # of places, tensors, nodes, events, the ledger
Recording = dict[str, Any]
Value = dict[str, Any]
Number = Any  # an int, a float, a bool, "nan", "inf", "-inf", or {"re", "im"}


def notes_of(error: BaseException) -> list[str]:
    """What an error says beyond its own text (PEP 678)."""
    return [str(one) for one in getattr(error, "__notes__", ())]
