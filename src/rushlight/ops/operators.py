"""What Python's operators mean between tensors, and between tensors and numbers.

Where an operator is an op it is that op's compiled function and nothing else. With foreign operands all of them answer
NotImplemented, so that the other side may know what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import dispatch
from .pointwise import pow, remainder, rsub
from .public import CompiledOnUse, methods, operator_method, ops


def _operator(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if isinstance(other, (dispatch.Tensor_, *dispatch.NUMBERS)):
            return function(self, other)
        return dispatch.unless_refused(function, other, self, other)

    return operator


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        try:
            return function(self, other)
        except TypeError:
            if isinstance(other, (dispatch.Tensor_, *dispatch.NUMBERS)):
                raise
            return NotImplemented

    return operator


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
    methods[f"__{_sign}__"] = _in_place(methods[f"{_name}_"])


def _pow(self: Any, exponent: Any) -> Any:
    if isinstance(exponent, dispatch.Tensor_):
        return ops.pow(self, exponent)
    if isinstance(exponent, dispatch.NUMBERS):
        return ops.pow_number(self, exponent)
    return dispatch.unless_refused(pow, exponent, self, exponent)


def _rtruediv(self: Any, other: Any) -> Any:
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
methods["__rpow__"] = _operator(lambda self, base: pow(base, self))
methods["__rsub__"] = _operator(rsub)
methods["__rtruediv__"] = methods["__rdiv__"] = _rtruediv
methods["__floordiv__"] = _operator(lambda self, other: ops.floor_divide(self, other))
methods["__rfloordiv__"] = _operator(lambda self, other: ops.floor_divide(other, self))
methods["__mod__"] = _operator(remainder)
methods["__rmod__"] = _operator(lambda self, other: remainder(other, self))
methods["__rlshift__"] = _operator(lambda self, other: ops.bitwise_left_shift(other, self))
methods["__rrshift__"] = _operator(lambda self, other: ops.bitwise_right_shift(other, self))
methods["__pos__"] = methods["positive"]
