"""What tensors say of their place in a graph once it has changed, what hooks may give back, and how Functions are called."""

import copy
import pickle

import torch
from torch.autograd import Function, functional
from torch.autograd.graph import register_multi_grad_hook


def outcome(label, action):
    try:
        print(f"{label}: {action()}")
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {str(error)}")


def w():
    return torch.tensor([1.0, 2.0], requires_grad=True)


detached = w() * 2
detached.retain_grad()
detached.detach_()
print(detached.retains_grad, detached.is_leaf, detached.grad)
print(detached.requires_grad_().retains_grad)
leaf = w()
leaf.retain_grad()
print(leaf.retains_grad)

outcome("no gradient at all", lambda: register_multi_grad_hook([torch.ones(2)], print))
outcome("one without a gradient", lambda: register_multi_grad_hook([w(), torch.ones(2)], print))
outcome("the first, of one alone", lambda: len(register_multi_grad_hook([w(), torch.ones(2)], print, mode="any").handles))
outcome("of none", lambda: len(register_multi_grad_hook([], print).handles))


def hooked(result):
    x = w()
    x.register_hook(lambda grad: result)
    (x * 2).sum().backward()
    return x.grad


for result in (torch.ones(2, dtype=torch.float64), torch.ones(3), torch.ones(2)):
    outcome(f"a hook gives {result.dtype} {tuple(result.shape)}", lambda: hooked(result))

changed = torch.ones(3).add_(1).add_(1)
print(changed._version, copy.deepcopy(changed)._version, copy.copy(changed)._version)
print(pickle.loads(pickle.dumps(changed))._version, copy.deepcopy(torch.nn.Parameter(changed))._version)
print(copy.deepcopy([changed, changed[1:]])[1]._version)


class Scaled(Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class Marked(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(3)
        return x * 2


outcome("as many as it takes", lambda: Scaled.apply(w(), 3).sum().backward())
outcome("too few", lambda: Scaled.apply(w()))
outcome("too many", lambda: Scaled.apply(w(), 2, 3))
outcome("by name", lambda: Scaled.apply(w(), factor=3).tolist())
outcome("a number marked", lambda: Marked.apply(w()))

given = (torch.ones(2), torch.full((2,), 3.0))
for label, function in {
    "one": lambda *a: a[0] * 2,
    "several": lambda *a: (a[0] * a[-1], a[-1].sum()),
    "constant": lambda *a: torch.ones(2),
}.items():
    for inputs in (given, given[:1], given[0]):
        outcome(label, lambda: functional.jacobian(function, inputs, strategy="forward-mode", vectorize=True))
outcome("not vectorized, of no tensor", lambda: functional.jacobian(torch.sin, 3, strategy="forward-mode"))
outcome(
    "hessian",
    lambda: (
        functional.hessian(
            lambda a, b: (a * a * b).sum(),
            (w().detach(), torch.ones(2)),
            outer_jacobian_strategy="forward-mode",
            vectorize=True,
        )[0].__class__
    ),
)
