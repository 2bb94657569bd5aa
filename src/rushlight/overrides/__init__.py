"""torch.overrides: how classes and modes take PyTorch's functions over (``__torch_function__``).

A function of torch that is given an object whose class defines ``__torch_function__`` leaves the call to it:
``cls.__torch_function__(func, types, args, kwargs)``. A subclass of Tensor inherits one that makes results instances of the
subclass. Within a :class:`TorchFunctionMode` every call goes to the mode first.

None of this costs anything until a subclass or a mode exists: only then are the methods of Tensor made to look.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Self

from ..autograd import modes
from ..autograd.interpreters import Function
from ..autograd.interpreters import stack as interpreters
from ..ops.public import registry
from ..tensor import Tensor
from . import ignored_functions
from .overridable_methods import watch
from .torch_function import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    _disabled_torch_function_impl,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    redispatch_function,
    resolve_name,
)

__all__ = [
    "TorchFunctionMode",
    "enable_reentrant_dispatch",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that makes a function overridable; ``dispatcher`` picks the relevant ones of its arguments.

    >>> from rushlight.overrides import wrap_torch_function
    >>> @wrap_torch_function(lambda a: (a,))
    ... def double(a):
    ...     return a + a
    >>> double(2)
    4
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether something is a tensor or takes calls over."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# What a subclass inherits.


@functools.cache
def get_default_nowrap_functions() -> set[Function]:
    """The functions whose results stay as they are: they give tensors that exist already."""
    return {Tensor.__dict__[name].__get__ for name in ("_base", "grad", "_grad") if hasattr(Tensor.__dict__[name], "__get__")}


def default_torch_function(
    cls: type, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any] | None
) -> Any:
    """``Tensor.__torch_function__``: the call on the arguments as they are, its results as instances of ``cls``."""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        if func in get_default_nowrap_functions() or hasattr(cls, "__torch_dispatch__"):
            return result
        return _converted(result, cls)


def _converted(result: Any, cls: type) -> Any:
    if cls is Tensor:
        return result
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        parts = [_converted(one, cls) for one in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


# Modes.


class TorchFunctionMode:
    """Within a ``with`` block of a subclass, ``__torch_function__(func, types, args, kwargs)`` is asked about every call first;
    calls that it makes itself go to the mode around it.

    >>> import rushlight as torch
    >>> class Names(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     _ = torch.ones(2) * 3
    ones
    mul
    """

    def __init__(self) -> None:
        pass

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        watch()
        state = modes.state
        mark = modes.marked(state.function_modes_mark, True)
        state.function_modes, state.function_modes_mark = (*state.function_modes, self), mark
        return self

    def __exit__(self, *error: object) -> None:
        state = modes.state
        rest = state.function_modes[:-1]
        state.function_modes, state.function_modes_mark = rest, state.function_modes_mark if rest else None

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return func(*args, **(kwargs or {}))


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Within ``__torch_dispatch__``, ops are recorded again as they were around it."""
    before, outer = modes.state.grad_enabled, interpreters.ask("outer_grad_mode")
    if outer is not NotImplemented:
        modes.state.grad_enabled = outer
    try:
        yield
    finally:
        modes.state.grad_enabled = before


# Looking at the interface.


@functools.cache
def get_overridable_functions() -> dict[Any, list[Function]]:
    """The functions that can be taken over, by the namespace they are in."""
    found: dict[Any, list[Function]] = {}
    for space, functions in registry.items():
        try:
            owner = import_module("rushlight" + space.removeprefix("torch"))
        except ImportError:
            continue
        left = ignored_functions.NAMES.get(space, ())
        found[owner] = [function for name, function in functions.items() if not name.startswith("_") and name not in left]
    ignored = {getattr(Tensor, name) for name in ignored_functions.NAMES["torch.Tensor"]}
    methods = ((name, getattr(Tensor, name, None)) for name in list(Tensor.__dict__))
    found[Tensor] = [value for name, value in methods if callable(value) and value not in ignored]
    return found


@functools.cache
def get_ignored_functions() -> set[Function]:
    """The functions of torch, torch.nn.functional and Tensor that cannot be taken over.

    >>> import rushlight as torch
    >>> torch.zeros in torch.overrides.get_ignored_functions(), torch.add in torch.overrides.get_ignored_functions()
    (True, False)
    """
    found: set[Function] = set()
    for space, names in ignored_functions.NAMES.items():
        owner = Tensor if space == "torch.Tensor" else import_module("rushlight" + space.removeprefix("torch"))
        found.update(getattr(owner, name) for name in names)
    return found


@functools.cache
def get_testing_overrides() -> dict[Function, Function]:
    """For each function that can be taken over one that takes the same arguments and gives -1.

    >>> import rushlight as torch
    >>> torch.overrides.get_testing_overrides()[torch.add](torch.ones(1), 2)
    -1
    """
    return {function: _stand_in(function) for functions in get_overridable_functions().values() for function in functions}


def _stand_in(function: Function) -> Function:
    def stand_in(*args: object, **kwargs: object) -> int:
        return -1

    with suppress(TypeError, ValueError):  # some have no signature to read
        stand_in.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return stand_in


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or reads one of its properties."""
    name = getattr(func, "__name__", "")
    return name in ("__get__", "__set__") or Tensor.__dict__.get(name) is func
