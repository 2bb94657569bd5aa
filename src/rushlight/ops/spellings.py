"""NumPy's names of arguments, which PyTorch's functions take beside their own.

>>> import rushlight as torch
>>> torch.sin(x=torch.zeros(2)), torch.sum(a=torch.ones(2, 3), axis=0)
(tensor([0., 0.]), tensor([2., 2., 2.]))
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..autograd.interpreters import Args, Named
from ..base.arguments import NUMBERS
from .argument_forms import refusal, refuse_misfits, respelled, spellings_of
from .compiling import UNSAID
from .misfits import Call, without
from .signatures import PublicSignature


def by_own_names(parameters: tuple[str, ...], spellings: dict[str, str], args: Args, named: Named) -> tuple[Args, Named]:
    """A call by a function's own names; a number before a tensor, which PyTorch calls ``self``, in its place."""
    if "self" in named and "input" in parameters and isinstance(named["self"], NUMBERS):
        if parameters[len(args) : len(args) + 1] != ("input",):
            return args, respelled(named, {**spellings, "self": "input"})
        args, named = (*args, named["self"]), {key: value for key, value in named.items() if key != "self"}
    return args, respelled(named, spellings)


def in_order(name: str, labels: tuple[str, ...], args: Args, named: Named) -> tuple[Args, Named]:
    """All arguments of a function but ``out`` by position; PyTorch's error where one is missing or not known.

    ``labels``  of those that are required
    ``args``    UNSAID where one was not given, or not by its own name
    """
    if "self" in named and args[0] is UNSAID:
        placed, named = by_own_names(labels, {}, (), named)
        args = (*placed, *args[len(placed) :])
    first = tuple(itertools.takewhile(lambda value: value is not UNSAID, args))
    given = {label: value for label, value in zip(labels, args, strict=False) if value is not UNSAID}
    others = respelled(named, {other: own for other, own in spellings_of(labels).items() if own not in given})
    if len(args) > len(labels) or {**given, **others}.keys() - {"out"} != set(labels):
        behind = {**{label: given[label] for label in labels[len(first) :] if label in given}, **others}
        unknown = [key for key in others if key not in (*labels, "out")] or ["out"]
        raise refusal(name, False, first, behind) or TypeError(f"{name}() got an unexpected keyword argument '{unknown[0]}'")
    out = others.pop("out", None)
    return tuple((given | others)[label] for label in labels), {} if out is None else {"out": out}


def with_other(name: str, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A method of two tensors with PyTorch's name for the second, and NumPy's."""

    def method(self: object, other: object = UNSAID, *, x2: object = UNSAID) -> object:
        if x2 is not UNSAID:
            refuse_misfits(name, True, () if other is UNSAID else (other,), {"x2": x2})
            other = x2
        try:
            return compiled(self, other)
        except TypeError as error:
            if other is UNSAID:
                raise without(name, ["other"]) from None
            wrong = Call(name, ("input", "other"), (self, other), {}).as_method(error)
            if wrong is None:
                raise
            raise wrong from None

    method.__name__ = method.__qualname__ = name
    method.__signature__ = _OF_TWO  # type: ignore[attr-defined]
    return method


_OF_TWO = PublicSignature(lambda self, other: None)
