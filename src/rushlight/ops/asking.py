"""The question before a call: while anything is special (one test of one flag), those on the stack who take calls are asked first.

Compiled ops and public functions ask in their own bodies; what Tensor has besides gets the question put before it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..autograd import interpreters
from ..autograd.interpreters import BELOW, Args, Named, stack
from ..autograd.modes import special, state
from ..base.arguments import code_of
from ..base.public_names import OF_TWO, OPERATORS
from ..tensor import PLAIN, Tensor
from .argument_forms import refuse_misfits
from .signatures import PublicSignature

calls = stack.calls  # who takes calls of functions over, while anybody does
tells = stack.told  # who wants to know what is no op: told here, where it costs nothing while there is none
# What gives Python the value of a tensor, which then goes on without a history.
READS = frozenset("item tolist numpy __array__ __bool__ __float__ __int__ __index__ __complex__".split())
TOLD = READS | {"detach"}
WRITTEN = {"grad": "grad", "data": "data ="}  # properties, and what is told of when they are written


def asked(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """While ``special.active``, what those who take calls over make of one before it runs; else NotImplemented."""
    return stack.call(func, args, kwargs) if calls else NotImplemented


def asked_as(name: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
    """While ``special.active``, whether those who take calls over settle a call of Tensor's operator or method ``name``, and what its
    result is then: NotImplemented of an operator that Python is to look for on the other side."""
    if not calls:
        return False, None
    try:
        result = stack.call(getattr(Tensor, OPERATORS.get(name, name)), args, {})
    except TypeError:
        if name in OF_TWO:
            return True, NotImplemented
        raise
    return result is not NotImplemented, result


def foreign(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What an object that is no tensor but defines ``__torch_function__`` makes of a call; else NotImplemented."""
    if special.active and calls:  # it was asked before the call
        return NotImplemented
    return stack.ask("foreign", func, args, kwargs)


def taken_over(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
    """What :func:`foreign` says of a call that ended with ``error``, which is raised where it says nothing."""
    result = foreign(func, args, kwargs)
    if result is NotImplemented:
        raise error from None
    return result


def asking_property(name: str, own: property) -> property:
    """A property that is told of as ``Tensor.<name>.__get__``."""
    get, put, drop = own.fget, own.fset, own.fdel
    assert get is not None

    def read(self: Tensor) -> Any:
        if special.active:
            if (answer := interpreters.read(self, name)) is not NotImplemented:
                return answer
            result = get(self)
            for told in tells if name == "data" else ():
                told(name, self, result)
            return result
        return get(self)

    def write(self: Tensor, value: object) -> None:
        if special.active:
            if type(self) not in PLAIN or state.function_modes:
                result = stack.call(asking.__set__, (self, value), {})
                if result is not NotImplemented:
                    return
            if tells and name in WRITTEN:
                is_nothing = name == "grad" and value is None and self._grad is None
                put(self, value)  # type: ignore[misc]
                for told in tells if not is_nothing else ():
                    told(WRITTEN[name], self, value)
                return
        put(self, value)  # type: ignore[misc]

    read.__name__ = name  # by which it is told of
    read.does = get  # type: ignore[attr-defined]
    asking = property(get if hasattr(get, "shown_as") else read, put and write, drop, own.__doc__)
    return asking


def asking_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    told = OPERATORS.get(name, name)
    of_two = name in OF_TWO
    asks = hasattr(function, "shown_as")  # by another name
    found = vars(Tensor)  # as they are when it is called

    def unless_taken_over(args: Args, kwargs: Named) -> Any:
        try:
            result = stack.call(found.get(told, asking), args, kwargs)
        except TypeError:
            if of_two:  # Python asks the other side
                return NotImplemented
            raise
        if result is not NotImplemented:
            return result
        result = stack.go_on(BELOW, function, args, kwargs) if asks else function(*args, **kwargs)
        for tell in tells if name in TOLD else ():
            tell(name, args[0], result)
        return result

    asking: Any = _before(name, function, unless_taken_over)
    asking.__signature__ = PublicSignature(function)
    asking.__name__, asking.__qualname__ = name, getattr(function, "__qualname__", name)
    asking.__doc__ = getattr(function, "__doc__", None)
    asking.__module__ = "torch"
    asking.does = function
    return asking  # type: ignore[no-any-return]


def _before(name: str, function: Callable[..., Any], special_case: Callable[[Args, Named], Any]) -> Callable[..., Any]:
    """``function``, or ``special_case`` while anything is special: with as many arguments as are sure to come, which takes a third
    of the time."""

    def of_self(self: Tensor) -> Any:
        return special_case((self,), {}) if special.active else function(self)

    def of_two(self: Tensor, other: object) -> Any:
        return special_case((self, other), {}) if special.active else function(self, other)

    def of_any(*args: Any, **kwargs: Any) -> Any:
        try:
            return special_case(args, kwargs) if special.active else function(*args, **kwargs)
        except Exception:
            refuse_misfits(name, True, args[1:], kwargs)
            raise

    code = code_of(function)
    if code is None or code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return of_any
    if code.co_argcount == 2 and name[:2] == "__" and not getattr(function, "__defaults__", None):  # which nobody names
        return of_two
    return of_self if code.co_varnames[: code.co_argcount] == ("self",) else of_any
