# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from typing import Any

def conv1d_input(input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """The gradient of conv1d's input, of shape ``input_size``."""
    ...
def conv1d_weight(input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """The gradient of conv1d's weight, of shape ``weight_size``."""
    ...
def conv2d_input(input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """The gradient of conv2d's input, of shape ``input_size``."""
    ...
def conv2d_weight(input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """The gradient of conv2d's weight, of shape ``weight_size``."""
    ...
def conv3d_input(input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """The gradient of conv3d's input, of shape ``input_size``."""
    ...
def conv3d_weight(input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """The gradient of conv3d's weight, of shape ``weight_size``."""
    ...
