"""torch._C._profiler: where in a program one is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType

_RUNNER = str(Path(__file__).parents[1] / "__main__.py")  # what stands behind it is not the program's

__all__ = ["CapturedTraceback", "gather_traceback", "symbolize_tracebacks"]


class CapturedTraceback:
    """The frames of a moment, the innermost first; their names and lines are looked up on demand."""

    def __init__(self, frames: list[tuple[CodeType, int]]) -> None:
        self.frames = frames


def gather_traceback(python: bool, script: bool, cpp: bool) -> CapturedTraceback:
    """The frames that lead to here; there are only Python's."""
    frames, frame = [], sys._getframe(1)
    while python and frame is not None and frame.f_code.co_filename != _RUNNER:
        frames.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return CapturedTraceback(frames)


def symbolize_tracebacks(tracebacks: Sequence[CapturedTraceback]) -> list[list[dict[str, object]]]:
    """Name, file and line of each frame."""
    return [
        [{"name": code.co_name, "filename": code.co_filename, "line": line} for code, line in one.frames] for one in tracebacks
    ]
