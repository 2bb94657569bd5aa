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

from .compiling import GLOBALS, UNSAID, compile_case, compile_lock, waiting_case
from .public import methods, module
from .table import Op, table


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


def plain_cases(name: str, *cases: Case, space: str = "torch") -> None:
    """Puts the plain cases before the function and the method ``name``: each has more arguments than the one before it."""
    for home in (module(space), methods) if space == "torch" else (module(space),):
        if name not in home:
            continue
        spoken = home[name]
        function = _without_unsaid(spoken)
        for case in cases:
            function = _in_front(function, spoken, table[case.op], case)
        home[name] = functools.update_wrapper(function, spoken)
        cells = dict(zip(spoken.__code__.co_freevars, spoken.__closure__ or (), strict=True))
        cells["call"].cell_contents = function  # what __torch_function__ is told was called


def _without_unsaid(spoken: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: spoken(*[each for each in args if each is not UNSAID])


def _in_front(fewer: Callable[..., Any], spoken: Callable[..., Any], entry: Op, case: Case) -> Callable[..., Any]:
    """A plain case before ``spoken``, compiled at its first call; calls with fewer arguments go to ``fewer``."""

    def first_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with compile_lock:
            GLOBALS.update(case.names)
            compile_case(function, entry, case)
        return function(*args, **kwargs)

    function = waiting_case(entry, first_call, fewer, spoken)
    return function
