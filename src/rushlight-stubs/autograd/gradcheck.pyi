# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from typing import Any
from rushlight.autograd import gradgradcheck as gradgradcheck

class GradcheckError(RuntimeError):
    """What :func:`gradcheck` and :func:`gradgradcheck` raise where a derivative is wrong."""
def get_analytical_jacobian(inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of a recorded ``output`` by the reverse pass, and whether two passes agree, sizes fit, and dtypes fit."""
    ...
def get_numerical_jacobian(fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 0.001, grad_out: float = 1.0) -> tuple[Tensor, ...]:
    """For each input that needs a gradient the Jacobian of ``fn(inputs)`` by finite differences: a row for each of its elements."""
    ...
def gradcheck(func: Callable[..., Any], inputs: Any, *, eps: float = 1e-06, atol: float = 1e-05, rtol: float = 0.001, raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False, check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None) -> bool:
    """Compares the derivatives of ``func`` with finite differences, for each input that needs a gradient."""
    ...
