"""The gradient of every operator, on both sides, with broadcasting."""

import torch


def show(label, f, *data):
    leaves = [torch.tensor(d, dtype=torch.float64, requires_grad=True) for d in data]
    y = f(*leaves)
    grads = torch.autograd.grad(y, leaves, torch.ones_like(y), create_graph=True)
    second = []
    for g, leaf in zip(grads, leaves, strict=True):
        h = torch.autograd.grad(g.sum(), leaf, retain_graph=True, allow_unused=True)[0] if g.requires_grad else None
        second.append(torch.zeros_like(leaf) if h is None else h)
    print(label, rounded(y), [rounded(g) for g in grads], [rounded(h) for h in second])


def rounded(t):
    return [round(v, 4) + 0.0 for v in (t + torch.zeros(t.shape)).flatten().tolist()]


p, q = [2.0, 5.0], [0.5, -1.0]
show("a + b", lambda a, b: a + b, p, q)
show("a - b", lambda a, b: a - b, p, q)
show("a * b", lambda a, b: a * b, p, q)
show("a / b", lambda a, b: a / b, p, q)
show("a ** b", lambda a, b: a**b, p, q)
show("a % b", lambda a, b: a % b, p, q)
show("a @ b", lambda a, b: a @ b, p, q)
show("fmod", torch.fmod, p, q)
show("max", torch.maximum, p, [3.0, 5.0])
show("min", torch.minimum, p, [3.0, 5.0])
show("1 + a", lambda a: 1 + a, p)
show("1 - a", lambda a: 1 - a, p)
show("1 / a", lambda a: 1 / a, p)
show("2 ** a", lambda a: 2**a, p)
show("a ** 3", lambda a: a**3, p)
show("a ** 0", lambda a: a**0, p)
show("a ** 1", lambda a: a**1, p)
show("a ** 2", lambda a: a**2, [0.0, 3.0])
show("a ** -1", lambda a: a**-1, p)
show("a ** 0.5", lambda a: a**0.5, p)
show("-a", lambda a: -a, p)
show("abs", abs, [2.0, -3.0])
show("a % 3", lambda a: a % 3, p)
show("alpha", lambda a, b: a.add(b, alpha=3).sub(b, alpha=0.5), p, q)
show("row + column", lambda a, b: a + b, [[1.0], [2.0]], [10.0, 20.0, 30.0])
show("row * column", lambda a, b: a * b, [[1.0], [2.0]], [10.0, 20.0, 30.0])
show("scalar * matrix", lambda a, b: a * b, 3.0, [[1.0, 2.0], [3.0, 4.0]])
show("matrix / row", lambda a, b: a / b, [[1.0, 2.0], [3.0, 4.0]], [2.0, 4.0])
show("one of one", lambda a, b: a - b, [[1.0]], [1.0, 2.0])
show("three deep", lambda a, b: a * b + a, [[[1.0, 2.0]], [[3.0, 4.0]]], [[1.0], [2.0]])
show("where", lambda a, b: torch.where(a > 3, a, b), p, q)
show("chain", lambda a: ((a + 1) * (a - 1) / a) ** 2, p)
show("same twice", lambda a: a * a + a / a - a, p)
show("div floor", lambda a: a.div(3, rounding_mode="floor") * a, p)
for f in (
    lambda: torch.ones(2, 3) + torch.ones(2),
    lambda: torch.ones(3) * torch.ones(4),
    lambda: torch.ones(2, 1, 3) - torch.ones(4, 2, 2),
):
    try:
        f()
    except RuntimeError as error:
        print(error.args[0])
