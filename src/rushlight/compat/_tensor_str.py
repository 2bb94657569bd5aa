"""torch._tensor_str: how tensors are printed, by the names that libraries reach for."""

from __future__ import annotations

from rushlight.tensor import Tensor
from rushlight.tensors import printing
from rushlight.tensors.printing import PRINT_OPTS

__all__ = ["PRINT_OPTS", "_tensor_str"]


def _tensor_str(self: Tensor, indent: int) -> str:
    """The numbers of a tensor between brackets, lines after the first ``indent`` more spaces in.

    >>> import rushlight as torch
    >>> print(torch._tensor_str._tensor_str(torch.eye(2), 2))
    [[1., 0.],
       [0., 1.]]
    """
    return "[]" if self.numel() == 0 else printing.numbers_text(self.detach().resolve_conj()._array, indent)
