# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.module import Module
from typing import Any

class CrossMapLRN2d(LocalResponseNorm):
    """The same for images, by its older name."""
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
class GroupNorm(Module):
    """Groups of channels of each sample brought to mean 0 and variance 1: (N, C, ...)."""
    num_groups: int
    num_channels: int
    eps: float
    affine: bool
    weight: Any
    bias: Any
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-05, affine: bool = True, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Sets weight to ones and bias to zeros."""
        ...
class LayerNorm(Module):
    """The last dimensions of each sample brought to mean 0 and variance 1."""
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool
    weight: Any
    bias: Any
    def __init__(self, normalized_shape: Any, eps: float = 1e-05, elementwise_affine: bool = True, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Sets weight to ones and bias to zeros."""
        ...
class LocalResponseNorm(Module):
    """Each element divided by a power of the mean square of its neighbours in other channels."""
    size: int
    alpha: float
    beta: float
    k: float
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
class RMSNorm(Module):
    """The last dimensions of each sample divided by the root of their mean square."""
    normalized_shape: tuple[int, ...]
    eps: float | None
    elementwise_affine: bool
    weight: Any
    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, x: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Sets weight to ones."""
        ...
