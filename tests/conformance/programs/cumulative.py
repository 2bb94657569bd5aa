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

# Of complex numbers in a real dtype; of cotangents that are nan; twice through what saves nothing.
z = torch.tensor([1.0, 2.0]).to(torch.complex128).requires_grad_()
z[:1].sub(z).cumprod(0, dtype=torch.float64).sum().backward()
print(z.grad)
print(gradient(lambda t: t.logcumsumexp(0).sqrt(), torch.tensor([-1.0, 0.5])))
t = torch.ones(4, 3, requires_grad=True)
for area in (torch.cumulative_trapezoid(t, dim=1), torch.trapezoid(t, dx=2.0, dim=1)):
    area.sum().backward()
    area.sum().backward()
print(t.grad)
for f in (torch.sum, torch.prod, torch.nansum):
    try:
        print(f(t, dtype=torch.int64))
    except RuntimeError as error:
        print(error)
print(torch.zeros(2, 0).cummax(5).values)
