"""What a traceback shows of rushlight: of an uncaught error, and under ``python -m rushlight`` whoever prints it.

A reader of a traceback wants the line of the program that went wrong. So rushlight's frames are left out, unless the
fault is rushlight's own. It is the program's when

- the exception was raised by a ``raise`` statement of rushlight's (its way of telling the caller something),
- code of the program that rushlight had called (a hook, a custom Function) raised it, or
- it is no error of anybody's: Ctrl-C, an exit, memory that ran out.

Everything else that ends inside rushlight is rushlight's fault, and every frame is shown: an exception that Python made
by itself there (AttributeError, TypeError, ...), a failed ``assert``, an error of a library that rushlight called.
``RUSHLIGHT_FULL_TRACEBACK=1`` shows every frame always.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from opcode import opmap
from types import FrameType, TracebackType
from typing import Any

from ..base.arguments import ROOT
from .advice import advise

_GENERATED = "<rushlight"
_LIBRARIES = sys.stdlib_module_names | {"numpy", "scipy", "ml_dtypes"}
_RAISE = opmap["RAISE_VARARGS"]


def install_hooks() -> None:
    """Leave rushlight's frames out of what Python, and IPython where it runs, print of an error that nobody caught."""
    if _shows_all():
        return
    sys.excepthook = _showing_only_visible(sys.excepthook)
    report_thread = threading.excepthook

    def thread_excepthook(args: Any) -> None:
        with_visible_frames(args.exc_value, lambda: report_thread(args))

    threading.excepthook = thread_excepthook
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show_in_notebook)


def _show_in_notebook(
    shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType | None, tb_offset: int | None = None
) -> None:
    def report() -> None:
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)

    with_visible_frames(error, report)


def _shows_all() -> bool:
    return os.environ.get("RUSHLIGHT_FULL_TRACEBACK", "0") != "0"


def install() -> None:
    """Leave rushlight's frames out of what the traceback module prints as well: print_exc(), logging, multiprocessing."""
    if _shows_all():
        return
    initialise = traceback.TracebackException.__init__

    def initialise_visible(self: Any, kind: Any, error: Any, trace: Any, **options: Any) -> None:
        initialise(self, kind, error, visible(error, trace), **options)

    setattr(traceback.TracebackException, "__init__", initialise_visible)  # noqa: B010


def _showing_only_visible(hook: Callable[..., Any]) -> Callable[..., None]:
    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        with_visible_frames(error, lambda: hook(kind, error, error.__traceback__))

    return excepthook


def with_visible_frames(error: BaseException | None, report: Callable[[], object]) -> None:
    """Call ``report`` while the exception and those behind it carry only their visible frames, and what advice there is."""
    kept = [(each, each.__traceback__) for each in _chain(error)]
    try:
        for each, trace in kept:
            each.__traceback__ = visible(each, trace)
            advise(each, each.__traceback__)
        report()
    finally:
        for each, trace in kept:
            each.__traceback__ = trace


def visible(error: BaseException | None, trace: TracebackType | None) -> TracebackType | None:
    """The traceback without rushlight's frames, or the whole of it where the fault is rushlight's."""
    entries = list(_entries(trace))
    if error is None or _is_own_fault(error, entries):
        return trace
    shown = None
    for entry in reversed(entries):
        if not _is_own(entry.tb_frame):
            shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shown


def _is_own_fault(error: BaseException, entries: list[TracebackType]) -> bool:
    """Whether rushlight is to blame, by the rule at the head of this file."""
    innermost_own = max((i for i, entry in enumerate(entries) if _is_own(entry.tb_frame)), default=None)
    if innermost_own is None or not isinstance(error, Exception) or isinstance(error, MemoryError):
        return False
    if innermost_own + 1 < len(entries):
        called = entries[innermost_own + 1].tb_frame.f_globals.get("__name__", "")
        return called.partition(".")[0] in _LIBRARIES
    last = entries[innermost_own]
    code = last.tb_frame.f_code
    return code.co_code[last.tb_lasti] != _RAISE or (isinstance(error, AssertionError) and not _is_in_raise(last))


def _is_in_raise(entry: TracebackType) -> bool:
    """Whether the AssertionError that comes from there is one that a ``raise`` made, and not an ``assert`` that failed."""
    return linecache.getline(entry.tb_frame.f_code.co_filename, entry.tb_lineno).lstrip().startswith("raise ")


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith((ROOT, _GENERATED))


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _chain(error: BaseException | None) -> list[BaseException]:
    """The exception, its causes and contexts, and the members of groups, each once."""
    found: dict[int, BaseException] = {}
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in found:
            continue
        found[id(each)] = each
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
    return list(found.values())
