"""Modules made and called with missing, surplus and unknown arguments: the errors name the module's class as PyTorch's do."""

import inspect
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
ARGUMENTS = {
    (3, 2): "Linear Embedding EmbeddingBag",
    (1, 1, 1): "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    (2, 2, 2): "Bilinear",
    (2, 2): "LSTM GRU RNN LSTMCell GRUCell RNNCell Fold LPPool1d LPPool2d LPPool3d",
    (2, 1): "MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer",
    (1, 2): "GroupNorm",
    (3,): "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm RMSNorm",
    (2,): """MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d
        AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d PixelShuffle Unfold LocalResponseNorm CrossMapLRN2d MaxUnpool2d
        FractionalMaxPool2d UpsamplingNearest2d""",
    (1,): """ZeroPad2d ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad3d CircularPad1d CircularPad2d
        ChannelShuffle""",
    (1, 1.0): "ConstantPad1d ConstantPad2d ConstantPad3d",
    (0.0, 1.0): "Threshold",
    (1, (1, 1)): "Unflatten",
}
GIVEN = {name: given for given, names in ARGUMENTS.items() for name in names.split()}


def show(name, f):
    try:
        f()
        print(name, "is fine")
    except Exception as e:
        print(name, type(e).__name__, str(e))


for name in sorted(dir(nn)):
    made = getattr(nn, name)
    if not inspect.isclass(made) or not issubclass(made, nn.Module) or name == "Container":
        continue
    show(f"{name}()", made)
    show(f"{name}(many)", lambda made=made: made(*[1] * 25))
    show(f"{name}(no_such)", lambda made=made, name=name: made(*GIVEN.get(name, ()), no_such=1))
    try:
        module = made(*GIVEN.get(name, ()))
    except Exception:
        continue
    show(f"{name} called with nothing", module)
    show(f"{name} called with many", lambda module=module: module(*[torch.ones(1)] * 12))
    show(f"{name} called with no_such", lambda module=module: module(torch.ones(1), no_such=1))
    show(f"{name}.no_such", lambda module=module: module.no_such)
    print(type(module).forward.__qualname__, type(module).__init__.__qualname__)
