"""A denoising diffusion model of points in a plane: cosine schedule, time embedding, noise prediction, DDPM and DDIM samples."""

import math

import torch
from torch import nn

STEPS = 20


def embedding(t, width=8):
    frequencies = torch.exp(-math.log(1000) * torch.arange(width // 2) / (width // 2))
    angles = t[:, None].float() * frequencies
    return torch.cat([angles.sin(), angles.cos()], -1)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 32))
        self.enter, self.leave = nn.Linear(2, 32), nn.Linear(32, 2)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 32), nn.GELU(approximate="tanh")) for _ in range(2)
        )
        self.register_buffer("alphas", self.schedule(), persistent=False)

    @staticmethod
    def schedule():
        t = torch.linspace(0, 1, STEPS + 1, dtype=torch.float64)
        kept = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
        return (1 - (1 - kept[1:] / kept[:-1]).clamp(0, 0.999)).float()

    def forward(self, x, t):
        x = self.enter(x)
        scale, shift = self.time(embedding(t)).chunk(2, -1)
        for block in self.blocks:
            x = x + block(x) * (1 + scale.repeat(1, 2)) + shift.repeat(1, 2)
        return self.leave(x)


torch.manual_seed(0)
model = Denoiser()
kept = model.alphas.cumprod(0)
print(kept)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
for step in range(40):
    angle = torch.rand(64) * 2 * math.pi
    clean = torch.stack([angle.cos(), angle.sin()], 1) * torch.where(torch.rand(64, 1) < 0.5, 0.5, 1.0)
    t, noise = torch.randint(STEPS, (64,)), torch.randn(64, 2)
    level = kept[t][:, None]
    guess = model(level.sqrt() * clean + (1 - level).sqrt() * noise, t)
    loss = (
        nn.functional.mse_loss(guess, noise, reduction="none").mean(1) * (level[:, 0] / (1 - level[:, 0])).clamp(max=5)
    ).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update_parameters(model)
    if step % 10 == 9:
        print(step, f"{loss.item():.5f}")


@torch.no_grad()
def sample(count, eta):
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(count, 2, generator=generator)
    for i in reversed(range(STEPS)):
        noise = average(x, torch.full((count,), i))
        before = kept[i - 1] if i else torch.tensor(1.0)
        clean = ((x - (1 - kept[i]).sqrt() * noise) / kept[i].sqrt()).clamp_(-1.5, 1.5)
        sigma = eta * ((1 - before) / (1 - kept[i]) * (1 - kept[i] / before)).sqrt()
        x = before.sqrt() * clean + (1 - before - sigma**2).clamp(min=0).sqrt() * noise
        if i:
            x += sigma * torch.randn(x.shape, generator=generator)
    return x


for eta in (0.0, 1.0):
    points = sample(200, eta)
    print(f"{points.norm(dim=1).mean():.4f} {points.std():.4f}", torch.histc(points.norm(dim=1), 5, 0, 2).tolist())
print(average.n_averaged, list(average.state_dict())[:3])
