"""Batch normalization worked into the layer before it, and names that programs ask for but nothing here is."""

import pickle

import torch
from torch import nn
from torch.nn.utils import fusion

torch.manual_seed(0)


def trained(norm):
    with torch.no_grad():
        norm.running_mean.normal_()
        norm.running_var.uniform_(0.5, 2)
        for each in norm.parameters():
            each.normal_()
    return norm.eval()


def refused(call):
    try:
        print(call())
    except AssertionError as error:
        print(type(error).__name__, error)


x = torch.randn(2, 2, 5, 5)
for layer, norm, transpose in (
    (nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), False),
    (nn.Conv2d(2, 4, 3, bias=False, groups=2), nn.BatchNorm2d(4, affine=False), False),
    (nn.ConvTranspose2d(2, 3, 3), nn.BatchNorm2d(3), True),
):
    refused(lambda layer=layer, norm=norm: fusion.fuse_conv_bn_eval(layer, norm))
    fused = fusion.fuse_conv_bn_eval(layer.eval(), trained(norm), transpose)
    print(fused, fused.bias, fused.weight.sum(), torch.allclose(fused(x), norm(layer(x)), atol=1e-5))
for layer, norm in (
    (nn.Linear(5, 4), nn.BatchNorm1d(4)),
    (nn.Linear(5, 4, bias=False), nn.BatchNorm1d(1)),
    (nn.Linear(5, 4), nn.BatchNorm1d(3)),
):
    refused(lambda layer=layer, norm=norm: list(nn.utils.fuse_linear_bn_eval(layer.eval(), trained(norm)).parameters()))
frozen = torch.randn(3, 2, 3).half()
for each in fusion.fuse_conv_bn_weights(frozen, None, torch.zeros(3), torch.ones(3), 1e-5, None, None):
    print(each.dtype, each.shape, each.requires_grad)

print(isinstance(x.size(0), (int, torch.SymInt)), torch.SymFloat, torch.SymBool)
print(torch.AcceleratorError.__mro__, torch.cuda.OutOfMemoryError is torch.OutOfMemoryError)
print(pickle.loads(pickle.dumps(torch.OutOfMemoryError)))
