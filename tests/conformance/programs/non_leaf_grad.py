"""Reading .grad of a tensor that is not a leaf warns; retain_grad makes it hold one."""

import warnings

import torch


def seen(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = action()
    print(value)
    for warning in caught:
        print(" ", warning.category.__name__, str(warning.message).split(". ")[0])


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = (y * y).sum()
z.backward()
seen(lambda: x.grad)
seen(lambda: y.grad)
seen(lambda: z.grad)
seen(lambda: y.detach().grad)
seen(lambda: torch.zeros(2).grad)

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.retain_grad()
print(y.retains_grad, x.retains_grad)
z = (y * y).sum()
z.retain_grad()
z.backward()
seen(lambda: y.grad)
seen(lambda: z.grad)
print(x.grad)

# a leaf may be asked too: nothing changes
x.retain_grad()
print(x.retains_grad)

# retained gradients add up as well
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.retain_grad()
for _ in range(2):
    (y * 3).sum().backward(retain_graph=True)
    print(y.grad, x.grad)

# asked twice, kept once
y = x * 1
y.retain_grad()
y.retain_grad()
y.sum().backward()
print(y.grad)

try:
    torch.zeros(2).retain_grad()
except RuntimeError as error:
    print(type(error).__name__, str(error))


def with_create_graph():
    a = torch.tensor([1.0], requires_grad=True)
    (a * a).backward(create_graph=True)
    text = str(a.grad)
    a.grad = None
    return text


seen(with_create_graph)

# A retained gradient is a copy, which a graph of gradients goes through.
a = torch.tensor([1.0, 2.0], requires_grad=True)
square = a * a
square.retain_grad()
(given,) = torch.autograd.grad((square * square).sum(), [square], create_graph=True)
print(given, square.grad)
square.grad.zero_()
print(given, square.grad)
(square * 3).sum().backward()
print(square.grad)
