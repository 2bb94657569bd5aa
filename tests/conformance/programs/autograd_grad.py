"""autograd.grad and its options: several outputs, unused inputs, inputs=, missing gradients."""

import torch


def attempt(label, action):
    try:
        print(label, action())
    except (RuntimeError, ValueError) as error:
        print(label, type(error).__name__, str(error))


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)
unused = torch.tensor([0.0, 0.0], requires_grad=True)
z = (x * y).sum()
print(torch.autograd.grad(z, [x, y], retain_graph=True))
print(torch.autograd.grad(z, x, retain_graph=True))
print(x.grad, y.grad)
attempt("unused", lambda: torch.autograd.grad(z, [x, unused], retain_graph=True))
attempt("allowed", lambda: torch.autograd.grad(z, [x, unused], retain_graph=True, allow_unused=True))
attempt("zeros", lambda: torch.autograd.grad(z, [unused, y], retain_graph=True, materialize_grads=True))
attempt("contradiction", lambda: torch.autograd.grad(z, x, allow_unused=False, materialize_grads=True))
attempt("plain input", lambda: torch.autograd.grad(z, torch.zeros(2), retain_graph=True))
attempt("plain output", lambda: torch.autograd.grad(torch.zeros(1), x))
attempt("vector", lambda: torch.autograd.grad(x * y, x))
attempt("no inputs", lambda: torch.autograd.grad(z, []))

# several outputs, each with its weight
a = x * 2
b = x * y
print(torch.autograd.grad([a, b], [x, y], [torch.ones(2), torch.tensor([1.0, 10.0])]))
a, b = (x * 2).sum(), x * y
print(torch.autograd.grad([a, b], [x], [None, torch.ones(2)]))
attempt("counts", lambda: torch.autograd.grad([x.sum(), y.sum()], [x], [torch.tensor(1.0)]))
attempt("tuple", lambda: torch.autograd.grad((x.sum(), x.prod()), (x,)))

# gradients of values in the middle
h = x * x
k = h * y
out = k.sum()
print(torch.autograd.grad(out, [h, k, x], retain_graph=True))
print(torch.autograd.grad(h, h, torch.ones(2)), torch.autograd.grad(out, out, retain_graph=True))

# backward only into some
out.backward(inputs=[x], retain_graph=True)
print(x.grad, y.grad)
out.backward(inputs=y, retain_graph=True)
print(x.grad, y.grad)
out.backward(inputs=(x, y))
print(x.grad, y.grad)
attempt("empty inputs", lambda: (x * 1).sum().backward(inputs=[]))

# a value in the middle as input of backward keeps its gradient there
m = x * 3
(m * m).sum().backward(inputs=[m])
print(m.grad, x.grad)

# the same input twice, and an output that is an input
print(torch.autograd.grad((x * y).sum(), (x, x)))
print(torch.autograd.grad(x.sum() + y.sum(), (y, x)))
torch.autograd.backward([x.sum(), y.sum() * 2])
print(x.grad, y.grad)
torch.autograd.backward((x * y, x * 2), (torch.ones(2), torch.full((2,), 0.5)))
print(x.grad, y.grad)
torch.autograd.backward(x.sum(), torch.tensor(2.0), inputs=[x])
print(x.grad, unused.grad)
