"""zuko, nflows and torchdyn: densities by flows trained a few steps, and a neural differential equation."""

import torch
import zuko
from nflows import distributions, flows, transforms
from torchdyn.core import NeuralODE

torch.manual_seed(0)
x = torch.randn(40, 2) * torch.tensor([1.0, 0.3]) + 0.5
masked = transforms.CompositeTransform([transforms.ReversePermutation(2), transforms.MaskedAffineAutoregressiveTransform(2, 8)])
for name, flow, density in (
    ("zuko", zuko.flows.NSF(2, transforms=2, hidden_features=(8,)), lambda flow: flow().log_prob(x)),
    ("nflows", flows.Flow(masked, distributions.StandardNormal([2])), lambda flow: flow.log_prob(x)),
):
    optimizer = torch.optim.Adam(flow.parameters(), lr=0.02)
    for _ in range(4):
        optimizer.zero_grad()
        loss = -density(flow).mean()
        loss.backward()
        optimizer.step()
    print(name, f"{loss.item():.4f}")
field = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
times, path = NeuralODE(field, solver="rk4", sensitivity="autograd")(x[:3], torch.linspace(0, 1, 5))
path[-1].square().sum().backward()
print(path[-1], field[0].weight.grad.abs().sum())
