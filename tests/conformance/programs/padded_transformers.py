"""Encoders that predict for sequences of several lengths: what they hide, where they give zeros, what they warn of."""

import warnings

import torch
from torch import nn


def show(name, f):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out = f()
        except Exception as e:
            out = f"{type(e).__name__}: {e}"
    told = [str(each.message) for each in caught if "prototype" not in str(each.message)]
    print(name, out, told)


def encoder(layers=2, norm=None, options=None, **changes):
    torch.manual_seed(0)
    settings = {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "batch_first": True, **changes}
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(**settings), layers, norm, **(options or {}))


def seen(out):
    return (out == 0).all(-1).int().tolist(), [round(value, 3) for value in out[1, 1].tolist()]


torch.manual_seed(1)
x = torch.randn(3, 4, 8)
PADDINGS = {
    "at the end": [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1]],
    "all a bit": [[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]],
    "between": [[0, 0, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0]],
    "nothing": [[0] * 4] * 3,
}
for changes in (
    {},
    {"batch_first": False},
    {"nhead": 1, "d_model": 9},
    {"norm_first": True, "batch_first": False},
    {"activation": torch.tanh, "bias": False},
    {"activation": torch.tanh, "nhead": 1},
    {"activation": "gelu"},
    {"activation": nn.GELU()},
    {"activation": nn.ReLU()},
):
    show(sorted(changes), lambda changes=changes: encoder(**changes).use_nested_tensor)
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
layer.norm1.eps = 1.0
show("eps", lambda: nn.TransformerEncoder(layer, 1).use_nested_tensor)
layer.self_attn = nn.MultiheadAttention(8, 2, kdim=4, batch_first=True)
show("kdim", lambda: nn.TransformerEncoder(layer, 1).use_nested_tensor)
show("off", lambda: encoder(options={"enable_nested_tensor": False}, batch_first=False).use_nested_tensor)
show("transformer", lambda: type(nn.Transformer(8, 2, 1, 1, 16)).__name__)

for name, padding in PADDINGS.items():
    padding = torch.tensor(padding).bool()
    for model in (encoder(), encoder(norm=nn.LayerNorm(8)), encoder(options={"mask_check": False}), encoder(activation="gelu")):
        model.eval()
        with torch.no_grad():
            show(name, lambda: seen(model(x, src_key_padding_mask=padding)))
            added = torch.zeros(3, 4).masked_fill(padding, float("-inf"))
            show("added", lambda: seen(model(x, src_key_padding_mask=added)))
        show("with gradients", lambda: seen(model(x, src_key_padding_mask=padding)))
        with torch.inference_mode():
            show("in inference mode", lambda: seen(model(x, src_key_padding_mask=padding)))
padding = torch.tensor(PADDINGS["at the end"]).bool()
model = encoder(dropout=0.0)
with torch.no_grad():
    show("training", lambda: seen(model(x, src_key_padding_mask=padding)))
    show("a layer", lambda: seen(model.eval().layers[0](x, src_key_padding_mask=padding)))
    show("one", lambda: model(x[1], src_key_padding_mask=padding[1]).shape)
model.requires_grad_(False)
show("frozen", lambda: seen(model(x, src_key_padding_mask=padding)))
causal = nn.Transformer.generate_square_subsequent_mask(4)
for mask in (causal, causal.isinf(), causal.long() * 0, None):
    for hidden in (padding, torch.zeros(3, 4).masked_fill(padding, float("-inf")), padding.long(), None):
        show("encoder", lambda mask=mask, hidden=hidden: seen(model(x, mask=mask, src_key_padding_mask=hidden)))
        one = model.layers[0]
        show("layer", lambda mask=mask, hidden=hidden: seen(one(x, src_mask=mask, src_key_padding_mask=hidden)))
