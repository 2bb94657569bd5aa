"""The order of a trace: what may turn out to be of another shape comes before anything is changed, while there is a way back."""

from __future__ import annotations

from collections.abc import Sequence

from ..capture import known_functions
from ..capture import trace as t


class CannotReplay(Exception):
    """Why a trace cannot be replayed."""


def of_any_shape(one: t.Instruction) -> bool:
    """Whether the shape of what an instruction gives depends on values."""
    return (isinstance(one, t.Apply) and one.op in known_functions.OF_ANY_SHAPE) or (
        isinstance(one, t.Host) and known_functions.where(one.function) in known_functions.OF_ANY_SHAPE
    )


def changes(one: t.Instruction) -> bool:
    """Whether an instruction changes what others see: there is no way back behind it."""
    return isinstance(one, (t.Write, t.Accumulate, t.SetGrad)) or (
        isinstance(one, t.Host) and not known_functions.changes_nothing(one.function)
    )


def checked_first(trace: t.Trace) -> t.Trace:
    """The trace with the instructions whose shapes depend on values, and all that they read, before the first change.

    CannotReplay where they read what has been changed by then.
    """
    instructions = trace.instructions
    first = next((place for place, one in enumerate(instructions) if changes(one)), len(instructions))
    late = [place for place in range(first, len(instructions)) if of_any_shape(instructions[place])]
    if not late:
        return trace
    makers = {out: place for place, one in enumerate(instructions) for out in t.made(one)}
    moved: set[int] = set()
    waiting = list(late)
    while waiting:
        place = waiting.pop()
        if place < first or place in moved:
            continue
        one = instructions[place]
        if changes(one) or isinstance(one, t.Again) or (isinstance(one, t.Input) and one.of_grad is not None):
            raise CannotReplay("a shape that depends on values that the program changes or draws before")
        moved.add(place)
        waiting += [makers[number] for number in t.read(one)]
    for place in moved:
        changed = _changed(trace, instructions[first:place])
        numbers = [*t.read(instructions[place]), *t.made(instructions[place])]
        if changed is None or any(trace.values[number].storage in changed for number in numbers):
            raise CannotReplay("a shape that depends on values that the program changes before")
    order = [*range(first), *sorted(moved), *(place for place in range(first, len(instructions)) if place not in moved)]
    return t.Trace([instructions[place] for place in order], trace.values, trace.tensors)


def _changed(trace: t.Trace, instructions: Sequence[t.Instruction]) -> set[int] | None:
    """The storages that instructions write to; None where an optimizer's step or a generator's state is among them."""
    found: set[int] = set()
    for one in instructions:
        if isinstance(one, (t.Write, t.Accumulate)):
            found.add(trace.values[one.out].storage)
        elif isinstance(one, t.Host) and changes(one):
            if one.name.endswith((".step", ".set_state")):
                return None
            found |= {trace.values[number].storage for number in t.read(one)}
    return found
