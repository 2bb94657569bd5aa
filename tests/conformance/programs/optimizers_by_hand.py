"""Momentum, RMSprop, Adam, L-BFGS-like steps and line searches written out, as people do before torch.optim."""

import torch


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


def start():
    return torch.tensor([-1.0, 1.0], dtype=torch.float64, requires_grad=True)


def gradient(f, p):
    return torch.autograd.grad(f(p), p)[0]


p = start()
velocity = torch.zeros_like(p)
for _ in range(300):
    velocity.mul_(0.9).add_(gradient(rosenbrock, p))
    p.data.sub_(velocity, alpha=5e-4)
print("momentum", [f"{v:.4f}" for v in p.tolist()])

p = start()
square = torch.zeros_like(p)
for _ in range(300):
    g = gradient(rosenbrock, p)
    square.mul_(0.99).addcmul_(g, g, value=0.01)
    p.data.addcdiv_(g, square.sqrt().add_(1e-8), value=-0.01)
print("rmsprop", [f"{v:.4f}" for v in p.tolist()])

p = start()
m, s = torch.zeros_like(p), torch.zeros_like(p)
for t in range(1, 301):
    g = gradient(rosenbrock, p)
    m = 0.9 * m + 0.1 * g
    s = 0.999 * s + 0.001 * g**2
    m_hat, s_hat = m / (1 - 0.9**t), s / (1 - 0.999**t)
    with torch.no_grad():
        p -= 0.02 * m_hat / (torch.sqrt(s_hat) + 1e-8)
print("adam", [f"{v:.4f}" for v in p.tolist()])

p = start()
for _ in range(40):
    g = gradient(rosenbrock, p)
    step = 1.0
    with torch.no_grad():
        while rosenbrock(p - step * g) > rosenbrock(p) - 0.3 * step * g.dot(g):
            step *= 0.5
        p -= step * g
print("line search", [f"{v:.4f}" for v in p.tolist()])

p = start()
inverse = torch.eye(2, dtype=torch.float64)
g = gradient(rosenbrock, p)
while g.norm() > 1e-4:
    direction = -(inverse @ g)
    step = 1.0
    while rosenbrock(p.detach() + step * direction) > rosenbrock(p.detach()) + 1e-4 * step * (g @ direction):
        step /= 2
    change = step * direction
    p = (p + change).detach().requires_grad_()
    new = gradient(rosenbrock, p)
    y, g = new - g, new
    rho = 1 / (y @ change)
    left = torch.eye(2, dtype=torch.float64) - rho * torch.outer(change, y)
    inverse = left @ inverse @ left.T + rho * torch.outer(change, change)
print("bfgs", [f"{v:.3f}" for v in p.tolist()])

# gradient clipping by norm, weight decay, a schedule
w = torch.tensor([3.0, -4.0], requires_grad=True)
for epoch in range(4):
    rate = 0.5 * 0.5**epoch
    (w * w * 10).sum().backward()
    norm = w.grad.norm()
    with torch.no_grad():
        if norm > 1:
            w.grad.mul_(1 / norm)
        w -= rate * (w.grad + 0.25 * w)
    w.grad = None
    print(epoch, rate, f"{norm.item():.3f}", [f"{v:.4f}" for v in w.tolist()])
