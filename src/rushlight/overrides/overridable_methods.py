"""The methods of Tensor while somebody on the stack takes calls (``interpreters.calls``): they ask before they run.

They are exchanged when the first comes, since not all of them are ops, which have one test of a flag: with such a test in every
method and property ``x.shape`` takes 0.25 us in place of 0.13, and a pass of a small LSTM 1.6 per cent longer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from ..autograd.interpreters import BELOW, CALLS, Answer, Args, Function, Interpreter, Named
from ..autograd.interpreters import stack as interpreters
from ..autograd.modes import special, state
from ..base import missing
from ..base.public_names import methods
from ..ops.public import CompiledOnUse
from ..ops.signatures import PublicSignature
from ..tensor import PLAIN, Methods, Tensor, _TensorMeta
from . import torch_function

OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__isub__": "sub_", "__mul__": "mul",
    "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div", "__itruediv__": "div_", "__mod__": "remainder",
    "__pow__": "pow", "__matmul__": "matmul", "__neg__": "neg", "__abs__": "abs", "__lt__": "lt", "__le__": "le",
    "__gt__": "gt", "__ge__": "ge", "__rtruediv__": "__rdiv__",
}  # fmt: skip
_BINARY = {
    *OPERATORS,
    *"__rsub__ __floordiv__ __rfloordiv__ __rpow__ __rmod__ __rmatmul__ __eq__ __ne__ __and__ __or__".split(),
}
_UNARY = frozenset(("__neg__", "__abs__"))
_UNWATCHED = frozenset(
    "__new__ __init__ __init_subclass__ __getattr__ __getattribute__ __setattr__ __delattr__ __class_getitem__ __hash__ "
    "__torch_function__ __dict__ __weakref__ __doc__ __module__ __annotations__ __qualname__ __array_priority__ "
    "__array_namespace__ as_subclass _make_subclass grad_fn is_leaf output_nr _version _is_view _backward_hooks retains_grad "
    "is_inference __dlpack__ __dlpack_device__ __array_wrap__ __dir__ __iter__ __subclasshook__".split()
)
_own: dict[str, Any] = {}  # what Tensor has of its own; the rest is programs'
_unwatched: dict[str, tuple[Any, Any]] = {}  # Tensor's own, and what stands in their place
_watch_lock = threading.Lock()


class _WatchedProperty(property):
    """A property of Tensor that modes and subclasses are asked about, as ``Tensor.<name>.__get__``."""

    original: property
    read: str  # its name
    __name__ = "property"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if special.active and (type(instance) not in PLAIN or state.function_modes or special.active != special.plain_to_see):
            result = interpreters.call(self.__get__, (instance,), {})
            if result is not NotImplemented:
                return result
        return self.original.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        if special.active and (type(instance) not in PLAIN or state.function_modes):
            result = interpreters.call(self.__set__, (instance, value), {})
            if result is not NotImplemented:
                return
        self.original.__set__(instance, value)

    def __delete__(self, instance: Any) -> None:
        self.original.__delete__(instance)


def watch(interpreter: Interpreter | None = None) -> None:
    """Puts one who takes calls on the stack, if it is not there: of the first the methods of Tensor are made to ask. Without an
    argument it is that of modes and subclasses, which is put there when the first of them comes up."""
    assert _own, "a class of a program's before Tensor has its methods: they would not ask it"
    with _watch_lock:
        interpreter = interpreter or torch_function.calls
        if interpreter in interpreters.interpreters:
            return
        if not interpreters.calls:
            _have_asked(list(vars(Tensor)))
        interpreters.put(interpreter)


def _have_asked(names: Sequence[str]) -> None:
    for name in names:
        value = vars(Tensor)[name]
        watched = _watched(name, value)
        if watched is not value:
            setattr(Tensor, name, watched)


def unwatch(interpreter: Interpreter) -> None:
    """Takes it away; after the last Tensor has its own methods back."""
    with _watch_lock:
        interpreters.take(interpreter)
        if not interpreters.calls:
            for name, (value, watched) in _unwatched.items():
                if Tensor.__dict__.get(name) is watched:  # else a program has set another since
                    setattr(Tensor, name, value)


def _watched(name: str, value: Any) -> Any:
    """What asks modes and subclasses before one of Tensor's own attributes: always the same for one; else the value itself."""
    own = _own.get(name)
    known, watched = _unwatched.get(name, (None, None))
    compiled = own.made if isinstance(own, CompiledOnUse) else None
    if name in _UNWATCHED or value is None or not (value is own or value is watched or value is compiled):
        return value  # a program's own is never watched
    if name[0] == "_" != name[1:2] and isinstance(value, FunctionType) and name not in methods:
        return value  # what our own code calls
    if known is own:
        return watched
    if isinstance(value, property):
        watched = _WatchedProperty(value.fget, value.fset, value.fdel, value.__doc__)
        watched.original, watched.read = value, name
    elif callable(value) and not isinstance(value, (type, classmethod, staticmethod)):
        if getattr(value, "shown_as", None) is value and name == getattr(value, "__name__", ""):
            return value  # asks by itself
        watched = _watched_method(name, value)
    elif isinstance(value, CompiledOnUse):
        watched = _watched_method(name, _on_use(value))
    else:
        return value
    _unwatched[name] = (own, watched)
    return watched


class OfTheClass(Methods, of=_TensorMeta):
    def __getattribute__(cls: Any, name: str) -> Any:
        """``Tensor.add`` is what ``__torch_function__`` is told of, watched or not: programs keep tables of it."""
        found = type.__getattribute__(cls, name)
        return found if name[0] == "_" != name[1:2] else _as_told(cls, name, found)


def _as_told(cls: type, name: str, found: Any) -> Any:
    """What ``cls.<name>`` is: for what Tensor has itself the one thing that ``__torch_function__`` is told of."""
    if name in _UNWATCHED or not (callable(found) or isinstance(found, property)):
        return found
    owner = next((one for one in cls.__mro__ if name in vars(one)), None)
    if owner is not Tensor:
        return found
    value = vars(Tensor)[name]
    watched = _watched(name, value)
    return found if watched is value and not isinstance(value, property) else watched


def told(function: Callable[..., Any]) -> Callable[..., Any]:
    """What ``__torch_function__`` is told of for a function that may be a method of Tensor, watched or not."""
    name = getattr(function, "__name__", "")
    own, watched = _unwatched.get(name, (None, None))
    if own is not None and (function is own or function is getattr(own, "made", None)):
        return watched  # type: ignore[no-any-return]
    return getattr(Tensor, name) if vars(Tensor).get(name) is function else function


class Protocols(Interpreter):
    """Objects that are no tensors and define ``__torch_function__``, and subclasses where functions ask by themselves."""

    place = CALLS

    def foreign(self, func: Function, args: Args, kwargs: Named) -> Answer:
        if any(torch_function.takes_over(one) for value in (*args, *kwargs.values())
               for one in (value if isinstance(value, (list, tuple)) else (value,))):  # fmt: skip
            return torch_function.calls.call(told(func), args, kwargs)
        return NotImplemented

    def overriding(self, func: Function, relevant: Sequence[Any], args: Args, kwargs: Named) -> Answer:
        return (
            torch_function.handle_torch_function(func, relevant, *args, **kwargs)
            if torch_function.has_torch_function(relevant)
            else NotImplemented
        )


interpreters.put(Protocols())


def _on_use(compiled: CompiledOnUse) -> Callable[..., Any]:
    """A method that is compiled when it is first called."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return compiled.compile()(*args, **kwargs)

    return function


def _watched_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    spoken = OPERATORS.get(name, name)
    of_two = name in _BINARY and name not in _UNARY
    asks = hasattr(function, "shown_as")
    found = vars(Tensor)  # as they are when it is called

    def call(*args: Any, **kwargs: Any) -> Any:
        if special.active:
            try:
                result = interpreters.call(found.get(spoken, call), args, kwargs)
            except TypeError:
                if of_two:  # Python asks the other side
                    return NotImplemented
                raise
            if result is not NotImplemented:
                return result
            if asks:
                return interpreters.go_on(BELOW, function, args, kwargs)
        return function(*args, **kwargs)

    call.__signature__ = PublicSignature(function)  # type: ignore[attr-defined]
    call.__name__, call.__qualname__ = name, name
    call.__doc__ = getattr(function, "__doc__", None)
    call.__module__ = "torch"
    return call


def install_methods(names: Sequence[str] | None = None) -> None:
    """Gives Tensor the methods of the table; called once all families are loaded. ``names`` are of a room that comes later."""
    for name in names if names is not None else list(methods):
        if name not in Tensor.__dict__ or name in ("__eq__",):
            setattr(Tensor, name, methods[name])
    for name in missing.OF_TENSOR if names is None else ():
        setattr(Tensor, name, missing.Missing(name))
    _own.update(vars(Tensor) if names is None else {name: methods[name] for name in names})
    if interpreters.calls:
        _have_asked(names or [])
