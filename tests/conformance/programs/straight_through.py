"""Gradients one makes up: straight-through rounding, gradient reversal, clipping by a hook."""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.strength, None


x = torch.tensor([0.25, 1.75, -2.5, 3.5], requires_grad=True)
print(x.round())
x.round().sum().backward()
print(x.grad)
x.grad = None
(RoundThrough.apply(x) * 2).sum().backward()
print(x.grad)

# the same without a Function
x.grad = None
y = x + (x.round() - x).detach()
print(y)
(y * y).sum().backward()
print(x.grad)

x.grad = None
out = Reverse.apply(x, 0.5)
print(out)
out.sum().backward()
print(x.grad)

# binary weights with their scale
w = torch.tensor([0.5, -0.25, 0.75, -1.0], requires_grad=True)
binary = w.detach().sign() * w.detach().abs().mean()
proxy = w + (binary - w).detach()
(proxy * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
print(binary, w.grad)

# a hard gate forward, a soft one backward
logits = torch.tensor([0.0, 2.0, -2.0], requires_grad=True)
soft = torch.sigmoid(logits)
hard = (soft > 0.5).float()
gate = hard - soft.detach() + soft
print(gate)
gate.sum().backward()
print(torch.allclose(logits.grad, (soft * (1 - soft)).detach()))
w = torch.tensor([10.0, -10.0, 0.5], requires_grad=True)
w.register_hook(lambda g: g.clamp(-1, 1))
(w * w).sum().backward()
print(w.grad)
