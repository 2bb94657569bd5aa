"""Has recordings keep of each value all that it is, to the last bit, where otherwise there are statistics and a thumbnail.

And has them say where they could not note something, which they otherwise keep to themselves; and memory that nobody has written to
yet be zeros, where two runs would find there what the one and the other had left.
"""

from __future__ import annotations

import base64
import sys
from typing import Any

import numpy as np


def keep_all() -> None:
    from rushlight.explain import recording, values

    np.empty, np.empty_like = np.zeros, np.zeros_like  # type: ignore[assignment]
    shortened = values.value_of

    def value_of(array: Any, full: bool = False) -> Any:
        value, found = shortened(array, full), values.array_of(array)
        if found is not None and value is not None and value["data"] is None and value["stats"] is not None:
            value["bits"] = base64.b64encode(np.ascontiguousarray(found).tobytes()).decode()
        return value

    values.value_of = recording.value_of = value_of
    begin = recording.Recording.__init__

    def with_loud_failures(self: Any, *args: Any) -> None:
        begin(self, *args)
        self.failures = Loud()

    recording.Recording.__init__ = with_loud_failures


class Loud(list[str]):
    def append(self, text: str) -> None:
        print(text, file=sys.stderr)


def bits_of(value: dict[str, Any], dtype: Any) -> Any:
    """The array that was kept so."""
    return np.frombuffer(base64.b64decode(value["bits"]), dtype).reshape(value["shape"])
