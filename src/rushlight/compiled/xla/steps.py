"""Ops and loops of a stretch, done with JAX's arrays: this is the function that XLA compiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.table import table
from ..capture import trace as t
from .loop_invariants import parted
from .loop_rerolling import Loop

Array = Any  # one of JAX's
Get = Callable[[int], Array]


class Steps:
    """What is done in a stretch.

    ``given``  the values that it is to give
    """

    def __init__(self, jax: Array, lines: Array, steps: Sequence[t.Apply | Loop], given: set[int]) -> None:
        self.jax, self.lines, self.steps, self.given = jax, lines, steps, given

    def found(self, arrays: dict[int, Array]) -> Get:
        """What gives the array of a value."""
        turns: dict[int, tuple[Array, int]] = {}  # of what loops make: the arrays of all rounds, and which of them

        def get(number: int) -> Array:
            if number not in arrays:
                rows, turn = turns[number]
                arrays[number] = rows[turn]
            return arrays[number]

        for place, step in enumerate(self.steps):
            if isinstance(step, Loop):
                _Repeat(self, step, get, turns, self._later(place)).run(arrays)
            else:
                self.apply(step, get, arrays)
        return get

    def _later(self, place: int) -> set[int]:
        read = [one.read() if isinstance(one, Loop) else t.read(one) for one in self.steps[place + 1 :]]
        return self.given.union(*read)

    def apply(self, one: t.Apply, get: Get, arrays: dict[int, Array]) -> None:
        """Does an op, and puts its results into ``arrays``."""
        numpy = self.jax.numpy

        def argument(value: Array) -> Array:
            if isinstance(value, t.Ref):
                return get(value.number) if one.cast is None else get(value.number).astype(one.cast)
            if isinstance(value, tuple):
                return [argument(each) for each in value]
            return value if one.cast is None or value is None else numpy.asarray(value, one.cast)

        result = self.lines[one.op](*[argument(value) for value in one.inputs], *one.params)
        several = len(one.outs) > 1 or table[one.op].outputs == ["*"]
        arrays.update(zip(one.outs, result if several else (result,), strict=True))


class _Repeat:
    """A loop that is being done: by ``lax.scan``, but for what can stand before it or behind it.

    ``fixed``  values that are the same in each round, ``rows`` those of all rounds one behind another
    ``later``  the values that are read behind the loop
    """

    def __init__(self, steps: Steps, loop: Loop, get: Get, turns: dict[int, tuple[Array, int]], later: set[int]) -> None:
        self.steps, self.loop, self.get, self.turns, self.later = steps, loop, get, turns, later
        self.parts = parted(loop, later)
        sources = loop.sources.items()
        self.fixed = {number: get(what) for number, (kind, what) in sources if kind == "same"}
        self.rows = {number: self._stacked(what) for number, (kind, what) in sources if kind == "other"}

    def run(self, arrays: dict[int, Array]) -> None:
        """Puts what is read later into ``arrays``, or says in ``turns`` where it lies."""
        for index in self.parts.before:
            self._at_once(self.loop.ops[index])
        summed = {number for one in self.parts.sums for number in (one.a, one.b)}
        _, made = self._scanned([number for number in summed if number not in self.rows and number not in self.fixed])
        self.rows.update(made)
        for index, one in enumerate(self.loop.ops):
            for which, out in enumerate(one.outs):
                if out in self.rows or out in self.fixed:
                    for turn, outs in enumerate(self.loop.rounds):
                        if out in self.fixed:
                            arrays[outs[index][which]] = self.fixed[out]
                        else:
                            self.turns[outs[index][which]] = self.rows[out], turn
        for total in self.parts.sums:
            left, right = self._of_each_round(total.a), self._of_each_round(total.b)
            found = self.get(self.loop.first[total.place]) + self.steps.jax.numpy.einsum("tij,tjk->ik", left, right)
            arrays[self.loop.rounds[-1][total.place[0]][total.place[1]]] = found

    def _at_once(self, one: t.Apply) -> None:
        """An op that no round's results change, for all rounds."""
        read = dict.fromkeys(t.values_in(one.inputs))
        varying = [number for number in read if number in self.rows]
        if not varying:
            self.steps.apply(one, self.fixed.__getitem__, self.fixed)
            return

        def once(own: dict[int, Array]) -> dict[int, Array]:
            found: dict[int, Array] = {}
            self.steps.apply(one, {**self.fixed, **own}.__getitem__, found)
            return found

        self.rows.update(self.steps.jax.vmap(once)({number: self.rows[number] for number in varying}))

    def _scanned(self, wanted: Sequence[int]) -> tuple[Array, dict[int, Array]]:
        """What the rounds give: the state behind the last, and the values of all rounds that are asked for."""
        loop, ops = self.loop, [self.loop.ops[index] for index in self.parts.inside]
        summed = {one.place for one in self.parts.sums}
        state = [place for place in loop.first if place not in summed]
        before = {number: what for number, (kind, what) in loop.sources.items() if kind == "before" and what not in summed}
        kept = dict.fromkeys(wanted)
        for index in self.parts.inside:
            for which, out in enumerate(loop.ops[index].outs):
                if any(outs[index][which] in self.later for outs in loop.rounds):
                    kept[out] = None
        read = {number for one in ops for number in t.values_in(one.inputs)}
        read.update(loop.ops[index].outs[which] for index, which in state)
        moving = {number: rows for number, rows in self.rows.items() if number in read}

        def once(carried: Array, own: Array) -> Array:
            values = {**self.fixed, **own, **{number: carried[place] for number, place in before.items()}}
            for one in ops:
                self.steps.apply(one, values.__getitem__, values)
            return {place: values[loop.ops[place[0]].outs[place[1]]] for place in state}, {
                number: values[number] for number in kept
            }

        start = {place: self.get(loop.first[place]) for place in state}
        return self.steps.jax.lax.scan(once, start, moving, length=len(loop.rounds))

    def _of_each_round(self, number: int) -> Array:
        """A value's arrays of all rounds."""
        if number in self.rows:
            return self.rows[number]
        one = self.fixed[number]
        return self.steps.jax.numpy.broadcast_to(one, (len(self.loop.rounds), *one.shape))

    def _stacked(self, numbers: Sequence[int]) -> Array:
        """Values one behind another: those of a loop's rounds lie so already, in this order or the other."""
        found = [self.turns.get(number) for number in numbers]
        if all(one is not None and one[0] is found[0][0] for one in found):  # type: ignore[index]
            rows = found[0][0]  # type: ignore[index]
            order = [one[1] for one in found]  # type: ignore[index]
            first, step = order[0], order[1] - order[0]
            if abs(step) == 1 and order == list(range(first, first + step * len(order), step)):
                part = rows[min(order) : max(order) + 1]
                return part if step == 1 else part[::-1]
        return self.steps.jax.numpy.stack([self.get(number) for number in numbers])
