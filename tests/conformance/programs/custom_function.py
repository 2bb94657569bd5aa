"""A Function of one's own: the Legendre polynomial of the tutorials, an exponential, a clamped ReLU."""

import math

import torch
from torch.autograd import Function


class LegendrePolynomial3(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class MyReLU(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


p3 = LegendrePolynomial3.apply
x = torch.tensor([0.0, 0.5, 1.0, -2.0], requires_grad=True)
y = p3(x)
print(y)
y.sum().backward()
print(x.grad)
print(type(y.grad_fn).__name__, y.grad_fn.name(), y.grad_fn.next_functions[0][0] is not None)

x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
y = Exp.apply(x)
y.backward(torch.tensor([1.0, 2.0], dtype=torch.float64))
print(torch.allclose(x.grad, torch.tensor([1.0, 2 * math.e], dtype=torch.float64)))
(g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
(gg,) = torch.autograd.grad(g.sum(), x)
print(torch.allclose(gg, x.exp()))

x = torch.tensor([-1.0, 2.0, -3.0, 4.0], requires_grad=True)
(MyReLU.apply(x) * x).sum().backward()
print(x.grad)
print(MyReLU.apply(torch.tensor([-1.0, 1.0])))
with torch.no_grad():
    print(MyReLU.apply(x))

t = torch.linspace(-math.pi, math.pi, 100, dtype=torch.float64)
target = torch.sin(t)
a, b, c, d = (torch.full((), v, dtype=torch.float64, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3))
for step in range(400):
    y_pred = a + b * p3(c + d * t)
    loss = (y_pred - target).pow(2).sum()
    if step % 100 == 99:
        print(step, f"{loss.item():.3f}")
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 1e-5 * p.grad
            p.grad = None
print(f"y = {a.item():.3f} + {b.item():.3f} * P3({c.item():.3f} + {d.item():.3f} x)")
try:
    MyReLU()(x)
except RuntimeError as error:
    print(type(error).__name__, str(error))
