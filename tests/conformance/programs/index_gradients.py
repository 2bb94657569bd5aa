"""Gradients through reading and writing by index."""

import torch


def show(label, f, *shape):
    x = torch.arange(1.0, 1 + torch.Size(shape).numel()).reshape(shape).requires_grad_()
    y = f(x)
    y.backward(torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
    print(label, y.grad_fn.name(), x.grad.tolist())


i = torch.tensor([0, 2, 0])
show("int", lambda x: x[1], 3)
show("row", lambda x: x[0], 2, 3)
show("slice", lambda x: x[:, 1:], 2, 3)
show("step", lambda x: x[::2], 5)
show("none", lambda x: x[None, :, None], 2)
show("repeated", lambda x: x[i], 3)
show("repeated rows", lambda x: x[i], 3, 2)
show("columns", lambda x: x[:, [1, 1]], 2, 2)
show("pairs", lambda x: x[[0, 1, 0], [1, 0, 1]], 2, 2)
show("mask", lambda x: x[x > 2], 2, 2)
show("mixture", lambda x: x[1, [0, 2], :1], 2, 3, 2)
show("chain", lambda x: x[1][0][1:], 2, 2, 3)
show("negative", lambda x: x[-1, -2], 2, 2)
show("ellipsis", lambda x: x[..., 0], 2, 2, 2)
show("take", lambda x: x.take(i), 2, 2)
show("masked_select", lambda x: x.masked_select(x < 3), 2, 2)
show("index_select", lambda x: x.index_select(1, torch.tensor([1, 1])), 2, 2)
show("unbind", lambda x: x.unbind(1)[1], 2, 2)
show("gather", lambda x: x.gather(1, torch.tensor([[0, 0], [1, 0]])), 2, 2)
show("where", lambda x: x[torch.where(x > 1)], 3)

# writing: both sides get their share
x = torch.ones(2, 3, requires_grad=True)
v = torch.tensor([5.0, 6.0, 7.0], requires_grad=True)
y = x * 2
y[1] = v
(y * torch.arange(6.0).reshape(2, 3)).sum().backward()
print(x.grad, v.grad)
x.grad = v.grad = None
y = x * 2
y[:, i[:2]] = v[:2]
y.sum().backward()
print(x.grad, v.grad)
x.grad = v.grad = None
y = x * 2
y[y > 1] = v.sum()
y.sum().backward()
print(x.grad, v.grad)
x.grad = v.grad = None
y = torch.zeros(4).index_put((torch.tensor([1, 1, 2]),), v, accumulate=True)
y.backward(torch.tensor([1.0, 10.0, 100.0, 1000.0]))
print(y, v.grad)
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(first,) = torch.autograd.grad((w[i] ** 3).sum(), w, create_graph=True)
print(first.detach(), torch.autograd.grad(first.sum(), w))
table = torch.arange(8.0).reshape(4, 2).requires_grad_()
words = torch.tensor([[0, 1], [1, 3]])
table[words].sum(1).pow(2).sum().backward()
print(table.grad)
