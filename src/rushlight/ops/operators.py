"""What Python's operators mean between tensors, and between tensors and numbers.

Where an operator is an op it is that op's compiled function and nothing else. A foreign operand is asked by
``__torch_function__``, under the name that PyTorch's operators have there; else all of them answer NotImplemented, so that
Python asks the operand's own operator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.interpreters import asks_itself
from ..autograd.modes import special
from ..base.arguments import NUMBERS
from ..tensor import Tensor
from .asking import asked_as
from .operands import other_side
from .pointwise import pow, remainder, rsub
from .public import CompiledOnUse, methods, operator_method, ops


def _define(dunder: str, function: Callable[[Any, Any], Any], told: str = "") -> None:
    """Makes ``function`` the operator ``dunder``; a foreign operand is told of it as ``told`` where that is another name."""

    def operator(self: Any, other: Any) -> Any:
        if special.active:
            settled, result = asked_as(dunder, (self, other))
            if settled:
                return result
        if isinstance(other, (Tensor, *NUMBERS)):
            return function(self, other)
        return other_side(told or dunder, self, other)

    operator.__name__ = operator.__qualname__ = dunder
    methods[dunder] = asks_itself(operator)


def _define_in_place(dunder: str, told: str) -> None:
    """Makes the method ``told`` the operator ``dunder``."""
    function = methods[told]

    def operator(self: Any, other: Any) -> Any:
        if special.active:
            settled, result = asked_as(dunder, (self, other))
            if settled:
                return result
        try:
            return function(self, other)
        except TypeError:
            if isinstance(other, (Tensor, *NUMBERS)):
                raise
            return other_side(told, self, other)

    operator.__name__ = dunder
    methods[dunder] = asks_itself(operator)


for _sign, _name in (
    ("add", "add"), ("radd", "add"), ("sub", "sub"), ("mul", "mul"), ("rmul", "mul"), ("truediv", "div"),
    ("div", "div"), ("neg", "neg"), ("abs", "abs"), ("eq", "eq"), ("ne", "ne"), ("lt", "lt"), ("le", "le"),
    ("gt", "gt"), ("ge", "ge"), ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor"),
    ("rand", "bitwise_and"), ("ror", "bitwise_or"), ("rxor", "bitwise_xor"), ("lshift", "bitwise_left_shift"),
    ("rshift", "bitwise_right_shift"),
):  # fmt: skip
    operator_method(f"__{_sign}__", _name)

for _sign, _name in (
    ("iadd", "add"), ("isub", "sub"), ("imul", "mul"), ("itruediv", "div"), ("idiv", "div"),
    ("ifloordiv", "floor_divide"), ("imod", "remainder"), ("ipow", "pow"), ("iand", "bitwise_and"),
    ("ior", "bitwise_or"), ("ixor", "bitwise_xor"),
    ("ilshift", "bitwise_left_shift"), ("irshift", "bitwise_right_shift"),
):  # fmt: skip
    _define_in_place(f"__{_sign}__", f"{_name}_")


def _pow(self: Any, exponent: Any) -> Any:
    if isinstance(exponent, Tensor):
        return ops.pow(self, exponent)
    if isinstance(exponent, NUMBERS):
        return ops.pow_number(self, exponent)
    return other_side("pow", self, exponent)


def _rtruediv(self: Any, other: Any) -> Any:
    if hasattr(type(other), "__torch_function__") and not isinstance(other, Tensor):
        return other_side("__rdiv__", self, other)
    inverse = self.reciprocal()
    try:
        return inverse * other  # an array of NumPy's takes over here
    except TypeError:
        return NotImplemented


def _invert(self: Any) -> Any:
    if self._array.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ops.bitwise_not(self)


methods["__invert__"] = _invert
methods["__pow__"] = CompiledOnUse(
    "__pow__", "pow_number", "operator", "exponent.__class__ is int or exponent.__class__ is float", _pow
)
methods["__rtruediv__"] = methods["__rdiv__"] = _rtruediv
_rtruediv.__name__ = "__rdiv__"
methods["__pos__"] = methods["positive"]
_define("__rpow__", lambda self, base: pow(base, self))
_define("__rsub__", rsub)
_define("__floordiv__", lambda self, other: ops.floor_divide(self, other))
_define("__rfloordiv__", lambda self, other: ops.floor_divide(other, self))
_define("__mod__", remainder, told="remainder")
_define("__rmod__", lambda self, other: remainder(other, self))
_define("__rlshift__", lambda self, other: ops.bitwise_left_shift(other, self))
_define("__rrshift__", lambda self, other: ops.bitwise_right_shift(other, self))
