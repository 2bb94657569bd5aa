"""Looking behind the tensors of transforms."""

from __future__ import annotations

from ..base.arguments import type_name
from ..tensor import Tensor
from ..transforms import dynamic_layers
from ..transforms.batched_tensors import BatchedTensor


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor behind one that a transform made: for a look in a debugger, not to compute with.

    ``recurse``  look behind all transforms, instead of the innermost

    >>> import rushlight as torch
    >>> seen = []
    >>> x = torch.ones(2, 3)
    >>> _ = torch.vmap(lambda row: (seen.append(torch.func.debug_unwrap(row)), row.sum())[1])(x)
    >>> seen[0] is x
    True
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"debug_unwrap(): argument 'tensor' (position 1) must be Tensor, not {type_name(tensor)}")
    if isinstance(tensor, BatchedTensor):
        behind = tensor.origin[0] if tensor.origin is not None else tensor.whole
        return debug_unwrap(behind) if recurse else behind
    layer = dynamic_layers.innermost_of(tensor)
    return tensor if layer is None else dynamic_layers.source_of(tensor)
