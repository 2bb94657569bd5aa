"""Watching a program run: the ops it calls, and what else its frames do.

Ops are seen as the profiler sees them (autograd/interpreters.py). What is not an op is seen through ``sys.setprofile``: which
functions run, the user's and this package's, and which built-in ones the user's call. Three things are told apart:

- functions that are called anew each time (creation, random numbers, an optimizer's step): instructions of their own;
- functions of this package that look at values, and not only at shapes: they end the recording, unless listed as known;
- built-in functions that do not only depend on their arguments: they end it too.
"""

from __future__ import annotations

import gc
import inspect
import os
import random
import sys
import sysconfig
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from ...autograd import interpreters, modes, tangents
from ...autograd.observed_pass import ObservedPass
from ...autograd.saved import Packed
from ...backend.interrupts import held
from ...base.arguments import OWN_CODE, ROOT, code_of
from ...ops.interceptors import run_below
from ...tensor import Tensor
from . import known_functions
from .bytecode import asks_by_text, looks_at_values, returns
from .recorder import Recorder
from .traced_pass import TracedPass

T = TypeVar("T")

_lock = threading.Lock()  # one recording at a time
# Frames of these are not the user's where this package called them: the standard library, NumPy, SciPy.
_LIBRARY = os.path.join(sysconfig.get_paths()["stdlib"], "")
_INSTALLED = tuple(os.path.join(_LIBRARY, name, "") for name in ("site-packages", "dist-packages"))  # which lie inside of it
_STANDARD: tuple[str, ...] = (
    os.path.dirname(np.__file__), "<frozen ", "<__array", os.path.join(os.path.dirname(os.path.dirname(np.__file__)), "scipy", ""),
)  # fmt: skip
_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
_PACKING = code_of(Packed.__init__)
_OUTSIDE = {
    **dict.fromkeys(
        ("_Environ.__getitem__", "_Environ.__iter__"), "an environment variable, which may change between two calls"
    ),
    "import_module": "a module that is imported by a name that is a text",
}
_BEGUN = 8  # bytes of a generator's code that run before its first line


def uncollected(function: Callable[..., T], *args: object) -> T:
    """``function(*args)`` without collections of garbage: what one calls is no part of a program, and much is made while recording."""
    collects = gc.isenabled()
    try:
        gc.disable()
        return function(*args)
    finally:
        if collects:
            gc.enable()


class Watch(interpreters.Interpreter):
    """A recording of what this thread does in one call, see :meth:`of`."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.begun = False
        self.codes: dict[types.CodeType, bool] = {}  # the code that ran for the user; whether it is not the user's own
        # This package's code that ran and need not be looked at again, by its identity: to hash code is slow.
        self.own: dict[int, types.CodeType] = {}
        self.looks = self._filter()
        self.names: set[str] = set()  # that any code that ran asks objects for
        self.thread = threading.get_ident()
        self.host: Any = None  # the frame of such a function
        self.host_call: Any = None
        self.stopped = False  # whether the recomputation of a checkpoint is ending
        self.any_name = False  # whether objects were asked for attributes by names that no code tells
        self.generators: set[Any] = set()  # the frames of those that began here
        self.kept: dict[int, object] = {}  # what autocast has cast leaves to in this recording: none of an earlier call
        self.interrupted: list[int] = []  # for each hook that takes what an op saves, how many ops were running

    def of(self, function: Callable[..., T], *args: object, **kwargs: object) -> T:
        """``function(*args, **kwargs)``, recorded. Wherever an interrupt comes, nothing of the recording stays behind."""
        with _lock:
            self.drawn = _drawn()
            try:
                try:
                    held(self._begin)
                    sys.setprofile(self.looks)
                    return function(*args, **kwargs)
                finally:
                    sys.setprofile(None)
                    held(self._end)
                    # By a call that was not seen: what is written in C calls what it is given unseen.
                    if _drawn() != self.drawn:
                        self.fail("Python's or NumPy's random numbers")
            finally:  # the interrupt may have come on the way there
                held(self._end)

    def _begin(self) -> None:
        interpreters.stack.put(self)
        self.mark = modes.Mark(hidden=True)
        self.begun = True

    def _end(self) -> None:
        if self.begun:
            self.begun = False
            del self.mark
            interpreters.stack.take(self)

    def casts(self) -> interpreters.Answer:
        return self.kept if threading.get_ident() == self.thread else NotImplemented

    def fail(self, reason: str) -> None:
        self.recorder.fail(reason)

    def backward_pass(self, keep_graph: bool, over_tensors: bool) -> ObservedPass:
        if threading.get_ident() != self.thread or self.recorder.within or self.host:
            return ObservedPass(keep_graph, over_tensors)
        return TracedPass(self.recorder, keep_graph, over_tensors)

    def op(self, op: Any, args: tuple[Any, ...]) -> Any:
        if threading.get_ident() != self.thread:
            return NotImplemented
        sys.setprofile(None)  # in an op only hooks of what it saves are looked at
        if _is_taken_apart(args):
            sys.setprofile(self.looks)
            return NotImplemented
        recorder = self.recorder
        outer = not recorder.within and self.host is None
        self.stopped = False
        recorder.within += 1
        try:
            inputs: Any = None
            if outer and recorder.failure is None:
                inputs = recorder.before_op(op, args)
            place = len(recorder.trace.instructions)
            if modes.state.saved_hooks:
                sys.setprofile(self.looks)
            try:
                result = run_below(op, args, self)
            except BaseException as error:
                self.stopped = known_functions.stops(error)
                if not self.stopped:
                    recorder.fail(f"{op.name}(), which raises an error")
                elif outer:
                    recorder.ends_in_op(op, args, inputs, place)
                raise
            sys.setprofile(None)
            if outer and recorder.failure is None:
                recorder.after_op(op, args, inputs, result, place)
            return result
        finally:
            recorder.within -= 1
            sys.setprofile(self.looks)

    def _filter(self) -> Callable[[types.FrameType, str, object], None]:
        """What is told of every call and return: few of them matter."""
        own, event_of = self.own, self._event

        def looks(frame: types.FrameType, event: str, arg: object) -> None:
            if event != "c_return" and (id(frame.f_code) not in own or (arg is None and event == "return")):
                event_of(frame, event, arg)

        return looks

    def _event(self, frame: Any, event: str, arg: Any) -> None:
        if self.host is not None:
            if frame is self.host and event == "return":
                self._host_ends(arg, returns(frame))
            return
        code = frame.f_code
        if code is _PACKING:
            self._packs(frame, event)
        if self.recorder.within or self.recorder.failure is not None:
            return
        if event == "return":
            own = arg is None and code.co_filename.startswith(OWN_CODE)  # None is what ends by an error gives too
            if own and not self.stopped and not returns(frame) and not _for_own(frame.f_back):
                self.fail("an error, which the program handles")
        elif event == "call":
            if code.co_filename.startswith(OWN_CODE):
                self._own(frame, code)
            elif not _for_own(frame):
                self._users(frame, code)
        elif event == "c_call" and not code.co_filename.startswith(OWN_CODE):
            if arg in known_functions.BY_NAME:
                self.any_name = self.any_name or not _for_own(frame)
            elif not known_functions.pure(arg) and not _for_own(frame):
                self.fail(f"{getattr(arg, '__qualname__', arg)}(), which may give another result each time")

    def _packs(self, frame: Any, event: str) -> None:
        """A hook takes what an op saves: the user's code, although an op is running."""
        if event == "call":
            self.interrupted.append(self.recorder.within)
            self.recorder.within = 0
            self.recorder.saves(frame.f_locals["value"]._array)
        elif event == "return":
            self.recorder.within = self.interrupted.pop()

    def _users(self, frame: Any, code: types.CodeType) -> None:
        if code not in self.codes:
            self.codes[code] = standard(code, frame.f_globals)
            self.names.update(code.co_names)
            self.any_name = self.any_name or asks_by_text(code)
            if code.co_qualname in _OUTSIDE:
                self.fail(_OUTSIDE[code.co_qualname])
            if "__globals__" in code.co_names and not self.codes[code]:
                self.fail("a function's __globals__, in which it may find anything")
            if code.co_flags & _ASYNCHRONOUS:
                self.fail("an asynchronous function")
        if code.co_flags & inspect.CO_GENERATOR:
            if frame not in self.generators and frame.f_lasti > _BEGUN:
                self.fail("a generator that began before")
            self.generators.add(frame)

    def _own(self, frame: Any, code: types.CodeType) -> None:
        action = _actions.get(code)
        if action is None:
            action = _actions[code] = _judged(code)
        if action is not _host:
            self.names.update(code.co_names)
            if "__dict__" in code.co_names:
                self.names.update(_texts(code.co_consts))
        if action is _nothing:
            if code is not _PACKING:
                self.own[id(code)] = code
        else:
            action(self, frame, code)

    # Functions that are called anew each time.

    def _host_begins(self, frame: Any) -> None:
        self.host = frame
        code = frame.f_code
        given = frame.f_locals
        count = code.co_argcount
        words = code.co_varnames
        argument = self.recorder.host_argument
        args = [argument(given[name]) for name in words[:count]]
        kwargs = {name: argument(given[name]) for name in words[count : count + code.co_kwonlyargcount]}
        place = count + code.co_kwonlyargcount
        if code.co_flags & 0x04:
            args.extend(argument(one) for one in given[words[place]])
            place += 1
        if code.co_flags & 0x08:
            kwargs.update({name: argument(one) for name, one in given[words[place]].items()})
        cells = tuple(types.CellType(given[name]) for name in code.co_freevars)
        function = types.FunctionType(code, frame.f_globals, code.co_name, None, cells)
        self.host_call = function, code.co_qualname, tuple(args), kwargs

    def _host_ends(self, result: Any, returns: bool) -> None:
        self.host = None
        if not returns:
            self.fail("an error")
        if self.recorder.failure is None:
            function, name, args, kwargs = self.host_call
            self.recorder.host(function, name, args, kwargs, result)


def _is_taken_apart(args: Iterable[Any]) -> bool:
    """Whether others make ops of plain tensors of this one, which are seen in its place: of whole batches under vmap, of values and
    tangents in forward mode."""
    levels = tangents.state.levels
    for one in args:
        if isinstance(one, Tensor):
            if one._of_batch or (levels and tangents.tangents_of(one) is not None):
                return True
        elif type(one) in (list, tuple) and _is_taken_apart(one):
            return True
    return False


def _drawn() -> tuple[object, ...]:
    """Where Python's and NumPy's random numbers are."""
    of_numpy = dict(np.random.get_state(legacy=False))
    numbers = of_numpy.pop("state")
    return random.getstate(), of_numpy, {name: np.asarray(one).tobytes() for name, one in numbers.items()}


def _texts(constants: Any) -> Iterator[str]:
    for one in constants:
        if isinstance(one, str):
            yield one
        elif isinstance(one, (tuple, frozenset)):
            yield from _texts(one)


def standard(code: types.CodeType, space: Mapping[str, object]) -> bool:
    """Whether code, with the globals of its frame, is the standard library's, NumPy's, SciPy's, or what they write."""
    file = code.co_filename
    if file.startswith(_LIBRARY):
        return not file.startswith(_INSTALLED) or file.startswith(_STANDARD)
    # Methods of dataclasses and named tuples; what else has no file is the user's, such as what `python -c` runs.
    written = code.co_qualname.startswith("__create_fn__.") or str(space.get("__name__")).startswith("namedtuple_")
    return file.startswith(_STANDARD) or (file == "<string>" and written)


def _for_own(frame: Any) -> bool:
    """Whether a frame of another library runs for this package."""
    nearest = frame
    while nearest is not None and standard(nearest.f_code, nearest.f_globals):
        nearest = nearest.f_back
    if nearest is None or nearest.f_code.co_filename.startswith(OWN_CODE):
        return True
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):  # a module is being imported
        frame = frame.f_back
    return frame is not None


Action = Callable[[Watch, Any, types.CodeType], None]


def _said(code: types.CodeType) -> str:
    """A function of this package by the name that users know: Tensor's methods are written in classes of the rooms that own them."""
    method = vars(Tensor).get(code.co_name)
    method = getattr(method, "fget", method)
    return f"Tensor.{code.co_name}" if code_of(getattr(method, "does", method)) is code else code.co_qualname


def _nothing(watch: Watch, frame: object, code: types.CodeType) -> None:
    raise AssertionError


def _looks(watch: Watch, frame: types.FrameType, code: types.CodeType) -> None:
    above = frame.f_back
    while above is not None and _is_private(code.co_name) and above.f_code.co_filename.startswith(OWN_CODE):
        code, above = above.f_code, above.f_back  # what users called
    watch.fail(f"{_said(code)}() looks at a tensor's values")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _tells(watch: Watch, frame: object, code: types.CodeType) -> None:
    watch.fail(f"{_said(code)}(), which tells what may change between two calls")


def _sets(watch: Watch, frame: object, code: types.CodeType) -> None:
    watch.fail(f"{_said(code)}(), which holds beyond the call")


def _of_optimizers(watch: Watch, frame: Any, code: types.CodeType) -> None:
    """What an optimizer or a schedule is asked for; what they ask one another is part of their steps."""
    if not frame.f_back.f_code.co_filename.startswith(OWN_CODE):
        _tells(watch, frame, code)


def _host(watch: Watch, frame: Any, code: types.CodeType) -> None:
    watch._host_begins(frame)


def _breaks(watch: Watch, frame: object, code: types.CodeType) -> None:
    """``torch._dynamo.graph_break()``, which only a function that must be captured whole minds."""
    watch.recorder.breaks_here()


def _writes(watch: Watch, frame: Any, code: types.CodeType) -> None:
    given = frame.f_locals
    caller = frame.f_back
    if caller.f_code.co_name == "inplace":
        there = caller.f_locals
        if there["before"]._array is not there["self"]._array:
            watch.recorder.exchanged(there["before"], there["self"]._array)
        if not watch.recorder.knows(there["result"]._array):
            watch.fail("a result that shares memory with what it is written into")
    watch.recorder.write(given["tensor"], given["value"], given["name"])


def _counts(watch: Watch, frame: Any, code: types.CodeType) -> None:
    given = frame.f_locals
    if frame.f_back.f_code.co_name == "become":
        if not watch.recorder.has_made(given["tensor"]):
            watch.fail(f"{given['name']}(), which gives a tensor that was there before another shape in place")
    elif frame.f_back.f_code.co_name != "write":
        watch.fail(f"{given['name']}(), which changes a tensor in place in a way of its own")


def _begins(watch: Watch, frame: object, code: types.CodeType) -> None:
    """A backward pass begins at one number, with one."""
    watch.recorder.ones += 1


def _indexes(watch: Watch, frame: Any, code: types.CodeType) -> None:
    one = frame.f_locals["one"]
    if isinstance(one, Tensor) and not one._array.ndim:
        watch.fail("an index that is a tensor without dimensions, whose value is looked at")


def _splits(watch: Watch, frame: Any, code: types.CodeType) -> None:
    if any(isinstance(frame.f_locals[name], Tensor) for name in ("tensor_indices_or_sections", "indices", "sections")):
        watch.fail("tensor_split() at places that a tensor tells")


def _asks_place(watch: Watch, frame: object, code: types.CodeType) -> None:
    watch.recorder.asks_places = True


def _is_on_meta(watch: Watch, frame: object, code: types.CodeType) -> None:
    watch.fail("a tensor on the meta device")


def _data(watch: Watch, frame: Any, code: types.CodeType) -> None:
    """``.data``: read, it is the same array by a version of its own; set, it is another array."""
    if code.co_argcount > 1:
        watch.fail("a .data that is set")


def _grad(watch: Watch, frame: Any, code: types.CodeType) -> None:
    """``.grad``: read, set, or deleted, which is the same as set to None."""
    given = frame.f_locals
    tensor = given["self"]
    if "value" in given:
        watch.recorder.set_grad(tensor, given["value"])
    elif "_edge" not in code.co_names:
        watch.recorder.set_grad(tensor, None)
    elif tensor._edge is None:
        watch.recorder.looked_at_grad(tensor)


def _grad_fn(watch: Watch, frame: Any, code: types.CodeType) -> None:
    """Nodes of what the program makes are always the same ones."""
    before = watch.recorder.before
    if before is not None and id(frame.f_locals["self"]) in before and not frame.f_back.f_code.co_filename.startswith(OWN_CODE):
        watch.fail("the grad_fn of a tensor that was there before")


_actions: dict[types.CodeType, Action] = {}


def _judged(code: types.CodeType) -> Action:
    """What is to be done when a function of this package is called."""
    file = code.co_filename
    if file.startswith("<rushlight"):
        return _nothing
    if file.startswith(os.path.dirname(__file__)):
        return _nothing
    where = file[len(ROOT) :].replace("\\", "/").removesuffix(".py").replace("/", ".") + ":" + code.co_qualname
    if where in known_functions.SPECIAL:
        return globals()[known_functions.SPECIAL[where]]  # type: ignore[no-any-return]
    if where.startswith(known_functions.OF_META_TENSORS):
        return _nothing
    if known_functions.called_anew(where):
        return _host
    if where in known_functions.READS_STATE:
        return _tells
    if where in known_functions.SETS_STATE:
        return _sets
    if where.startswith("optim.") and "<locals>" not in where:  # those are wrappers, around what is asked for
        return _of_optimizers
    if where in known_functions.LOOKS_AT_NO_VALUE or not looks_at_values(code):
        return _nothing
    return _looks
