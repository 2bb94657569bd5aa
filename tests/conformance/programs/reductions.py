"""sum, mean, prod, all, any, count_nonzero, argmax: every form of dim and keepdim, and their gradients."""

import torch

x = torch.arange(1.0, 7.0).reshape(2, 3)
i = torch.tensor([[1, 0, 2], [3, 4, 0]])
b = torch.tensor([[True, False], [True, True]])
print(x.sum(), x.sum(0), x.sum(1, keepdim=True), x.sum(dim=(0, 1)))
print(x.sum((0, 1), keepdim=True), x.sum(-1), torch.sum(x))
print(x.sum(axis=0), x.sum(dim=[]), x.sum(dtype=torch.float64), i.sum(), i.sum(dtype=torch.float32), b.sum(), b.sum(0))
print(x.mean(), x.mean(0), x.mean(1, True), x.mean((0, 1)), i.mean(dtype=torch.float32), torch.mean(x, dim=1))
print(x.prod(), x.prod(0), x.prod(1, keepdim=True), i.prod(), b.prod())
print(b.all(), b.any(), b.all(0), b.any(1), b.all(dim=1, keepdim=True), i.all())
print(i.any(0), torch.all(x > 0), torch.any(x > 9))
print(i.count_nonzero(), i.count_nonzero(0), torch.count_nonzero(x, dim=1), i.nansum(), x.nanmean())
print(x.argmax(), x.argmin(), x.argmax(0), x.argmax(dim=1), x.argmin(1, keepdim=True), x.argmax(-1), i.argmax(dim=1))
print(torch.zeros(0).sum(), torch.zeros(0, 3).sum(0), torch.zeros(0).prod())
print(torch.zeros(0).mean(), torch.zeros(2, 0).sum(1))
print(torch.tensor(3.0).sum(), torch.tensor(3.0).mean(0))
print(torch.tensor(3.0).argmax(), torch.tensor([float("nan"), 1.0]).nansum())
print(x.amax(), x.amin(), x.amax(0), x.amin((0, 1)), x.amax(1, keepdim=True), torch.aminmax(x), x.aminmax(dim=0))
print(torch.tensor([2, 1], dtype=torch.uint8).sum().dtype)
print(torch.tensor([1, 2], dtype=torch.int8).prod(), x.half().sum().dtype)


def gradient(f):
    t = x.clone().requires_grad_()
    y = f(t)
    y.backward(torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
    return t.grad.tolist()


for f in (
    lambda t: t.sum(),
    lambda t: t.sum(0),
    lambda t: t.sum(1, keepdim=True),
    lambda t: t.sum((0, 1)),
    lambda t: t.mean() * 6,
    lambda t: t.mean(0),
    lambda t: t.prod(),
    lambda t: t.prod(1),
    lambda t: t.amax(),
    lambda t: t.amin(1),
    lambda t: t.sum(0).sum(),
    lambda t: t.sum(dtype=torch.float64).float(),
    lambda t: (t - 1).prod(),
    lambda t: (t % 2).amax(),
):
    print(gradient(f))
for f in (lambda: x.sum(2), lambda: x.sum((0, 0)), lambda: i.mean(), lambda: torch.zeros(0).max(), lambda: x.sum(-3)):
    try:
        print(f())
    except (RuntimeError, IndexError) as error:
        print(type(error).__name__, str(error))
try:
    torch.zeros(0).argmax()
except (RuntimeError, IndexError) as error:
    print(type(error).__name__, str(error))
# Slopes of products where elements are zero, and of a product by which something is divided.
for values in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0], [0.0, float("inf"), 2.0], [0.0, 0.0, float("nan")]):
    for create_graph in (False, True):
        for weight in (1.0, float("inf")):
            z = torch.tensor(values, requires_grad=True)
            print(torch.autograd.grad(z.prod(), z, torch.tensor(weight), create_graph=create_graph), end=" ")
            print(torch.autograd.grad(z.prod(0), z, torch.tensor(weight), create_graph=create_graph))
