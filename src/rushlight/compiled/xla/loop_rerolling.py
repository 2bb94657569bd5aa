"""Loops in a list of ops: rounds that do the same, each on what the one before it gave, become one round that XLA repeats.

What a round reads is made in it, or by the round before, or is the same in all rounds, or is another value in each that was there
before the loop. Where that would be another parameter of the program in each, such as the weights of layers, nothing is rolled: XLA
would have to gather them first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..capture import trace as t

FEWEST_ROUNDS, SHORTEST_ROUND, ENDS = 4, 3, 2  # rounds at either end that may be left out
Place = tuple[int, int]  # of a result: which op of a round, and which of its results


@dataclass(frozen=True)
class Loop:
    """``ops`` of one round, and what their inputs are.

    ``rounds``   the numbers that each op's results have in each round
    ``sources``  of each value that a round reads and does not make: ("before", place), ("same", number), ("other", numbers)
    ``first``    of each place that the next round reads, the value in its stead in the first
    """

    ops: tuple[t.Apply, ...]
    rounds: tuple[tuple[tuple[int, ...], ...], ...]
    sources: dict[int, tuple[str, Any]]
    first: dict[Place, int]

    def read(self) -> list[int]:
        """The values that were there before."""
        found = list(self.first.values())
        for kind, what in self.sources.values():
            found += [what] if kind == "same" else what if kind == "other" else []
        return found


def rolled(ops: Sequence[t.Apply], values: Sequence[t.Value], parameters: set[int]) -> list[t.Apply | Loop]:
    """The ops, with loops in the place of those that repeat themselves."""
    signs = [_sign(one, values) for one in ops]
    for length, start, count in _repetitions(signs):
        for begin, rounds in _cuts(length, start, count):
            loop = _loop(ops[begin : begin + length * rounds], length, parameters)
            if loop is not None:
                end = begin + length * rounds
                return [*rolled(ops[:begin], values, parameters), loop, *rolled(ops[end:], values, parameters)]
    return list(ops)


def _sign(one: t.Apply, values: Sequence[t.Value]) -> Any:
    """What two ops have in common that differ in the values that they read alone."""
    forms = [(values[number].shape, values[number].dtype.char) for number in (*t.values_in(one.inputs), *one.outs)]
    return one.op, repr(_without_numbers(one.inputs)), repr(one.params), str(one.cast), tuple(forms)


def _without_numbers(value: Any) -> Any:
    if isinstance(value, t.Ref):
        return "value"
    return [_without_numbers(one) for one in value] if isinstance(value, tuple) else value


def _repetitions(signs: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
    """Stretches that repeat themselves: the length of a round, where they begin, of how many ops they are; the longest first."""
    last: dict[Any, int] = {}
    apart: Counter[int] = Counter()
    for place, sign in enumerate(signs):
        if sign in last:
            apart[place - last[sign]] += 1
        last[sign] = place
    found = []
    for length in [one for one, _ in apart.most_common(12) if one >= SHORTEST_ROUND]:
        start = None
        for place in range(len(signs) - length + 1):
            if place + length < len(signs) and signs[place] == signs[place + length]:
                start = place if start is None else start
            elif start is not None:
                count = place - start + length
                if count >= FEWEST_ROUNDS * length:
                    found.append((length, start, count))
                start = None
    return iter(sorted(found, key=lambda one: (-(one[2] // one[0]) * one[0], one[0])))


def _cuts(length: int, start: int, count: int) -> Iterator[tuple[int, int]]:
    """Where rounds may begin in a stretch, and how many there are then: all of it first."""
    cuts = [
        (begin, (start + count - begin) // length - left)
        for begin in range(start, start + min(ENDS * length, count - FEWEST_ROUNDS * length) + 1)
        for left in range(ENDS + 1)
    ]
    return iter(sorted((cut for cut in cuts if cut[1] >= FEWEST_ROUNDS), key=lambda cut: -cut[1]))


def _loop(ops: Sequence[t.Apply], length: int, parameters: set[int]) -> Loop | None:
    count = len(ops) // length
    makers = {
        out: (place // length, (place % length, which)) for place, one in enumerate(ops) for which, out in enumerate(one.outs)
    }
    sources: dict[int, tuple[str, Any]] = {}
    first: dict[Place, int] = {}
    for place in range(length):
        same_op = [t.values_in(ops[place + length * turn].inputs) for turn in range(count)]
        for read in zip(*same_op, strict=True):
            made = [makers.get(number) for number in read]
            if all(one is not None and one[0] == turn and one[1] == made[0][1] for turn, one in enumerate(made)):  # type: ignore[index]
                continue
            source = _source(read, made, parameters)
            if source is None or sources.setdefault(read[0], source) != source:
                return None
            if source[0] == "before" and first.setdefault(source[1], read[0]) != read[0]:
                return None
    rounds = tuple(tuple(one.outs for one in ops[turn * length : (turn + 1) * length]) for turn in range(count))
    return Loop(tuple(ops[:length]), rounds, sources, first)


def _source(read: Sequence[int], made: Sequence[Any], parameters: set[int]) -> tuple[str, Any] | None:
    """What one input of a round is, given the values that it is in each, and which op of which round makes those."""
    if made[0] is None and all(one is not None and one == (turn, made[1][1]) for turn, one in enumerate(made[1:])):
        return "before", made[1][1]
    if any(one is not None for one in made):
        return None
    if len(set(read)) == 1:
        return "same", read[0]
    return None if parameters.intersection(read) else ("other", tuple(read))
