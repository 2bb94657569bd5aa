"""A neural ODE by hand: Runge-Kutta in the loop, the adjoint method as a custom function, adaptive steps, learnt from a spiral."""

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


def rk4(f, t, dt, y):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def solved(f, y, times):
    path = [y]
    for t, after in zip(times[:-1], times[1:]):
        path.append(rk4(f, t, after - t, path[-1]))
    return torch.stack(path)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, y, times, *parameters):
        with torch.no_grad():
            path = solved(f, y, times)
        ctx.f = f
        ctx.save_for_backward(path, times)
        return path

    @staticmethod
    def backward(ctx, grad):
        path, times = ctx.saved_tensors
        parameters = tuple(ctx.f.parameters())
        a, sums = grad[-1], [torch.zeros_like(p) for p in parameters]
        for i in range(len(times) - 1, 0, -1):
            with torch.enable_grad():
                y = path[i - 1].detach().requires_grad_()
                step = rk4(ctx.f, times[i - 1], times[i] - times[i - 1], y)
                found = torch.autograd.grad(step, (y, *parameters), a)
            a = found[0] + grad[i - 1]
            sums = [total + one for total, one in zip(sums, found[1:])]
        return None, a, None, *sums


torch.manual_seed(0)
turn = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
times = torch.linspace(0, 1.5, 12)
with torch.no_grad():
    true = solved(lambda t, y: y**3 @ turn, torch.tensor([[2.0, 0.0]]), times)
print(true[-1])
field = Field()
optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-2)
for step in range(20):
    optimizer.zero_grad()
    loss = (solved(field, true[0], times) - true).abs().mean()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        print(step, f"{loss.item():.4f}")
by_loop = torch.autograd.grad(solved(field, true[0], times).square().sum(), list(field.parameters()))
by_adjoint = torch.autograd.grad(
    Adjoint.apply(field, true[0], times, *field.parameters()).square().sum(), list(field.parameters())
)
print([torch.allclose(one, other, rtol=1e-4, atol=1e-5) for one, other in zip(by_loop, by_adjoint)])


def adaptive(f, y, t, end, tolerance):
    dt, steps, refused = torch.tensor(0.1), 0, 0
    while t < end:
        dt = torch.minimum(dt, end - t)
        whole, halves = rk4(f, t, dt, y), rk4(f, t + dt / 2, dt / 2, rk4(f, t, dt / 2, y))
        error = (whole - halves).abs().max() / tolerance
        if error <= 1:
            t, y, steps = t + dt, halves, steps + 1
        else:
            refused += 1
        dt = dt * (0.9 * error.clamp(min=1e-6) ** -0.2).clamp(0.2, 5.0)
    return y, steps, refused


with torch.no_grad():
    print(adaptive(lambda t, y: y**3 @ turn, true[0], torch.tensor(0.0), torch.tensor(1.5), 1e-3))
energy = torch.func.jvp(lambda y: field(0.0, y), (true[3],), (true[4],))
print(energy[0].shape, torch.func.vmap(torch.func.jacrev(lambda y: field(0.0, y)))(true[:3, 0]).shape)
