"""Stretches of a trace as functions that XLA compiles; what is between them is NumPy's, as in a replay.

A stretch is of ops that only compute: none makes memory that is written to, so no view is missed. It waits for the ops that
follow, past all that neither reads its results nor changes what others see. Short stretches stay NumPy's: a call of XLA's costs
some ten kernels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...backend.interrupts import came_by_a_signal
from ...ops.normalization import move_statistics
from ..capture import known_functions
from ..capture import trace as t
from ..replay.order import CannotReplay, changes, checked_first
from ..replay.program import Program
from .indices import REFUSING, check, indices_of, leading_to_indices, looked_at_first
from .loop_rerolling import rolled
from .lowering import lowered
from .steps import Steps

_STATISTICS = "ops.normalization:_keep_up"
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
        trace = checked_first(trace)
        self.trace = trace = t.Trace(trace.instructions, list(trace.values), trace.tensors)
        self.results, self.indices = results, leading_to_indices(trace)
        written = [one.target.number for one in trace.instructions if isinstance(one, t.Write)]
        written += [one.out for one in trace.instructions if isinstance(one, t.Accumulate)]
        self.written = {trace.values[number].storage for number in written}
        self.done: list[t.Instruction] = []
        self.stretch: list[t.Apply] = []
        self.made: set[int] = set()
        # Behind the stretch: what writes its results to memory that was there before, and which memory.
        self.late: list[t.Instruction] = []
        self.late_memory: set[int] = set()
        self.measured: dict[int, tuple[t.Host, t.Host]] = {}  # by what is measured: what moves the statistics alone, and behind
        self.there = {trace.values[number].storage for number in trace.tensors}

    def collapsed(self) -> t.Trace:
        """The trace with one instruction in the place of each stretch."""
        for place, one in enumerate(self.trace.instructions):
            if self.late and not isinstance(one, t.Accumulate) and self._sees_late(one):
                self._end(place)
            if isinstance(one, t.Apply) and self._computes(one):
                self.stretch.append(one)
                self.made.update(one.outs)
            elif (
                self.stretch
                and isinstance(one, t.Host)
                and known_functions.where(one.function) == _STATISTICS
                and self._measures(one)
            ):
                continue
            elif self.stretch and (isinstance(one, t.Accumulate) or (isinstance(one, t.Write) and self._may_wait(one))):
                self._wait(one)
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
        return looked_at_first(t.Trace(self.done, self.trace.values, self.trace.tensors))

    def _computes(self, one: t.Apply) -> bool:
        values = self.trace.values
        if one.op in REFUSING and indices_of(one) in self.made:
            return False
        return (
            one.op in self.lines
            and (self.indices.isdisjoint(one.outs) or not self.made.isdisjoint(t.read(one)))
            and not t.values_in(one.params)
            and all(values[out].storage not in self.written for out in one.outs)
            and all(
                value.dtype.kind in "fbiu" and value.dtype.isbuiltin == 1
                for value in (values[number] for number in (*t.read(one), *one.outs))
            )
        )

    def _may_wait(self, one: t.Write) -> bool:
        return one.of_grad is None and self.trace.values[one.target.number].storage in self.there

    def _measures(self, one: t.Host) -> bool:
        """Running statistics of what the stretch makes: measured in it, moved behind it."""
        values, (x, mean, var, momentum) = self.trace.values, one.args
        form = values[x.number]
        if x.number not in self.made or form.dtype.char not in "fd":
            return False
        first, storages = len(values), max(value.storage for value in values)
        for which in (1, 2):
            values.append(t.Value(form.shape[1:2], form.dtype, (form.dtype.itemsize,), storages + which))
        self.stretch.append(t.Apply("channel_moments", (t.Ref(x.number),), (), (first, first + 1)))
        self.made.update((first, first + 1))
        given = (mean, var, t.Bare(first), t.Bare(first + 1), momentum)
        late = t.Host(move_statistics, "running statistics", given, {}, ())
        self.measured[first] = one, late
        self._wait(late)
        return True

    def _wait(self, one: t.Instruction) -> None:
        """Puts an instruction behind the stretch."""
        self.late.append(one)
        numbers = t.read(one) if isinstance(one, t.Host) else t.made(one)
        self.late_memory.update(self.trace.values[number].storage for number in numbers)

    def _sees_late(self, one: t.Instruction) -> bool:
        """Whether an instruction looks at memory that is written to only behind the stretch."""
        values = self.trace.values
        return any(values[number].storage in self.late_memory for number in (*t.read(one), *t.made(one)))

    def _end(self, place: int) -> None:
        stretch, late = self.stretch, self.late
        self.stretch, self.late, self.late_memory, self.made = [], [], set(), set()
        rest = [*late, *self.trace.instructions[place:]]
        asked = {number for one in rest for number in t.read(one)} | set(self.results)
        needed_ops = _needed(stretch, asked)
        if len(needed_ops) < SHORTEST:
            alone = [self.measured.get(one.outs[0], (one, None)) for one in stretch]
            self.done += [one for one, _ in alone]
            moved = [one for _, one in alone if one is not None]
            late = [one for one in late if not any(one is other for other in moved)]
        else:
            made = [out for one in needed_ops for out in one.outs]
            inside = set(made)
            taken = list(dict.fromkeys(number for one in needed_ops for number in t.read(one) if number not in inside))
            given = [number for number in made if number in asked]
            leaving = {number for one in rest if not isinstance(one, t.Apply) for number in t.read(one)} | set(self.results)
            self.done += [check(one, self.trace.values) for one in stretch if one.op in REFUSING]
            function = self._function(needed_ops, taken, given, [number in leaving for number in given])
            self.done.append(t.Host(function, "xla", tuple(t.Bare(number) for number in taken), {}, tuple(given)))
        self.done += late

    def _function(self, stretch: list[t.Apply], taken: list[int], given: list[int], leaves: list[bool]) -> Any:
        jax, values = self.jax, self.trace.values
        steps = rolled(stretch, values, set(self.trace.tensors))
        if len(steps) > MOST:
            raise CannotReplay(f"{len(steps)} ops that do not repeat themselves, which take XLA too long to compile")
        run_steps = Steps(jax, self.lines, steps, set(given))
        shapes = [values[number].shape for number in given]

        def compute(*arrays: Any) -> Any:
            found = run_steps.found(dict(zip(taken, arrays, strict=True)))
            return [jax.numpy.reshape(found(number), shape) for number, shape in zip(given, shapes, strict=True)]

        with jax.enable_x64(True):
            forms = [jax.ShapeDtypeStruct(values[number].shape, values[number].dtype) for number in taken]
            try:
                compiled = jax.jit(compute).lower(*forms).compile()
            except Exception as error:  # of whatever kind: what XLA does not take is NumPy's
                if came_by_a_signal(error):
                    raise
                raise CannotReplay(f"{type(error).__name__} of XLA: {error}") from error
        take = [_taker(values[number], leaving) for number, leaving in zip(given, leaves, strict=True)]

        def run(*arrays: Any) -> list[Any]:
            with jax.enable_x64(True):
                return [one(result) for one, result in zip(take, compiled(*arrays), strict=True)]

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


def _taker(form: t.Value, leaves: bool) -> Callable[[Any], Any]:
    """What makes of a result of XLA's an array of NumPy's own, laid out as the program's was; as it is where nobody else sees it."""
    order = sorted(range(len(form.shape)), key=lambda axis: -form.strides[axis])
    if np.empty(form.shape, form.dtype).strides == form.strides:
        return (lambda result: np.asarray(result).copy()) if leaves else np.asarray
    shape, back = [form.shape[axis] for axis in order], tuple(order.index(axis) for axis in range(len(order)))

    def laid(result: Any) -> Any:
        array = np.empty(shape, form.dtype).transpose(back)
        array[...] = result
        return array

    return laid
