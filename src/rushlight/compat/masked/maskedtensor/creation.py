"""Functions that make masked tensors."""

from __future__ import annotations

import warnings

from rushlight.tensor import Tensor

from .core import Constructor, MaskedTensor, check


def masked_tensor(data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
    """A masked tensor of copies of ``data`` and ``mask``: a leaf, with gradients if ``requires_grad`` says so.

    TypeError or ValueError where they do not go together, as :class:`MaskedTensor` says.

    >>> import warnings
    >>> import rushlight as torch
    >>> warnings.simplefilter("ignore")  # it says that it is a prototype
    >>> torch.masked.masked_tensor(torch.arange(3), torch.tensor([True, False, True]))
    MaskedTensor(
      [0,       --, 2]
    )
    """
    check(data, mask)
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Tensor, mask: Tensor) -> MaskedTensor:
    """A masked tensor of ``data`` and ``mask`` through which gradients reach ``data``.

    TypeError or ValueError where they do not go together, as :class:`MaskedTensor` says.

    >>> import warnings
    >>> import rushlight as torch
    >>> warnings.simplefilter("ignore")  # it says that it is a prototype
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.masked.as_masked_tensor(x, torch.tensor([True, False])).sum().backward()
    >>> x.grad
    MaskedTensor(
      [  1.0000,       --]
    )
    """
    check(data, mask)
    if data.requires_grad:
        warnings.warn(
            "It is not recommended to create a MaskedTensor with a tensor that requires_grad. "
            "To avoid this, you can use data.detach().clone()",
            UserWarning,
            stacklevel=2,
        )
    made: MaskedTensor = Constructor.apply(data, mask)
    return made
