"""Parameters that must be a bool: PyTorch's operators take nothing else for them, and what is in Python takes anything."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

# Flags of operators that PyTorch asks in Python, and those that functions written in Python pass on to operators.
_LOOSE = frozenset("center inplace pin_memory requires_grad".split())
_PASSED_ON = frozenset(
    "align_corners ceil_mode count_include_pad enable_gqa is_causal log_input log_target scale_grad_by_freq sparse "
    "zero_infinity".split()
)


def flags_of(f: Callable[..., Any], native: bool) -> dict[str, int]:
    """The parameters of ``f`` that must be a bool, and their places; one that is given by name alone has no place that is used."""
    function = inspect.unwrap(f)
    if function.__code__.co_flags & inspect.CO_VARARGS:  # sizes one by one: only a few more may be given, by their names
        return {}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    places = range(len(names) - len(defaults), len(names))
    behind = [(names[place], place, default) for place, default in zip(places, defaults, strict=True)]
    behind += [(label, sys.maxsize, default) for label, default in (function.__kwdefaults__ or {}).items()]
    return {
        label: place
        for label, place, default in behind
        if isinstance(default, bool) and (label not in _LOOSE if native else label in _PASSED_ON)
    }


def no_bool(flags: dict[str, int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The first flag for which something else than a bool is given."""
    for label, place in flags.items():
        if (args[place] if place < len(args) else kwargs.get(label, False)).__class__ is not bool:
            return label
    return None


def only_bools(f: Callable[..., Any], flags: dict[str, int]) -> Callable[..., Any]:
    """``f``, which raises TypeError where something else is given for a flag."""

    @functools.wraps(f)
    def checked(*args: Any, **kwargs: Any) -> Any:
        label = no_bool(flags, args, kwargs)
        if label is not None:
            raise TypeError(f"{f.__name__}(): argument '{label}' must be bool")
        return f(*args, **kwargs)

    return checked
