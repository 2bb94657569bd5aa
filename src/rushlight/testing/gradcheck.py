"""``gradcheck``: whether derivatives are what finite differences say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.forward_ad import as_leaf
from ..autograd.gradients import grad
from ..sparse.gradcheck import by_values
from ..tensor import Tensor, wrap
from .derivative_check import Check, expect_layout, random_numbers
from .finite_differences import GradcheckError
from .finite_differences import as_tuple as _tuple
from .finite_differences import recorded as _recorded

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
        func_of_tensors, tensors = func, given
        func, given = by_values(func, given, bool(masked))
    check = Check(func, given, eps, atol, rtol, nondet_tol, fast_mode)
    try:
        check.look_at_inputs()
        if check_forward_ad and any(isinstance(one, Tensor) and one.is_mkldnn for one in given):
            raise ValueError("MKLDNN inputs are not support for forward AD gradcheck.")
        outputs = check.outputs()
        _expect_dense(outputs)
        if not outputs:
            check.expect_zero_derivative()
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
                check.undefined_cotangents(len(outputs))
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
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    given = _tuple(inputs)
    needed = [isinstance(one, Tensor) and one.requires_grad for one in given]
    if grad_outputs is None:
        cotangents = tuple(_random_cotangent(output, gen_non_contig_grad_outputs) for output in _recorded(func(*given)))
    else:
        cotangents = _tuple(grad_outputs)
        for one in cotangents:
            one.requires_grad  # noqa: B018 - PyTorch asks what is no tensor for it
    count = len(cotangents)

    def slope(*arguments: Any) -> Any:
        points, weights = list(arguments[: len(arguments) - count]), arguments[len(arguments) - count :]
        for place, need in enumerate(needed):
            if need and not points[place].requires_grad:  # one with a tangent
                points[place] = as_leaf(points[place])
        outputs = _recorded(func(*points))
        wanted = tuple(point for point, need in zip(points, needed, strict=True) if need)
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
            expect_layout(found, point)


def _random_cotangent(output: Tensor, strided: bool) -> Tensor:
    array = random_numbers(output._array.shape, output._array.dtype)
    if strided:  # every other element of a larger array
        whole = np.zeros((*array.shape, 2), array.dtype)
        whole[..., 0] = array
        array = whole[..., 0]
    return wrap(array).requires_grad_()


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
    check = Check(lambda *args: fn(args), given, eps, 0, 0, 0, False)
    wanted = _tuple(inputs if target is None else target)
    return tuple(wrap(check.numerical(point)[0][0]) for point in wanted if isinstance(point, Tensor) and point.requires_grad)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of a recorded ``output`` by the reverse pass, and whether two passes agree, sizes fit, and dtypes fit."""
    _warn_of_removal("get_analytical_jacobian")
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of grad_out != 1.0.")
    check = Check(lambda *args: output, _tuple(inputs), 0, 0, 0, nondet_tol, False)
    try:
        return tuple(wrap(np.ascontiguousarray(one)) for one in check.analytical(output)), True, True, True
    except GradcheckError as error:
        check.nondet_tol = float("inf")
        found = tuple(wrap(np.ascontiguousarray(one)) for one in check.analytical(output))
        return found, "reentrant" not in str(error), "size" not in str(error), "dtype" not in str(error)
