"""Factors of products, and calls as they were written before PyTorch 1.5: ``addmm(beta, input, alpha, mat1, mat2)``."""

from __future__ import annotations

from typing import Any

from ..base.arguments import NUMBERS
from ..tensor import Tensor
from .parameters import is_number
from .public import warn


def check_numbers(*factors: object) -> None:
    """TypeError for what is no number, an array of one say."""
    if not all(factor.__class__ is int or is_number(factor) for factor in factors):
        raise TypeError  # which is then said in PyTorch's words


def scaled(name: str, factors: str, args: tuple[object, ...]) -> tuple[list[Any], dict[str, Any]]:
    """The three tensors of such a call of ``name``, and its ``beta`` and ``alpha``; the products are of ``factors``.

    TypeError where there are not three tensors and one or two numbers.
    """
    given = [one for one in args if isinstance(one, Tensor)]
    numbers = [one for one in args if isinstance(one, NUMBERS)]
    are_last = all(isinstance(one, Tensor) for one in args[-2:])
    if len(given) != 3 or len(given) + len(numbers) != len(args) or len(numbers) > 2 or not are_last:
        raise TypeError(f"{name}() takes 3 positional arguments but {len(args)} were given")
    beta, alpha = "Number beta, ", "Number alpha, " if len(numbers) == 2 else ""
    first, second = factors.split()
    warn(
        f"This overload of {name} is deprecated:\n"
        f"\t{name}({beta}Tensor input, {alpha}Tensor {first}, Tensor {second}, *, Tensor out = None)\n"
        "Consider using one of the following signatures instead:\n"
        f"\t{name}(Tensor input, Tensor {first}, Tensor {second}, *, Number beta = 1, Number alpha = 1, Tensor out = None)",
        once=True,
    )
    return given, dict(zip(("beta", "alpha"), numbers, strict=False))
