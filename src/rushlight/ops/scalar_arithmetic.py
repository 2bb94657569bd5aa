"""Arithmetic with a number inside composed functions and rules, which PyTorch records as nodes with a single edge.

A rule that says ``xp.plus(x, 1)`` has PyTorch's node for it in its own derivatives; ``x + 1`` has that of a user's program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend.arithmetic import complex_sum, subtract_from
from ..backend.array_dtypes import as_array, meeting
from .rule_functions import conj
from .table import op

_Compute = Callable[[Any, Any], Any]


def _with(compute: _Compute, x: Any, number: Any) -> Any:
    """Computed in the dtype in which both meet; of few digits a product is computed in single precision, and rounded once."""
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
        if compute is not operator.mul:
            return compute(x, as_array(number, x.dtype))
        return np.asarray(compute(x.astype(np.float32), number)).astype(x.dtype)
    if x.dtype.kind == "f":
        return compute(x, number)
    x = x.astype(meeting(x, number), copy=False)
    if x.dtype.kind == "c" and compute in _OF_COMPLEX:
        return _OF_COMPLEX[compute](x, number)
    return compute(x, as_array(number, x.dtype) if x.dtype.kind in "iu" else number)


def _reversed(x: Any, number: Any) -> Any:
    return number - x


_OF_COMPLEX: dict[_Compute, _Compute] = {
    operator.add: lambda x, number: complex_sum(x, as_array(number, x.dtype)),
    operator.sub: lambda x, number: complex_sum(x, as_array(-number, x.dtype)),
    _reversed: subtract_from,
}

op("plus", lambda x, number: _with(operator.add, x, number), node="AddBackward1", kind="elementwise", x=lambda g: g)
op("minus", lambda x, number: _with(operator.sub, x, number), node="SubBackward1", kind="elementwise", x=lambda g: g)
op(
    "number_minus",
    lambda x, number: _with(_reversed, x, number),
    node="SubBackward0",
    kind="elementwise",
    x=lambda g: -g,
)
op(
    "times",
    lambda x, number: _with(operator.mul, x, number),
    node="MulBackward1",
    kind="linear",
    x=lambda g, xp, number: xp.times(g, conj(number)),
)
