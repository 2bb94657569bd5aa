# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from typing import Any
from typing import TypeVar

_Layer = TypeVar('_Layer', bound=Module)

def fuse_conv_bn_eval(conv: _Layer, bn: _BatchNorm, transpose: bool = False) -> _Layer:
    """A convolution that gives what ``bn(conv(x))`` gives; both must be in eval mode. ``transpose`` for transposed convolutions."""
    ...
def fuse_conv_bn_weights(conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False) -> tuple[Parameter, Parameter]:
    """Weight and bias of the convolution that :func:`fuse_conv_bn_eval` makes."""
    ...
def fuse_linear_bn_eval(linear: _Layer, bn: _BatchNorm) -> _Layer:
    """A linear layer that gives what ``bn(linear(x))`` gives; both must be in eval mode and of one width."""
    ...
def fuse_linear_bn_weights(linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any) -> tuple[Parameter, Parameter]:
    """Weight and bias of the layer that :func:`fuse_linear_bn_eval` makes."""
    ...
