"""torch.utils._python_dispatch: what takes over the ops below autograd."""

from ..overrides.torch_dispatch import (
    TorchDispatchMode,
    is_traceable_wrapper_subclass,
    return_and_correct_aliasing,
)
from ..overrides.torch_dispatch import current_mode as _get_current_dispatch_mode

__all__ = ["TorchDispatchMode", "_get_current_dispatch_mode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing"]
