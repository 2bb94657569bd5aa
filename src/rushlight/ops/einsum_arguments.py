"""The arguments of einsum, brought into one form: an equation, and the operands one by one."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

from ..tensor import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

Args = tuple[Any, ...]


def with_equation(args: Args) -> Args:
    """An equation before the operands, also where a list of numbers followed each of them."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if not isinstance(args[0], Tensor):
        return args
    equation = ",".join("".join(_letter(one) for one in labels) for labels in args[1::2])
    if len(args) % 2:
        return (equation + "->" + "".join(_letter(one) for one in args[-1]), *args[:-1:2])
    return (equation, *args[::2])


def one_by_one(args: Args) -> Args:
    """The operands one by one behind their equation, also where they were given as one list."""
    while len(args) == 2 and isinstance(args[1], (list, tuple)):
        args = with_equation((args[0], *args[1]))
    return args


def _letter(number: int | EllipsisType) -> str:
    if number is Ellipsis:
        return "..."
    if 0 <= number < len(LETTERS):
        return LETTERS[number]
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
