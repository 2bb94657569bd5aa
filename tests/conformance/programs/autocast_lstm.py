"""The dtypes that LSTM layers give and take under autocast; on some processors PyTorch has none of two-byte numbers."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(2, 4, 4)
for layer in (nn.LSTM(4, 4), nn.LSTM(4, 4, 2, bidirectional=True, batch_first=True)):
    with torch.autocast("cpu"):
        out, (h, c) = layer(x)
    print([each.dtype for each in (out, h, c)], [each.requires_grad for each in (out, h, c)])
    out.float().sum().backward()
    print([each.grad.dtype for each in layer.parameters()])
    for enabled in (True, False):
        with torch.autocast("cpu", enabled=enabled):
            try:
                print(enabled, layer(x.bfloat16())[0].dtype)
            except (RuntimeError, ValueError) as e:
                print(enabled, type(e).__name__)
