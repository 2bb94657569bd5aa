"""The recorder: turns what a running program does with tensors into a trace.

An array is known by its identity (the recorder keeps it alive, so no other takes its place), the memory it lies in by the array
that owns it. An array that is in no instruction's result and no tensor's that was there before is nothing the trace can explain:
the recording fails then, with the reason.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...autograd import modes
from ...autograd.mirrors import Mirror, mirrors_by_counter
from ...base import dtypes
from ...base.arguments import OWN_CODE, user_frame
from ...ops import promotion
from ...tensor import PLAIN, Tensor, wrap
from . import known_functions
from . import trace as t


class NotUnderstood(Exception):
    """Why a program cannot be replayed; ``place`` is the user's line, where it is one line's doing."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


class Recorder:
    """A recording under way.

    ``before``  the tensors that were there before; None takes all that the trace does not make, which is for a first look
    """

    def __init__(self, before: Collection[Tensor] | None) -> None:
        self.before = None if before is None else {id(tensor): tensor for tensor in before}
        self.arrays = {id(tensor._array): tensor for tensor in before or ()}
        found = [(tensor, self.arrays[id(tensor._array)], tensor._array) for tensor in before or ()]
        self.twins = [one for one in found if one[0] is not one[1]]  # two tensors of one array, which are one value
        self.trace = t.Trace()
        self.failure: NotUnderstood | None = None
        self.broken: NotUnderstood | None = None  # where the program asks for its graph to end
        self.asks_places = False  # whether the program asks where in their memory tensors lie
        self.within = 0  # how many ops are running, in which nobody looks at functions
        self.ones = 0  # how many gradients of one number are to be expected
        self.numbers: dict[int, int] = {}  # of arrays, by their identity, as they are now
        self.held: list[Any] = []  # arrays that are known by identity
        self.storages: dict[int, int] = {}  # of arrays that own memory
        self.written: dict[int, int] = {}  # the last write into a storage
        self.current: dict[int, int] = {}  # of a value, how many writes into its storage it has seen
        self.writes: dict[int, int] = {}  # how many there were
        self.inputs: dict[int, int] = {}  # input tensors' numbers, by the tensor's identity
        self.grad_seen: dict[int, bool] = {}  # of input tensors, whether they had a .grad when it first mattered
        self.counters: dict[int, int] = {}  # version counters of inputs, by their identity: the number of one that has it
        self.array_inputs: dict[int, int] = {}  # inputs by their arrays
        self.grads: dict[int, int] = {}  # of gradients that the program made, by their version counters: the leaf's number
        self.early: dict[int, tuple[int, Tensor]] = {}  # results of running ops, by their arrays: the numbers that hooks know
        self.made: set[int] = set()  # storages that the program made
        self.counts: dict[int, list[Any]] = {}  # version counters that writes went by, with how many

    def fail(self, reason: str) -> None:
        """The recording is of no use; the program goes on."""
        if self.failure is None:
            self.failure = NotUnderstood(reason, _place(sys._getframe(1)))

    def breaks_here(self) -> None:
        """The program asks for a break of its graph, of which there is none."""
        if self.broken is None:
            self.broken = NotUnderstood("a call of torch._dynamo.graph_break()", _place(sys._getframe(1)))

    # Values.

    def _storage(self, array: Any) -> int:
        owner = array
        while type(owner.base) is np.ndarray:
            owner = owner.base
        number = self.storages.get(id(owner))
        if number is None:
            number = self.storages[id(owner)] = len(self.storages)
            self.held.append(owner)
        return number

    def new(self, array: Any, made: bool = True) -> int:
        """The number of a new value, which ``array`` is from now on."""
        number, storages = len(self.trace.values), len(self.storages)
        storage = self._storage(array)
        if made and len(self.storages) > storages:
            self.made.add(storage)
        self.trace.values.append(t.Value(array.shape, array.dtype, array.strides, storage))
        self.numbers[id(array)] = number
        self.held.append(array)
        self.current[number] = self.writes.get(storage, 0)
        return number

    def note(self, instruction: t.Instruction) -> None:
        self.trace.instructions.append(instruction)

    def has_made(self, tensor: Tensor) -> bool:
        """Whether a tensor is the program's own, and its memory too."""
        number = self.numbers.get(id(tensor._array))
        return number is not None and self.trace.values[number].storage in self.made

    def knows(self, array: Any) -> bool:
        return id(array) in self.numbers

    def ref(self, tensor: Tensor) -> t.Ref:
        """The value that a tensor is now."""
        if type(tensor) not in PLAIN or not tensor._strided or tensor._of_batch:
            self.fail(f"a tensor of the kind {type(tensor).__name__}, which is more than an array")
        array = tensor._array
        if (tensor._conjugate or tensor._negated) and not self.has_made(tensor):
            self.fail("a conjugate or a negative that the program did not make")
        if type(array) is not np.ndarray:
            self.fail("a tensor without memory")
        elif id(array) not in self.numbers:
            self._look_up(tensor)
        return self.array_ref(array)

    def array_ref(self, array: Any) -> t.Ref:
        """The value that an array is now; a placeholder where the recording has failed."""
        number = self.numbers.get(id(array))
        if number is None and (tensor := self.there(array)) is not None:
            self.input(tensor)
            number = self.numbers.get(id(array))
        if number is None:
            if self.before is not None:
                self.fail("a tensor that nothing in the trace has made")
            return t.Ref(self.new(array if type(array) is np.ndarray else np.empty(0)))
        storage = self.trace.values[number].storage
        if self.current[number] != self.writes.get(storage, 0):
            again = self.new(array, False)
            self.note(t.Again(t.Ref(number), self.written[storage], again))
            number = again
        return t.Ref(number)

    def _look_up(self, tensor: Tensor) -> None:
        """A tensor that the trace did not make: was it there before?"""
        if self.before is not None and id(tensor) not in self.before:
            there = self.there(tensor._array)
            if there is None:
                self.fail("a tensor that nothing in the trace has made")
                return
            tensor = there
        self.input(tensor)

    def of_one_array(self) -> list[tuple[Tensor, Tensor]]:
        """Pairs of tensors that were there before, and were one value in the trace."""
        return [(one, other) for one, other, array in self.twins if id(array) in self.numbers]

    def there(self, array: Any) -> Tensor | None:
        """The tensor that was there before with this very array."""
        tensor = self.arrays.get(id(array))
        return tensor if tensor is not None and tensor._array is array else None

    def input(self, tensor: Tensor, of_grad: int | None = None) -> int:
        """The number of a tensor that was there before."""
        number = self.inputs.get(id(tensor))
        if number is None:
            array = tensor._array
            number = self.inputs[id(tensor)] = self.new(array, False)
            self.held.append(tensor)
            self.trace.tensors[number] = tensor
            self.counters.setdefault(id(tensor._counter), number)
            self.array_inputs.setdefault(id(array), number)
            self.note(t.Input(number, of_grad))
            storage = self.trace.values[number].storage
            self.current[number] = 0
            if self.writes.get(storage):  # written before it was first looked at
                self.array_ref(array)
        return number

    # What happens.

    def before_op(self, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs of an op, looked up before it runs."""
        if modes.state.anomaly:
            self.fail("anomaly detection, which looks at values")
        return tuple(self._argument(value) for value in args[: len(op.inputs)])

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self.ref(value)
        if isinstance(value, (list, tuple)):
            return tuple(self._argument(one) for one in value)
        return value

    def saves(self, array: Any) -> None:
        """An array that a running op saves is handed to a hook: where it is the op's result, it is a value before the op ends."""
        if self.failure is None and id(array) not in self.numbers and self.there(array) is None:
            self.early[id(array)] = self.new(array), wrap(array)

    def ends_in_op(self, op: Any, args: tuple[object, ...], inputs: tuple[object, ...], place: int) -> None:
        """The recomputation of a checkpoint has ended in an op, once that had handed on its result."""
        if self.failure is None and op.outputs == ["out"] and len(self.early) == 1:
            ((_, result),) = self.early.values()
            self.after_op(op, args, inputs, result, place)

    def after_op(self, op: Any, args: tuple[Any, ...], inputs: tuple[Any, ...], result: Any, place: int) -> None:
        """An op has run: its results are values. It stands at ``place``: before what hooks did with what it saves."""
        count = len(op.inputs)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        cast, laid = None, False
        if op.promote is not None:
            values = [value for value in args[:count] if value is not None]
            common = promotion.common_dtype(values)
            if op.promote == "float" and not (common.is_floating_point or common.is_complex):
                common = dtypes.get_default_dtype()
            cast = common.numpy
            given = [value._array for value in args[:count] if isinstance(value, Tensor)]
            out = results[0]._array
            if op.outputs == ["out"] and out.ndim > 1:
                in_order = [x.flags.c_contiguous for x in given]
                laid = False in in_order or all(x.shape != out.shape for x in given)
        outs = []
        for one in results:
            if not isinstance(one, Tensor):
                self.fail(f"the op {op.name}, which gives more than tensors")
                return
            array = one._array
            known = self.numbers.get(id(array))
            early = self.early.pop(id(array), None)
            outs.append(early[0] if early is not None else self.new(array) if known is None else self._same(known, array))
        params = tuple(self._parameter(value) for value in args[count:])
        instructions = [t.Apply(op.name, inputs, params, tuple(outs), cast, laid)]
        if cast is not None and promotion.is_in_single(op, args[:count], cast):
            instructions = self._in_single(instructions[0], args, results[0])
        self.trace.instructions[place:place] = instructions

    def _in_single(self, one: t.Apply, args: Sequence[object], result: Tensor) -> list[t.Apply]:
        """A product of numbers of two bytes and one of more, which is rounded once."""
        wide = np.dtype(np.float32)
        found, inputs = [], []
        for ref, value in zip(one.inputs, args, strict=False):
            if isinstance(value, Tensor) and value._array.dtype != wide:
                found.append(t.Apply("astype", (ref,), (wide,), (self.new(np.empty_like(value._array, wide)),)))
                inputs.append(t.Ref(found[-1].outs[0]))
            else:
                inputs.append(ref)
        total = self.new(np.empty_like(result._array, wide))
        found.append(t.Apply(one.op, tuple(inputs), one.params, (total,), wide, one.laid))
        return [*found, t.Apply("astype", (t.Ref(total),), (result._array.dtype,), one.outs)]

    def _same(self, known: int, array: Any) -> int:
        """A result that is the very array of an input."""
        number = self.new(array, False)
        self.current[number] = self.writes.get(self.trace.values[known].storage, 0)
        return number

    def _parameter(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self.ref(value)
        if type(value) in (list, tuple):
            return type(value)(self._parameter(one) for one in value)
        if type(value) is np.ndarray:
            if id(value) in self.numbers or self.there(value) is not None or self.before is None:
                return t.Bare(self.array_ref(value).number)
            self.fail("an array as an op's option")
        if not isinstance(value, _OPTIONS) and not callable(value):
            self.fail(f"an op's option of the kind {type(value).__name__}")
        return value

    def write(self, tensor: Tensor, value: Any, name: str) -> None:
        """``value``, an array or a number, is about to be copied into a tensor's memory."""
        target = self.ref(tensor)
        if isinstance(tensor._counter, Mirror) or id(tensor._counter) in mirrors_by_counter:
            self.fail("a write into a conjugate or a negative, or into what one is of: it is a write into both")
        source: Any = value
        if isinstance(value, np.ndarray):
            source = self.array_ref(value)
        elif isinstance(value, np.generic):
            source = value.item()
            if np.asarray(source).dtype.kind != value.dtype.kind or value.dtype.itemsize < 4:
                self.fail("a write of a number of few bytes")
        elif not isinstance(value, (bool, int, float, complex)):
            self.fail("a write of what is no array")
        storage = self.trace.values[target.number].storage
        counted = self.counters.get(id(tensor._counter))
        if counted is None and self.before is None:
            counted = self.array_inputs.get(id(tensor._array))
        of_grad = self.grads.get(id(tensor._counter)) if counted is None else None
        if counted is None and of_grad is None and storage not in self.made and self._was_there(tensor):
            self.fail("a write into memory that was there before, by a tensor whose version nothing leads to")
        self.writes[storage] = self.writes.get(storage, 0) + 1
        out = self.new(tensor._array, False)
        self.written[storage] = out
        self.note(t.Write(target, source, out, name, counted, of_grad))
        self.counted(tensor)

    def counted(self, tensor: Tensor, times: int = 1) -> None:
        entry = self.counts.setdefault(id(tensor._counter), [tensor._counter, 0])
        entry[1] += times

    def exchanged(self, tensor: Tensor, array: Any) -> None:
        """A tensor that was ``array`` has been given a copy of it, which is about to be written to."""
        if id(tensor._array) not in self.numbers and id(array) in self.numbers:
            source = self.array_ref(array)
            self.note(t.Copy(source, self.new(tensor._array)))

    def constant(self, array: Any) -> None:
        if id(array) not in self.numbers:
            self.note(t.Constant(array.copy(), self.new(array, False)))

    def _was_there(self, tensor: Tensor) -> bool:
        return self.before is not None and id(tensor) in self.before

    def is_own_leaf(self, tensor: Tensor) -> bool:
        """Whether the program has made a leaf, whose ``.grad`` is the program's own too."""
        if self.before is None:  # what shares memory with what was there is taken for that, until it is known
            return self.has_made(tensor)
        return id(tensor) not in self.before

    def looked_at_grad(self, tensor: Tensor) -> None:
        """A ``.grad`` is read, set or added to."""
        if id(tensor) in self.grad_seen or self.is_own_leaf(tensor):
            return
        number = self.input(tensor)
        have = tensor._grad
        self.grad_seen[id(tensor)] = have is not None
        if have is not None:
            if type(have) not in PLAIN or not have._strided or have._edge is not None:
                self.fail("a .grad that is no plain tensor")
            else:
                self.input(have, number)

    def set_grad(self, tensor: Tensor, value: Any) -> None:
        """A ``.grad`` is about to be set."""
        if value is not None:
            self.fail("a .grad that is set to a tensor")
        elif tensor._edge is not None:
            self.fail("the .grad of a tensor that the program made")
        elif not self.is_own_leaf(tensor):
            self.looked_at_grad(tensor)
            if self.failure is None:
                self.note(t.SetGrad(self.inputs[id(tensor)]))

    def accumulated(self, variable: Tensor, source: t.Ref, had: bool, before: int) -> None:
        """A leaf has been given a gradient; ``had`` one before, which was value ``before``."""
        if self.is_own_leaf(variable):
            self._added_up(variable, source, before if had else None)
            return
        array = variable._grad._array  # type: ignore[union-attr]
        leaf = self.inputs[id(variable)]
        if had:
            storage = self.trace.values[before].storage
            self.writes[storage] = self.writes.get(storage, 0) + 1
            out = self.new(array, False)
            self.written[storage] = out
            self.counted(variable._grad)  # type: ignore[arg-type]
        else:
            out = self.new(array, False)
            self.grads[id(variable._grad._counter)] = leaf  # type: ignore[union-attr]
            self.held.append(variable._grad)
        self.note(t.Accumulate(leaf, source, out))

    def _added_up(self, variable: Tensor, source: t.Ref, before: int | None) -> None:
        """The same at a leaf of the program's own: its ``.grad`` is a copy, then the sum written to that."""
        array = variable._grad._array  # type: ignore[union-attr]
        if before is None:
            if not array.flags.c_contiguous:
                self.fail("a gradient of a tensor that the program made, laid out as that is")
            self.note(t.Copy(source, self.new(array)))
            return
        total = np.empty(array.shape, array.dtype)
        self.note(t.Apply("add", (t.Ref(before), source), (), (self.new(total),), array.dtype))
        self.write(variable._grad, total, "add_")  # type: ignore[arg-type]

    def host(
        self, function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any
    ) -> None:
        """A function has been called that is to be called anew each time."""
        outs: list[int] = []
        if known_functions.where(function) in known_functions.CONSTANT:
            for one in result if isinstance(result, list) else [result]:
                self.constant(one._array if isinstance(one, Tensor) else one)
            return
        if not any(result is one for one in args):  # a method that gives its own object back
            self._results(name, result, outs)
        self.note(t.Host(function, name, args, dict(kwargs), tuple(outs)))

    def _results(self, name: str, result: Any, outs: list[int]) -> None:
        if isinstance(result, (tuple, list)):
            for one in result:
                self._results(name, one, outs)
        elif isinstance(result, (Tensor, np.ndarray)):
            if isinstance(result, Tensor) and (type(result) not in PLAIN or not result._strided):
                self.fail(f"{name}(), which gives a tensor of the kind {type(result).__name__}")
                return
            array = result._array if isinstance(result, Tensor) else result
            outs.append(self.array_ref(array).number if id(array) in self.numbers else self.new(array))
        elif result is not None:
            self.fail(f"{name}(), which gives more than tensors")

    def host_argument(self, value: Any) -> Any:
        """An argument of such a function, with references for tensors."""
        if isinstance(value, Tensor):
            if value._conjugate or value._negated:
                self.fail("a conjugate or a negative, which is handed to what is called anew")
            return self.ref(value)
        if type(value) in (list, tuple):
            return type(value)(self.host_argument(one) for one in value)
        if isinstance(value, np.ndarray):
            return t.Bare(self.array_ref(value).number)
        if callable(value) and not isinstance(value, (type, dtypes.dtype)) and not _is_own(value):
            self.fail(f"{getattr(value, '__qualname__', type(value).__qualname__)}(), which is called where nobody looks on")
        return value


_OPTIONS = (bool, int, float, complex, str, type(None), np.dtype, np.generic, slice, type(...), tuple)


def _is_own(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return isinstance(function, _OPTIONS) or (code is not None and code.co_filename.startswith(OWN_CODE))


def _place(frame: Any) -> str:
    frame = user_frame(frame)
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
