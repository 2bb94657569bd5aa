"""What a trace is: a program as a list of instructions without branches, over numbered values.

A value is numbered once and never changes (SSA): a write makes a new value of the tensor that was written to, and a view that is
read after a write into its memory is a new value too (:class:`Again`). Which values lie in one memory is told by
``Value.storage``; a reader that keeps memory as it is (NumPy) may give all values of one array one name, a reader without
memory (XLA) follows the numbers.

    3 = mul(1, 2)                 Apply
    4 = write(1, 3)               Write: what 1 is once 3 was copied into its memory
    5 = again(0)                  Again: 0, a view of the memory of 1, read after that write
    6 = accumulate(0, 5)          Accumulate: the .grad of the leaf that is input 0 once 5 was added to it
    7 = host(zeros, (2, 3))       Host: a function called as it stands, each time anew
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, get_args

import numpy as np


@dataclass(frozen=True, slots=True)
class Ref:
    """A value as an argument of an instruction, wherever numbers, lists and options stand too."""

    number: int

    def __repr__(self) -> str:
        return f"%{self.number}"


@dataclass(frozen=True, slots=True)
class Bare:
    """A value as it is, where a function or an op's parameter takes an array and no tensor; or what a function hands on."""

    number: int


class Value(NamedTuple):
    """What is known of a value: its array's form, and the memory that it lies in."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]
    storage: int

    @property
    def size(self) -> int:
        """How many elements there are."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor that was there before the program ran: an argument, or one that it found (a parameter, a closure's).

    ``of_grad``  it is the ``.grad`` of the input of that number
    """

    out: int
    of_grad: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """An array that is handed over: the gradient of a result, where its backward pass has been recorded behind the program."""

    out: int


@dataclass(frozen=True, slots=True)
class Constant:
    """An array that is the same each time, such as the ones that a backward pass begins with."""

    array: np.ndarray[Any, Any]
    out: int


@dataclass(frozen=True, slots=True)
class Apply:
    """An op of the table: its inputs (a :class:`Ref`, a tuple of them, a number or None for each), its parameters, its results.

    ``cast``  the dtype that inputs are brought to first, numbers too; None where the kernel takes them as they are
    ``laid``  the result is laid out in memory as the inputs are together
    """

    op: str
    inputs: tuple[Any, ...]
    params: tuple[Any, ...]
    outs: tuple[int, ...]
    cast: np.dtype[Any] | None = None
    laid: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a value, made before its memory was written to."""

    source: Ref
    out: int


@dataclass(frozen=True, slots=True)
class Write:
    """``source``, broadcast and cast, copied into the memory of ``target``; ``out`` is what the target is then.

    ``counted``  the input whose version counts it, where the memory was there before
    ``of_grad``  the leaf of whose ``.grad`` it is the version, where the program made that
    """

    target: Ref
    source: Ref | bool | int | float | complex
    out: int
    name: str = ""
    counted: int | None = None
    of_grad: int | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """The value of an array once more, after writes into its memory through other arrays; ``after`` is the last write's result."""

    source: Ref
    after: int
    out: int


@dataclass(frozen=True, slots=True)
class Accumulate:
    """The end of a backward pass at a leaf: ``source`` is added to the ``.grad`` of input ``leaf``, or becomes it."""

    leaf: int
    source: Ref
    out: int


@dataclass(frozen=True, slots=True)
class SetGrad:
    """The ``.grad`` of input ``leaf`` set to None."""

    leaf: int


@dataclass(frozen=True, slots=True)
class Host:
    """A function called each time as it stands: creation, draws of random numbers, an optimizer's step.

    ``args``, ``kwargs``  with a :class:`Ref` for each tensor of the trace, a :class:`Bare` for each array
    ``outs``              the numbers of the tensors and arrays in its result, from left to right
    """

    function: Callable[..., Any]
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Several pointwise ops done in one sweep (replay/chains.py), in no trace as it was recorded.

    ``program``  what kernels/chains.py runs
    ``ops``      what they were
    """

    program: bytes
    inputs: tuple[Ref, ...]
    outs: tuple[int, ...]
    ops: tuple[Apply, ...]


Instruction = Chain | Input | Given | Constant | Apply | Copy | Write | Again | Accumulate | SetGrad | Host


@dataclass(slots=True)
class Trace:
    """A program that ran.

    ``instructions``  in the order in which they were done
    ``values``        what is known of each value, by its number
    ``tensors``       of each input the tensor that it was while recording
    """

    instructions: list[Instruction] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    tensors: dict[int, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(map(line, self.instructions))

    def same_as(self, other: Trace) -> bool:
        """Whether another recording is of the same program, whatever numbers it ran on."""
        if len(self.instructions) != len(other.instructions) or len(self.values) != len(other.values):
            return False
        if self.values != other.values:
            return False
        return all(alike(mine, its) for mine, its in zip(self.instructions, other.instructions, strict=True))


def line(instruction: Instruction) -> str:
    """An instruction as a line of text."""
    match instruction:
        case Input(out, None):
            return f"%{out} = input"
        case Input(out, of):
            return f"%{out} = grad of %{of}"
        case Given(out):
            return f"%{out} = given"
        case Constant(array, out):
            return f"%{out} = constant {array.dtype}{list(array.shape)}"
        case Apply(op, inputs, params, outs):
            options = ", ".join(map(str, (*inputs, *params)))
            return f"{', '.join(f'%{out}' for out in outs)} = {op}({options})"
        case Chain(_, _, outs, ops):
            return f"{', '.join(f'%{out}' for out in outs)} = chain({', '.join(one.op for one in ops)})"
        case Copy(source, out):
            return f"%{out} = copy({source})"
        case Write(target, source, out, name, _, _):
            return f"%{out} = write({target}, {source}) by {name}"
        case Again(source, after, out):
            return f"%{out} = again({source}) after %{after}"
        case Accumulate(leaf, source, out):
            return f"%{out} = accumulate(%{leaf}, {source})"
        case SetGrad(leaf):
            return f"grad of %{leaf} = None"
        case Host(_, name, args, kwargs, outs):
            options = ", ".join([*map(_short, args), *(f"{key}={_short(value)}" for key, value in kwargs.items())])
            return f"{', '.join(f'%{out}' for out in outs) or 'nothing'} = host {name}({options})"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 and "\n" not in text else type(value).__name__


_FIELDS = {kind: tuple(each.name for each in fields(kind)) for kind in get_args(Instruction)}
_PLAIN = (Ref, Bare, bool, int, str, bytes, type(None), np.dtype, slice, range)


def alike(mine: Any, its: Any) -> bool:
    """Whether two arguments, options or instructions say the same; numbers to the last bit."""
    if mine is its:
        return True
    kind = type(mine)
    if kind is not type(its):
        return False
    if kind is Ref:
        return bool(mine.number == its.number)
    if kind in _FIELDS:
        return all(alike(getattr(mine, name), getattr(its, name)) for name in _FIELDS[kind])
    if isinstance(mine, (float, complex)):
        return repr(mine) == repr(its)
    if isinstance(mine, _PLAIN):
        return bool(mine == its)
    if isinstance(mine, (list, tuple)):
        return len(mine) == len(its) and all(map(alike, mine, its))
    if isinstance(mine, dict):
        return list(mine) == list(its) and all(map(alike, mine.values(), its.values()))
    if isinstance(mine, (np.ndarray, np.generic)):
        return mine.dtype == its.dtype and mine.shape == its.shape and mine.tobytes() == its.tobytes()
    if callable(mine) and hasattr(mine, "__code__"):
        return mine.__code__ is its.__code__ and all(
            alike(one.cell_contents, other.cell_contents)
            for one, other in zip(mine.__closure__ or (), its.__closure__ or (), strict=True)
        )
    return False


def values_in(value: Any) -> list[int]:
    """The values in an argument."""
    if type(value) is Ref:
        return [value.number]
    if isinstance(value, (Ref, Bare)):
        return [value.number]
    if isinstance(value, (tuple, list)):
        found = []
        for one in value:
            if type(one) is Ref:  # most are: a call less
                found.append(one.number)
            else:
                found += values_in(one)
        return found
    if isinstance(value, dict):
        return [number for one in value.values() for number in values_in(one)]
    return []


def read(one: Instruction) -> list[int]:
    """The values that an instruction reads."""
    if type(one) is Apply:
        return values_in(one.inputs) + values_in(one.params) if one.params else values_in(one.inputs)
    match one:
        case Chain():
            return values_in(one.inputs)
        case Copy() | Again() | Accumulate():
            return [one.source.number]
        case Write():
            return [one.target.number, *values_in(one.source)]
        case Host():
            return values_in(one.args) + values_in(one.kwargs)
        case _:
            return []


def made(one: Instruction) -> tuple[int, ...]:
    """The values that an instruction makes."""
    if isinstance(one, (Apply, Chain, Host)):
        return one.outs
    return () if isinstance(one, SetGrad) else (one.out,)
