"""A neural ODE: a net learns the law of motion behind a spiral from glimpses of it.

The solution is followed by fourth-order Runge-Kutta steps. Its gradient comes from the adjoint method: a second equation,
solved backwards in time, so nothing of the way there has to be remembered.

    python -m rushlight examples/training/neural_ode.py
"""

import argparse

import torch
import torch.nn as nn


def rk4_step(f, t, h, state):
    """One step of size h for a state that is a tuple of tensors; f(t, state) gives the slopes as such a tuple."""

    def moved(slopes, by):
        return tuple(s + by * k for s, k in zip(state, slopes))

    k1 = f(t, state)
    k2 = f(t + h / 2, moved(k1, h / 2))
    k3 = f(t + h / 2, moved(k2, h / 2))
    k4 = f(t + h, moved(k3, h))
    return tuple(s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4))


def integrate(f, state, start, end, steps):
    h = (end - start) / steps
    for i in range(steps):
        state = rk4_step(f, start + i * h, h, state)
    return state


class Solve(torch.autograd.Function):
    """States at each of the given times, of shape (times, ...), and their gradient by the adjoint equation."""

    @staticmethod
    def forward(ctx, field, start, times, steps, *parameters):
        ctx.field, ctx.times, ctx.steps = field, times, steps
        states = [start]
        for t0, t1 in zip(times[:-1], times[1:]):
            states += integrate(lambda t, s: (field(t, s[0]),), (states[-1],), t0, t1, steps)
        path = torch.stack(states)
        ctx.save_for_backward(path, *parameters)
        return path

    @staticmethod
    def backward(ctx, grad):
        path, *parameters = ctx.saved_tensors
        field, times = ctx.field, ctx.times

        def slopes(t, state):
            """Of the state, of its adjoint, and of the gradient gathered for each parameter."""
            with torch.enable_grad():
                z = state[0].detach().requires_grad_()
                dz = field(t, z)
                products = torch.autograd.grad(dz, [z, *parameters], -state[1], allow_unused=True)
            filled = [torch.zeros_like(p) if g is None else g for g, p in zip(products, [z, *parameters])]
            return (dz.detach(), *filled)

        adjoint = grad[-1]
        gathered = [torch.zeros_like(p) for p in parameters]
        for i in range(len(times) - 1, 0, -1):
            state = integrate(slopes, (path[i], adjoint, *gathered), times[i], times[i - 1], ctx.steps)
            adjoint, gathered = state[1] + grad[i - 1], list(state[2:])
        return (None, adjoint, None, None, *gathered)


def odeint(field, start, times, steps=4):
    return Solve.apply(field, start, times, steps, *field.parameters())


class Field(nn.Module):
    """Which way to go from where you are."""

    def __init__(self, hidden=50):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, 2))
        for layer in (self.net[0], self.net[2]):
            nn.init.normal_(layer.weight, std=0.1)
            nn.init.zeros_(layer.bias)

    def forward(self, t, z):
        return self.net(z**3)


class Spiral(nn.Module):
    """The true law, which the net never sees."""

    def forward(self, t, z):
        return z**3 @ torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch-size", type=int, default=40)
    parser.add_argument("--glimpse", type=int, default=10, help="times in one glimpse")
    parser.add_argument("--show", type=int, default=0, help="print the losses of so many first steps")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    times = torch.linspace(0, 10, 200).tolist()
    start = torch.tensor([[2.0, 0.0]])
    with torch.no_grad():
        truth = odeint(Spiral(), start, times)  # shape (200, 1, 2)

    field = Field()
    optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.steps)
    for step in range(args.steps):
        first = torch.randperm(len(times) - args.glimpse)[: args.batch_size]
        glimpses = torch.stack([truth[first + i, 0] for i in range(args.glimpse)])
        path = odeint(field, glimpses[0], times[: args.glimpse], steps=1)
        loss = (path - glimpses).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step < args.show:
            print(f"step {step + 1:4}  loss {loss.item():.6f}")
        if (step + 1) % 100 == 0:
            with torch.no_grad():
                whole = (odeint(field, start, times) - truth).abs().mean().item()
            print(f"step {step + 1:4}  loss {loss.item():.4f}  mean distance along the whole spiral {whole:.4f}", flush=True)

    # the adjoint against backward through every step of the solver
    z0 = start.clone().requires_grad_()
    odeint(field, z0, times[:20]).square().sum().backward()
    z1, states = start.clone().requires_grad_(), []
    states.append(z1)
    for t0, t1 in zip(times[:19], times[1:20]):
        states += integrate(lambda t, s: (field(t, s[0]),), (states[-1],), t0, t1, 4)
    torch.stack(states).square().sum().backward()
    print("gradient by the adjoint", [f"{v:.3f}" for v in z0.grad[0].tolist()], end=", ")
    print("through the solver", [f"{v:.3f}" for v in z1.grad[0].tolist()])


if __name__ == "__main__":
    main()
