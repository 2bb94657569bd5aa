"""torch._dynamo._trace_wrapped_higher_order_op: what functions that are traced over batches are run in."""

from __future__ import annotations

from typing import Self

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex:
    """A context in which tensors are places in others (``x[i]``) under ``vmap``, as everywhere here.

    >>> import rushlight as torch
    >>> from rushlight._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
    >>> with TransformGetItemToIndex():
    ...     torch.vmap(lambda i: torch.arange(3)[i])(torch.tensor([2, 0]))
    tensor([2, 0])
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing was changed."""
