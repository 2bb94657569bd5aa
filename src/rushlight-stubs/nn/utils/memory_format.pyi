# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import memory_format
from rushlight.nn.modules.module import Module
from typing import Any
from typing import TypeVar

_M = TypeVar('_M', bound=Module)

def convert_conv2d_weight_memory_format(module: _M, memory_format: memory_format | None) -> _M:
    """Lays out the weights of all Conv2d and ConvTranspose2d at and below ``module`` in a memory format."""
    ...
def convert_conv3d_weight_memory_format(module: _M, memory_format: memory_format | None) -> _M:
    """Lays out the weights of all Conv3d and ConvTranspose3d at and below ``module`` in a memory format."""
    ...
