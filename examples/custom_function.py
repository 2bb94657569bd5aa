"""An operation of one's own: softplus with a backward that cannot overflow, and a proof that it is right."""

import torch
from torch.autograd import Function


class Softplus(Function):
    """log(1 + exp(x)), computed so that large x neither overflows nor loses digits."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.sigmoid(x)


softplus = Softplus.apply
x = torch.tensor([-1000.0, -1.0, 0.0, 1.0, 1000.0], requires_grad=True)
y = softplus(x)
print("value   ", [f"{v:.4f}" for v in y.tolist()])
y.sum().backward()
print("gradient", [f"{v:.4f}" for v in x.grad.tolist()])
print("recorded as", y.grad_fn.name())

naive = torch.log(1 + torch.exp(x))
(gradient,) = torch.autograd.grad(naive.sum(), x)
print("the naive formula gives", [f"{v:.4f}" for v in gradient.tolist()])

# its derivative is an operation like any other: differentiate again
t = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
y = softplus(t)
for order in range(4):
    print(f"derivative {order} at 0.5: {y.item():.6f}")
    (y,) = torch.autograd.grad(y, t, create_graph=True)
