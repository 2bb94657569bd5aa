"""Who looks at what is done before it is done: one stack of interpreters, asked from the top down.

An :class:`Interpreter` is an object that a room puts on the stack, at its place in the order below. It answers questions: what it makes of
an op, of a custom Function, of a write, ... The first that does not say NotImplemented has the answer; where none has, what was
to be done is done in the ordinary way. Nobody is asked while nothing unusual is on (``modes.special.active``), and an ordinary op
does not come here at all.

    CALLS      modes and classes with ``__torch_function__``: they take calls of public functions, before there is any op
    PROFILES   profilers: note calls and ops
    CASTS      autocast: has functions called with other dtypes
    LOOKS_ON   recordings and captures: see everything, the last to come first
    EXAMPLES   ``vmap`` and the other transforms of functions
    TANGENTS   forward mode
    BELOW      ``__torch_dispatch__``: classes and modes that take over the ops below autograd
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..tensor import PLAIN, Tensor
from .modes import special, state

Args = tuple[Any, ...]
Named = dict[str, Any]  # arguments by name
Function = Callable[..., Any]
Answer = Any  # NotImplemented, or what takes the place of what was to be done
OpAnswer = Callable[[Any, Args], Answer]

CALLS, PROFILES, CASTS, LOOKS_ON, EXAMPLES, TANGENTS, BELOW = range(7)
_ABOVE = -1


class Interpreter:
    """One of the stack; a method that a class does not write is a question that it has no answer to."""

    place = LOOKS_ON

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        """The result of a call of a public function or method."""
        return NotImplemented

    def foreign(self, func: Function, args: Args, kwargs: Named) -> Answer:
        """What arguments that are no tensors but define ``__torch_function__`` make of a call that has failed."""
        return NotImplemented

    def overriding(self, func: Function, relevant: Sequence[Any], args: Args, kwargs: Named) -> Answer:
        """What ``relevant`` ones of the arguments make of a function that asks by itself."""
        return NotImplemented

    def op(self, op: Any, args: Args) -> Answer:
        """The result of an op of the table."""
        return NotImplemented

    def function(self, cls: Any, args: Args, kwargs: Named) -> Answer:
        """The result of a custom Function."""
        return NotImplemented

    def write(self, function: Function, name: str, tensor: Tensor, args: Args, kwargs: Named) -> Answer:
        """``tensor``, after an op in place."""
        return NotImplemented

    def creation(self, function: Function, args: Args, kwargs: Named) -> Answer:
        """What a function that makes tensors gives, and any other that is not of the table."""
        return NotImplemented

    def elsewhere(self, function: Function, args: Args, kwargs: Named) -> Answer:
        """The same, where a tensor on the meta device is asked for."""
        return NotImplemented

    def noise(self, draw: Callable[[tuple[int, ...]], Tensor], shape: tuple[int, ...]) -> Answer:
        """Random numbers of a shape, which ``draw`` draws."""
        return NotImplemented

    def text(self, tensor: Tensor) -> Answer:
        """How a tensor is written."""
        return NotImplemented

    def gradients(self, outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any], **options: Any) -> Answer:
        """What ``autograd.grad`` gives."""
        return NotImplemented

    def rows(self, function: Function, batch: Sequence[Tensor]) -> Answer:
        """What a function gives for each row of a batch, stacked."""
        return NotImplemented

    def backward_pass(self, keep_graph: bool, over_tensors: bool) -> Answer:
        """The pass that ``backward`` runs."""
        return NotImplemented

    def detached(self, tensor: Tensor) -> Answer:
        """A tensor without its history, as a gradient or a parameter of its own is made."""
        return NotImplemented

    def detaching(self, tensor: Tensor) -> Answer:
        """The same, where a program itself calls ``tensor.detach()``."""
        return NotImplemented

    def ones(self, output: Tensor) -> Answer:
        """The cotangent of a result of one element."""
        return NotImplemented

    def wants_tensors(self, values: Sequence[Any]) -> Answer:
        """True where a backward pass from these is to be read over Tensors."""
        return NotImplemented

    def casts(self) -> Answer:
        """Where autocast keeps what it has cast leaves to: a place of its own while a trace is being recorded."""
        return NotImplemented

    def outer_grad_mode(self) -> Answer:
        """Whether ops were recorded around the interpreter's own code, which is running."""
        return NotImplemented

    def wraps(self) -> Answer:
        """True where a ``grad`` or ``jvp`` runs, to which all that it is given are tensors of its own."""
        return NotImplemented

    # These are told, and not asked.

    def refuse(self, what: str, name: str | None = None) -> None:
        """Raises where ``backward``, ``requires_grad_``, ``retain_grad`` or a ``draw`` of random numbers (by ``name``) may not be."""

    def told(self, kind: str, tensor: Tensor, value: Any) -> None:
        """What is no op has happened to a tensor ("grad", "requires_grad", "detach", "data", "data =", or that Python took its
        value: "item", "__bool__", ...), and what came of it."""


class _Thread(threading.local):
    asked = _ABOVE  # the next call has been put to those down to this place


class Stack:
    """The interpreters that there are, and the answers of those that ops and tensors ask often."""

    def __init__(self) -> None:
        self.interpreters: list[Interpreter] = []
        self.lock = threading.Lock()
        self.ops: list[OpAnswer] = []
        self.calls: list[tuple[int, Callable[[Function, Args, Named], Answer]]] = []
        self.thread = _Thread()
        self.detaching: list[Callable[[Tensor], Answer]] = []
        self.told: list[Callable[[str, Tensor, Any], None]] = []

    def put(self, interpreter: Interpreter) -> None:
        """Puts an interpreter above all of its place and below."""
        with self.lock:
            places = [one.place for one in self.interpreters]
            self.interpreters.insert(sum(place < interpreter.place for place in places), interpreter)
            self._list()

    def take(self, interpreter: Interpreter) -> None:
        """Takes an interpreter away."""
        with self.lock:
            self.interpreters.remove(interpreter)
            self._list()

    def _list(self) -> None:
        self.ops[:] = [one.op for one in self.interpreters if type(one).op is not Interpreter.op]
        self.calls[:] = [(one.place, one.call) for one in self.interpreters if type(one).call is not Interpreter.call]
        self.detaching[:] = [one.detaching for one in self.interpreters if type(one).detaching is not Interpreter.detaching]
        self.told[:] = [one.told for one in self.interpreters if type(one).told is not Interpreter.told]

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        """The first answer to a call of a public function; NotImplemented where the call is for the function itself."""
        asked = self.thread.asked
        if asked != _ABOVE:
            self.thread.asked = _ABOVE
        for place, answer in self.calls:
            if place > asked:
                result = answer(func, args, kwargs)
                if result is not NotImplemented:
                    return result
        return NotImplemented

    def go_on(self, place: int, func: Function, args: Args, kwargs: Named) -> Any:
        """A call of ``func``, for an interpreter that was asked about it: only those below ``place`` are asked again."""
        self.thread.asked = place
        try:
            return func(*args, **kwargs)
        finally:
            self.thread.asked = _ABOVE

    def has_been_asked(self, place: int) -> bool:
        """Whether the coming call has been put to those of ``place``; the one after it has not."""
        asked, self.thread.asked = self.thread.asked, _ABOVE
        return asked >= place

    def below(self, interpreter: Interpreter) -> list[OpAnswer]:
        """The answers about ops of those below one."""
        return self.ops[self.ops.index(interpreter.op) + 1 :]

    def ask(self, question: str, *args: Any, **kwargs: Any) -> Answer:
        """The first answer to a question; NotImplemented where nobody has one."""
        for one in self.interpreters:
            answer = getattr(one, question)(*args, **kwargs)
            if answer is not NotImplemented:
                return answer
        return NotImplemented

    def refuse(self, what: str, name: str | None = None) -> None:
        """Gives everybody the chance to raise."""
        for one in self.interpreters:
            one.refuse(what, name)


stack = Stack()


def asks_itself(method: Function) -> Function:
    """Marks a method of Tensor, or what reads a property, whose own body asks while ``special.active``: nothing is put before it."""
    method.shown_as = method  # type: ignore[attr-defined]
    return method


def read(tensor: Tensor, name: str) -> Answer:
    """While ``special.active``, what those who take calls make of the reading of a property; else NotImplemented."""
    if type(tensor) in PLAIN and not state.function_modes and not special.hidden:
        return NotImplemented
    return stack.call(vars(Tensor)[name].__get__, (tensor,), {})
