"""What rushlight adds below PyTorch's sentence: notes of an error (PEP 678), which tracebacks show and ``str(error)`` leaves out."""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E", bound=BaseException)


def with_notes(error: E, *notes: str) -> E:
    """The error with each note that says something, indented below its text.

    >>> error = with_notes(ValueError("no"), "The shapes are [3] and [4].", "")
    >>> str(error), error.__notes__
    ('no', ['  The shapes are [3] and [4].'])
    """
    for note in notes:
        if note:
            error.add_note("  " + note)
    return error
