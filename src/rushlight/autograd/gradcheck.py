"""``gradcheck``: whether derivatives are what finite differences say.

The module itself can be called too: ``torch.autograd.gradcheck`` names both the function and its module.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from . import forward_ad
from .finite_differences import Differences, GradcheckError, Matrix, Tensors
from .finite_differences import as_tuple as _tuple
from .finite_differences import recorded as _recorded
from .function import Function
from .gradients import grad

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares the derivatives of ``func`` with finite differences, for each input that needs a gradient.

    ``inputs``           a tensor or a tuple of arguments; use float64, for float32 is too coarse
    ``eps``              the step of the differences
    ``atol``, ``rtol``   how near the numbers must be
    ``raise_exception``  whether a difference is a GradcheckError, or False is returned
    ``nondet_tol``       by how much two runs of the same backward pass may differ
    ``check_forward_ad``, ``check_backward_ad``  which of the two modes
    ``fast_mode``        one random direction instead of the whole Jacobian

    ValueError where no input needs a gradient.

    >>> import rushlight as torch
    >>> x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.sin, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    given = _tuple(inputs)
    sparse = any(isinstance(one, Tensor) and not one._strided and one.requires_grad for one in given)
    if sparse:
        from ..sparse.checking import by_values

        func_of_tensors, tensors = func, given
        func, given = by_values(func, given, bool(masked))
    check = _Check(func, given, eps, atol, rtol, nondet_tol, fast_mode)
    try:
        check.look_at_inputs()
        if check_forward_ad and any(isinstance(one, Tensor) and one.is_mkldnn for one in given):
            raise ValueError("MKLDNN inputs are not support for forward AD gradcheck.")
        outputs = check.outputs()
        _expect_dense(outputs)
        if not outputs:
            check.expect_no_slope()
            return True
        if check_backward_ad:
            check.backward(outputs, check_grad_dtypes)
        if check_forward_ad:
            check.forward()
            if check_undefined_grad:
                check.zero_tangents()
            if check_batched_forward_grad:
                check.batched_tangents()
        if check_backward_ad:
            if check_batched_grad and sparse:
                raise GradcheckError(
                    "gradcheck or gradgradcheck failed while testing batched gradient computation: vmap does not take sparse "
                    "tensors. Pass check_batched_grad=False."
                )
            if check_batched_grad:
                check.batched(outputs)
            if sparse:
                _expect_layouts(func_of_tensors, tensors)
            check.zero_cotangents(outputs)
            if check_undefined_grad:
                check.undefined_cotangents()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """:func:`gradcheck` of the gradients of ``func``: its second derivatives.

    ``grad_outputs``  the cotangents; random ones if not given

    >>> import rushlight as torch
    >>> x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck.gradgradcheck(torch.sin, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    given = _tuple(inputs)
    if grad_outputs is None:
        cotangents = tuple(_random_cotangent(output, gen_non_contig_grad_outputs) for output in _recorded(func(*given)))
    else:
        cotangents = _tuple(grad_outputs)
    count = len(cotangents)

    def slope(*arguments: Any) -> Any:
        points, weights = arguments[: len(arguments) - count], arguments[len(arguments) - count :]
        outputs = _recorded(func(*points))
        wanted = tuple(point for point in points if isinstance(point, Tensor) and point.requires_grad)
        found = grad(outputs, wanted, weights, create_graph=True, allow_unused=True)
        return tuple(one for one in found if one is not None)

    return gradcheck(
        slope,
        given + cotangents,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _expect_dense(outputs: Sequence[Tensor]) -> None:
    for one in outputs:
        kind = "Sparse" if not one._strided else "MKLDNN" if one.is_mkldnn else ""
        if kind:
            raise ValueError(
                f"{kind} output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn "
                "for gradcheck."
            )


def _expect_layouts(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Gradients of sparse inputs must have their layout, with as many sparse dimensions."""
    points = [one for one in inputs if isinstance(one, Tensor) and one.requires_grad]
    outputs = _recorded(func(*inputs))
    zeros = [wrap(np.zeros_like(one._array)) for one in outputs]
    for found, point in zip(grad(outputs, points, zeros, allow_unused=True), points, strict=True):
        if found is not None:
            _expect_layout(found, point)


def _expect_layout(found: Any, point: Any) -> None:
    if found._strided:
        return
    if found.layout is not point.layout:
        raise GradcheckError(f"grad is incorrect layout ({found.layout} is not {point.layout})")
    if found.is_sparse and found.sparse_dim() != point.sparse_dim():
        raise GradcheckError(
            f"grad is sparse tensor, but has incorrect sparse_dim {found.sparse_dim()}, expected {point.sparse_dim()}"
        )


def _random_cotangent(output: Tensor, strided: bool) -> Tensor:
    array = _random(output._array.shape, output._array.dtype)
    if strided:  # every other element of a larger array
        whole = np.zeros((*array.shape, 2), array.dtype)
        whole[..., 0] = array
        array = whole[..., 0]
    return wrap(array).requires_grad_()


def _random(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Matrix:
    """Numbers between 0.1 and 1, of a generator of its own: the program's random stream is not touched."""
    generator = np.random.default_rng(shape)
    values = generator.uniform(0.1, 1, shape)
    if dtype.kind == "c":
        values = values + 1j * generator.uniform(0.1, 1, shape)
    return np.asarray(values).astype(dtype)


class _Check(Differences):
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
            if any(step == 0 and size > 1 for step, size in zip(one._array.strides, one._array.shape, strict=True)):
                raise RuntimeError(
                    f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                    "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous on "
                    "the input before passing it to gradcheck."
                )
            one.retain_grad()

    # The reverse pass.

    def vjps(self, output: Tensor, cotangent: Matrix) -> list[Matrix]:
        """The gradients of all points, twice: they must not differ."""
        points = [point for _, point in self.points]
        runs = []
        for _ in range(2):
            found = grad(output, points, wrap(cotangent.astype(output._array.dtype)), retain_graph=True, allow_unused=True)
            runs.append([one if one is None or one._strided else one.to_dense() for one in found])  # type: ignore[attr-defined]
        for first, second, point in zip(*runs, points, strict=True):
            for one in (first, second):
                if one is not None and one._array.shape != point._array.shape:
                    raise GradcheckError("Analytical gradient has incorrect size")
                if one is not None and self.dtypes and one._array.dtype != point._array.dtype:
                    raise GradcheckError("Gradient has dtype mismatch")
            if (first is None) != (second is None) or (
                first is not None and not _near(first._array, second._array, self.nondet_tol, 0)
            ):
                raise GradcheckError(NOT_REENTRANT.format(self.nondet_tol))
        return [np.zeros_like(point._array) if one is None else one._array for one, point in zip(runs[0], points, strict=True)]

    dtypes = False

    def parts(self, output: Tensor) -> Iterator[tuple[str, Tensor]]:
        """A real output as it is; a complex one in its real and its imaginary part."""
        if output._array.dtype.kind != "c":
            yield "", output
            return
        yield REAL_PART, output.real  # type: ignore[attr-defined]
        yield IMAGINARY_PART, output.imag  # type: ignore[attr-defined]

    def analytical(self, output: Tensor) -> list[Matrix]:
        """For each point the Jacobian of a real output, a row for each element of the point."""
        size = output._array.size
        columns = []
        for element in range(size):
            cotangent = np.zeros(size, output._array.dtype)
            cotangent[element] = 1
            columns.append(self.vjps(output, cotangent.reshape(output._array.shape)))
        return [
            np.array([column[number].reshape(-1) for column in columns], point._array.dtype).reshape(size, point._array.size).T
            for number, (_, point) in enumerate(self.points)
        ]

    def backward(self, outputs: Tensors, check_dtypes: bool) -> None:
        self.dtypes = check_dtypes
        if self.fast:
            self._backward_fast(outputs)
            return
        exact = [[(words, self.analytical(part)) for words, part in self.parts(output)] for output in outputs]
        numerical = [self.numerical(point) for _, point in self.points]
        for imaginary in (1, 0):  # imaginary parts of complex outputs first, as PyTorch goes
            for place, (index, _) in enumerate(self.points):
                for number, parts in enumerate(exact):
                    if imaginary < len(parts):
                        words, jacobians = parts[imaginary]
                        near = numerical[place][number][imaginary]
                        if not _near(jacobians[place], near, self.atol, self.rtol):
                            self.mismatch(words, number, index, near, jacobians[place])

    def _backward_fast(self, outputs: Tensors) -> None:
        parts = [list(self.parts(output)) for output in outputs]
        for imaginary in (1, 0):
            for place, (index, point) in enumerate(self.points):
                for number, output in enumerate(parts):
                    if imaginary < len(output):
                        self._backward_along(*output[imaginary], place, index, point, number, imaginary)

    def _backward_along(
        self, words: str, output: Tensor, place: int, index: int, point: Tensor, number: int, imaginary: int
    ) -> None:
        """Compares the slopes of a weighted sum of one real output along random directions: the real and the imaginary one."""
        cotangent = _random(output._array.shape, output._array.dtype)
        found = self.vjps(output, cotangent)[place]
        numerical: Any = 0
        exact: Any = 0
        reach: Any = 0
        for unit in (1, 1j) if found.dtype.kind == "c" else (1,):
            direction = _random(found.shape, np.dtype(np.float64)) * (0.5 if unit == 1j else 1)
            change = self.difference(point, (unit * direction).astype(found.dtype))[number]
            numerical += unit * np.sum(cotangent * (change.imag if imaginary else change.real))
            exact += unit * np.sum((found.imag if unit == 1j else found.real) * direction)
            reach = np.maximum(reach, direction)
        # As much as the elements of the two Jacobians may differ, summed with the weights of both sides.
        atol = self.atol * float(np.sum(reach)) * float(np.sum(cotangent))
        if not _near(exact, numerical, atol, self.rtol):
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
            if _near(slow[1], slow[0], self.atol, self.rtol):
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
            outputs = [one for one in _tuple(self.func(*arguments)) if isinstance(one, Tensor)]
            found = []
            for output in outputs:
                if output._array.dtype.kind not in "fcV":
                    continue
                tangent = forward_ad.unpack_dual(output).tangent
                found.append(output.new_zeros(output.shape) if tangent is None else tangent)  # type: ignore[attr-defined]
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
                one for one in _tuple(self.func(*self.inputs)) if isinstance(one, Tensor) and one._array.dtype.kind in "fcV"
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
                    directions = [unit * _random(array.shape, np.dtype(np.float64)).astype(array.dtype)]
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
                    if not _near(found, near, atol, self.rtol):
                        self.mismatch(words, place, index, near, found, forward=True)

    def zero_tangents(self) -> None:
        """A tangent of zeros and none at all must come to the same, beside tangents of the other inputs."""
        directions = {index: _random(point._array.shape, point._array.dtype) for index, point in self.points}
        for index, point in self.points:
            with_zeros = self.tangents({**directions, index: np.zeros_like(point._array)})
            without = self.tangents({key: value for key, value in directions.items() if key != index})
            for zeros, none in zip(with_zeros, without, strict=True):
                if not _near(zeros, none, self.atol, self.rtol):
                    raise GradcheckError(
                        "Expected all dual tensors' tangents to be the same for an input without a tangent and one with a "
                        "tangent of zeros."
                    )

    def batched_tangents(self) -> None:
        """Tangents one by one and as a batch, through vmap, must give the same."""
        from ..batching import vectorized

        for index, point in self.points:
            array = point._array
            batch = [_random(array.shape, array.dtype) * (n + 1) for n in range(2)]
            one_by_one = [self.tangents({index: direction}) for direction in batch]

            def along(direction: Tensor, index: int = index) -> Tensors:
                return tuple(self.dual_outputs({index: direction}))

            try:
                together = vectorized(along)(wrap(np.stack(batch)))
            except RuntimeError as error:
                text = NO_RANDOM if "random operation" in str(error) else str(error)
                raise GradcheckError(f"While computing batched gradients, got: {text}{NOT_BATCHED_FORWARD}") from error
            for number, result in enumerate(together):
                expected = np.stack([rows[number] for rows in one_by_one])
                if not _near(result._array, expected, self.atol, self.rtol):
                    raise GradcheckError(
                        f"For output {number} and input {index}:\n\nThe tangents of a batch differ from those one by one."
                        f"{NOT_BATCHED_FORWARD}"
                    )

    # Cotangents out of the ordinary.

    def batched(self, outputs: Tensors) -> None:
        points = [point for _, point in self.points]
        for output in outputs:
            batch = np.stack([_random(output._array.shape, output._array.dtype) * (n + 1) for n in range(2)])
            rows = [grad(output, points, wrap(row), retain_graph=True, allow_unused=True) for row in batch]
            together = grad(output, points, wrap(batch), retain_graph=True, allow_unused=True, is_grads_batched=True)
            for number, one in enumerate(together):
                if one is not None and not all(
                    _near(one._array[n], row[number]._array, self.atol, self.rtol) for n, row in enumerate(rows)
                ):
                    raise GradcheckError("Batched gradients differ from the gradients one by one.")

    def zero_cotangents(self, outputs: Tensors) -> None:
        points = [point for _, point in self.points]
        zeros = [wrap(np.zeros_like(output._array)) for output in outputs]
        for one, point in zip(grad(outputs, points, zeros, retain_graph=True, allow_unused=True), points, strict=True):
            if one is None:
                continue
            _expect_layout(one, point)
            if not (one._array == 0).all():
                raise GradcheckError("backward not multiplied by grad_output")
            if one._array.dtype != point._array.dtype:
                raise GradcheckError("grad is incorrect type")
            if one._array.shape != point._array.shape:
                raise GradcheckError("grad is incorrect size")

    def undefined_cotangents(self) -> None:
        points = [point for _, point in self.points]
        count = len(self.outputs())
        cases: list[tuple[bool, ...]] = [(True,) * count]
        if count > 1:
            cases += [tuple(number == absent for number in range(count)) for absent in range(count)]
        for absent in cases:
            outputs = [_Undefined.apply(one) if gone else one for one, gone in zip(self.outputs(), absent, strict=True)]
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
    "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}.\n  If the function is "
    "meant to vary (it draws random numbers, say), give nondet_tol the difference to allow."
)


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


class _Undefined(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()  # type: ignore[attr-defined,no-any-return]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return None


def _near(found: Any, expected: Any, atol: float, rtol: float) -> bool:
    dtype = np.asarray(found).dtype
    if dtype.name in ("float16", "bfloat16"):
        found, expected = np.asarray(found, np.float32), np.asarray(expected, np.float32)
    return bool(np.allclose(found, expected, rtol, atol, equal_nan=True))


def _shown(value: Any) -> str:
    return str(wrap(np.ascontiguousarray(value))) if isinstance(value, np.ndarray) else str(value)


# The older functions, which return the Jacobians themselves.


def _warn_of_removal(name: str) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be removed "
        "in a future version of PyTorch. If you have a specific use for this or feature request for this to be a stable API, "
        "please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
        stacklevel=3,
    )


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """For each input that needs a gradient the Jacobian of ``fn(inputs)`` by finite differences: a row for each of its elements.

    >>> import warnings
    >>> import rushlight as torch
    >>> from rushlight.autograd.gradcheck import get_numerical_jacobian
    >>> warnings.simplefilter("ignore")  # that it will be removed
    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> get_numerical_jacobian(lambda inputs: inputs[0] * 3, (x,))[0].round()
    tensor([[3., 0.],
            [0., 3.]], dtype=torch.float64)
    """
    _warn_of_removal("get_numerical_jacobian")
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of grad_out != 1.0.")
    given = _tuple(inputs)
    check = _Check(lambda *args: fn(args), given, eps, 0, 0, 0, False)
    wanted = _tuple(inputs if target is None else target)
    return tuple(wrap(check.numerical(point)[0][0]) for point in wanted if isinstance(point, Tensor) and point.requires_grad)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of a recorded ``output`` by the reverse pass, and whether two passes agree, sizes fit, and dtypes fit."""
    _warn_of_removal("get_analytical_jacobian")
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of grad_out != 1.0.")
    check = _Check(lambda *args: output, _tuple(inputs), 0, 0, 0, nondet_tol, False)
    try:
        return tuple(wrap(np.ascontiguousarray(one)) for one in check.analytical(output)), True, True, True
    except GradcheckError as error:
        check.nondet_tol = float("inf")
        found = tuple(wrap(np.ascontiguousarray(one)) for one in check.analytical(output))
        return found, "reentrant" not in str(error), "size" not in str(error), "dtype" not in str(error)


class _CallableModule(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        return gradcheck(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
