"""Comparison, logic and bits: functions without derivative, and their operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import views
from ..backend import comparison as k
from ..base.dtypes import of as dtype_of
from ..tensor import Tensor
from .choice import refuse_number
from .inplace import named, recorded
from .public import alias, methods, ops, public, publish
from .table import op, table

# Comparison.


def _inplace(name: str) -> Any:
    """``x.eq_(y)``: the truth values as numbers in x, which then has no slope."""

    def function(self: Any, other: Any) -> Any:
        is_number = not isinstance(other, Tensor)
        if not (self.requires_grad or (not is_number and other.requires_grad)):
            return recorded(self, f"{name}_", name, other)
        if self._array.dtype.kind in "bui":
            return views.inplace(among_integers, f"{name}_", self, other)
        return recorded(self, f"{name}_", f"{name}_number_into" if is_number else f"{name}_into", other)

    def among_integers(self: Tensor, other: object) -> Tensor:  # which promotion would make numbers that do not go into self
        is_tensor = isinstance(other, Tensor)
        result: Tensor = table[f"{name}_into"].call(self, other) if is_tensor else table[f"{name}_number_into"].call(self, 0)
        result._array = table[name].call(self.detach(), other)._array
        return result

    return named(function, f"{name}_")


for _name, _kernel in (
    ("eq", np.equal), ("ne", np.not_equal), ("lt", k.less), ("le", k.less_equal), ("gt", k.greater),
    ("ge", k.greater_equal),
):  # fmt: skip
    op(_name, _kernel, inputs="a b", promote="compare", numbers="second")
    op(f"{_name}_into", k.as_number(_kernel), node=f"{_name.capitalize()}Backward1", promote="compare",
       a=lambda g, xp: xp.zeroed(g), b=lambda g, xp: xp.zeroed(g))  # fmt: skip
    op(f"{_name}_number_into", k.with_number(_kernel), inputs="a", node=f"{_name.capitalize()}Backward0",
       a=lambda g, xp: xp.zeroed(g))  # fmt: skip
    publish(_name, forms="function method")
    methods[f"{_name}_"] = _inplace(_name)

for _long, _short in (
    ("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge"),
):  # fmt: skip
    alias(_long, _short)

# Of one tensor.

for _name, _test in (
    ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite), ("isposinf", k.isposinf),
    ("isneginf", k.isneginf), ("isreal", k.isreal), ("logical_not", np.logical_not),
):  # fmt: skip
    op(_name, _test, inputs="x", promote="compare")
    publish(_name, forms="function method" + (" inplace" if _name == "logical_not" else ""))

# Logic and bits.

for _name, _kernel, _promote in (
    ("logical_and", np.logical_and, "compare"), ("logical_or", np.logical_or, "compare"),
    ("logical_xor", np.logical_xor, "compare"), ("bitwise_and", k.bitwise_and, "same"),
    ("bitwise_or", k.bitwise_or, "same"), ("bitwise_xor", k.bitwise_xor, "same"),
    ("bitwise_left_shift", k.left_shift, "same"), ("bitwise_right_shift", k.right_shift, "same"),
    ("gcd", k.gcd, "same"), ("lcm", k.lcm, "same"),
):  # fmt: skip
    op(_name, _kernel, inputs="a b", promote=_promote, numbers="any" if "bitwise" in _name else "none")
    publish(_name)

op("isclose", k.isclose, inputs="a b")
op("bitwise_not", k.bitwise_not, inputs="x", promote="same")
publish("bitwise_not")


@public(out=False)
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether ``|input - other| <= atol + rtol * |other|``, element by element.

    Raises RuntimeError for different dtypes and negative tolerances.
    """
    refuse_number("isclose", ("input", "other"), (input, other))
    if input._array.dtype != other._array.dtype:
        kinds = [dtype_of(value._array.dtype).scalar_name for value in (input, other)]
        raise RuntimeError(f"{kinds[0]} did not match {kinds[1]}")
    rtol, atol = (float(value) if isinstance(value, Tensor) and not value.requires_grad else value for value in (rtol, atol))
    for place, (name, value) in enumerate((("rtol", rtol), ("atol", atol)), 3):
        if isinstance(value, Tensor):
            raise TypeError(f"isclose(): argument '{name}' (position {place}) must be float, not Tensor")
        if value < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    return ops.isclose(input, other, rtol, atol, bool(equal_nan))


@public(out=False)
def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as :func:`isclose` says.

    >>> import rushlight as torch
    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    True
    """
    refuse_number("allclose", ("input", "other"), (input, other))
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


@public(out=False)
def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and equal elements."""
    refuse_number("equal", ("input", "other"), (input, other))
    return k.equal(input._array, other._array)
