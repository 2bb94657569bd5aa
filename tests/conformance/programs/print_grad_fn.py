"""What stands behind the numbers: requires_grad, grad_fn, dtype, size; and how long lines break."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x, x * 2, (x * 2).sum(), x[0], x.view(2, 1))
print(torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True))
print(torch.tensor([1.0], dtype=torch.float64, requires_grad=True) + 1)
print(torch.zeros(2, 0, requires_grad=True), torch.zeros(0, requires_grad=True) * 2)
long = torch.arange(17.0).requires_grad_()
print(long)
print(long * 2)
print(torch.sigmoid(long * 0).expand(2, 17))
print(torch.arange(11.0).requires_grad_() * 1.5)
print(torch.arange(12.0).requires_grad_() * 1.5)
print(torch.arange(13.0).requires_grad_() * 1.5)
print(torch.arange(12.0, dtype=torch.float64).requires_grad_() * 1.5)
print(torch.arange(2000.0).requires_grad_() + 1)
print(torch.arange(8.0).reshape(2, 2, 2).requires_grad_().exp() * 0)
print((x.double() * 1).half(), x.to(torch.complex64))
y = x * 1
y[0] = 5
print(y, y[1:], y.detach(), y.data)
print(x.max(0), x.sort(), x.topk(1))
print(torch.nn.functional.relu(x), x.softmax(0) * 0, torch.where(x > 1, x, x))


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


print(Twice.apply(x), Twice.apply(long)[:2])
print([x, x * 1], (x.sum(),), {"x": x})
print(f"{x} {x.sum():.2f} {x[0].item()} {x[1]:>8}")
print(x.grad_fn, x.is_leaf, (x * 2).grad_fn is not None)
(x * x).sum().backward()
print(x.grad, x)
