"""torch._functorch.functional_call: modules as functions, under PyTorch's private name."""

from rushlight.func.modules import functional_call, stack_module_state

__all__ = ["functional_call", "stack_module_state"]
