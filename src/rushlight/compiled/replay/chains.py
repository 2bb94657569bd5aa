"""Pointwise ops that follow one another on arrays of one form, done in one sweep by a compiled kernel (kernels/chains.py).

An op waits for those that come after it, until something else asks for its result or changes what others see. Only ops whose
kernels do what the chain's steps do, to the last bit, are taken.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ...kernels import chains
from ..capture import trace as t
from .order import changes

MOST_STEPS, MOST_INPUTS = 30, 14
_LONG = 32  # numbers of a line that is not all of the arrays: of shorter ones NumPy makes less of a fuss
_EXACT = 1 << 24  # whole numbers up to here are what they are in single precision

Operand = t.Ref | float
Steps = list[tuple[str, Any, Any]]  # a step reads values, numbers, or (-1) what the one before it gave


def _is_number(value: Any) -> bool:
    return value.__class__ is float or (value.__class__ is int and abs(value) <= _EXACT)


def _power(x: Any, exponent: Any) -> Steps | None:
    if exponent == 2:
        return [("multiply", x, x)]
    if exponent == 1:
        return [("multiply", x, 1.0)]
    if exponent == 3:
        return [("multiply", x, x), ("multiply", BEFORE, x)]
    return [("divide", 1.0, x)] if exponent == -1 else None


def _less(x: Any, number: Any, alpha: Any) -> Steps | None:
    return [("subtract", number, x)] if alpha == 1 and alpha is not True else None


BEFORE: Any = object()
_ARITHMETIC: dict[str, Callable[..., Steps | None]] = {
    "add": lambda a, b: [("add", a, b)],
    "sub": lambda a, b: [("subtract", a, b)],
    "mul": lambda a, b: [("multiply", a, b)],
    "div": lambda a, b: [("divide", a, b)],
    "neg": lambda x: [("negative", x, x)],
    "times": lambda x, number: [("multiply", x, number)],
    "divide_by": lambda x, number: [("divide", x, number)],
    "pow_number": _power,
    "rsub_number": _less,
}
# Kernels that are compiled ones where arrays lie in order, by their ops: step for step the same loops.
_SWEEPS = {
    "sigmoid": "sigmoid", "tanh": "tanh", "silu": "silu", "mish": "mish", "log_sigmoid": "log_sigmoid", "gelu_erf": "gelu",
}  # fmt: skip
_BACKWARD_SWEEPS = frozenset(("sigmoid_backward", "tanh_backward", "relu_backward"))
_STRETCHES = frozenset(("expand", "expand_number"))


def in_order(value: t.Value) -> bool:
    """Whether an array lies row by row without gaps."""
    step = value.dtype.itemsize
    for length, stride in zip(reversed(value.shape), reversed(value.strides), strict=True):
        if length != 1 and stride != step:
            return False
        step *= length
    return True


class _Group:
    """Ops on arrays of one form that wait."""

    def __init__(self) -> None:
        self.ops: list[t.Apply] = []
        self.steps: list[Steps] = []
        self.outs: set[int] = set()
        self.inputs: set[int] = set()

    def count(self) -> int:
        return sum(map(len, self.steps))


def chained(trace: t.Trace, results: list[int]) -> t.Trace:
    """The trace with a :class:`~rushlight.compiled.capture.trace.Chain` in the place of ops that one sweep does."""
    return _Chaining(trace, results).done() if chains.STEPS else trace


class _Chaining:
    def __init__(self, trace: t.Trace, results: list[int]) -> None:
        self.trace, self.values = trace, trace.values
        written = [one.target.number for one in trace.instructions if isinstance(one, t.Write)]
        written += [one.out for one in trace.instructions if isinstance(one, t.Accumulate)]
        self.written = {self.values[number].storage for number in written}
        self.stretched: dict[int, int] = {}  # of what is only stretched, what it is
        self.groups: dict[tuple[Any, ...], _Group] = {}
        self.order: list[t.Instruction | _Group] = []
        self.results = results

    def done(self) -> t.Trace:
        for one in self.trace.instructions:
            found = self._steps(one) if isinstance(one, t.Apply) else None
            if found is not None and isinstance(one, t.Apply):
                self._join(one, found)
                continue
            self._end(lambda group, one=one: changes(one) or not group.outs.isdisjoint(t.read(one)))  # type: ignore[misc]
            if isinstance(one, t.Apply) and one.op in _STRETCHES and isinstance(one.inputs[0], t.Ref):
                source = self.values[one.inputs[0].number]
                if source.storage not in self.written and source.dtype == self.values[one.outs[0]].dtype:
                    self.stretched[one.outs[0]] = one.inputs[0].number
            self.order.append(one)
        self._end(lambda group: True)
        return t.Trace(_asked_for(self._chains(), set(self.results)), self.values, self.trace.tensors)

    def _join(self, one: t.Apply, steps: Steps) -> None:
        form = self._form(one)
        read = {ref.number for step in steps for ref in step[1:] if isinstance(ref, t.Ref)}
        mine = self.groups.get(form)
        self._end(lambda group: group is not mine and not read.isdisjoint(group.outs))
        if mine is None or mine.count() + len(steps) > MOST_STEPS or len(mine.inputs | (read - mine.outs)) > MOST_INPUTS:
            self._end(lambda group: group is mine)
            mine = self.groups[form] = _Group()
        mine.ops.append(one)
        mine.steps.append(steps)
        mine.inputs |= read - mine.outs
        mine.outs.add(one.outs[0])

    def _form(self, one: t.Apply) -> tuple[Any, ...]:
        out = self.values[one.outs[0]]
        return out.shape, out.dtype.char

    def _end(self, ends: Callable[[_Group], bool]) -> None:
        for form, group in list(self.groups.items()):
            if ends(group):
                del self.groups[form]
                self.order.append(group)

    # Which ops.

    def _steps(self, one: t.Apply) -> Steps | None:
        """What a chain does for an op; None where it cannot."""
        out = self.values[one.outs[0]]
        if out.dtype.char not in "fd" or not out.shape or out.storage in self.written or not in_order(out):
            return None
        if one.op in _SWEEPS or one.op in _BACKWARD_SWEEPS:
            refs = [value for value in one.inputs if isinstance(value, t.Ref)]
            forms = [self.values[ref.number] for ref in refs]
            if not all((form.shape, form.dtype) == (out.shape, out.dtype) and in_order(form) for form in forms):
                return None
            if one.op in _SWEEPS:
                return [(_SWEEPS[one.op], refs[0], refs[0])] if len(one.inputs) == 1 and not one.params else None
            return [(one.op, refs[1], refs[0])] if len(refs) == 2 and not one.params else None
        write = _ARITHMETIC.get(one.op)
        if write is None:
            return None
        operands = [self._operand(value, out) for value in (*one.inputs, *one.params)]
        return None if None in operands else write(*operands)

    def _operand(self, value: Any, out: t.Value) -> Operand | None:
        if not isinstance(value, t.Ref):
            return value if _is_number(value) else None
        form = self.values[value.number]
        if form.dtype != out.dtype:
            return None
        if value.number in self.stretched:
            source = self.stretched[value.number]
            if _broadcasts(self.values[source].shape, out.shape):
                value, form = t.Ref(source), self.values[source]
        plain = (form.shape == out.shape and in_order(form)) or not form.shape
        return value if plain or out.shape[-1] >= _LONG else None

    # Which chains.

    def _chains(self) -> list[t.Instruction]:
        found: list[t.Instruction] = []
        last: dict[int, int] = {}
        for place, one in enumerate(self.order):
            read = one.inputs if isinstance(one, _Group) else t.read(one)
            last.update(dict.fromkeys(read, place))
        for place, one in enumerate(self.order):
            if not isinstance(one, _Group):
                found.append(one)
            elif one.count() == 1:
                found += one.ops
            else:
                outs = [op.outs[0] for op in one.ops]
                kept = [out for out in outs if last.get(out, -1) > place or out in self.results]
                if kept:
                    found.append(_chain(one, outs, kept))
        return found


def _broadcasts(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    lead = len(wide) - len(shape)
    return lead >= 0 and all(mine in (1, its) for mine, its in zip(shape, wide[lead:], strict=True))


def _chain(group: _Group, outs: list[int], kept: list[int]) -> t.Instruction:
    """The chain of a group, with registers that are used again once nobody reads them."""
    inputs = sorted(group.inputs)
    flat: Steps = []
    made: dict[int, int] = {}  # of a value, the number of the step that gives it
    for out, steps in zip(outs, group.steps, strict=True):
        flat += steps
        made[out] = len(flat) - 1
    numbers = list(dict.fromkeys(_bits(one) for step in flat for one in step[1:] if not _is_register(one)))
    registers: dict[Any, int] = {number: index for index, number in enumerate(inputs)}
    registers.update({key: len(inputs) + index for index, key in enumerate(numbers)})
    until = {made[out]: len(flat) for out in kept}  # by steps, the last one that reads them
    for place, step in enumerate(flat):
        for source in _sources(step, made, place):
            until[source] = max(until.get(source, -1), place)
    free: list[int] = []
    of_step: dict[int, int] = {}
    most = len(registers)
    code: list[tuple[str, int, int, int]] = []
    for place, step in enumerate(flat):
        read = [
            of_step[place - 1] if one is BEFORE else of_step[made[one.number]] if isinstance(one, t.Ref) and one.number in made
            else registers[one.number if isinstance(one, t.Ref) else _bits(one)] for one in step[1:]
        ]  # fmt: skip
        for source in set(_sources(step, made, place)):
            if until[source] == place:
                free.append(of_step[source])
        if free:
            own = free.pop()
        else:
            own, most = most, most + 1
        of_step[place] = own
        code.append((step[0], read[0], read[1], own))
        if place not in until:
            free.append(own)
    program = chains.program(
        len(inputs), [struct.unpack("=d", bits)[0] for bits in numbers], code, [of_step[made[out]] for out in kept]
    )
    return t.Chain(program, tuple(map(t.Ref, inputs)), tuple(kept), tuple(group.ops))


def _is_register(one: Any) -> bool:
    return isinstance(one, t.Ref) or one is BEFORE


def _bits(number: Any) -> bytes:
    """What tells numbers apart, 0.0 and -0.0 too."""
    return struct.pack("=d", number)


def _sources(step: Any, made: dict[int, int], place: int) -> list[int]:
    found = [made[one.number] for one in step[1:] if isinstance(one, t.Ref) and one.number in made]
    return [*found, place - 1] if BEFORE in step[1:] else found


def _asked_for(instructions: list[t.Instruction], results: set[int]) -> list[t.Instruction]:
    """Without what is only stretched and read by nobody any more."""
    read = {number for one in instructions for number in t.read(one)} | results
    return [one for one in instructions if not (isinstance(one, t.Apply) and one.op in _STRETCHES and one.outs[0] not in read)]
