"""A trace as one Python function over arrays: the kernels that the program called, in its order, with nothing in between.

Memory is as it was: a view is a view, a write is a write, so values of one array have one name. A name is forgotten after its last
use, and a pointwise op writes over an input that nobody reads any more.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd import engine, mirrors
from ...backend import numpy as backend
from ...backend.interrupts import came_by_a_signal
from ...backend.ownership import BY_REPLAY
from ...backend.pointwise import kernel_for
from ...base import errstate
from ...kernels import chains
from ...ops import promotion
from ...ops.table import table
from ...tensor import Tensor, new_tensor
from ..capture import trace as t
from .chains import chained, in_order
from .order import CannotReplay, changes, checked_first, of_any_shape


class Differs(Exception):
    """A result has another form than it had while recording."""


def _flat(result: Any) -> list[Any]:
    """The arrays in what a function gave, from left to right."""
    if isinstance(result, (tuple, list)):
        return [array for one in result for array in _flat(one)]
    if result is None:
        return []
    return [result._array if isinstance(result, Tensor) else result]


class Program:
    """``run(tensors)`` does what the trace says to ``tensors``, one for each input, and gives the arrays of ``results``.

    ``given``  values that are handed to ``run`` as arrays, behind the tensors
    ``text``   the function's text
    """

    exact = True  # it gives what the program gives to the last bit

    def __init__(self, trace: t.Trace, results: list[int], given: Sequence[int] = ()) -> None:
        self.trace = checked_first(trace)
        trace = self.steps = chained(self.trace, results)
        self.results, self.given = results, list(given)
        self.names: dict[int, str] = {}
        self.lines: list[str] = []
        self.space: dict[str, Any] = {
            "__name__": "rushlight.replay.replayed", "accumulate": engine.BackwardPass.accumulate, "asarray": np.asarray,
            "chain": chains.run, "copied": backend.copied, "copyto": np.copyto, "count": mirrors.count,
            "empty": np.empty, "flat": _flat, "HELD": BY_REPLAY, "ndarray": np.ndarray,
            "laid_out": backend.laid_out, "wrap": new_tensor,
            "Differs": Differs,
        }  # fmt: skip
        self.inputs = list(trace.tensors)
        self.of_grad = {one.out: one.of_grad for one in trace.instructions if isinstance(one, t.Input)}
        self.roots: dict[int, int] = {}  # of a value, the first one of the same array
        self.fresh: set[int] = set()  # the arrays that pointwise ops made
        self.room: list[tuple[Any, Any]] = []  # the shapes and dtypes of arrays that stay from run to run
        self.rooms: list[list[Any]] = []  # such arrays, for as many runs as there were at once
        self.placed: dict[int, int] = {}  # of an array, which of those it is
        self.vacant: list[int] = []  # those that no array needs any more
        self.uses = self._last_uses()
        self.into = self._written_at_once()
        self.started = False
        for place, instruction in enumerate(trace.instructions):
            self._emit(place, instruction)
        outs = ", ".join(self._name(number) for number in results)
        self.lines.append(f"return ({outs}{',' if len(results) == 1 else ''})")
        names = [f"t{number}" for number in self.inputs if self.of_grad[number] is None]
        names += [f"v{number}" for number in self.given]
        self.arguments = [number for number in self.inputs if self.of_grad[number] is None]
        if self.room:
            self.lines.insert(0, f"{', '.join(f'b{index}' for index in range(len(self.room)))}, = room")
        body = "\n".join("    " + line for line in self.lines)
        self.text = f"def replay({', '.join(['state', 'room', *names])}):\n    hold = []\n{body}\n"
        filename = f"<rushlight replay {id(self):x}>"
        linecache.cache[filename] = (len(self.text), None, self.text.splitlines(True), filename)
        scope: dict[str, Any] = {}
        exec(compile(self.text, filename, "exec"), self.space, scope)
        self.function: Callable[..., Any] = scope["replay"]

    def run(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays of the results, from the inputs' tensors and what is given.

        What is raised before anything has been changed is a :class:`CannotReplay`."""
        state = [False]
        loudness = errstate.now()
        errstate.begin()
        try:
            room = self.rooms.pop()
        except IndexError:
            room = [np.empty(*form) for form in self.room]
        try:
            return self.function(state, room, *tensors)  # type: ignore[no-any-return]
        except Exception as error:
            if state[0] or came_by_a_signal(error):
                raise
            raise CannotReplay(str(error)) from error
        finally:
            errstate.back(loudness)
            self.rooms.append(room)

    # Names and lifetimes.

    def _root(self, number: int) -> int:
        return self.roots.get(number, number)

    def _name(self, number: int) -> str:
        return f"v{self._root(number)}"

    def _last_uses(self) -> dict[int, int]:
        """The place of the last instruction that reads each array; results are read at the end."""
        for one in self.steps.instructions:
            if isinstance(one, t.Write):
                self.roots[one.out] = self._root(one.target.number)
            elif isinstance(one, t.Again):
                self.roots[one.out] = self._root(one.source.number)
        uses: dict[int, int] = {}
        for place, one in enumerate(self.steps.instructions):
            for number in t.read(one):
                uses[self._root(number)] = place
        for number in self.results:
            uses[self._root(number)] = len(self.steps.instructions)
        leave = [number for one in self.steps.instructions if isinstance(one, (t.Host, t.Accumulate)) for number in t.read(one)]
        self.leaving = {self._root(number) for number in (*leave, *self.results)}
        self.shared: dict[int, set[int]] = {}  # the arrays in each storage
        for number, value in enumerate(self.trace.values):
            self.shared.setdefault(value.storage, set()).add(self._root(number))
        return uses

    def _written_at_once(self) -> dict[int, int]:
        """Of results of chains that are only copied to memory which lies in order, that memory: the chain writes there itself."""
        found, values = {}, self.trace.values
        for place, (chain, write) in enumerate(itertools.pairwise(self.steps.instructions), 1):
            if not isinstance(chain, t.Chain) or not isinstance(write, t.Write) or not isinstance(write.source, t.Ref):
                continue
            out, target = write.source.number, write.target.number
            there = values[target]
            alike = out in chain.outs and (there.shape, there.dtype) == (values[out].shape, values[out].dtype)
            read = {self._root(ref.number) for ref in chain.inputs if values[ref.number].storage == there.storage}
            if alike and in_order(there) and self._dead(out, place) and read <= {self._root(target)}:
                found[out] = target
        return found

    def _dead(self, number: int, place: int) -> bool:
        return self.uses.get(self._root(number), -1) <= place

    # Text.

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.space)}"
        self.space[name] = value
        return name

    def _say(self, line: str) -> None:
        self.lines.append(line)

    def _begin(self) -> None:
        """What follows changes what others see: there is no way back from here."""
        if not self.started:
            self.started = True
            self._say("state[0] = True")

    def _emit(self, place: int, instruction: t.Instruction) -> None:
        match instruction:
            case t.Input(out, None):
                self._say(f"v{out} = t{out}._array")
            case t.Input(out, of):
                self._say(f"t{out} = t{of}._grad")
                self._say(f"v{out} = t{out}._array")
            case t.Given():
                pass
            case t.Constant(array, out):
                self._say(f"v{out} = {self._constant(array)}")
            case t.Apply():
                self._apply(place, instruction)
            case t.Chain():
                self._chain(place, instruction)
            case t.Copy(source, out):
                self._say(f"v{out} = {self._name(source.number)}.copy()")
            case t.Write(target, source, _, name, counted, of_grad):
                self._begin()
                if not isinstance(source, t.Ref) or source.number not in self.into:
                    value = self._name(source.number) if isinstance(source, t.Ref) else self._constant(source)
                    self._say(f"copyto({self._name(target.number)}, {value}, casting='unsafe')")
                if counted is not None or of_grad is not None:
                    owner = f"t{counted}" if counted is not None else f"t{of_grad}._grad"
                    self._say(f"count({owner}._counter, {name!r}, None)")
            case t.Again():
                pass
            case t.Accumulate(leaf, source, out):
                self._accumulate(place, leaf, source.number, out)
            case t.SetGrad(leaf):
                self._begin()
                self._say(f"t{leaf}._grad = None")
            case t.Host():
                self._host(place, instruction)
        dead = [number for number in t.read(instruction) if self._dead(number, place)]
        gone = [self._name(number) for number in dead]
        if gone and not isinstance(instruction, t.Accumulate):
            self._say(f"{' = '.join(dict.fromkeys(gone))} = None")
        for number in dead:
            if (own := self.placed.pop(self._root(number), None)) is not None:
                self.vacant.append(own)

    def _apply(self, place: int, one: t.Apply) -> None:
        op = table[one.op]
        values = self.trace.values
        arguments = [self._argument(value, one.cast) for value in one.inputs]
        parameters = [self._parameter(value) for value in one.params]
        computing = kernel_for(op.kernel, values[one.outs[0]])
        kernel, is_ufunc = self._constant(computing), isinstance(computing, np.ufunc)
        given = ", ".join([*arguments, *parameters])
        outs = [self._name(out) for out in one.outs]
        if is_ufunc:
            into = "..." if one.laid else self._writes_over(place, one)
            text = f"{kernel}({given}, out={into})"
        else:
            text = f"{kernel}({given})"
        several = len(op.outputs) > 1 or op.outputs == ["*"]
        self._say(f"{', '.join(outs)}{',' if several else ''} = {text}")
        for out, name in zip(one.outs, outs, strict=True):
            if not is_ufunc:
                if not values[out].shape:
                    self._say(f"if {name}.__class__ is not ndarray: {name} = asarray({name})")
                if self._may_differ(one):
                    self._say(f"if {name}.shape != {values[out].shape}: raise Differs")
        if one.laid:
            names = [self._name(ref.number) for ref in one.inputs if isinstance(ref, t.Ref)]
            self._say(f"{outs[0]} = laid_out({outs[0]}, [{', '.join(names)}])")

    def _may_differ(self, one: t.Apply) -> bool:
        """Whether the shapes of results may depend on values: on those of indices and masks, or by the op's meaning."""
        read = [self.trace.values[number] for number in t.read(one)]
        return of_any_shape(one) or (table[one.op].promote is None and any(value.dtype.kind not in "fcVW" for value in read))

    def _chain(self, place: int, one: t.Chain) -> None:
        """Results are new arrays, or inputs that nobody reads any more."""
        left = [ref.number for ref in one.inputs if self._dead(ref.number, place)]
        outs = []
        for out in one.outs:
            value = self.trace.values[out]
            if out in self.into:
                outs.append(self._name(self.into[out]))
                continue
            self.fresh.add(self._root(out))
            outs.append(self._name(out))
            if self._stays(out):
                self._say(f"{outs[-1]} = {self._placed(out)}")
                continue
            over = next((number for number in left if self._may_be(number, value)), None)
            if over is None:
                self._say(f"{outs[-1]} = empty({value.shape}, {self._constant(value.dtype)})")
            else:
                left.remove(over)
                self._say(f"{outs[-1]} = {self._name(over)}")
        arrays = ", ".join([*outs, *(self._name(ref.number) for ref in one.inputs)])
        self._say(f"if not chain({self._constant(one.program)}, {arrays}): raise Differs")

    def _is_alone(self, number: int) -> bool:
        """Whether an array is the only one in its memory."""
        return self.shared[self.trace.values[number].storage] == {self._root(number)}

    def _may_be(self, number: int, out: t.Value) -> bool:
        """Whether an array is this program's alone, and like ``out``: what nobody reads any more may be written over."""
        value = self.trace.values[number]
        alone = self._is_alone(number) and self._root(number) in self.fresh and self._root(number) not in self.placed
        return alone and (value.shape, value.dtype, value.strides) == (out.shape, out.dtype, out.strides) and out.shape != ()

    def _stays(self, number: int) -> bool:
        """Whether nobody outside ever sees an array that lies in order: its memory may be the same at each run."""
        value = self.trace.values[number]
        return bool(value.shape) and in_order(value) and self._is_alone(number) and self._root(number) not in self.leaving

    def _placed(self, number: int) -> str:
        """Memory that stays, for an array until it is read the last time."""
        value = self.trace.values[number]
        form = value.shape, value.dtype
        own = next((one for one in self.vacant if self.room[one] == form), None)
        if own is None:
            own = len(self.room)
            self.room.append(form)
        else:
            self.vacant.remove(own)
        self.placed[self._root(number)] = own
        return f"b{own}"

    def _writes_over(self, place: int, one: t.Apply) -> str:
        """Where a pointwise op may write: memory that stays, or an input that nobody reads any more."""
        values = self.trace.values
        out = values[one.outs[0]]
        self.fresh.add(self._root(one.outs[0]))
        if self._stays(one.outs[0]):
            return self._placed(one.outs[0])
        for ref in one.inputs:
            if not isinstance(ref, t.Ref) or not self._dead(ref.number, place):
                continue
            if self._may_be(ref.number, out):
                return self._name(ref.number)
        return "..."

    def _argument(self, value: Any, cast: np.dtype[Any] | None) -> str:
        if isinstance(value, t.Ref):
            name = self._name(value.number)
            if cast is not None and self.trace.values[value.number].dtype != cast:
                return f"copied({name}, {self._constant(cast)})"
            return name
        if isinstance(value, tuple):
            return f"[{', '.join(self._argument(one, cast) for one in value)}]"
        if value is None:
            return "None"
        return self._constant(promotion.number_array(value, cast) if cast is not None else value)

    def _parameter(self, value: Any) -> str:
        if isinstance(value, t.Bare):
            return self._name(value.number)
        if isinstance(value, t.Ref):
            raise CannotReplay("a tensor as an op's option")
        if type(value) in (tuple, list) and _has_values(value):
            inner = ", ".join(self._parameter(one) for one in value)
            return f"[{inner}]" if type(value) is list else f"({inner},)"
        return self._constant(value)

    def _accumulate(self, place: int, leaf: int, source: int, out: int) -> None:
        self._begin()
        name = self._name(source)
        self._say(f"hold.append({name})")
        if self._dead(source, place):
            self._say(f"{name} = None")
        self._say(f"accumulate(t{leaf}, hold.pop(), HELD)")
        if self._root(out) in self.uses:
            self._say(f"{self._name(out)} = t{leaf}._grad._array")

    def _host(self, place: int, one: t.Host) -> None:
        if changes(one):
            self._begin()
        given = [self._handed(value) for value in one.args]
        given += [f"{key}={self._handed(value)}" for key, value in one.kwargs.items()]
        self._say(f"r = flat({self._constant(one.function)}({', '.join(given)}))")
        given_to = {self._root(number) for number in t.read(one)}
        for index, out in enumerate(one.outs):
            if self._root(out) in given_to or self._root(out) in self.inputs:
                continue
            value = self.trace.values[out]
            self._say(f"{self._name(out)} = r[{index}]")
            if value.storage >= 0:
                self._say(f"if {self._name(out)}.shape != {value.shape}: raise Differs")
        if one.outs:
            self._say("r = None")
        if changes(one):  # an optimizer may have given a tensor other memory
            for number in self.inputs:
                if self.uses.get(self._root(number), -1) > place and self._was_seen(number, place):
                    self._say(f"v{number} = t{number}._array")

    def _was_seen(self, number: int, place: int) -> bool:
        return any(isinstance(one, t.Input) and one.out == number for one in self.steps.instructions[:place])

    def _handed(self, value: Any) -> str:
        if isinstance(value, t.Ref):
            root = self._root(value.number)
            return f"t{root}" if root in self.inputs else f"wrap(v{root})"
        if isinstance(value, t.Bare):
            return self._name(value.number)
        if type(value) in (tuple, list) and _has_values(value):
            inner = ", ".join(self._handed(one) for one in value)
            return f"[{inner}]" if type(value) is list else f"({inner},)"
        if type(value) is list:
            return f"list({self._constant(value)})"
        return self._constant(value)


def _has_values(value: Any) -> bool:
    if isinstance(value, (t.Ref, t.Bare)):
        return True
    return isinstance(value, (tuple, list)) and any(map(_has_values, value))
