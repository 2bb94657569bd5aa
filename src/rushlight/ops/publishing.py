"""Functions of torch and methods of Tensor that are not in the op table: how they become public.

Whatever takes calls over (modes, subclasses, running transforms) is asked first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, TypeVar

from ..autograd.interpreters import stack as interpreters
from ..autograd.modes import special
from .public import calls, foreign, methods, module, out_of_memory, without

F = TypeVar("F", bound=Callable[..., Any])


def published(function: F) -> F:
    """Makes a function one of torch's."""
    module("torch")[function.__name__] = watched = _watched(function)
    watched.__module__ = __name__.partition(".")[0]  # where pickles find it
    return watched


def method(function: F) -> F:
    """Makes a function a method of Tensor."""
    methods[function.__name__] = watched = _watched(function)
    return watched


def _watched(function: F) -> F:
    """``function``, seen by modes that watch calls (``TorchFunctionMode``) and by subclasses."""

    def taken_over(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What modes and transforms that are on make of a call; else NotImplemented."""
        result = calls[0](call, args, kwargs) if calls else NotImplemented
        return interpreters.ask("creation", function, args, kwargs) if result is NotImplemented else result

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if special.active:
            result = taken_over(args, kwargs)
            if result is not NotImplemented:
                return result
        try:
            return function(*args, **kwargs) if kwargs else function(*args)
        except MemoryError as error:
            raise out_of_memory(error) from None
        except (AttributeError, TypeError) as error:
            result = foreign(call, args, kwargs)
            if result is not NotImplemented:
                return result
            if isinstance(error, AttributeError):
                raise
            raise _reworded(error, function.__name__) from None

    return call  # type: ignore[return-value]


def _reworded(error: TypeError, name: str) -> TypeError:
    """Python's error for a missing argument in PyTorch's words."""
    found = re.fullmatch(rf"{name}\(\) missing \d+ required (?:positional|keyword-only) arguments?: ('.*)", str(error))
    return error if found is None else without(name, re.findall(r"'(\w+)'", found[1]))
