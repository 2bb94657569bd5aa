"""torch.sym_*: functions of sizes. Sizes are plain numbers here, so these are what Python does with numbers."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from .public import module, public

_function = public(method=False, out=False)


class _Traced:
    def __init__(self, node: Any) -> None:
        self.node = node  # of a traced program: nothing asks it here


class SymInt(_Traced):
    """A size that is not known before a traced program runs. Nothing is traced here, so nothing is an instance of it.

    >>> import rushlight as torch
    >>> isinstance(torch.zeros(3).size(0), (int, torch.SymInt))
    True
    """


class SymFloat(_Traced):
    """A number that is not known before a traced program runs; see :class:`SymInt`."""


class SymBool(_Traced):
    """A comparison of such numbers; see :class:`SymInt`."""


for _class in (SymInt, SymFloat, SymBool):
    _class.__module__ = __name__.partition(".")[0]  # where pickles find it
    module("torch")[_class.__name__] = _class


@_function
def sym_float(a: Any) -> float:
    """The number as a float."""
    return float(a)


@_function
def sym_int(a: Any) -> int:
    """The number as an int, rounded towards zero."""
    return int(a)


@_function
def sym_not(a: Any) -> bool:
    """``not a``."""
    return not a


@_function
def sym_sqrt(a: Any) -> float:
    """The square root."""
    return math.sqrt(a)


@_function
def sym_max(a: Any, b: Any) -> Any:
    """The larger number, as a float if either is one."""
    _check_real(a, b)
    return _of_both(builtins.max(a, b), a, b)


@_function
def sym_min(a: Any, b: Any) -> Any:
    """The smaller number, as a float if either is one."""
    _check_real(a, b)
    return _of_both(builtins.min(a, b), a, b)


def _check_real(*values: object) -> None:
    """AssertionError for what is no real number."""
    kinds = (np.integer, np.floating, int, float)
    for value in values:
        if not isinstance(value, kinds):
            raise AssertionError(f"expected {kinds}, got {type(value)}")


def _of_both(value: Any, a: Any, b: Any) -> Any:
    return float(value) if isinstance(a, float) or isinstance(b, float) else value


@_function
def sym_sum(*args: Any) -> Any:
    """The sum of numbers, or of one list of them."""
    return builtins.sum(args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args)


@_function
def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """``t if b else f``, which must be of one type."""
    assert isinstance(b, bool), f"expected SymBool or bool, got {type(b)}"
    assert type(t) is type(f), f"type mismatch: {type(t)} vs {type(f)}"
    return t if b else f


@_function
def sym_fresh_size(expr: Any) -> Any:
    """The number in a tensor, or in what makes one."""
    return module("torch")["tensor"](expr).item()


@_function
def sym_constrain_range(size: Any, *, min: Any = None, max: Any = None) -> None:
    """RuntimeError for a number outside of a range."""
    low, high = -(2**63) if min is None else min, 2**63 - 1 if max is None else max
    if not low <= size <= high:
        raise RuntimeError(f"Invalid value range for {size} between [{low}, {high}].")


@_function
def sym_constrain_range_for_size(size: Any, *, min: Any = None, max: Any = None) -> None:
    """RuntimeError for a number outside of a range."""
    sym_constrain_range(size, min=0 if min is None else min, max=max)
