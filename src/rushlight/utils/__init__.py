"""torch.utils: what stands beside the tensors."""

from ..missing import module_getattr

__getattr__ = module_getattr(__name__, frozenset({"_pytree", "checkpoint", "data", "dlpack", "hooks"}), {"swap_tensors": "swapping"})
