"""no_grad, enable_grad, set_grad_enabled: as blocks, decorators and calls; nested, and after an exception."""

import torch

x = torch.tensor([1.0], requires_grad=True)
with torch.no_grad():
    y = x * 2
print(y.requires_grad, y.is_leaf)
print(torch.is_grad_enabled())


@torch.no_grad()
def doubler(x):
    """Twice x."""
    return x * 2


print(doubler(x).requires_grad, doubler.__name__, doubler.__doc__)


@torch.no_grad
def tripler(x):
    return x * 3


print(tripler(x).requires_grad)

with torch.no_grad():
    print(torch.is_grad_enabled())
    with torch.enable_grad():
        print(torch.is_grad_enabled(), (x * 2).requires_grad)
        with torch.set_grad_enabled(False):
            print(torch.is_grad_enabled())
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())

for is_train in (False, True):
    with torch.set_grad_enabled(is_train):
        print(is_train, (x * 2).requires_grad)
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
print((x * 2).requires_grad)

try:
    with torch.no_grad():
        raise ValueError("inside")
except ValueError as error:
    print(error, torch.is_grad_enabled())


@torch.enable_grad()
def squared(x):
    return x * x


with torch.no_grad():
    print(squared(x).requires_grad, (x * x).requires_grad)


# a generator keeps its own mode between yields
@torch.no_grad()
def steps(x):
    for _ in range(2):
        yield torch.is_grad_enabled()
        x = x * 2


for inside in steps(x):
    print(inside, torch.is_grad_enabled())

# leaves may be written to in no_grad; factories may still ask for gradients
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    w -= 0.25
    w[0] = 5
    made = torch.zeros(2, requires_grad=True)
    view = w[1:]
print(w, w.is_leaf, w._version, made.requires_grad, view.requires_grad)

# backward itself works in no_grad
z = (w * w).sum()
with torch.no_grad():
    z.backward()
print(w.grad)
with torch.no_grad():
    try:
        (w * w).sum().backward()
    except RuntimeError as error:
        print(str(error))
guard = torch.no_grad()
with guard:
    with guard:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
for z in (torch.ones(2, 1, dtype=torch.complex64), torch.ones(1, 2, dtype=torch.complex64).T):
    z.requires_grad_()
    with torch.no_grad():  # of a view, it is the base that is asked
        print(z.conj().requires_grad, torch._neg_view(z).requires_grad, z.T.requires_grad)
