"""is_grads_batched: the whole Jacobian in one call."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[1] * x[2], x.sum(), (x * x).sum()])
(jacobian,) = torch.autograd.grad(y, x, torch.eye(4), is_grads_batched=True, retain_graph=True)
print(jacobian)
rows = [torch.autograd.grad(y, x, row, retain_graph=True)[0] for row in torch.eye(4)]
print(torch.equal(jacobian, torch.stack(rows)))

w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
out = w @ v
gw, gv = torch.autograd.grad(out, [w, v], torch.eye(2), is_grads_batched=True)
print(gw, gv)

x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
y = x * x * x
cotangents = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 2.0, 4.0]])
(g,) = torch.autograd.grad(y, x, cotangents, is_grads_batched=True)
print(g.shape, g)

# the Hessian: one batched call over the first gradient
x = torch.tensor([1.0, 2.0], requires_grad=True)
f = x[0] ** 2 * x[1] + x[1] ** 3
(first,) = torch.autograd.grad(f, x, create_graph=True)
(hessian,) = torch.autograd.grad(first, x, torch.eye(2), is_grads_batched=True)
print(hessian)

# several outputs at once
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = x * 2, x.sum()
(g,) = torch.autograd.grad((a, b), x, (torch.eye(2), torch.tensor([1.0, 10.0])), is_grads_batched=True)
print(g)
