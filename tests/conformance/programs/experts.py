"""Layers of large models, small: routed experts, vector quantisation, low-rank adapters, rotary attention with a cache, sampling."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize


class Experts(nn.Module):
    def __init__(self, width, count, k):
        super().__init__()
        self.route = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)) for _ in range(count)
        )
        self.k = k

    def forward(self, x):
        flat = x.flatten(0, -2)
        chance = self.route(flat).softmax(-1)
        weight, chosen = chance.topk(self.k, -1)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == i)
            if rows.numel():
                out.index_add_(0, rows, expert(flat[rows]) * weight[rows, place, None])
        load = F.one_hot(chosen, len(self.experts)).float().mean((0, 1))
        return out.view_as(x), len(self.experts) * (load * chance.mean(0)).sum()


class Quantizer(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.book = nn.Embedding(size, width)
        nn.init.uniform_(self.book.weight, -1, 1)

    def forward(self, x):
        index = torch.cdist(x.flatten(0, -2), self.book.weight).argmin(-1).view(x.shape[:-1])
        found = self.book(index)
        loss = F.mse_loss(found, x.detach()) + 0.25 * F.mse_loss(x, found.detach())
        return x + (found - x).detach(), index, loss


class LowRank(nn.Module):
    def __init__(self, outer, inner, rank):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(rank, inner) * 0.1), nn.Parameter(torch.zeros(outer, rank))

    def forward(self, weight):
        return weight + self.b @ self.a


def turned(x, start=0):
    half = x.shape[-1] // 2
    angle = torch.arange(start, start + x.shape[-2])[:, None] / 100 ** (torch.arange(half) / half)
    turn = torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (half, 2)).contiguous()) * turn).flatten(-2)


class Attention(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, size = heads, groups, width // heads
        self.q, self.kv, self.out = nn.Linear(width, width), nn.Linear(width, 2 * groups * size), nn.Linear(width, width)

    def forward(self, x, cache=None):
        start = cache[0].shape[-2] if cache else 0
        q = turned(self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2), start)
        k, v = self.kv(x).unflatten(-1, (2 * self.groups, -1)).transpose(1, 2).chunk(2, 1)
        k = turned(k, start)
        if cache:
            k, v = torch.cat([cache[0], k], -2), torch.cat([cache[1], v], -2)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None, enable_gqa=True)
        return self.out(out.transpose(1, 2).flatten(-2)), (k, v)


torch.manual_seed(0)
x = torch.randn(2, 5, 8, requires_grad=True)
experts = Experts(8, 4, 2)
out, balance = experts(x)
(out.square().mean() + 0.01 * balance).backward()
print(f"{out.sum().item():.4f} {balance.item():.4f} {x.grad.norm().item():.5f}")
print(
    [
        f"{sum(p.grad.norm().item() if p.grad is not None else -1 for p in expert.parameters()):.4f}"
        for expert in experts.experts
    ]
)
quantizer = Quantizer(6, 8)
x.grad = None
found, index, loss = quantizer(x)
(found.sum() + loss).backward()
print(index, f"{loss.item():.5f} {x.grad.mean().item():.5f}", quantizer.book.weight.grad.norm(dim=1))
layer = nn.Linear(8, 8)
layer.requires_grad_(False)
parametrize.register_parametrization(layer, "weight", LowRank(8, 8, 2))
for step in range(3):
    optimizer = torch.optim.SGD([p for p in layer.parameters() if p.requires_grad], 0.1)
    loss = F.mse_loss(layer(x.detach()), torch.ones(2, 5, 8))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}", [name for name, p in layer.named_parameters() if p.requires_grad])
print(torch.linalg.matrix_rank(layer.weight - layer.parametrizations.weight.original), parametrize.is_parametrized(layer))
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
print(type(layer).__name__, layer.weight.requires_grad, list(layer.state_dict()))
attention = Attention(8, 4, 2)
whole, _ = attention(x)
first, cache = attention(x[:, :3])
steps = [first]
for i in range(3, 5):
    one, cache = attention(x[:, i : i + 1], cache)
    steps.append(one)
print(torch.allclose(whole, torch.cat(steps, 1), atol=1e-6), cache[0].shape)
logits = torch.randn(3, 10)
for temperature, k, p in ((1.0, 3, 1.0), (0.7, 10, 0.8), (1e-3, 10, 1.0)):
    scores = logits / temperature
    scores = scores.masked_fill(scores < scores.topk(k)[0][:, -1:], -torch.inf)
    ordered, places = scores.sort(descending=True)
    drop = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1) > p
    scores = scores.scatter(1, places, ordered.masked_fill(drop, -torch.inf))
    print(torch.multinomial(scores.softmax(-1), 2, replacement=True).tolist(), (scores > -torch.inf).sum(1).tolist())
