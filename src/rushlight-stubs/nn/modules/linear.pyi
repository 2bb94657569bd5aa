# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.lazy import LazyModuleMixin
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import UninitializedParameter
from typing import Any

class Bilinear(Module):
    """``x1 @ weight[k] @ x2 + bias[k]`` for every output k."""
    weight: Tensor
    bias: Tensor
    in1_features: int
    in2_features: int
    out_features: int
    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input1: Tensor, input2: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Draws weight and bias again."""
        ...
class Identity(Module):
    """Hands its input through, whatever arguments it is made with."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that learns its in_features from its first input."""
    weight: UninitializedParameter
    bias: UninitializedParameter
    out_features: int
    in_features: Any
    def __init__(self, out_features: int, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    cls_to_become: type[Linear]
    def initialize_parameters(self, input: Tensor) -> None: ...
    def reset_parameters(self) -> None: ...
class Linear(Module):
    """``x @ weight.T + bias``: (..., in_features) -> (..., out_features)."""
    weight: Tensor
    bias: Tensor
    in_features: int
    out_features: int
    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Draws weight and bias again."""
        ...
class NonDynamicallyQuantizableLinear(Linear):
    """The linear layer inside attention, a class of its own as in PyTorch."""
