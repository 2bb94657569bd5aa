"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import rushlight as torch

from ...tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after another.

    >>> import rushlight as torch
    >>> torch.nn.utils.parameters_to_vector([torch.zeros(2), torch.ones(1, 1)])
    tensor([0., 0., 1.])
    """
    return torch.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Gives each parameter its part of a vector, whose memory it then shares."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop
