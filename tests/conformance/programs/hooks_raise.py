"""Hooks that raise, return nonsense, or remove themselves; what is left behind."""

import torch


def attempt(label, action):
    try:
        action()
        print(label, "fine")
    except Exception as error:
        print(label, type(error).__name__, str(error))


def stop(grad):
    raise ValueError(f"stopped at {grad.tolist()}")


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
b.register_hook(stop)
attempt("raises", lambda: b.sum().backward())
print(a.grad)

a = torch.tensor([1.0, 2.0], requires_grad=True)
a.register_hook(lambda g: "text")
attempt("a string", lambda: a.sum().backward())
print(a.grad)

a = torch.tensor([1.0, 2.0], requires_grad=True)
a.register_hook(lambda g: g.double())
attempt("other dtype", lambda: (a * 2).sum().backward())

a = torch.tensor([1.0, 2.0], requires_grad=True)
a.register_hook(lambda g: torch.zeros(3))
attempt("other shape", lambda: (a * 2).sum().backward())

# one that takes itself away after the first call
a = torch.tensor([1.0], requires_grad=True)
counts = []


def once(grad):
    counts.append(1)
    handle.remove()


handle = a.register_hook(once)
for _ in range(3):
    (a * 2).backward()
print(len(counts), a.grad)

# the handle as a context
with a.register_hook(lambda g: g * 0):
    (a * 2).backward()
print(a.grad)
(a * 2).backward()
print(a.grad)

# backward works after one that failed
w = torch.tensor([3.0], requires_grad=True)
h = w * 2
bad = h.register_hook(stop)
out = h * h
attempt("first", lambda: out.backward(retain_graph=True))
bad.remove()
attempt("second", out.backward)
print(w.grad)

# hooks and masks: freeze two of four weights
w = torch.ones(4, requires_grad=True)
mask = torch.tensor([1.0, 0.0, 1.0, 0.0])
w.register_hook(lambda grad: grad * mask)
for _ in range(2):
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
    w.grad = None
print(w)
