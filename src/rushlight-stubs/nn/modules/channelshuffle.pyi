# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module

class ChannelShuffle(Module):
    """Takes the channels of (N, C, ...) from ``groups`` groups in turn."""
    groups: int
    def __init__(self, groups: int) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
