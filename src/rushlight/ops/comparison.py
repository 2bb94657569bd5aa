"""Comparison, logic and bits: functions without derivative, and their operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import comparison as k
from . import dispatch
from .public import alias, methods, operator_method, ops, public, publish
from .table import op

# Comparison.

for _name, _kernel in (
    ("eq", np.equal), ("ne", np.not_equal), ("lt", k.less), ("le", k.less_equal), ("gt", k.greater), ("ge", k.greater_equal),
):  # fmt: skip
    op(_name, _kernel, inputs="a b", promote="compare")
    publish(_name, forms="function method")
    operator_method(f"__{_name}__", _name)

for _long, _short in (
    ("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge"),
):  # fmt: skip
    alias(_long, _short)

# Of one tensor.

for _name, _kernel in (
    ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite), ("isposinf", k.isposinf), ("isneginf", k.isneginf),
    ("isreal", k.isreal), ("logical_not", np.logical_not),
):  # fmt: skip
    op(_name, _kernel, inputs="x", promote="compare")
    publish(_name, forms="function method")

# Logic and bits.

for _name, _kernel, _promote in (
    ("logical_and", np.logical_and, "compare"), ("logical_or", np.logical_or, "compare"),
    ("logical_xor", np.logical_xor, "compare"), ("bitwise_and", k.bitwise_and, "same"), ("bitwise_or", k.bitwise_or, "same"),
    ("bitwise_xor", k.bitwise_xor, "same"), ("bitwise_left_shift", k.left_shift, "same"),
    ("bitwise_right_shift", k.right_shift, "same"), ("gcd", k.gcd, "same"), ("lcm", k.lcm, "same"),
):  # fmt: skip
    op(_name, _kernel, inputs="a b", promote=_promote)
    publish(_name)

op("bitwise_not", k.bitwise_not, inputs="x", promote="same")
publish("bitwise_not")

for _operator, _name in (
    ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor"), ("rand", "bitwise_and"), ("ror", "bitwise_or"),
    ("rxor", "bitwise_xor"), ("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift"), ("invert", "bitwise_not"),
):  # fmt: skip
    operator_method(f"__{_operator}__", _name)


def _reflected(name: str) -> Any:
    def operator(self: Any, other: Any) -> Any:
        return getattr(ops, name)(other, self) if isinstance(other, dispatch.NUMBERS) else NotImplemented

    return operator


methods["__rlshift__"] = _reflected("bitwise_left_shift")
methods["__rrshift__"] = _reflected("bitwise_right_shift")
