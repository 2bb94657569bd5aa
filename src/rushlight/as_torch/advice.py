"""One line of advice below errors that Python itself raises in a program, as a note of what is printed."""

from __future__ import annotations

import difflib
import linecache
import re
from types import FrameType, ModuleType, TracebackType

from ..base.arguments import ROOT
from ..tensor import Tensor

_MOST_THAT_PYTHON_COMPARES = 750  # names; of more it suggests none
_GRADIENT = re.compile(r"([A-Za-z_][\w.]*)\.grad\b")


def advise(error: BaseException, trace: TracebackType | None) -> None:
    """Adds the advice that there is for an error, once.

    >>> import rushlight as torch
    >>> try:
    ...     torch.tanhh
    ... except AttributeError as error:
    ...     advise(error, error.__traceback__)
    ...     print(error.__notes__)
    ["  Did you mean: 'tanh'?"]
    """
    advice = _on_names(error) or _on_gradients(error, trace)
    if advice and f"  {advice}" not in getattr(error, "__notes__", ()):
        error.add_note(f"  {advice}")


def _on_names(error: BaseException) -> str | None:
    if not isinstance(error, AttributeError) or error.name is None:
        return None
    owner = error.obj
    is_ours = isinstance(owner, ModuleType) and str(owner.__file__).startswith(ROOT)  # named torch under the alias
    names = dir(owner) if is_ours else []
    if len(names) <= _MOST_THAT_PYTHON_COMPARES:
        return None
    found = difflib.get_close_matches(error.name, names, 1, 0.75)
    return f"Did you mean: {found[0]!r}?" if found else None


def _on_gradients(error: BaseException, trace: TracebackType | None) -> str | None:
    """For a gradient that is None where the line of the program wants a tensor."""
    if trace is None or not isinstance(error, (AttributeError, TypeError)) or "'NoneType'" not in str(error):
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    for name in _GRADIENT.findall(line):
        value = _value(name, trace.tb_frame)
        if isinstance(value, Tensor) and value._grad is None:
            return f"{name}.grad is None: {_why_none(name, value)}"
    return None


def _value(name: str, frame: FrameType) -> object:
    """What a name with dots means in a frame, as far as looking it up runs nothing of the program's."""
    first, *rest = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for one in rest:
        value = vars(value).get(one) if hasattr(value, "__dict__") else None
    return value


def _why_none(name: str, value: Tensor) -> str:
    if value.grad_fn is not None:
        return (
            f"{name} is the result of an op, and gradients are kept in leaves. A step changes the leaf itself: "
            f"`with torch.no_grad(): {name} -= lr * {name}.grad`."
        )
    return "no backward pass has come to it yet." if value.requires_grad else f"{name} does not require one."
