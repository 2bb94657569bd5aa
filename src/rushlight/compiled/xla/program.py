"""Stretches of a trace as functions that XLA compiles; what is between them is NumPy's, as in a replay.

A stretch is of ops that only compute: none makes or reads memory that is written to, so no view is missed. Additions to a ``.grad``
wait for its end. Short stretches stay NumPy's: a call of XLA's costs some ten kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.table import table
from ..capture import trace as t
from ..replay.order import checked_first
from ..replay.program import Program
from .lowering import lowered

SHORTEST = 8  # ops of a stretch


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
    return jax


class _Stretches:
    def __init__(self, trace: t.Trace, results: list[int]) -> None:
        self.jax = needed()
        self.lines = lowered(self.jax.numpy, self.jax.lax, self.jax.nn)
        self.trace = trace = checked_first(trace)
        self.results = results
        written = [one.target.number for one in trace.instructions if isinstance(one, t.Write)]
        written += [one.out for one in trace.instructions if isinstance(one, t.Accumulate)]
        self.written = {trace.values[number].storage for number in written}
        self.done: list[t.Instruction] = []
        self.stretch: list[t.Apply] = []
        self.late: list[t.Instruction] = []

    def collapsed(self) -> t.Trace:
        """The trace with one instruction in the place of each stretch."""
        for place, one in enumerate(self.trace.instructions):
            if isinstance(one, t.Apply) and self._computes(one):
                self.stretch.append(one)
            elif isinstance(one, (t.Constant, t.Given)) or (isinstance(one, t.Input) and one.of_grad is None):
                self.done.append(one)
            elif isinstance(one, t.Accumulate):
                self.late.append(one)
            else:
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
        self.stretch, self.late = [], []
        if len(stretch) < SHORTEST:
            self.done += stretch
        else:
            made = [out for one in stretch for out in one.outs]
            inside = set(made)
            taken = list(dict.fromkeys(number for one in stretch for number in t.read(one) if number not in inside))
            rest = [*late, *self.trace.instructions[place:]]
            asked = {number for one in rest for number in t.read(one)} | set(self.results)
            given = [number for number in made if number in asked]
            function = self._function(stretch, taken, given)
            self.done.append(t.Host(function, "xla", tuple(t.Bare(number) for number in taken), {}, tuple(given)))
        self.done += late

    def _function(self, stretch: list[t.Apply], taken: list[int], given: list[int]) -> Any:
        jax, lines, values = self.jax, self.lines, self.trace.values

        def compute(*arrays: Any) -> Any:
            found = dict(zip(taken, arrays, strict=True))

            def argument(value: Any, cast: Any) -> Any:
                if isinstance(value, t.Ref):
                    return found[value.number] if cast is None else found[value.number].astype(cast)
                if isinstance(value, tuple):
                    return [argument(one, cast) for one in value]
                return value if cast is None or value is None else jax.numpy.asarray(value, cast)

            for one in stretch:
                result = lines[one.op](*[argument(value, one.cast) for value in one.inputs], *one.params)
                several = len(table[one.op].outputs) > 1 or table[one.op].outputs == ["*"]
                found.update(zip(one.outs, result if several else (result,), strict=True))
            return [found[number] for number in given]

        compiled = jax.jit(compute)
        forms = [values[number] for number in given]

        def run(*arrays: Any) -> list[Any]:
            with jax.enable_x64(True):
                return [_laid(one, form) for one, form in zip(compiled(*arrays), forms, strict=True)]

        run.changes_nothing = True  # type: ignore[attr-defined]
        return run


def _laid(result: Any, form: t.Value) -> Any:
    """A result of XLA's as an array of NumPy's own, laid out as the program's was."""
    array = np.asarray(result)
    order = sorted(range(array.ndim), key=lambda axis: -form.strides[axis])
    laid = np.empty([form.shape[axis] for axis in order], form.dtype).transpose(np.argsort(order))
    laid[...] = array
    return laid
