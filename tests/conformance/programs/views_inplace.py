"""Writing through views in a graph: CopySlices, histories rewritten, every view told."""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
row = y[0]
row.mul_(10)
print(y, row)
print(y.grad_fn.name(), row.grad_fn.name())
y.sum().backward()
print(x.grad)

# the other way: writing the base changes every view of it
x.grad = None
y = x * 1
row, column = y[0], y[:, 1]
y.mul_(x)
print(row, column)
(row * torch.tensor([1.0, 2.0])).sum().backward(retain_graph=True)
print(x.grad)

# one view written, another read
x.grad = None
y = x * 1
row, column = y[0], y[:, 1]
row *= 5
print(column)
column.sum().backward()
print(x.grad)

# several writes in turn
x.grad = None
y = x * 1
y[0] *= 2
y[:, 0] += x[:, 1]
y[1, 1] = x[0, 0] * x[0, 1]
print(y)
y.backward(torch.tensor([[1.0, 10.0], [100.0, 1000.0]]))
print(x.grad)

# transposed and flattened views
x.grad = None
y = x * 1
t, f = y.t(), y.view(-1)
t[0] = 0
f[3] *= x[0, 0]
print(y, t, f)
f.sum().backward()
print(x.grad)

# a view of a plain base that gets a gradient by writing
base = torch.zeros(2, 2)
part = base[1]
part.copy_(x[0] * 3)
print(base, base.requires_grad, base.grad_fn.name(), part.grad_fn.name())
x.grad = None
(base * base).sum().backward()
print(x.grad)

# chunks and unbind cannot be written in place
for name, parts in (("unbind", (x * 1).unbind()), ("split", (x * 1).split(1)), ("chunk", (x * 1).chunk(2))):
    try:
        parts[0].mul_(2)
        print(name, "fine")
    except RuntimeError as error:
        print(name, str(error))

with torch.no_grad():
    hidden = (x * 1)[0]
print(hidden.requires_grad)
y = x * 1
with torch.no_grad():
    view = y[0]
try:
    view.mul_(2)
    print(view.requires_grad)
except RuntimeError as error:
    print(str(error))
y = x * 1
with torch.no_grad():
    y[0].zero_()
print(y, y.grad_fn.name())


# A custom Function sees the place that a view has since its base was written to.
class Weighted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h


a = torch.tensor([1.0, 2.0], requires_grad=True)
base = torch.cat([a, a])
view = base.view(2, 2)
base.mul_(3)
product, total = Weighted.apply(view, view)
(product.sum() + total.sum()).backward()
print(view, a.grad)
