"""Of which tensors Python took the value: as numbers, as an array, or to ask whether it is true. What follows has no history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tensor import Tensor
from .entries import Entry
from .frames import Where
from .noted import quietly
from .text_flow import Read

if TYPE_CHECKING:
    from .recording import Recording

SPAN = (("line", "col"), ("end_line", "end_col"))


class Taken:
    """What was taken while a recording grows: only of what asks for a gradient, or was made of such."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.failures = recording, recording.failures
        # By entry and instruction, a code by its identity: where, and whether it was only asked if that is true.
        self._found: dict[tuple[int, int, int], tuple[Where, bool]] = {}

    @quietly
    def note(self, tensor: Tensor, where: Where | None, decides: bool) -> None:
        recording = self.recording
        known = recording.tensor(tensor) if tensor._needs_grad else recording.known(tensor)
        if known is None or where is None or not (tensor._needs_grad or recording.tensors[known]["cut"] is not None):
            return
        key = known, id(where[0]), where[1]
        before = self._found.get(key)
        self._found[key] = where, decides and (before is None or before[1])

    def forget(self, kept: set[int]) -> None:
        """Keeps what is known of these entries only."""
        self._found = {key: one for key, one in self._found.items() if key[0] in kept}

    def renumber(self, tensors: dict[int, int]) -> None:
        """Entries have these numbers from now on."""
        self._found = {(tensors[number], *where): one for (number, *where), one in self._found.items()}  # type: ignore[misc]

    def reads(self, below: set[int], cuts: dict[int, int | None]) -> list[Read]:
        """The expressions at which Python took the value of one of these, or which ``cuts`` say left no history."""
        places, found = self.recording.places, self._found.items()
        apart = {(places.of(where), decides) for (number, *_), (where, decides) in found if number in below or number in cuts}
        ops = (event for event in self.recording.events if event["kind"] == "op")
        used = {number for (number, *_), (_, decides) in found if not decides}.union(*(event["inputs"] for event in ops))
        only_asked = {number for number, *_ in self._found} - used
        apart |= {(place, number in only_asked) for number, place in cuts.items()}
        known = sorted((place, decides) for place, decides in apart if place is not None)
        reads = (self._read_at(places.places[place], decides) for place, decides in known)
        return [one for one in reads if one is not None]

    def _read_at(self, place: Entry, decides: bool) -> Read | None:
        """An expression by its lines and columns in bytes, as Python's own trees have them; None where that is not known."""
        if place["source"] is None or place["col"] is None:
            return None
        lines = self.recording.places.sources[place["source"]]["lines"]
        start, end = ((place[line], len(lines[place[line] - 1][: place[col]].encode())) for line, col in SPAN)
        return Read(place["source"], start, end, decides)
