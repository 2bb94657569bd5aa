"""Batch normalization that is done with training, worked into the layer before it.

A normalization with running statistics is one more linear map: ``(y - mean) * weight / sqrt(var + eps) + bias``.
"""

from __future__ import annotations

import copy
import functools
from typing import Any, TypeVar

import rushlight as torch

from ..modules.batchnorm import _BatchNorm
from ..modules.module import Module
from ..parameter import Parameter

Layer = TypeVar("Layer", bound=Module)


def fuse_conv_bn_eval(conv: Layer, bn: _BatchNorm, transpose: bool = False) -> Layer:
    """A convolution that gives what ``bn(conv(x))`` gives; both must be in eval mode. ``transpose`` for transposed convolutions.

    >>> import rushlight as torch
    >>> conv, bn = torch.nn.Conv1d(1, 2, 3).eval(), torch.nn.BatchNorm1d(2).eval()
    >>> x = torch.randn(1, 1, 5)
    >>> torch.allclose(bn(conv(x)), torch.nn.utils.fuse_conv_bn_eval(conv, bn)(x), atol=1e-6)
    True
    """
    return _fused(conv, bn, functools.partial(fuse_conv_bn_weights, transpose=transpose))


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the convolution that :func:`fuse_conv_bn_eval` makes."""
    return _weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 1 if transpose else 0)


def fuse_linear_bn_eval(linear: Layer, bn: _BatchNorm) -> Layer:
    """A linear layer that gives what ``bn(linear(x))`` gives; both must be in eval mode and of one width."""
    if linear.out_features != bn.num_features and bn.num_features != 1:
        sizes = f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        raise AssertionError(f"To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got {sizes}")
    return _fused(linear, bn, fuse_linear_bn_weights)


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the layer that :func:`fuse_linear_bn_eval` makes."""
    return _weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _fused(layer: Layer, bn: _BatchNorm, weights: Any) -> Layer:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(layer)
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused.weight, fused.bias = weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return fused


def _weights(
    weight: Any, bias: Any, mean: Any, var: Any, eps: float, bn_weight: Any, bn_bias: Any, axis: int
) -> tuple[Parameter, Parameter]:
    """The layer's own dtypes are kept. ``axis`` is that of the outputs in the weight."""
    shift = torch.zeros_like(mean, dtype=weight.dtype) if bias is None else bias
    scale = torch.rsqrt(var + eps) if bn_weight is None else bn_weight * torch.rsqrt(var + eps)
    along = [-1 if each == axis else 1 for each in range(weight.ndim)]
    fused = (weight * scale.reshape(along)).to(weight.dtype)
    moved = (shift - mean) * scale
    moved = (moved if bn_bias is None else moved + bn_bias).to(shift.dtype)
    return Parameter(fused, weight.requires_grad), Parameter(moved, shift.requires_grad)
