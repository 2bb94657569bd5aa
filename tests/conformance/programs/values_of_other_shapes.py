"""Values that a node kept and that have another shape by the time of the pass: given through ``.data``, or by an unpack hook."""

import torch
from torch.autograd.graph import saved_tensors_hooks


def outcome(label, action):
    try:
        print(f"{label}: {action()}")
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {str(error)}")


OPS = {
    "mul": lambda x, y: x * y,
    "div": lambda x, y: y / x,
    "pow": lambda x, y: y**x,
    "log": lambda x, y: x.log(),
    "exp": lambda x, y: x.exp(),
    "sigmoid": lambda x, y: x.sigmoid(),
    "relu": lambda x, y: x.relu(),
    "maximum": lambda x, y: torch.maximum(x, y),
    "atan2": lambda x, y: torch.atan2(x, y),
    "clamp": lambda x, y: x.clamp(0, 2),
}


def through_data(op, shape):
    x = torch.ones(2, 3, requires_grad=True) * 1
    y = torch.full((2, 3), 2.0, requires_grad=True)
    z = op(x, y)
    x.data = torch.ones(shape)
    z.sum().backward()
    return y.grad


def through_hooks(op, shape):
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.full((2, 3), 2.0, requires_grad=True)
    with saved_tensors_hooks(lambda kept: kept, lambda kept: torch.ones(shape)):
        z = op(x, y)
    z.sum().backward()
    return x.grad, y.grad


def refuses(kept):
    raise ValueError("operands could not be broadcast together with shapes (1,) (2,)")


def hook_raises():
    with saved_tensors_hooks(lambda kept: kept, refuses):
        z = torch.ones(2, requires_grad=True).exp()
    z.sum().backward()


for name, op in OPS.items():
    for shape in ((4, 5), (5,), (2, 4), (3,)):
        outcome(f"{name} {shape} through data", lambda: through_data(op, shape))
        outcome(f"{name} {shape} through a hook", lambda: through_hooks(op, shape))
outcome("a hook's own error", hook_raises)
