"""torch.func: derivatives as functions of functions."""

from ..base.missing_names import lazy_names
from ..transforms.derivatives import functionalize, grad, grad_and_value, jvp, linearize, vjp
from ..transforms.vmap import vmap
from .batch_norms import replace_all_batch_norm_modules_
from .debugging import debug_unwrap
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, stack_module_state
from .rearranging import rearrange

__getattr__, __dir__ = lazy_names(__name__)
__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
