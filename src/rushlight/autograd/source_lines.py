"""Which line of the user's program made a node, or wrote into a tensor: cheap to keep, turned into text on demand."""

from __future__ import annotations

import linecache
from types import CodeType, FrameType

from ..base.arguments import is_own
from .modes import state

Place = tuple[CodeType, int]
"""A code object and an instruction in it."""


def here(frame: FrameType | None) -> Place | None:
    """The place at which the nearest frame is that is the user's."""
    task = found = None
    while frame is not None:
        code = frame.f_code
        if not is_own[code.co_filename]:
            found = (code, frame.f_lasti)
            break
        if code.co_name == "vjp" and task is None:  # the rules of a pass: all that they record is of one line
            task = state.task
            if task is not None and task.where is not None:
                return task.where
        frame = frame.f_back
    if task is not None:
        task.where = found
    return found


def describe(where: Place | None) -> str:
    """``file:line, in function: source`` of a place kept by :func:`here`."""
    if where is None:
        return ""
    code, instruction = where
    line = None
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    if line is None:
        return ""
    source = linecache.getline(code.co_filename, line).strip()
    return (
        f"{code.co_filename}:{line}"
        + (f", in {code.co_name}" if code.co_name != "<module>" else "")
        + (f": {source}" if source else "")
    )
