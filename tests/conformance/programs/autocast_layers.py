"""The dtypes that layers give and take under autocast."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, images = torch.rand(2, 4, 4), torch.rand(1, 2, 6, 6)
LAYERS = {
    "rnn": nn.RNN(4, 4),
    "rnn relu": nn.RNN(4, 4, nonlinearity="relu"),
    "gru": nn.GRU(4, 4),
    "rnn cell": nn.RNNCell(4, 4),
    "lstm cell": nn.LSTMCell(4, 4),
    "gru cell": nn.GRUCell(4, 4),
    "linear": nn.Linear(4, 4),
    "attention": nn.TransformerEncoderLayer(4, 2, 8, batch_first=True),
    "norm": nn.LayerNorm(4),
    "prelu": nn.PReLU(),
}


def flat(out):
    return [one for each in out for one in flat(each)] if isinstance(out, tuple) else [out]


for name, layer in LAYERS.items():
    given = x[0] if "cell" in name else x
    with torch.autocast("cpu"):
        out = flat(layer(given))
    print(name, [each.dtype for each in out], [each.requires_grad for each in out])
    out[0].float().sum().backward()
    print([each.grad.dtype for each in layer.parameters()])
    for enabled in (True, False):
        with torch.autocast("cpu", enabled=enabled):
            try:
                print(enabled, flat(layer(given.bfloat16()))[0].dtype)
            except (RuntimeError, ValueError) as e:
                print(enabled, type(e).__name__)
for mode in ("reflect", "replicate", "circular", "constant"):
    with torch.autocast("cpu"):
        print(mode, F.pad(images.bfloat16(), (1, 1, 1, 1), mode=mode).dtype, F.pad(images, (1, 1, 1, 1), mode).dtype)
with torch.autocast("cpu"):
    print(F.conv_tbc(x, torch.rand(2, 4, 4), torch.rand(4)).dtype)
    with torch.autocast("cpu", enabled=False):
        print((x @ x).dtype)
    print((x @ x).dtype, (x + x).dtype, torch.is_autocast_enabled("cpu"))
