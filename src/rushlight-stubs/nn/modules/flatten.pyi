# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any

class Flatten(Module):
    """Makes one dimension of those from ``start_dim`` to ``end_dim``."""
    start_dim: int
    end_dim: int
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
class Unflatten(Module):
    """Makes several dimensions of one."""
    dim: int
    unflattened_size: Any
    def __init__(self, dim: int, unflattened_size: Any) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
