"""Stretches of a trace as functions that XLA compiles; what is between them is NumPy's, as in a replay.

A stretch is of ops that only compute: none makes or reads memory that is written to, so no view is missed. It waits for the ops that
follow, past all that neither reads its results nor changes what others see. Short stretches stay NumPy's: a call of XLA's costs
some ten kernels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...ops.table import table
from ..capture import trace as t
from ..replay.order import CannotReplay, changes, checked_first
from ..replay.program import Program
from .lowering import lowered
from .rolling import Loop, rolled

SHORTEST = 8  # ops of a stretch
MOST = 800  # that are not in loops: XLA would compile for half a minute


class XlaProgram(Program):
    """A trace that XLA computes as far as it can.

    ImportError where there is no JAX.
    """

    exact = False  # it rounds in another order

    def __init__(self, trace: t.Trace, results: list[int], given: Sequence[int] = ()) -> None:
        super().__init__(_Stretches(trace, results).collapsed(), results, given)


def needed() -> Any:
    """JAX; ImportError with what to install where there is none."""
    try:
        import jax
    except ImportError:
        raise ImportError(
            "torch.compile(backend='xla') needs JAX, which is not installed: pip install 'rushlight[xla]'"
        ) from None
    if jax.config.jax_compilation_cache_dir is None:  # else the user keeps what was compiled somewhere
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rushlight" / "xla"
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    return jax


class _Stretches:
    def __init__(self, trace: t.Trace, results: list[int]) -> None:
        self.jax = needed()
        self.lines = lowered(self.jax.numpy, self.jax.lax, self.jax.nn, self.jax.vjp)
        self.trace = trace = checked_first(trace)
        self.results = results
        written = [one.target.number for one in trace.instructions if isinstance(one, t.Write)]
        written += [one.out for one in trace.instructions if isinstance(one, t.Accumulate)]
        self.written = {trace.values[number].storage for number in written}
        self.done: list[t.Instruction] = []
        self.stretch: list[t.Apply] = []
        self.made: set[int] = set()
        self.late: list[t.Instruction] = []

    def collapsed(self) -> t.Trace:
        """The trace with one instruction in the place of each stretch."""
        for place, one in enumerate(self.trace.instructions):
            if isinstance(one, t.Apply) and self._computes(one):
                self.stretch.append(one)
                self.made.update(one.outs)
            elif isinstance(one, t.Accumulate) and self.stretch:
                self.late.append(one)
                self.made.add(one.out)
            else:
                if (
                    changes(one)
                    or not self.made.isdisjoint(t.read(one))
                    or (isinstance(one, t.Input) and one.of_grad is not None)
                ):
                    self._end(place)
                self.done.append(one)
        self._end(len(self.trace.instructions))
        return t.Trace(self.done, self.trace.values, self.trace.tensors)

    def _computes(self, one: t.Apply) -> bool:
        numbers = [*t.read(one), *one.outs]
        values = [self.trace.values[number] for number in numbers]
        return (
            one.op in self.lines
            and not t.values_in(one.params)
            and all(
                value.storage not in self.written and value.dtype.kind in "fbiu" and value.dtype.isbuiltin == 1
                for value in values
            )
        )

    def _end(self, place: int) -> None:
        stretch, late = self.stretch, self.late
        self.stretch, self.late, self.made = [], [], set()
        rest = [*late, *self.trace.instructions[place:]]
        asked = {number for one in rest for number in t.read(one)} | set(self.results)
        needed_ops = _needed(stretch, asked)
        if len(needed_ops) < SHORTEST:
            self.done += stretch
        else:
            made = [out for one in needed_ops for out in one.outs]
            inside = set(made)
            taken = list(dict.fromkeys(number for one in needed_ops for number in t.read(one) if number not in inside))
            given = [number for number in made if number in asked]
            leaving = {number for one in rest if not isinstance(one, t.Apply) for number in t.read(one)} | set(self.results)
            function = self._function(needed_ops, taken, given, [number in leaving for number in given])
            self.done.append(t.Host(function, "xla", tuple(t.Bare(number) for number in taken), {}, tuple(given)))
        self.done += late

    def _function(self, stretch: list[t.Apply], taken: list[int], given: list[int], leaves: list[bool]) -> Any:
        jax, values = self.jax, self.trace.values
        steps = rolled(stretch, values, set(self.trace.tensors))
        if len(steps) > MOST:
            raise CannotReplay(f"{len(steps)} ops that do not repeat themselves, which take XLA too long to compile")
        run_steps = _Steps(jax, self.lines, steps, set(given))
        shapes = [values[number].shape for number in given]

        def compute(*arrays: Any) -> Any:
            found = run_steps.found(dict(zip(taken, arrays, strict=True)))
            return [jax.numpy.reshape(found(number), shape) for number, shape in zip(given, shapes, strict=True)]

        with jax.enable_x64(True):
            forms = [jax.ShapeDtypeStruct(values[number].shape, values[number].dtype) for number in taken]
            compiled = jax.jit(compute).lower(*forms).compile()
        kept = [(values[number], leaving) for number, leaving in zip(given, leaves, strict=True)]

        def run(*arrays: Any) -> list[Any]:
            with jax.enable_x64(True):
                return [_laid(one, form, leaving) for one, (form, leaving) in zip(compiled(*arrays), kept, strict=True)]

        run.changes_nothing = True  # type: ignore[attr-defined]
        return run


def _needed(stretch: Sequence[t.Apply], asked: set[int]) -> list[t.Apply]:
    """The ops whose results are read by somebody."""
    wanted, found = set(asked), []
    for one in reversed(stretch):
        if not wanted.isdisjoint(one.outs):
            found.append(one)
            wanted.update(t.read(one))
    return found[::-1]


class _Steps:
    """Ops and loops, done with JAX's arrays."""

    def __init__(self, jax: Any, lines: Any, steps: Sequence[t.Apply | Loop], given: set[int]) -> None:
        self.jax, self.lines, self.steps, self.given = jax, lines, steps, given

    def found(self, arrays: dict[int, Any]) -> Callable[[int], Any]:
        """What gives the array of a value."""
        turns: dict[int, tuple[Any, int]] = {}  # of what loops make: the arrays of all rounds, and which of them

        def get(number: int) -> Any:
            if number not in arrays:
                rows, turn = turns[number]
                arrays[number] = rows[turn]
            return arrays[number]

        for place, step in enumerate(self.steps):
            if isinstance(step, Loop):
                self._repeat(step, get, turns, arrays, self._later(place))
            else:
                self._apply(step, get, arrays)
        return get

    def _later(self, place: int) -> set[int]:
        read = [one.read() if isinstance(one, Loop) else t.read(one) for one in self.steps[place + 1 :]]
        return self.given.union(*read)

    def _apply(self, one: t.Apply, get: Callable[[int], Any], arrays: dict[int, Any]) -> None:
        numpy = self.jax.numpy

        def argument(value: Any) -> Any:
            if isinstance(value, t.Ref):
                return get(value.number) if one.cast is None else get(value.number).astype(one.cast)
            if isinstance(value, tuple):
                return [argument(each) for each in value]
            return value if one.cast is None or value is None else numpy.asarray(value, one.cast)

        result = self.lines[one.op](*[argument(value) for value in one.inputs], *one.params)
        several = len(table[one.op].outputs) > 1 or table[one.op].outputs == ["*"]
        arrays.update(zip(one.outs, result if several else (result,), strict=True))

    def _repeat(
        self, loop: Loop, get: Callable[[int], Any], turns: dict[int, Any], arrays: dict[int, Any], later: set[int]
    ) -> None:
        others = {number: self._rows(what, get, turns) for number, (kind, what) in loop.sources.items() if kind == "other"}
        fixed = {number: get(what) for number, (kind, what) in loop.sources.items() if kind == "same"}
        before = {number: place for number, (kind, place) in loop.sources.items() if kind == "before"}
        places = [(index, which) for index, outs in enumerate(loop.rounds[0]) for which in range(len(outs))]
        kept = [place for place in places if any(outs[place[0]][place[1]] in later for outs in loop.rounds)]

        def once(state: Any, rows: Any) -> Any:
            own = {**fixed, **rows, **{number: state[place] for number, place in before.items()}}
            for one in loop.ops:
                self._apply(one, own.__getitem__, own)
            at = {(index, which): own[out] for index, one in enumerate(loop.ops) for which, out in enumerate(one.outs)}
            return {place: at[place] for place in loop.first}, [at[place] for place in kept]

        start = {place: get(number) for place, number in loop.first.items()}
        _, made = self.jax.lax.scan(once, start, others, length=len(loop.rounds))
        for place, rows in zip(kept, made, strict=True):
            for turn, outs in enumerate(loop.rounds):
                turns[outs[place[0]][place[1]]] = rows, turn

    def _rows(self, numbers: Sequence[int], get: Callable[[int], Any], turns: dict[int, Any]) -> Any:
        """Values one behind another: those of a loop's rounds lie so already, in this order or the other."""
        found = [turns.get(number) for number in numbers]
        if all(one is not None and one[0] is found[0][0] for one in found):  # type: ignore[index]
            rows = found[0][0]  # type: ignore[index]
            order = [one[1] for one in found]  # type: ignore[index]
            first, step = order[0], order[1] - order[0]
            if abs(step) == 1 and order == list(range(first, first + step * len(order), step)):
                part = rows[min(order) : max(order) + 1]
                return part if step == 1 else part[::-1]
        return self.jax.numpy.stack([get(number) for number in numbers])


def _laid(result: Any, form: t.Value, leaves: bool) -> Any:
    """A result of XLA's as an array of NumPy's own, laid out as the program's was; as it is where nobody else sees it."""
    array = np.asarray(result)
    if not leaves and array.strides == form.strides:
        return array
    order = sorted(range(array.ndim), key=lambda axis: -form.strides[axis])
    laid = np.empty([form.shape[axis] for axis in order], form.dtype).transpose(np.argsort(order))
    laid[...] = array
    return laid
