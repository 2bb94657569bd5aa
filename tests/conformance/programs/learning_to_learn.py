"""Learning to learn: gradients through a few steps of gradient descent, by hand and with torch.func."""

import torch
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(1, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
meta = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
params = dict(model.named_parameters())


def loss_fn(p, x, y):
    return ((functional_call(model, p, (x,)) - y) ** 2).mean()


def task(n):
    a, phase = torch.rand(n, 1, 1) * 4 + 0.1, torch.rand(n, 1, 1) * 3.14
    x = torch.rand(n, 10, 1) * 10 - 5
    return x, a * torch.sin(x + phase)


def adapt(p, x, y, qx, qy):
    for _ in range(2):
        g = grad(loss_fn)(p, x, y)
        p = {k: p[k] - 0.1 * g[k] for k in p}
    return loss_fn(p, qx, qy)


for step in range(4):
    x, y = task(3)
    losses = vmap(adapt, in_dims=(None, 0, 0, 0, 0))(params, x[:, :5], y[:, :5], x[:, 5:], y[:, 5:])
    meta.zero_grad()
    losses.mean().backward()
    meta.step()
    print(step, f"{losses.mean().item():.4f}", [f"{value:.3f}" for value in losses.tolist()])
w = torch.tensor([1.0, -1.0], requires_grad=True)
fast = w
for _ in range(3):
    inner = ((fast**2).sum() - 1) ** 2
    (g,) = torch.autograd.grad(inner, fast, create_graph=True)
    fast = fast - 0.05 * g
fast.sum().backward()
print(fast, w.grad)
