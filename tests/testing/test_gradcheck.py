"""gradcheck finds wrong derivatives, and says which; on what it cannot judge it raises whatever it was told."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function, gradcheck
from rushlight.autograd import forward_ad as fwAD
from rushlight.autograd.gradcheck import GradcheckError, get_analytical_jacobian, get_numerical_jacobian


def double(*shape: int, dtype: Any = torch.float64) -> Any:
    return torch.rand(*shape, dtype=dtype, requires_grad=True)


def off(x: Any) -> Any:
    """The identity, with a gradient that is a little too large."""
    y = x.clone()
    y.register_hook(lambda g: g + 0.01)
    return y


def test_complex_outputs_are_checked_by_part() -> None:
    z = torch.ones(2, dtype=torch.complex128, requires_grad=True)
    for fast in (True, False):
        with pytest.raises(GradcheckError, match="imaginary part of complex outputs only, Jacobian mismatch for output 1"):
            gradcheck(lambda z: (z.real, off(z)), (z,), fast_mode=fast)
        assert gradcheck(lambda z: (z * z, z.abs()), (z,), fast_mode=fast)


@pytest.mark.parametrize("fast", [True, False])
def test_fast_mode_allows_what_slow_mode_does(fast: bool) -> None:
    class Off(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 1.01

    # Each entry of the Jacobian is off by up to 0.01; along a random direction the errors add up.
    assert gradcheck(Off.apply, (double(50),), atol=0.02, rtol=0, fast_mode=fast)
    assert not gradcheck(Off.apply, (double(3),), atol=1e-5, rtol=0, raise_exception=False, fast_mode=fast)


def test_outputs_must_not_change_shape_with_values() -> None:
    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    for fast in (True, False):
        with pytest.raises(AssertionError, match="same shape when inputs are perturbed"):
            gradcheck(lambda x: torch.cat([x, x]) if (x >= 1).all() else x, (x,), fast_mode=fast)
        with pytest.raises(AssertionError, match="same dtype when inputs are perturbed"):
            gradcheck(lambda x: x.float() if (x >= 1).all() else x, (x,), fast_mode=fast)


def test_undefined_cotangents_warn_before_they_fail() -> None:
    def picky(x: Any) -> Any:
        def hook(g: Any) -> None:
            if g is None:
                raise RuntimeError("no gradient")

        y = x.clone()
        y.register_hook(hook)
        return y

    with (
        pytest.warns(UserWarning, match="New undefined gradient support checking feature"),
        pytest.raises(GradcheckError, match="Expected backward function to handle undefined output grads"),
    ):
        gradcheck(picky, (double(1),))
    assert gradcheck(picky, (double(1),), check_undefined_grad=False)


class Twice(Function):
    """Counts how its forward derivative is asked."""

    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        assert fwAD._current_level < 0 or not (x.requires_grad or y.requires_grad)
        return 2 * x, 2 * y

    @staticmethod
    def jvp(ctx: Any, tx: Any, ty: Any) -> Any:
        Twice.calls += 1
        return 2 * tx, 2 * ty


@pytest.mark.parametrize(("undefined", "batched", "calls"), [(False, False, 2), (True, False, 6), (True, True, 12)])
def test_forward_mode_is_asked_once_for_each_case(undefined: bool, batched: bool, calls: int) -> None:
    Twice.calls = 0
    ways = {"check_forward_ad": True, "check_backward_ad": False}
    assert gradcheck(
        Twice.apply, (double(1), double(1)), check_undefined_grad=undefined, check_batched_forward_grad=batched, **ways
    )
    assert Twice.calls == calls


def test_forward_mode_is_compared_by_input() -> None:
    def bad(x: Any, y: Any) -> Any:
        if fwAD._current_level >= 0:
            primal, tangent = fwAD.unpack_dual(y)
            y = fwAD.make_dual(primal, tangent * 1.1)
        return x + y, y

    for fast in (True, False):
        with pytest.raises(GradcheckError, match="forward mode mismatch for output 0 with respect to input 1"):
            gradcheck(bad, (double(2), double(2)), check_forward_ad=True, fast_mode=fast)
        with pytest.raises(GradcheckError, match="imaginary part of complex inputs only, Jacobian computed with forward mode"):
            gradcheck(bad, (double(2), double(2, dtype=torch.complex128)), check_forward_ad=True, fast_mode=fast)
    assert fwAD._current_level == -1


def test_random_numbers_in_a_batched_derivative_are_refused() -> None:
    class Noisy(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 2 + 0 * torch.randn_like(t)

    with pytest.raises(GradcheckError, match="do not yet support calling random operations inside of vmap"):
        gradcheck(Noisy.apply, (double(2),), check_forward_ad=True, check_batched_forward_grad=True)


def test_the_older_functions_warn_of_their_end() -> None:
    x = double(2)
    with pytest.warns(FutureWarning, match="get_numerical_jacobian"):
        (numerical,) = get_numerical_jacobian(lambda inputs: inputs[0] * 3, (x,), eps=1e-6)
    with pytest.warns(FutureWarning, match="get_analytical_jacobian"):
        (analytical,), same, sizes, dtypes = get_analytical_jacobian((x,), x * 3)
    assert torch.allclose(numerical, analytical) and same and sizes and dtypes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=r"Expected grad_out to be 1\.0"):
            get_analytical_jacobian((x,), x * 3, grad_out=2.0)


def test_inputs_that_are_results_keep_gradients_of_no_batch() -> None:
    x = double(3) * 2
    assert gradcheck(lambda x: x.norm(), (x,), check_batched_grad=True)
    assert x.grad is None or x.grad.shape == x.shape


def test_gradients_of_another_layout_are_found() -> None:
    class Sparse(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.to_sparse()

    def of_rows(x: Any) -> Any:
        y = x.clone()
        y.register_hook(lambda g: g.to_dense().to_sparse(1))
        return y.to_dense()

    for fast in (True, False):
        with pytest.raises(GradcheckError, match="grad is incorrect layout"):
            gradcheck(Sparse.apply, (double(1),), fast_mode=fast)
        with pytest.raises(GradcheckError, match="incorrect sparse_dim 1, expected 2"):
            gradcheck(of_rows, (double(2, 2).to_sparse(),), masked=True, fast_mode=fast)


def test_the_function_is_called_and_asked_in_pytorchs_order() -> None:
    seen: list[object] = []

    class Told(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            seen.append([round(one, 3) for one in x.tolist()])
            return x * 1

        @staticmethod
        def backward(ctx: object, g: torch.Tensor) -> torch.Tensor:
            seen.append(tuple(g.tolist()))
            return g * 1

    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Told.apply, x, eps=1e-2)
    assert seen == [
        *([1, 2], [0.99, 2], [1.01, 2], [1, 1.99], [1, 2.01]),  # the finite differences of each element, from below
        *((1, 0), (0, 1), (1, 0), (0, 1)),  # each gradient twice
        *((0, 0), [1, 2], (0, 0)),
    ]
