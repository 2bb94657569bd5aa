"""The methods of Tensor ask those on the stack who take calls (``interpreters.calls``) before they run, if anything is special.

Most are public functions or ops, which ask by themselves. The others, and the properties, have that question put before them
(ops/asking.py) once, here, when Tensor gets its methods.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from ..autograd.interpreters import CALLS, Answer, Args, Function, Interpreter, Named
from ..autograd.interpreters import stack as interpreters
from ..base import missing_names
from ..base.public_names import methods
from ..ops.asking import asking_method, asking_property
from ..ops.public import CompiledOnUse
from ..tensor import Tensor
from . import torch_function

_ASKS_NOBODY = frozenset(
    "__new__ __init__ __init_subclass__ __getattr__ __getattribute__ __setattr__ __delattr__ __class_getitem__ __hash__ "
    "__torch_function__ __dict__ __weakref__ __doc__ __module__ __annotations__ __qualname__ __array_priority__ "
    "__array_namespace__ as_subclass _make_subclass grad_fn is_leaf output_nr _version _is_view _backward_hooks retains_grad "
    "is_inference __dlpack__ __dlpack_device__ __array_wrap__ __dir__ __iter__ __subclasshook__".split()
)
_installed: set[str] = set()  # what Tensor has of its own; the rest is programs'
_watch_lock = threading.Lock()


def watch(interpreter: Interpreter | None = None) -> None:
    """Puts one who takes calls on the stack, if it is not there. Without an argument it is that of modes and subclasses, which is
    put there when the first of them comes up."""
    assert _installed, "a class of a program's before Tensor has its methods: they would not ask it"
    with _watch_lock:
        interpreter = interpreter or torch_function.calls
        if interpreter not in interpreters.interpreters:
            interpreters.put(interpreter)


def _asking(name: str, value: Any) -> Any:
    """What asks before one of Tensor's own attributes; the attribute itself where it asks nobody, or by itself."""
    if name in _ASKS_NOBODY or isinstance(value, (type, classmethod, staticmethod, CompiledOnUse)):
        return value
    if isinstance(value, property):
        return asking_property(name, value)
    if not callable(value) or (name[0] == "_" != name[1:2] and isinstance(value, FunctionType) and name not in methods):
        return value  # no method, or what our own code calls
    if getattr(value, "shown_as", None) is value and name == getattr(value, "__name__", ""):
        return value
    return asking_method(name, value)


class Protocols(Interpreter):
    """Objects that are no tensors and define ``__torch_function__``, and subclasses where functions ask by themselves."""

    place = CALLS

    def foreign(self, func: Function, args: Args, kwargs: Named) -> Answer:
        if any(torch_function.takes_over(one) for value in (*args, *kwargs.values())
               for one in (value if isinstance(value, (list, tuple)) else (value,))):  # fmt: skip
            return torch_function.calls.call(_method_of(func), args, kwargs)
        return NotImplemented

    def overriding(self, func: Function, relevant: Sequence[Any], args: Args, kwargs: Named) -> Answer:
        return (
            torch_function.handle_torch_function(func, relevant, *args, **kwargs)
            if torch_function.has_torch_function(relevant)
            else NotImplemented
        )


interpreters.put(Protocols())


def _method_of(function: Function) -> Function:
    """What ``__torch_function__`` is told of for a function that may be what a method of Tensor does."""
    method = vars(Tensor).get(getattr(function, "__name__", ""))
    return method if getattr(method, "does", None) is function else function  # type: ignore[return-value]


def install_methods(names: Sequence[str] | None = None) -> None:
    """Gives Tensor the methods of the table, once all families are loaded. ``names`` are of a room that comes later. What Tensor has
    got stays as it is where the package is imported anew over its own modules: it asks, and would ask twice."""
    for name in names if names is not None else list(methods):
        if name not in Tensor.__dict__ or name in ("__eq__",):
            setattr(Tensor, name, methods[name])
    for name in missing_names.OF_TENSOR if names is None else ():
        setattr(Tensor, name, missing_names.Missing(name))
    for name in names if names is not None else list(vars(Tensor)):
        if name not in _installed:
            setattr(Tensor, name, _asking(name, vars(Tensor)[name]))
    _installed.update(names if names is not None else vars(Tensor))
