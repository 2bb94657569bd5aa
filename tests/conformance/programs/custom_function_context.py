"""What a Function's ctx carries: attributes, needs_input_grad, several inputs and outputs, marks."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor, note="none"):
        ctx.factor = factor
        ctx.note = note
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        print("backward of", ctx.note)
        return grad * ctx.factor, None, None


class Linear(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        print("needs", ctx.needs_input_grad)
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class SumAndDifference(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b, a - b

    @staticmethod
    def backward(ctx, gs, gd):
        return gs + gd, gs - gd


class SortedWithOrder(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(order)
        return values, order

    @staticmethod
    @once_differentiable
    def backward(ctx, g, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(g).index_add_(0, order, g)


class Separate(Function):
    @staticmethod
    def forward(x, power):
        return x**power

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.power = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.power * x ** (ctx.power - 1), None


class InPlaceDouble(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Scale.apply(x, 3.0, "first") + Scale.apply(x, 5)
y.sum().backward()
print(x.grad)

i = torch.tensor([[1.0, 2.0]])
w = torch.tensor([[1.0, -1.0], [0.5, 2.0], [3.0, 0.0]], requires_grad=True)
b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = Linear.apply(i, w, b)
print(out)
out.sum().backward()
print(w.grad, b.grad)
Linear.apply(i.clone().requires_grad_(), w.detach()).sum().backward()

p, q = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
s, d = SumAndDifference.apply(p, q)
(s * 2 + d * 5).backward()
print(s, d, p.grad, q.grad)
s, d = SumAndDifference.apply(p, q)
print(torch.autograd.grad(d, [p, q]))

v = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, order = SortedWithOrder.apply(v)
print(values, order, order.requires_grad)
values.backward(torch.tensor([1.0, 10.0, 100.0]))
print(v.grad)
print(torch.autograd.grad(Separate.apply(v, 3).sum(), v))
c = v * 1
r = InPlaceDouble.apply(c)
print(r is c, c)
v.grad = None
c.sum().backward()
print(v.grad)

# Where a gradient is kept, and where nothing is recorded.
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
b.retain_grad()
InPlaceDouble.apply(b).sum().backward()
print(b.grad, a.grad)
b = a * 1
b.sum().backward(inputs=[b])
print(b.grad, InPlaceDouble.apply(b) is b, b.grad)
b = a * 1
with torch.no_grad():
    c = InPlaceDouble.apply(b)
print(c is b, c.requires_grad, b.grad_fn is not None, b._version, c)


class Named(torch.autograd.Function):
    """Keeps what it needs under names that mean something elsewhere."""

    @staticmethod
    def forward(ctx, x, order):
        print([name for name in ("shape", "dtype", "order", "next", "saved", "where", "size") if hasattr(ctx, name)])
        ctx.shape, ctx.dtype, ctx.order, ctx.next, ctx.saved, ctx.where = x.shape, x.dtype, order, "next", [1], None
        ctx.save_for_backward(x)
        return (x**order).sum()

    @staticmethod
    def backward(ctx, g):
        print(ctx.shape, ctx.dtype, ctx.order, ctx.next, ctx.saved, ctx.where)
        (x,) = ctx.saved_tensors
        return (g * ctx.order * x ** (ctx.order - 1)).expand(ctx.shape).to(ctx.dtype), None


x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
y = Named.apply(x, 3)
print(y.grad_fn.name(), y.grad_fn.saved_tensors)
y.backward()
print(x.grad)
