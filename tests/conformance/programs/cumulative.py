"""cumsum, cumprod, cummax, cummin, logcumsumexp, diff, and trapezoids."""

import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(x.cumsum(0), x.cumsum(1), x.cumprod(1))
print(x.cumsum(dim=-1, dtype=torch.float64))
print(torch.cumsum(torch.tensor([True, True]), 0))
print(torch.tensor([3, 1, 4, 1, 5]).cummax(0), torch.tensor([3.0, 1.0, 4.0, 1.0]).cummin(0))
print(torch.tensor([1, 2, 3]).cumprod(0), torch.tensor([2, 100], dtype=torch.uint8).cumsum(0))
print(x.diff(), x.diff(dim=0), torch.diff(torch.tensor([1, 4, 9, 16]), n=2))
print(torch.trapezoid(torch.tensor([1.0, 2.0, 3.0])))
print(torch.trapz(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, 3.0])), torch.cumulative_trapezoid(x))
print([round(v, 4) for v in torch.logcumsumexp(torch.zeros(4), 0).exp().tolist()])


def gradient(f, t):
    t = t.clone().requires_grad_()
    y = f(t)
    y.backward(torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
    return t.grad


v = torch.tensor([1.0, 2.0, 3.0, 4.0])
print(gradient(lambda t: t.cumsum(0), v), gradient(lambda t: t.cumprod(0), v), gradient(lambda t: t.diff(), v))
print(gradient(lambda t: t.cumprod(0), torch.tensor([2.0, 0.0, 3.0])), gradient(lambda t: t.cumsum(1), x))
print(gradient(lambda t: t.cumprod(0), torch.tensor([2.0, 0.0, 0.0, 3.0])))
print(gradient(lambda t: t.prod(), torch.tensor([2.0, 0.0, 3.0])))
print(gradient(lambda t: t.cummax(0)[0], torch.tensor([1.0, 3.0, 2.0, 5.0])), gradient(lambda t: t.cummin(0)[0], v))
print(gradient(lambda t: torch.trapezoid(t), v), gradient(lambda t: t.prod(), torch.tensor([0.0, 0.0, 3.0])))
print(gradient(lambda t: t.flip(0).cumsum(0).flip(0), v))
t = v.clone().requires_grad_()
(g,) = torch.autograd.grad(t.cumprod(0).sum(), t, create_graph=True)
print(g.detach(), torch.autograd.grad(g.sum(), t))
y = torch.arange(4.0)
y.cumsum_(0)
print(y, y.cumprod_(0), torch.zeros(0).cumsum(0), torch.tensor(3.0).cumsum(0))
rewards, discounted, running = [1.0, 0.0, 2.0], [], 0.0
for r in reversed(rewards):
    running = r + 0.5 * running
    discounted.insert(0, running)
print(torch.tensor(discounted))
