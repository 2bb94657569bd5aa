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


def not_differentiable(sentence: str) -> RuntimeError:
    """The error for a gradient that is wanted of whole numbers."""
    return with_notes(
        RuntimeError(sentence), "Steps between whole numbers have no slope. Write 1.0 for 1, or give dtype=torch.float32."
    )


def leaf_written(sentence: str) -> RuntimeError:
    """The error for a leaf that is written in place."""
    return with_notes(
        RuntimeError(sentence),
        "Its gradient is wanted at the value that it had. To change it for the next step: `with torch.no_grad():` around the "
        "line; to compute on with another value: a new name instead of writing in place.",
    )


def not_a_tensor(sentence: str, given: object) -> TypeError:
    """The error for a gradient given as a number or numbers, or as None where there must be something."""
    if isinstance(given, (list, tuple)):
        made = f"torch.tensor({list(given)})"
    else:  # of an output of any shape
        made = f"torch.full_like(output, {given})"
    advice = f"A gradient is a tensor in the shape of its output: {made} instead."
    return with_notes(TypeError(sentence), "" if given is None else advice)
