"""Values of what an op has written in place, noted when it is done: what NumPy writes there before the next op is another value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tensor import Tensor
from .entries import Value
from .noted import quietly

if TYPE_CHECKING:
    from .recording import Recording


class AtOnce:
    """Which tensors were written since a recording last looked, and the values of those whose write is done."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.failures = recording, recording.failures
        self._found: dict[
            int, tuple[list[object], object, Value | None]
        ] = {}  # by id of a tensor: its counter, the version, the value

    def changed(self) -> list[int]:
        """The ids of those that were written."""
        counters, versions = self.recording._counters, self.recording._versions
        if [counter[0] for counter in counters.values()] == list(versions.values()):
            return []
        return [key for key, counter in counters.items() if counter[0] != versions[key]]

    @quietly
    def note(self) -> None:
        for key in self.changed():
            tensor = self.recording._alive[key][0]()
            if tensor is not None:
                self._found[key] = tensor._counter, tensor._counter[0], self.recording.value(tensor)

    def value(self, tensor: Tensor) -> Value | None:
        """The value of a tensor's present life."""
        counter, version, value = self._found.get(id(tensor), (None, None, None))
        is_noted = counter is tensor._counter and version == tensor._counter[0]
        return value if is_noted else self.recording.value(tensor)  # type: ignore[no-any-return]

    def is_only_counted(self, tensor: Tensor, number: int) -> bool:
        """Whether nothing was written there: what is dense in the place of a sparse matrix has that one's count of writes."""
        is_unsaid = len(tensor._counter) < 3 or not tensor._counter[1]
        return is_unsaid and bool(self.recording.value(tensor) == self.recording.tensors[number]["value"])

    def clear(self) -> None:
        """Each has its new life."""
        self._found.clear()
