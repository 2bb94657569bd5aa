"""The derivatives of one function at one point, held against its finite differences: the work of gradcheck."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..autograd import forward_ad
from ..autograd.function import Function
from ..autograd.gradients import grad
from ..autograd.interpreters import stack as interpreters
from ..backend.notes import with_notes
from ..tensor import Tensor, wrap
from .finite_differences import Differences, GradcheckError, Matrix, Tensors, as_tuple


def expect_layout(found: Any, point: Any) -> None:
    if found._strided:
        return
    if found.layout is not point.layout:
        raise GradcheckError(f"grad is incorrect layout ({found.layout} is not {point.layout})")
    if found.is_sparse and found.sparse_dim() != point.sparse_dim():
        raise GradcheckError(
            f"grad is sparse tensor, but has incorrect sparse_dim {found.sparse_dim()}, expected {point.sparse_dim()}"
        )


def random_numbers(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Matrix:
    """Numbers between 0.1 and 1, of a generator of its own: the program's random stream is not touched."""
    generator = np.random.default_rng(shape)
    values = generator.uniform(0.1, 1, shape)
    if dtype.kind == "c":
        values = values + 1j * generator.uniform(0.1, 1, shape)
    return np.asarray(values).astype(dtype)


class Check(Differences):
    """The derivatives of one function at one point, beside its finite differences."""

    def __init__(
        self,
        func: Callable[..., Any],
        inputs: tuple[Any, ...],
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
        fast: bool,
    ) -> None:
        super().__init__(func, inputs, eps)
        self.atol, self.rtol, self.nondet_tol, self.fast = atol, rtol, nondet_tol, fast

    def look_at_inputs(self) -> None:
        if not any(isinstance(one, Tensor) and one.requires_grad for one in self.inputs):
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
            )
        for position, one in enumerate(self.inputs):
            if not isinstance(one, Tensor) or not one.requires_grad:
                continue
            if one._array.dtype.name not in ("float64", "complex128"):
                warnings.warn(
                    f"Input #{position} requires gradient and is not a double precision floating point or complex. This check "
                    "will likely fail if all the inputs are not of double precision floating point or complex. ",
                    stacklevel=3,
                )
            if any(step == 0 and size > 1 for step, size in zip(one.stride(), one._array.shape, strict=True)):
                raise RuntimeError(
                    f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                    "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous on "
                    "the input before passing it to gradcheck."
                )
            one.retain_grad()

    # The reverse pass.

    def vjps(self, output: Tensor, cotangents: list[Matrix]) -> list[list[Matrix]]:
        """For each cotangent the gradients of all points; all are asked for twice: they must not differ."""
        points = [point for _, point in self.points]

        def pulled(cotangent: Matrix) -> list[Tensor | None]:
            found = grad(output, points, wrap(cotangent.astype(output._array.dtype)), retain_graph=True, allow_unused=True)
            return [one if one is None or one._strided else one.to_dense() for one in found]

        once, again = ([pulled(one) for one in cotangents] for _ in range(2))
        for run in zip(once, again, strict=True):
            for first, second, point in zip(*run, points, strict=True):
                self._expect_same(first, second, point)
        return [
            [np.zeros_like(point._array) if one is None else one._array for one, point in zip(found, points, strict=True)]
            for found in once
        ]

    def _expect_same(self, first: Tensor | None, second: Tensor | None, point: Tensor) -> None:
        for one in (first, second):
            if one is not None and one._array.shape != point._array.shape:
                raise GradcheckError("Analytical gradient has incorrect size")
            if one is not None and self.dtypes and one._array.dtype != point._array.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
        if first is None or second is None:
            is_same = first is second
        else:
            is_same = _allclose(first._array, second._array, self.nondet_tol, 0)
        if not is_same:
            raise with_notes(GradcheckError(NOT_REENTRANT.format(self.nondet_tol)), MEANT_TO_VARY)

    dtypes = False

    def parts(self, output: Tensor) -> Iterator[tuple[str, Tensor]]:
        """A real output as it is; a complex one in its real and its imaginary part."""
        if output._array.dtype.kind != "c":
            yield "", output
            return
        yield REAL_PART, output.real
        yield IMAGINARY_PART, output.imag

    def analytical(self, output: Tensor) -> list[Matrix]:
        """For each point the Jacobian of a real output, a row for each element of the point."""
        size = output._array.size
        columns = self.vjps(output, [one.reshape(output._array.shape) for one in np.eye(size)])
        return [
            np.array([column[number].reshape(-1) for column in columns], point._array.dtype).reshape(size, point._array.size).T
            for number, (_, point) in enumerate(self.points)
        ]

    def backward(self, outputs: Tensors, check_dtypes: bool) -> None:
        self.dtypes = check_dtypes
        if self.fast:
            self._backward_fast(outputs)
            return
        numerical = [self.numerical(point) for _, point in self.points]
        exact = [[(words, self.analytical(part)) for words, part in self.parts(output)] for output in outputs]
        for imaginary in (1, 0):  # imaginary parts of complex outputs first, as PyTorch goes
            for place, (index, _) in enumerate(self.points):
                for number, parts in enumerate(exact):
                    if imaginary < len(parts):
                        words, jacobians = parts[imaginary]
                        near = numerical[place][number][imaginary]
                        if not _allclose(jacobians[place], near, self.atol, self.rtol):
                            self.mismatch(words, number, index, near, jacobians[place])

    def _backward_fast(self, outputs: Tensors) -> None:
        """Compares the slopes of weighted sums of the outputs along random directions: of each point a real and an imaginary one."""
        along = []
        for _, point in self.points:
            dtype = point._array.dtype
            units = (1, 1j) if dtype.kind == "c" else (1,)
            ways = [random_numbers(point._array.shape, np.dtype(np.float64)) * (0.5 if unit == 1j else 1) for unit in units]
            along.append(
                [(unit, way, self.difference(point, (unit * way).astype(dtype))) for unit, way in zip(units, ways, strict=True)]
            )
        exact = []
        for output in outputs:
            cotangents = [(words, one, random_numbers(one._array.shape, one._array.dtype)) for words, one in self.parts(output)]
            exact.append([(words, one, v, self.vjps(one, [v])[0]) for words, one, v in cotangents])
        for imaginary in (1, 0):
            for place in range(len(along)):
                for number, parts in enumerate(exact):
                    if imaginary < len(parts):
                        self._compare_along(*parts[imaginary], along[place], place, number, imaginary)

    def _compare_along(
        self,
        words: str,
        output: Tensor,
        v: Matrix,
        found: list[Matrix],
        along: list[tuple[complex, Matrix, list[Matrix]]],
        place: int,
        number: int,
        imaginary: int,
    ) -> None:
        numerical: Any = 0
        exact: Any = 0
        reach: Any = 0
        for unit, way, changes in along:
            change, slope = changes[number], found[place]
            numerical += unit * np.sum(v * (change.imag if imaginary else change.real))
            exact += unit * np.sum((slope.imag if unit == 1j else slope.real) * way)
            reach = np.maximum(reach, way)
        # As much as the elements of the two Jacobians may differ, summed with the weights of both sides.
        atol = self.atol * float(np.sum(reach)) * float(np.sum(v))
        if not _allclose(exact, numerical, atol, self.rtol):
            index, point = self.points[place]
            slow = self.numerical(point)[number][imaginary], self.analytical(output)[place]
            self.mismatch(words, number, index, numerical, exact, slow)

    def mismatch(
        self, words: str, output: int, point: int, numerical: Any, analytical: Any, slow: Any = None, forward: bool = False
    ) -> None:
        how = "computed with forward mode " if forward else ""
        text = (
            f"{words}Jacobian {how}mismatch for output {output} with respect to input {point},\n"
            f"numerical:{_shown(numerical)}\nanalytical:{_shown(analytical)}\n"
        )
        if slow is not None:
            text += (
                "\nThe above quantities relating the numerical and analytical jacobians are computed in fast mode: they are for one "
                "random direction. The whole jacobians are:\n\n"
                f"Numerical:\n {_shown(slow[0])}\nAnalytical:\n{_shown(slow[1])}\n\n"
                f"The max per-element difference (slow mode) is: {np.abs(slow[0] - slow[1]).max(initial=0)}.\n"
            )
            if _allclose(slow[1], slow[0], self.atol, self.rtol):
                text += (
                    "Fast gradcheck failed but element-wise differences are small. This means that the test might've passed in "
                    "slow_mode!\n"
                )
        raise GradcheckError(text)

    # Forward mode.

    def dual_outputs(self, directions: dict[int, Tensor]) -> list[Tensor]:
        """The tangents of the outputs where some inputs have one."""
        with forward_ad.dual_level():
            arguments = [one.detach() if isinstance(one, Tensor) else one for one in self.inputs]
            for index, direction in directions.items():
                arguments[index] = forward_ad.make_dual(arguments[index], direction)
            outputs = [one for one in as_tuple(self.func(*arguments)) if isinstance(one, Tensor)]
            found = []
            for output in outputs:
                if output._array.dtype.kind not in "fcVW":
                    continue
                tangent = forward_ad.unpack_dual(output).tangent
                found.append(output.new_zeros(output.shape) if tangent is None else tangent)
        return found

    def tangents(self, directions: dict[int, Matrix]) -> list[Matrix]:
        return [one._array.copy() for one in self.dual_outputs({index: wrap(one) for index, one in directions.items()})]

    def tangents_along(self, index: int, direction: Matrix) -> list[Matrix]:
        """The tangents where one input has a direction, and the other points have zeros."""
        zeros = {other: np.zeros_like(point._array) for other, point in self.points}
        return self.tangents({**zeros, index: direction})

    def forward(self) -> None:
        kept = [
            number
            for number, one in enumerate(
                one for one in as_tuple(self.func(*self.inputs)) if isinstance(one, Tensor) and one._array.dtype.kind in "fcVW"
            )
            if one.requires_grad
        ]
        for index, point in self.points:
            array = point._array
            is_complex = array.dtype.kind == "c"
            for unit in (1j, 1) if is_complex else (1,):
                part = "imaginary" if unit == 1j else "real"
                words = f"While considering the {part} part of complex inputs only, " if is_complex else ""
                if self.fast:
                    directions = [unit * random_numbers(array.shape, np.dtype(np.float64)).astype(array.dtype)]
                else:
                    directions = []
                    for element in range(array.size):
                        direction = np.zeros(array.size, array.dtype)
                        direction[element] = unit
                        directions.append(direction.reshape(array.shape))
                numerical = [self.difference(point, direction) for direction in directions]
                exact = [self.tangents_along(index, direction) for direction in directions]
                if not directions:
                    continue
                atol = self.atol * (float(np.abs(directions[0]).sum()) if self.fast else 1)
                for place, number in enumerate(kept):
                    near = np.array([one[place].reshape(-1) for one in numerical])
                    found = np.array([one[number].reshape(-1) for one in exact])
                    if not _allclose(found, near, atol, self.rtol):
                        self.mismatch(words, place, index, near, found, forward=True)

    def zero_tangents(self) -> None:
        """A tangent of zeros and none at all must come to the same, beside tangents of the other inputs."""
        directions = {index: random_numbers(point._array.shape, point._array.dtype) for index, point in self.points}
        for index, point in self.points:
            with_zeros = self.tangents({**directions, index: np.zeros_like(point._array)})
            without = self.tangents({key: value for key, value in directions.items() if key != index})
            for zeros, none in zip(with_zeros, without, strict=True):
                if not _allclose(zeros, none, self.atol, self.rtol):
                    raise GradcheckError(
                        "Expected all dual tensors' tangents to be the same for an input without a tangent and one with a "
                        "tangent of zeros."
                    )

    def batched_tangents(self) -> None:
        """Tangents one by one and as a batch, through vmap, must give the same."""
        for index, point in self.points:
            array = point._array
            batch = [random_numbers(array.shape, array.dtype) * (n + 1) for n in range(2)]
            one_by_one = [self.tangents({index: direction}) for direction in batch]

            def along(direction: Tensor, index: int = index) -> Tensors:
                return tuple(self.dual_outputs({index: direction}))

            try:
                together = interpreters.ask("rows", along, [wrap(np.stack(batch))])
            except RuntimeError as error:
                text = NO_RANDOM if "random operation" in str(error) else str(error)
                raise GradcheckError(f"While computing batched gradients, got: {text}{NOT_BATCHED_FORWARD}") from error
            for number, result in enumerate(together):
                expected = np.stack([rows[number] for rows in one_by_one])
                if not _allclose(result._array, expected, self.atol, self.rtol):
                    raise GradcheckError(
                        f"For output {number} and input {index}:\n\nThe tangents of a batch differ from those one by one."
                        f"{NOT_BATCHED_FORWARD}"
                    )

    # Cotangents out of the ordinary.

    def batched(self, outputs: Tensors) -> None:
        points = [point for _, point in self.points]
        for output in outputs:
            batch = np.stack([random_numbers(output._array.shape, output._array.dtype) * (n + 1) for n in range(2)])
            rows = [grad(output, points, wrap(row), retain_graph=True, allow_unused=True) for row in batch]
            together = grad(output, points, wrap(batch), retain_graph=True, allow_unused=True, is_grads_batched=True)
            for number, one in enumerate(together):
                if one is not None and not all(
                    _allclose(one._array[n], row[number]._array, self.atol, self.rtol) for n, row in enumerate(rows)
                ):
                    raise GradcheckError("BatchedTensor gradients differ from the gradients one by one.")

    def zero_cotangents(self, outputs: Tensors) -> None:
        points = [point for _, point in self.points]
        zeros = [wrap(np.zeros_like(output._array)) for output in outputs]
        for one, point in zip(grad(outputs, points, zeros, retain_graph=True, allow_unused=True), points, strict=True):
            if one is None:
                continue
            expect_layout(one, point)
            if not (one._array == 0).all():
                raise GradcheckError("backward not multiplied by grad_output")
            if one._array.dtype != point._array.dtype:
                raise GradcheckError("grad is incorrect type")
            if one._array.shape != point._array.shape:
                raise GradcheckError("grad is incorrect size")

    def undefined_cotangents(self, count: int) -> None:
        """Cotangents of all outputs may be missing, or of any one of them."""
        points = [point for _, point in self.points]
        cases = [[UndefinedGrad.apply(one) for one in self.outputs()]]
        for absent in range(count if count > 1 else 0):
            parts = enumerate(self.outputs())
            cases.append([UndefinedGrad.apply(one) if number == absent else one for number, one in parts])
        for outputs in cases:
            zeros = [wrap(np.zeros_like(one._array)) for one in outputs]
            try:
                found = grad(outputs, points, zeros, allow_unused=True)
            except RuntimeError as error:
                _warn_of_undefined()
                raise GradcheckError(
                    'Expected backward function to handle undefined output grads. Please look at "Notes about undefined '
                    'output gradients" in "tools/autograd/derivatives.yaml"'
                ) from error
            for one in found:
                if one is not None and not (one._array == 0).all():
                    _warn_of_undefined()
                    raise GradcheckError(
                        "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please "
                        'look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
                    )


NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
    "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)
MEANT_TO_VARY = "If the function is meant to vary (it draws random numbers, say), give nondet_tol the difference to allow."


REAL_PART = "While considering the real part of complex outputs only, "
IMAGINARY_PART = "While considering the imaginary part of complex outputs only, "
NO_RANDOM = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of vmap "
    "as a workaround"
)
NOT_BATCHED_FORWARD = (
    "\n\ngradcheck failed while testing batched gradient computation with forward-mode AD.\n"
    "check_batched_forward_grad=False leaves this check out."
)


def _warn_of_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
        "existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=4,
    )


class UndefinedGrad(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return None


def _allclose(found: Any, expected: Any, atol: float, rtol: float) -> bool:
    dtype = np.asarray(found).dtype
    if dtype.name in ("float16", "bfloat16"):
        found, expected = np.asarray(found, np.float32), np.asarray(expected, np.float32)
    return bool(np.allclose(found, expected, rtol, atol, equal_nan=True))


def _shown(value: Any) -> str:
    return str(wrap(np.ascontiguousarray(value))) if isinstance(value, np.ndarray) else str(value)
