# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any

class Fold(Module):
    """The sum of windows at their places: the transpose of :class:`Unfold`."""
    output_size: Any
    kernel_size: Any
    dilation: Any
    padding: Any
    stride: Any
    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
class Unfold(Module):
    """(N, C, H, W) -> (N, C times elements of a window, windows)."""
    kernel_size: Any
    dilation: Any
    padding: Any
    stride: Any
    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
