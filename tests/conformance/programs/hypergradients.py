"""Gradients of what is usually set by hand: learning rates, decay and weights of examples, through unrolled training; implicit differentiation."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
x, y = torch.randn(20, 3, dtype=torch.float64), torch.randn(20, dtype=torch.float64)
x_held, y_held = torch.randn(10, 3, dtype=torch.float64), torch.randn(10, dtype=torch.float64)


def trained(log_rate, log_decay, weights, steps=5):
    w = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    momentum = torch.zeros_like(w)
    for _ in range(steps):
        loss = (weights.softmax(0) * (x @ w - y) ** 2).sum() + log_decay.exp() * w.square().sum()
        (grad,) = torch.autograd.grad(loss, w, create_graph=True)
        momentum = 0.5 * momentum + grad
        w = w - log_rate.exp() * momentum
    return w


log_rate = torch.tensor(-2.0, dtype=torch.float64, requires_grad=True)
log_decay = torch.tensor(-3.0, dtype=torch.float64, requires_grad=True)
weights = torch.zeros(20, dtype=torch.float64, requires_grad=True)
outer = torch.optim.Adam([{"params": [log_rate, log_decay], "lr": 0.1}, {"params": weights, "lr": 0.3}])
for step in range(6):
    outer.zero_grad()
    held = F.mse_loss(x_held @ trained(log_rate, log_decay, weights), y_held)
    held.backward()
    outer.step()
    print(step, f"{held.item():.6f} {log_rate.exp().item():.5f} {log_decay.grad.item():.6f} {weights.grad.norm().item():.6f}")
print(torch.autograd.gradcheck(lambda a, b, c: trained(a, b, c, 2), (log_rate, log_decay, weights)))
print(torch.autograd.gradgradcheck(lambda a, b: trained(a, b, weights.detach(), 1), (log_rate, log_decay)))


def ridge(decay):
    return torch.linalg.solve(x.mT @ x + decay * torch.eye(3, dtype=torch.float64), x.mT @ y)


decay = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
(direct,) = torch.autograd.grad(F.mse_loss(x_held @ ridge(decay), y_held), decay)
w = ridge(decay).detach().requires_grad_()
inner = lambda w, decay: 0.5 * (x @ w - y).square().sum() + 0.5 * decay * w.square().sum()  # noqa: E731
hessian = torch.autograd.functional.hessian(lambda w: inner(w, decay.detach()), w)
(outer_grad,) = torch.autograd.grad(F.mse_loss(x_held @ w, y_held), w)
mixed = torch.func.jacfwd(torch.func.grad(inner, argnums=0), argnums=1)(w.detach(), decay.detach())
implicit = -outer_grad @ torch.linalg.solve(hessian, mixed)
print(f"{direct.item():.10f} {implicit.item():.10f}")


def conjugate_gradients(product, b, steps):
    solution, r = torch.zeros_like(b), b.clone()
    p, rr = r, r @ r
    for _ in range(steps):
        ap = product(p)
        alpha = rr / (p @ ap)
        solution, r = solution + alpha * p, r - alpha * ap
        after = r @ r
        p, rr = r + after / rr * p, after
    return solution


first = torch.autograd.grad(inner(w, decay.detach()), w, create_graph=True)[0]
hvp = lambda v: torch.autograd.grad(first, w, v, retain_graph=True)[0]  # noqa: E731
print(conjugate_gradients(hvp, outer_grad, 3) @ mixed * -1 - implicit < 1e-9)
print(torch.autograd.functional.vhp(lambda w: inner(w, 0.5), w, outer_grad)[1])
