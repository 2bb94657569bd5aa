"""einops: patterns as its tutorial shows them, and layers in a network that is trained."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn

torch.manual_seed(0)
images = torch.randn(6, 8, 8, 3)
print("rearrange", rearrange(images, "(b1 b2) h w c -> (b1 h) (b2 w) c", b1=2)[3, 5].tolist())
print("patches", rearrange(images, "b (h p) (w q) c -> b (h w) (p q c)", p=4, q=4).mean((0, 2)).tolist())
print("pooling", reduce(images, "b (h 2) (w 2) c -> b h w c", "max").sum((0, 1, 2)).tolist())
print("repeat", repeat(images[0, 0], "w c -> (w 2) c").shape, repeat(images[0, 0], "w c -> (w 2) c").sum().item())
print("einsum", einsum(images, images, "b h w c, d h w c -> b d").diagonal().tolist())
packed, sizes = pack([torch.ones(3, 2), torch.zeros(3, 4, 2)], "b * c")
print("pack", packed.shape, sizes, [tuple(part.shape) for part in unpack(packed, sizes, "b * c")])

model = nn.Sequential(
    Rearrange("b h w c -> b c h w"),
    nn.Conv2d(3, 8, 3, padding=1),
    nn.ReLU(),
    Reduce("b c (h 2) (w 2) -> b c h w", "mean"),
    Rearrange("b c h w -> b (h w) c"),
    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=8, d=5),
    Reduce("b t d -> b d", "mean"),
)
print(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(10):
    loss = nn.functional.cross_entropy(model(images), torch.arange(6) % 5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
try:
    rearrange(images, "b h w -> b h w")
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
