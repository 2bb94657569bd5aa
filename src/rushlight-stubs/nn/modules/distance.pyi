# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module

class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``dim``."""
    dim: int
    eps: float
    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None: ...
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor: ...
class PairwiseDistance(Module):
    """The p-norm of differences along the last dimension."""
    norm: float
    eps: float
    keepdim: bool
    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None: ...
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor: ...
