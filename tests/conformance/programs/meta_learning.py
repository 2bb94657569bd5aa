"""Gradients through gradient steps: one-step meta-learning, learned rates, implicit penalties."""

import torch

torch.manual_seed(0)


def loss_of(w, task):
    return ((w - task) ** 2).sum()


# MAML on points: the start that is best after one step of 0.25 is the mean of the tasks
tasks = torch.tensor([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [1.0, 1.0]])
w = torch.tensor([5.0, -5.0], requires_grad=True)
for step in range(12):
    meta = 0.0
    for task in tasks:
        (g,) = torch.autograd.grad(loss_of(w, task), w, create_graph=True)
        fast = w - 0.25 * g
        meta = meta + loss_of(fast, task)
    w.grad = None
    meta.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
    if step < 3:
        print(step, meta.item(), w)
print(torch.allclose(w.detach(), tasks.mean(0), atol=1e-2))

# the best rate for one step: a derivative with respect to the rate
rate = torch.tensor(0.1, requires_grad=True)
x0 = torch.tensor([2.0, 1.0], requires_grad=True)
curvature = torch.tensor([1.0, 2.0])
for _ in range(25):
    (g,) = torch.autograd.grad((curvature * x0**2).sum(), x0, create_graph=True)
    after = (curvature * (x0 - rate * g) ** 2).sum()
    (d,) = torch.autograd.grad(after, rate)
    rate = (rate - 0.01 * d).detach().requires_grad_()
print(f"{rate.item():.4f}")

# a penalty on the gradient, as for Wasserstein critics
critic = torch.tensor([[0.5, -1.0], [1.5, 0.25]], dtype=torch.float64, requires_grad=True)
points = torch.rand(4, 2, dtype=torch.float64, requires_grad=True)
score = torch.tanh(points @ critic).sum(1)
(slopes,) = torch.autograd.grad(score, points, torch.ones_like(score), create_graph=True)
penalty = ((slopes.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
print(f"{penalty.item():.4f}", [f"{v:.4f}" for v in critic.grad.flatten().tolist()])

# unrolled inner loop of several steps, gradient with respect to the data weights
weights = torch.ones(3, requires_grad=True)
targets = torch.tensor([1.0, 2.0, 6.0])
inner = torch.zeros((), requires_grad=True)
for _ in range(3):
    loss = (weights * (inner - targets) ** 2).sum() / 8
    (g,) = torch.autograd.grad(loss, inner, create_graph=True)
    inner = inner - g
outer = (inner - 2) ** 2
print(outer.item(), torch.autograd.grad(outer, weights)[0])

# third derivatives by nesting
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
y = (x[0] ** 3 * x[1] ** 2).sin()
for order in range(3):
    (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    print(order + 1, [f"{v:.3f}" for v in y.tolist()])
