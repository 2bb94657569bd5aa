"""torch.utils._traceback: frames in one line each."""

from __future__ import annotations

import traceback
from types import TracebackType

import rushlight


def shorten_filename(fn: str, *, base: str | None = None) -> str:
    """A path without what it has in common with ``base``, which is the folder of the package.

    >>> from rushlight.utils._traceback import shorten_filename
    >>> shorten_filename("/one/two/three.py", base="/one/x")
    'two/three.py'
    """
    base = rushlight.__path__[0] if base is None else base
    parts, others = fn.split("/"), base.split("/")
    same = 0
    while same < min(len(parts) - 1, len(others)) and parts[same] == others[same]:
        same += 1
    return "/".join(parts[same:]) if same > 1 else fn


def format_frame(frame: traceback.FrameSummary, *, base: str | None = None, line: bool = False) -> str:
    """Where a frame is: ``file:line in function``."""
    shown = f"{frame.line}  # " if line else ""
    return f"{shown}{shorten_filename(frame.filename, base=base)}:{frame.lineno} in {frame.name}"


def format_traceback_short(tb: TracebackType | None) -> str:
    """The innermost frame of a traceback."""
    return format_frame(traceback.extract_tb(tb)[-1])


class CapturedTraceback:
    """The stack at a moment, to be printed later.

    >>> from rushlight.utils._traceback import CapturedTraceback
    >>> CapturedTraceback.extract().format()[-1].splitlines()[-1].strip()
    'CapturedTraceback.extract().format()[-1].splitlines()[-1].strip()'
    """

    def __init__(self, tb: traceback.StackSummary | None, skip: int = 0) -> None:
        self.tb, self.skip = tb, skip

    @staticmethod
    def extract(*, script: bool = False, cpp: bool = False, skip: int = 0) -> CapturedTraceback:
        """The stack of the caller, without its ``skip`` innermost frames."""
        stack = traceback.extract_stack()[: -1 - skip]
        return CapturedTraceback(traceback.StackSummary.from_list(stack), skip)

    def summary(self) -> traceback.StackSummary:
        """The frames."""
        return traceback.StackSummary() if self.tb is None else self.tb

    def format(self) -> list[str]:
        """The frames as Python prints them."""
        return traceback.format_list(self.summary())

    def cleanup(self) -> None:
        """Lets the frames go."""
        self.tb = None
