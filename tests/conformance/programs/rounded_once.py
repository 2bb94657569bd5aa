"""Arithmetic of numbers of two bytes with Python numbers and 0-dim tensors: where PyTorch rounds, and how often."""

import torch

for dt in (torch.bfloat16, torch.float16):
    a = torch.tensor([-0.3] * 3).to(dt)
    b = torch.tensor([0.3]).to(dt)
    c = torch.randn(40, generator=torch.Generator().manual_seed(1)).to(dt)
    print(
        a + 0.3,
        0.3 + a,
        b - 0.3,
        0.3 - b,
        torch.sub(b, 0.3),
        torch.add(a, 0.3),
        a + torch.tensor(0.3),
        b - torch.tensor(0.3),
        torch.tensor(0.3) - b,
        a.clone().add_(0.3),
        b.clone().sub_(0.3),
    )
    s = 0.7
    print(
        (c * s).sum(dtype=torch.float64),
        (s * c).sum(dtype=torch.float64),
        (c / s).sum(dtype=torch.float64),
        (s / c).sum(dtype=torch.float64),
        (c + s).sum(dtype=torch.float64),
        (c - s).sum(dtype=torch.float64),
        (s - c).sum(dtype=torch.float64),
        (c * torch.tensor(s)).sum(dtype=torch.float64),
        (c / torch.tensor(s)).sum(dtype=torch.float64),
        (torch.tensor(s) / c).sum(dtype=torch.float64),
        c.clone().mul_(s).sum(dtype=torch.float64),
        c.clone().div_(s).sum(dtype=torch.float64),
        (c * torch.tensor(s, dtype=torch.float64)).sum(dtype=torch.float64),
        (c * 3).sum(dtype=torch.float64),
        (c / 3).sum(dtype=torch.float64),
    )
    print((c[0] * s), c[0] / s, c[0] + s, s / c[0], c[0] * torch.tensor(s), c[:1] * torch.tensor([s]))

torch.manual_seed(0)
for dt in (torch.bfloat16, torch.float16):
    x = torch.randn(1, 3, 4).to(dt)
    F = torch.nn.functional
    print(F.scaled_dot_product_attention(x.clone().requires_grad_(), x, x, is_causal=True))
    print(F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(3, 3).tril().bool()))
    print(torch.nn.TransformerEncoderLayer(4, 2, 6).to(dt)(torch.randn(2, 2, 4).to(dt)).dtype)
    v = torch.tensor([1.5, -2.0, 0.3]).to(dt)
    print(F.pairwise_distance(v[None], v[None] * 2), F.bilinear(v[None], v[None], torch.ones(2, 3, 3).to(dt)).dtype)
    print(torch.trapezoid(v), torch.gradient(v), F.cross_entropy(v[None], torch.tensor([[0.2, 0.3, 0.5]]).to(dt)).dtype)
with torch.autocast("cpu"):
    print(torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(torch.randn(1, 3, 4)).dtype)
    x = torch.randn(3, 4)
    print(torch.inner(x, x).dtype, torch.nn.PReLU()(x @ x.T).dtype)

torch.manual_seed(0)
for dt in (torch.bfloat16, torch.float16):
    x, y, z = torch.randn(3, 100).to(dt)
    share = torch.rand(100).to(dt)
    for result in (
        torch.addcmul(x, y, z, value=0.5),
        torch.addcdiv(x, y, share + 1, value=0.5),
        torch.lerp(x, y, 0.3),
        torch.lerp(x, y, 0.7),
        torch.lerp(x, y, share),
        F.leaky_relu(x, 0.1),
        F.conv1d(x.reshape(1, 2, 50), y[:12].reshape(2, 2, 3), z[:2]),
    ):
        print(result.dtype, result.sum(dtype=torch.float64), result.flatten()[:8])
