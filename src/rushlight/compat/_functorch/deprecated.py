"""torch._functorch.deprecated: the transforms as the package ``functorch`` gave them, with a warning of where they are now."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from rushlight import func
from rushlight.transforms.vmap import vmap as batching

from . import make_functional as models

__all__ = [
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]


def _warning(function: Callable[..., Any], new_name: str) -> Callable[..., Any]:
    name = function.__name__
    text = (
        f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{name}` is deprecated as of "
        f"PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use `{new_name}` instead; see the "
        "PyTorch 2.0 release notes and/or the `torch.func` migration guide for more details "
        "https://pytorch.org/docs/main/func.migrating.html"
    )

    @functools.wraps(function)
    def warned(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(text, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return warned


vmap = _warning(batching, "torch.vmap")
grad = _warning(func.grad, "torch.func.grad")
grad_and_value = _warning(func.grad_and_value, "torch.func.grad_and_value")
vjp = _warning(func.vjp, "torch.func.vjp")
jvp = _warning(func.jvp, "torch.func.jvp")
jacrev = _warning(func.jacrev, "torch.func.jacrev")
jacfwd = _warning(func.jacfwd, "torch.func.jacfwd")
hessian = _warning(func.hessian, "torch.func.hessian")
functionalize = _warning(func.functionalize, "torch.func.functionalize")
make_functional = _warning(models.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _warning(models.make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _warning(models.combine_state_for_ensemble, "torch.func.stack_module_state")
