"""torch._functorch.apis: vmap and grad under PyTorch's private name, and ``chunk_vmap``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.transforms.derivatives import grad, grad_and_value
from rushlight.transforms.vmap import batch_size, vmap

__all__ = ["chunk_vmap", "grad", "grad_and_value", "vmap"]


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """``vmap`` in ``chunks`` parts, one after another.

    >>> import rushlight as torch
    >>> from rushlight._functorch.apis import chunk_vmap
    >>> chunk_vmap(torch.sum, chunks=2)(torch.ones(4, 3))
    tensor([3., 3., 3., 3.])
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        size = -(-batch_size(func, in_dims, args, kwargs) // chunks)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=size)(*args, **kwargs)

    return vmap(func, in_dims, out_dims, randomness) if chunks == 1 else wrapped
