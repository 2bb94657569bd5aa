"""torch._functorch.eager_transforms: grad, vjp, jvp and what is made of them, under PyTorch's private name."""

from rushlight.func.jacobians import hessian, jacfwd, jacrev
from rushlight.transforms.derivatives import _slice_argnums, functionalize, grad, grad_and_value, jvp, linearize, vjp

__all__ = [
    "_slice_argnums",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
]
