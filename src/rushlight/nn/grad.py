"""torch.nn.grad: the derivatives of convolutions on their own."""

from __future__ import annotations

from typing import Any

from ..ops.public import ops
from ..tensor import Tensor
from .modules.utils import _pair, _single, _triple


def _input(sizes: Any, input_size: Any, weight: Tensor, grad_output: Tensor, groups: int) -> Tensor:
    shape = tuple(input_size)
    if shape[1] != weight.shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(shape)} to have "
            f"{weight.shape[1] * groups} channels, but got {shape[1]} channels instead"
        )
    return ops.conv_input_grad(grad_output, weight, shape, *sizes, groups)  # type: ignore[no-any-return]


def _weight(sizes: Any, input: Tensor, weight_size: Any, grad_output: Tensor, groups: int) -> Tensor:
    return ops.conv_weight_grad(grad_output, input, tuple(weight_size), *sizes, groups)  # type: ignore[no-any-return]


def conv1d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of conv1d's input, of shape ``input_size``.

    >>> import rushlight as torch
    >>> torch.nn.grad.conv1d_input((1, 1, 3), torch.ones(1, 1, 2), torch.ones(1, 1, 2))
    tensor([[[1., 2., 1.]]])
    """
    return _input((_single(stride), _single(padding), _single(dilation)), input_size, weight, grad_output, groups)


def conv1d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of conv1d's weight, of shape ``weight_size``."""
    return _weight((_single(stride), _single(padding), _single(dilation)), input, weight_size, grad_output, groups)


def conv2d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of conv2d's input, of shape ``input_size``."""
    return _input((_pair(stride), _pair(padding), _pair(dilation)), input_size, weight, grad_output, groups)


def conv2d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of conv2d's weight, of shape ``weight_size``."""
    return _weight((_pair(stride), _pair(padding), _pair(dilation)), input, weight_size, grad_output, groups)


def conv3d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of conv3d's input, of shape ``input_size``."""
    return _input((_triple(stride), _triple(padding), _triple(dilation)), input_size, weight, grad_output, groups)


def conv3d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of conv3d's weight, of shape ``weight_size``."""
    return _weight((_triple(stride), _triple(padding), _triple(dilation)), input, weight_size, grad_output, groups)
