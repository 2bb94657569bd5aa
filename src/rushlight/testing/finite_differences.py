"""Derivatives from the values of a function alone: what gradcheck holds the rules against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.size import Size
from ..tensor import Tensor

Tensors = tuple[Tensor, ...]
Matrix = np.ndarray[Any, Any]


class GradcheckError(RuntimeError):
    """What :func:`gradcheck` and :func:`gradgradcheck` raise where a derivative is wrong."""

    __module__ = "torch.autograd.gradcheck"


def as_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def recorded(outputs: Any) -> Tensors:
    """The outputs of a function that need a gradient."""
    return tuple(one for one in as_tuple(outputs) if one.requires_grad)


class Differences:
    """A function at a point, and how its outputs change around it."""

    def __init__(self, func: Callable[..., Any], inputs: tuple[Any, ...], eps: float) -> None:
        self.func, self.inputs, self.eps = func, inputs, eps

    def outputs(self) -> Tensors:
        return recorded(self.func(*self.inputs))

    @property
    def points(self) -> list[tuple[int, Tensor]]:
        """The inputs that need a gradient, and where they stand."""
        return [(index, one) for index, one in enumerate(self.inputs) if isinstance(one, Tensor) and one.requires_grad]

    def values(self) -> list[Matrix]:
        return [one._array.copy() for one in recorded(self.func(*self.inputs))]

    def difference(self, point: Tensor, direction: Matrix) -> list[Matrix]:
        """For each output its change along a direction, by the two-sided difference."""
        array = point._array
        before = array.copy()
        try:
            array[...] = before - self.eps * direction
            below = self.values()
            array[...] = before + self.eps * direction
            above = self.values()
        finally:
            array[...] = before
        for low, high in zip(below, above, strict=True):
            self.expect_alike(low, high)
        return [(high - low) / (2 * self.eps) for high, low in zip(above, below, strict=True)]

    def expect_alike(self, low: Matrix, high: Matrix) -> None:
        """Raises where the outputs on the two sides of a point have another shape or dtype."""
        where = f"Expected `func` to return outputs with the same {{}} when inputs are perturbed by {self.eps}, but got: "
        if low.shape != high.shape:
            raise AssertionError(f"{where.format('shape')}shapes {Size(low.shape)} and {Size(high.shape)}.")
        if low.dtype != high.dtype:
            raise AssertionError(f"{where.format('dtype')}dtypes {dtypes.of(low.dtype)} and {dtypes.of(high.dtype)}.")

    def numerical(self, point: Tensor) -> list[tuple[Matrix, Matrix | None]]:
        """For each output the Jacobian of its real and (if complex) imaginary part, a row for each element of the point.

        The derivative by a complex number a + ib is d/da + i d/db, as the gradients of PyTorch are.
        """
        size, is_complex = point._array.size, point._array.dtype.kind == "c"
        rows: list[list[Matrix]] = []
        along = None
        for element in range(size):
            direction = np.zeros(size, point._array.dtype)
            direction[element] = 1
            along = self.difference(point, direction.reshape(point._array.shape))
            parts = [[one.real.reshape(-1), one.imag.reshape(-1)] for one in along]
            if is_complex:
                sideways = self.difference(point, 1j * direction.reshape(point._array.shape))
                parts = [
                    [real + 1j * other.real.reshape(-1), imaginary + 1j * other.imag.reshape(-1)]
                    for (real, imaginary), other in zip(parts, sideways, strict=True)
                ]
            rows.append(parts)  # type: ignore[arg-type]
        found: list[tuple[Matrix, Matrix | None]] = []
        for number, value in enumerate(self.values() if along is None else along):
            shape = (size, value.size)
            dtype = np.result_type(value.real.dtype, np.complex64) if is_complex else value.real.dtype
            real, imaginary = (np.array([row[number][part] for row in rows], dtype).reshape(shape) for part in (0, 1))
            found.append((real, imaginary if value.dtype.kind == "c" else None))
        return found

    def expect_zero_derivative(self) -> None:
        values = [one._array for one in as_tuple(self.func(*self.inputs)) if isinstance(one, Tensor)]
        for _, point in self.points:
            before = point._array.copy()
            for element in np.ndindex(*before.shape):
                point._array[element] += self.eps
                moved = [one._array.copy() for one in as_tuple(self.func(*self.inputs)) if isinstance(one, Tensor)]
                point._array[...] = before
                for have, was in zip(moved, values, strict=True):
                    if have.dtype.kind == "b":
                        raise RuntimeError(
                            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                            "`logical_xor()` operator instead."
                        )
                    if have.dtype.kind in "fc" and not np.array_equal(have, was, equal_nan=True):
                        raise GradcheckError("Numerical gradient for function expected to be zero")
