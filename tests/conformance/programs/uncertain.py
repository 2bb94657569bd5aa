"""Regression that knows what it does not know: a Gaussian process, a mixture density network, quantiles, dropout at test time, a flow."""

import math

import torch
import torch.nn.functional as F
from torch import distributions as D
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-2, 2, 24)[:, None]
y = torch.sin(2 * x[:, 0]) + 0.1 * torch.randn(24) * (1 + x[:, 0].abs())

lengthscale, noise = nn.Parameter(torch.tensor(0.0)), nn.Parameter(torch.tensor(-2.0))


def kernel(a, b):
    return torch.exp(-0.5 * (torch.cdist(a, b) / lengthscale.exp()) ** 2)


optimizer = torch.optim.LBFGS([lengthscale, noise], max_iter=8, line_search_fn="strong_wolfe")


def negative_evidence():
    optimizer.zero_grad()
    k = (kernel(x, x) + noise.exp() * torch.eye(24)).double()
    factor = torch.linalg.cholesky(k)
    weights = torch.cholesky_solve(y.double()[:, None], factor)[:, 0]
    loss = 0.5 * y.double() @ weights + factor.diagonal().log().sum() + 12 * math.log(2 * math.pi)
    loss.backward()
    return loss


print(f"{optimizer.step(negative_evidence).item():.4f} {lengthscale.item():.3f} {noise.item():.3f}")
with torch.no_grad():
    new = torch.tensor([[0.0], [1.3], [3.0]])
    factor = torch.linalg.cholesky(kernel(x, x) + noise.exp() * torch.eye(24))
    mean = kernel(new, x) @ torch.cholesky_solve(y[:, None], factor)
    half = torch.linalg.solve_triangular(factor, kernel(x, new), upper=False)
    print(f"{mean[1].item():.3f} {mean[2].item():.2f}", [f"{v:.3f}" for v in (1 - half.square().sum(0)).tolist()])

mixture = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 9))
optimizer = torch.optim.Adamax(mixture.parameters(), lr=0.02)
for step in range(30):
    weights, means, scales = mixture(y[:, None]).chunk(3, -1)
    family = D.MixtureSameFamily(D.Categorical(logits=weights), D.Normal(means, F.softplus(scales) + 1e-2))
    loss = -family.log_prob(x[:, 0]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}", family.mean[:2].shape, family.sample((2,)).shape, f"{family.variance.mean().item():.3f}")

levels = torch.tensor([0.1, 0.5, 0.9])
net = nn.Sequential(nn.Linear(1, 16), nn.ELU(), nn.Dropout(0.1), nn.Linear(16, 3))
optimizer = torch.optim.NAdam(net.parameters(), lr=0.02)
for step in range(40):
    error = y[:, None] - net(x)
    loss = torch.maximum(levels * error, (levels - 1) * error).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, f"{loss.item():.4f}", (y[:, None] < net.eval()(x)).float().mean(0).mul(24).round().int().tolist())
        net.train()
draws = torch.stack([net(x[:4]) for _ in range(20)])
print(draws.shape, f"{draws.std(0).mean().item():.4f} {torch.quantile(draws, 0.3).item():.4f}")


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip, self.net = flip, nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, z):
        kept, moved = z.flip(-1).chunk(2, -1) if self.flip else z.chunk(2, -1)
        scale, shift = self.net(kept).chunk(2, -1)
        moved = moved * scale.tanh().exp() + shift
        return torch.cat([moved, kept] if self.flip else [kept, moved], -1), scale.tanh().sum(-1)


flow = nn.ModuleList(Coupling(i % 2 == 1) for i in range(4))
data = torch.stack([x[:, 0], y], 1)
optimizer = torch.optim.RAdam(flow.parameters(), lr=0.02)
base = D.Independent(D.Normal(torch.zeros(2), torch.ones(2)), 1)
for step in range(20):
    z, total = data, torch.zeros(24)
    for layer in flow:
        z, change = layer(z)
        total = total + change
    loss = -(base.log_prob(z) + total).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
jacobian = torch.func.jacrev(lambda p: flow[1](flow[0](p)[0])[0])(data[0])
print(
    torch.allclose(torch.linalg.slogdet(jacobian)[1], flow[0](data[:1])[1][0] + flow[1](flow[0](data[:1])[0])[1][0], atol=1e-5)
)
