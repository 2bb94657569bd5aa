"""Functions that are recorded and have no derivative: their one kind of node, its inputs, and who refuses."""

import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
h, at = torch.ones(2, 2, requires_grad=True), torch.tensor([[0, 1], [0, 0]])
functions = {
    "heaviside": lambda a, b: a.heaviside(b),
    "heaviside_": lambda a, b: a.heaviside_(b),
    "floor_divide_": lambda a, b: a.floor_divide_(b),
    "scatter, add": lambda a, b: a.scatter(0, at, b, reduce="add"),
    "scatter_, multiply": lambda a, b: a.scatter_(0, at, b, reduce="multiply"),
    "scatter, a number": lambda a, b: a.scatter(1, at, 2.0, reduce="add"),
    "detach_copy": lambda a, b: torch.detach_copy(a),
}


def tried(function, *args):
    try:
        return function(*args)
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"


for name, function in functions.items():
    for second in (h, h.detach()):
        out = function(x * 1, second)
        print(name, out, out.grad_fn.name(), [node.name() for node, _ in out.grad_fn.next_functions])
        print(tried(torch.autograd.grad, out.sum(), x))
    print(tried(torch.func.jvp, lambda a, name=name: functions[name](a * 1, h.detach()), (x.detach(),), (x.detach(),)))
    print(tried(torch.vmap(lambda a, name=name: functions[name](torch.ones(2, 2), a)), torch.ones(3, 2, 2)))
for name in ("add_", "atan2_", "sub_", "pow_", "fmod_", "copysign_"):
    print(tried(torch.vmap(lambda a, name=name: getattr(torch.ones(2, 2), name)(a)), torch.ones(3, 2, 2)))
