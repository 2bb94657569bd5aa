"""Weights of convolutions in another layout."""

from __future__ import annotations

from typing import Any, TypeVar

import rushlight as torch

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

M = TypeVar("M", bound=Module)


def convert_conv2d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Lays out the weights of all Conv2d and ConvTranspose2d at and below ``module`` in a memory format.

    >>> import rushlight as torch
    >>> layer = torch.nn.Conv2d(2, 3, 2)
    >>> torch.nn.utils.convert_conv2d_weight_memory_format(layer, torch.channels_last).weight.stride()
    (8, 1, 4, 2)
    """
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Lays out the weights of all Conv3d and ConvTranspose3d at and below ``module`` in a memory format."""
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


def _converted(module: M, kinds: tuple[type[Module], ...], memory_format: Any) -> M:
    for below in module.modules():
        if isinstance(below, kinds):
            weight: Any = below.weight
            laid_out = torch.empty(weight.shape, dtype=weight.dtype, memory_format=memory_format)
            weight.data = laid_out.copy_(weight.detach())
    return module
