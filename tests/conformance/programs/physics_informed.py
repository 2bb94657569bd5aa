"""A physics-informed network: the residual of u'' = -u needs second derivatives inside the loss; L-BFGS trains it."""

import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.linspace(0, 3, 20).reshape(-1, 1).requires_grad_(True)
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=10, line_search_fn="strong_wolfe")
count = 0


def closure():
    global count
    count += 1
    opt.zero_grad()
    u = net(x)
    (du,) = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)
    (ddu,) = torch.autograd.grad(du, x, torch.ones_like(du), create_graph=True)
    loss = (ddu + u).pow(2).mean() + (net(torch.zeros(1, 1)) - 0).pow(2).sum() + (du[0] - 1).pow(2).sum()
    loss.backward()
    return loss


for i in range(5):
    print(i, f"{opt.step(closure).item():.6f}", count)
