"""What backward refuses, with the type and first sentence of the refusal."""

import torch


def refused(label, action):
    try:
        print(f"{label}: {action()}")
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {str(error)}")


def w(*values):
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


refused("vector without a gradient", lambda: (w() * 2).backward())
refused("matrix without a gradient", lambda: (w()[None] * 2).backward())
refused("empty without a gradient", lambda: (torch.zeros(0, requires_grad=True) * 2).backward())
refused("gradient too long", lambda: (w() * 2).backward(torch.ones(3)))
refused("gradient of other rank", lambda: (w() * 2).backward(torch.ones(1, 2)))
refused("gradient scalar", lambda: (w() * 2).backward(torch.tensor(1.0)))
refused("gradient for a scalar", lambda: (w() * 2).sum().backward(torch.ones(1)))
refused("gradient a list", lambda: (w() * 2).backward([1.0, 1.0]))
refused("gradient a number", lambda: (w() * 2).sum().backward(1.0))
refused("gradient complex", lambda: (w() * 2).backward(torch.ones(2, dtype=torch.complex64)))
refused("gradient double", lambda: (w() * 2).backward(torch.ones(2, dtype=torch.float64)))
refused("gradient integer", lambda: (w() * 2).backward(torch.ones(2, dtype=torch.int64)))
refused("complex output", lambda: (w() * 1j).sum().backward())
refused("no gradient needed", lambda: torch.ones(2).sum().backward())
refused("constant result", lambda: torch.tensor(1.0).backward())
refused("integers", lambda: torch.tensor([1, 2]).sum().backward())
refused("comparison", lambda: (w() > 1).sum().backward())
refused("argmax", lambda: w().argmax().backward())
refused("detached", lambda: (w() * 2).detach().sum().backward())
refused("under no_grad", lambda: torch.no_grad()(lambda: (w() * 2).sum())().backward())
refused("asked of integers", lambda: torch.tensor([1], requires_grad=True))
refused("asked of integers later", lambda: torch.tensor([1]).requires_grad_())
refused("set on integers", lambda: setattr(torch.tensor([1]), "requires_grad", True))
refused("switched off at a non-leaf", lambda: setattr(w() * 2, "requires_grad", False))
refused("requires_grad_ at a non-leaf", lambda: (w() * 2).requires_grad_(False))

a = w()
b = (a * a).sum()
b.backward()
refused("second pass", b.backward)
refused("second pass by grad", lambda: torch.autograd.grad(b, a))
c = a.exp()
d = c.sum()
e = c.prod()
d.backward()
refused("shared part freed", e.backward)
refused("unused", lambda: torch.autograd.grad(w().sum(), w()))
refused("second of two unused", lambda: torch.autograd.grad((a * 2).sum(), [a, w()]))
refused("input needs none", lambda: torch.autograd.grad((a * 2).sum(), torch.ones(2)))
refused("output needs none", lambda: torch.autograd.grad(torch.ones(2).sum(), a))
refused("grad of vector", lambda: torch.autograd.grad(a * 2, a))
refused("grad_outputs wrong", lambda: torch.autograd.grad(a * 2, a, torch.ones(3)))
refused("counts differ", lambda: torch.autograd.grad([a.sum(), a.prod()], a, [torch.tensor(1.0)]))
refused("no inputs", lambda: torch.autograd.grad(a.sum(), []))
refused("empty inputs to backward", lambda: a.sum().backward(inputs=[]))
refused("both names", lambda: torch.autograd.backward(a.sum(), torch.tensor(1.0), grad_variables=torch.tensor(1.0)))
refused("hook on plain", lambda: torch.ones(1).register_hook(print))
refused("retain on plain", lambda: torch.ones(1).retain_grad())
refused("assigned shape", lambda: setattr(a, "grad", torch.ones(3)))
refused("assigned itself", lambda: setattr(a, "grad", a))
refused("materialize and not allow", lambda: torch.autograd.grad(a.sum(), a, allow_unused=False, materialize_grads=True))
refused("set data of other kind", lambda: setattr(a, "data", "text"))
refused("numpy of recorded", lambda: (a * 2).numpy())
refused("deepcopy of recorded", lambda: __import__("copy").deepcopy(a * 2))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g


class WrongShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(5)


class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class SaysNumber(WrongShape):
    @staticmethod
    def backward(ctx, g):
        return 3.0


refused("Function: too few gradients", lambda: Wrong.apply(w(), w()).sum().backward())
refused("Function: wrong shape", lambda: WrongShape.apply(w()).sum().backward())
refused("Function: no backward", lambda: NoBackward.apply(w()).sum().backward())
refused("Function: a number", lambda: SaysNumber.apply(w()).sum().backward())
# Indices that were changed, unseen by the version counters, since they were saved.
found = {
    "sort": lambda x: x.sort(1),
    "cummin": lambda x: x.cummin(1),
    "max": lambda x: x.max(1),
    "median": lambda x: x.median(1),
    "topk": lambda x: x.topk(2, 1),
}
for name, find in found.items():
    for changed in (3, 4, -1, -4):
        of = torch.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]], requires_grad=True)
        values, indices = find(of)
        indices.data.fill_(changed)
        try:
            values.sum().backward()
        except RuntimeError as error:
            print(name, error)
for name in ("gather", "scatter_add"):
    for changed in (3, -1, -4):
        of, indices = torch.ones(2, 3, requires_grad=True), torch.zeros(2, 3, dtype=torch.int64)
        made = of.gather(1, indices) if name == "gather" else torch.zeros(2, 3).scatter_add(1, indices, of)
        indices.data.fill_(changed)
        try:
            made.sum().backward()
        except RuntimeError as error:
            print(name, error)
for changed in (3, -4):
    of, indices = torch.ones(3, 2, requires_grad=True), torch.tensor([0, 1])
    for made in (of[indices], of.index_select(0, indices)):
        indices.data.fill_(changed)
        try:
            made.sum().backward()
        except (IndexError, RuntimeError) as error:
            print(error)
        indices.data.fill_(0)
