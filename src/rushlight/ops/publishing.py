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
from ..base.arguments import type_name
from ..base.device import Elsewhere, layout
from .argument_forms import in_plain_numbers, plain_arguments, refusal, respelled, spellings_of
from .argument_types import Taken, unknown
from .asking import asked, foreign
from .misfits import flags_of, no_bool, without
from .public import methods, module, out_of_memory, parameter_names

F = TypeVar("F", bound=Callable[..., Any])


def published(function: F) -> F:
    """Makes a function one of torch's."""
    module("torch")[function.__name__] = watched = _watched(function, is_method=False)
    watched.__module__ = __name__.partition(".")[0]  # where pickles find it
    return watched


def method(function: F) -> F:
    """Makes a function a method of Tensor."""
    methods[function.__name__] = watched = _watched(function, is_method=True)
    return watched


def _watched(function: F, is_method: bool) -> F:
    """``function``, seen by modes that watch calls (``TorchFunctionMode``) and by subclasses."""
    name = function.__name__
    flags = flags_of(function, native=True)
    taken = Taken(
        name,
        function,
        lambda args, kwargs: refusal(name, is_method, args[is_method:], kwargs),
        lambda args, kwargs: plain_arguments(name, is_method, args, kwargs),
    )
    asks, known = taken.asks, taken.known
    spellings = spellings_of(parameter_names(function))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if special.active:
            result = asked(call, args, kwargs)
            if result is NotImplemented:
                result = interpreters.ask("creation", function, args, kwargs)
            if result is not NotImplemented:
                return result
        try:
            if flags and no_bool(flags, args, kwargs):
                raise TypeError  # which is then said in PyTorch's words
            if asks and (kwargs or (len(args) > 1 and (look := known.get((*map(type, args),), unknown)) and look(args))):
                args, kwargs = taken.settled(args, kwargs)
            return function(*args, **kwargs) if kwargs else function(*args)
        except MemoryError as error:
            raise out_of_memory(error) from None
        except (AttributeError, TypeError) as error:
            result = foreign(call, args, kwargs)
            if result is not NotImplemented:
                return result
            own = respelled(kwargs, spellings)
            if own.keys() != kwargs.keys():
                return call(*args, **own)
            wrong = refusal(name, is_method, args[is_method:], kwargs)
            if wrong is not None:
                raise wrong from None
            again = in_plain_numbers(error, name, is_method, args, kwargs)
            if again is None:
                if isinstance(error, AttributeError):
                    raise
                raise _reworded(error, name) from None
        except (RuntimeError, ValueError, IndexError, ArithmeticError) as error:
            if error.__class__ is Elsewhere:
                result = interpreters.ask("elsewhere", function, args, kwargs)
                if result is not NotImplemented:
                    return result
            wrong = refusal(name, is_method, args[is_method:], kwargs) or _misfit_option(name, kwargs)
            if wrong is None:
                raise
            raise wrong from None
        return call(*again[0], **again[1])

    call.shown_as = call  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


# Options that many functions make tensors with: PyTorch looks at their kinds before it reads the others.
_OPTIONS = {"layout": layout, "copy": bool, "pin_memory": bool, "requires_grad": bool}


def _misfit_option(name: str, kwargs: dict[str, object]) -> TypeError | None:
    for label, kind in _OPTIONS.items():
        value = kwargs.get(label)
        if value is not None and not isinstance(value, kind):
            wanted = "torch.layout" if kind is layout else "bool"
            return TypeError(f"{name}(): argument '{label}' must be {wanted}, not {type_name(value)}")
    return None


def _reworded(error: TypeError, name: str) -> TypeError:
    """Python's error for a missing argument in PyTorch's words."""
    traceback = error.__traceback__
    if traceback is not None and traceback.tb_next is None:  # the call itself does not fit: nothing inside is to be seen
        error = error.with_traceback(None)
    found = re.fullmatch(rf"{name}\(\) missing \d+ required (?:positional|keyword-only) arguments?: ('.*)", str(error))
    return error if found is None else without(name, re.findall(r"'(\w+)'", found[1]))
