"""Orthogonal polynomials by their recurrence; Chebyshev's of larger degrees, between -1 and 1, by angles as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..base.errstate import silent
from .array_dtypes import floating, refuse
from .numpy import Array, laid_out

Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]
Step = Callable[[Array, int, Array, Array], Array]


class Angle(NamedTuple):
    """A polynomial of Chebyshev's as a function of its degree: at ``cos(angle)``, and at both ends, where no angle is needed."""

    within: Binary  # of the degree and the angle
    at_one: Unary
    at_minus_one: Unary  # less the sign of an odd degree

    def __call__(self, x: Array, degree: Array) -> Array:
        n = degree.astype(x.dtype)
        sign = np.where(degree % 2, x.dtype.type(-1), x.dtype.type(1))
        return np.where(x == 1, self.at_one(n), np.where(x == -1, sign * self.at_minus_one(n), self.within(n, np.arccos(x))))


def _polynomial(
    name: str, first: Unary, step: Step, shifted: bool = False, above: int = 0, angle: Angle | None = None
) -> Binary:
    """Of degree n at x, or at ``2 x - 1`` where it is shifted; each element has its own degree, and of one below zero it is 0.

    ``p(0) = 1``, ``p(1) = first(x)``, ``p(k + 1) = step(x, k, p(k), p(k - 1))``; by its angle ``above`` a degree, if it has one
    """

    def kernel(x: Array, n: Array) -> Array:
        given = x = floating(x)
        if x.dtype.kind == "c" or x.dtype.itemsize == 2:
            refuse(f"{name}_cpu", x)
        with silent():
            x = 2 * x - 1 if shifted else x
            x, degree = np.broadcast_arrays(x, np.trunc(np.asarray(n).astype(np.float64)).astype(np.int64))
            before, now, k = np.ones_like(x), first(x), 1
            out = np.where(degree == 0, before, np.where(degree == 1, now, 0 * before))
            left = degree > 1
            if angle is not None:
                by_angle = (degree > above) & (abs(x) <= 1)
                out, left = np.where(by_angle, angle(x, degree), out), left & ~by_angle
            while left.any():
                before, now, k = now, step(x, k, now, before), k + 1
                done = left & ((degree == k) | np.isnan(now))  # what is nan stays so
                out, left = np.where(done, now, out), left & ~done
        out = np.asarray(out).astype(x.dtype)
        return out if given.flags.c_contiguous else laid_out(out, (given, np.asarray(n)))

    kernel.__name__ = name
    return kernel


def _chebyshev(x: Array, k: int, now: Array, before: Array) -> Array:
    return 2 * x * now - before


_FIRST: dict[str, Unary] = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}
_ANGLES = {
    "t": Angle(lambda n, angle: np.cos(n * angle), np.ones_like, np.ones_like),
    "u": Angle(lambda n, angle: np.sin((n + 1) * angle) / np.sin(angle), lambda n: n + 1, lambda n: n + 1),
    "v": Angle(lambda n, angle: np.cos((n + 0.5) * angle) / np.cos(angle / 2), np.ones_like, lambda n: 2 * n + 1),
    "w": Angle(lambda n, angle: np.sin((n + 0.5) * angle) / np.sin(angle / 2), lambda n: 2 * n + 1, np.ones_like),
}
# Above which degree PyTorch goes by angles, and for shifted ones.
_ABOVE = {"t": (6, 6), "u": (8, 6), "v": (8, 6), "w": (8, 4)}

POLYNOMIALS: dict[str, Binary] = {
    **{
        name: _polynomial(name, _FIRST[letter], _chebyshev, shifted, _ABOVE[letter][shifted], _ANGLES[letter])
        for shifted in (False, True)
        for letter in "tuvw"
        for name in (f"{'shifted_' * shifted}chebyshev_polynomial_{letter}",)
    },
    **{
        name: _polynomial(name, first, step)
        for name, first, step in (
            ("hermite_polynomial_h", lambda x: 2 * x, lambda x, k, now, before: 2 * x * now - 2 * k * before),
            ("hermite_polynomial_he", lambda x: x, lambda x, k, now, before: x * now - k * before),
            (
                "laguerre_polynomial_l",
                lambda x: 1 - x,
                lambda x, k, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1),
            ),
            ("legendre_polynomial_p", lambda x: x, lambda x, k, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1)),
        )
    },
}
