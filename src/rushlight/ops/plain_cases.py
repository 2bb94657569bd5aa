"""Public functions that are one op and nothing else in the plain case: compiled as that op, with nothing in between.

    plain_cases("t", Case("t", "input", "x_x.ndim <= 2"))

makes ``torch.t`` and ``Tensor.t`` the op ``t`` for what has at most two dimensions, at the cost of the op alone. Every other
call (keywords, modes, subclasses, errors) goes to the function that :func:`.public.public` made, with the arguments as given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .compiling import UNSAID, compiled_case
from .public import methods, module
from .table import table


class Case(NamedTuple):
    """When a public function is an op.

    ``op``         its name
    ``arguments``  the positional arguments of the public function; the last may be ``*sizes``
    ``where``      what must be true of the arguments and of the arrays ``x_<input>`` of the op's inputs
    ``value``      the result, where less is to be asked than the op's kernel asks
    ``settings``   the op's parameters that are not arguments, in terms of these and of ``names``
    ``inputs``     the op's inputs in terms of the arguments and ``names``, where they are not the first of the arguments in order
    ``before``     what must be true of the arguments before the inputs are looked at
    ``last_may_be_none``  None for the last argument is as if it was not given
    """

    op: str
    arguments: str
    where: str = "True"
    value: str = ""
    settings: Mapping[str, str] = MappingProxyType({})
    names: Mapping[str, Any] = MappingProxyType({})
    inputs: Mapping[str, str] = MappingProxyType({})
    before: str = ""
    last_may_be_none: bool = False


def one_axis(name: str, ndim: str = "x_x.ndim") -> tuple[str, str]:
    """What must be true of a dimension, and the dimension as a number from 0."""
    return f"{name}.__class__ is int and -{ndim} <= {name} < {ndim}", f"{name} if {name} >= 0 else {name} + {ndim}"


def plain_cases(name: str, *cases: Case, space: str = "torch", forms: str = "function method") -> None:
    """Puts the plain cases before the function and the method ``name``: each has more arguments than the one before it."""
    for home in (module(space), methods) if space == "torch" else (module(space),):
        if name not in home or ("method" if home is methods else "function") not in forms:
            continue
        spoken: Any = home[name]
        function: Any = _without_unsaid(spoken)
        for case in cases:
            function = compiled_case(table[case.op], case, function, spoken)
        home[name] = functools.update_wrapper(function, spoken)
        function.shown_as = spoken.shown_as = function


def _without_unsaid(spoken: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: spoken(*[each for each in args if each is not UNSAID])
