"""torch._functorch.vmap: vmap under PyTorch's private name."""

from ..batching import vmap

__all__ = ["vmap"]
