"""Interrupts at chosen places, without signals: at each place where Python looks for one, a call is ended, and what it leaves is looked at.

Python runs the handler of a signal where a function begins, behind a call and where a loop goes round. A trace function
that raises there does the same, each time at the same place.
"""

from __future__ import annotations

import dis
import gc
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd import modes
from rushlight.autograd.interpreters import stack
from rushlight.base.thread_state import carried_states

Tracer = Callable[[FrameType, str, object], object]


class Place(NamedTuple):
    """Where an interrupt came."""

    file: str
    function: str
    line: int
    is_entry: bool  # as the function began


class Interrupt(KeyboardInterrupt):
    """What is raised at a place."""


class _Stops:
    """Counts the places that a call comes through, each once for each caller, and raises at one of them."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.seen: set[tuple[int, int, int, int]] = set()  # of codes by their ids, as to hash one takes in all that it holds
        self.place: Place | None = None

    def trace(self, frame: FrameType, event: str, argument: object) -> Tracer | None:
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self.stop(frame, event)
        elif event == "opcode" and frame.f_lasti in _behind_calls_of(frame.f_code):
            self.stop(frame, event)
        return self.trace

    def stop(self, frame: FrameType, event: str) -> None:
        caller = frame.f_back
        assert caller is not None
        key = id(frame.f_code), frame.f_lasti, id(caller.f_code), caller.f_lasti
        if key in self.seen:
            return
        self.seen.add(key)
        if len(self.seen) - 1 == self.at:
            code = frame.f_code
            self.place = Place(code.co_filename, code.co_qualname, frame.f_lineno, event == "call")
            raise Interrupt


_kept: dict[int, tuple[frozenset[int], CodeType]] = {}  # by the id of a code that is kept


def _behind_calls_of(code: CodeType) -> frozenset[int]:
    kept = _kept.get(id(code))
    if kept is None:
        _kept[id(code)] = kept = _behind_calls(code), code
    return kept[0]


def _behind_calls(code: CodeType) -> frozenset[int]:
    """Where instructions begin before which Python looks for signals."""
    found, looks = set(), False
    for one in dis.get_instructions(code):
        if looks:
            found.add(one.offset)
        looks = one.opname in ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
        if one.opname == "JUMP_BACKWARD":
            found.add(one.argval)
    return frozenset(found)


def _run(call: Callable[[], object], at: int | None) -> _Stops:
    stops, before = _Stops(at), sys.gettrace()
    sys.settrace(stops.trace)
    try:
        call()
    except Interrupt:
        pass
    finally:
        sys.settrace(before)
    return stops


def modes_now() -> dict[str, Any]:
    """All that may be switched on in this thread, and what ops find unusual."""
    found: dict[str, Any] = {}
    for each in carried_states:
        kind = type(each)
        names = {name for name in (*vars(kind), *vars(each)) if not name.startswith("__")}
        found |= {f"{kind.__module__}.{name}": _copied(getattr(each, name)) for name in names}
    special = {"active": set(modes.special.active), "hidden": set(modes.special.hidden)}
    others = {
        "interpreters": list(stack.interpreters),
        "asked": stack.thread.asked,
        "errors": np.geterr(),
        "profile": sys.getprofile(),
    }
    return {**found, **special, **others, "collections": gc.isenabled()}


def _copied(value: Any) -> object:
    return type(value)(value) if type(value) in (list, dict, set) else value


def _changed(before: dict[str, Any]) -> list[str]:
    now = modes_now()
    return [name for name in now if name not in before or before[name] != now[name]]


def left_behind(call: Callable[[], object]) -> Iterator[tuple[Place, list[str]]]:
    """Ends ``call`` at each of its places in turn; gives those behind which a mode is not as it was, and which."""
    gc.collect()  # nothing unusual of earlier tests goes meanwhile
    call()  # what is made once is made
    before = modes_now()
    threads = [(each, {name: _copied(value) for name, value in vars(each).items()}) for each in carried_states]
    at = 0
    while (place := _run(call, at).place) is not None:
        wrong = _changed(before)
        if wrong:
            gc.collect()
            wrong = _changed(before)
        if wrong:
            yield place, wrong
            np.seterr(**before["errors"])
            for each, values in threads:
                vars(each).clear()
                vars(each).update({name: _copied(value) for name, value in values.items()})
        at += 1
