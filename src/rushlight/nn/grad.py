"""torch.nn.grad: the derivatives of convolutions on their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.public import ops
from ..tensor import Tensor
from .sizes import _pair, _single, _triple


def _by_input(dims: int, spread: Callable[[Any], Any]) -> Callable[..., Tensor]:
    def input_gradient(
        input_size: Any,
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        shape = tuple(input_size)
        if shape[1] != weight.shape[1] * groups:
            raise RuntimeError(
                f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(shape)} to have "
                f"{weight.shape[1] * groups} channels, but got {shape[1]} channels instead"
            )
        sizes = spread(stride), spread(padding), spread(dilation)
        return ops.conv_input_grad(grad_output, weight, shape, *sizes, groups)

    input_gradient.__name__ = input_gradient.__qualname__ = f"conv{dims}d_input"
    ones = "1, " * (dims + 1)
    input_gradient.__doc__ = f"""The gradient of conv{dims}d's input, of shape ``input_size``.

    >>> import rushlight as torch
    >>> torch.nn.grad.conv{dims}d_input(({ones}3), torch.ones({ones}2), torch.ones({ones}2)).flatten()
    tensor([1., 2., 1.])
    """
    return input_gradient


def _by_weight(dims: int, spread: Callable[[Any], Any]) -> Callable[..., Tensor]:
    def weight_gradient(
        input: Tensor,
        weight_size: Any,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        sizes = spread(stride), spread(padding), spread(dilation)
        return ops.conv_weight_grad(grad_output, input, tuple(weight_size), *sizes, groups)

    weight_gradient.__name__ = weight_gradient.__qualname__ = f"conv{dims}d_weight"
    weight_gradient.__doc__ = f"The gradient of conv{dims}d's weight, of shape ``weight_size``."
    return weight_gradient


conv1d_input, conv1d_weight = _by_input(1, _single), _by_weight(1, _single)
conv2d_input, conv2d_weight = _by_input(2, _pair), _by_weight(2, _pair)
conv3d_input, conv3d_weight = _by_input(3, _triple), _by_weight(3, _triple)
