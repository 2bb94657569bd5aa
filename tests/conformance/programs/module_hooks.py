"""Hooks of modules: before and after forward and backward, of one module and of all, and what they may change."""

import warnings

import torch
import torch.nn.modules.module as modules
from torch import nn

log = []


def note(name, result=None):
    """A hook that notes what it sees and gives back `result` of it."""

    def hook(module, *seen):
        log.append((name, type(module).__name__, [listed(each) for each in seen]))
        return None if result is None else result(*seen)

    return hook


def listed(value):
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [listed(each) for each in value]
    return {name: listed(each) for name, each in value.items()} if isinstance(value, dict) else value


def show(module, *inputs, **named):
    """Runs forward and backward, and prints what the hooks noted."""
    log.clear()
    try:
        result = module(*inputs, **named)
        parts = [result] if isinstance(result, torch.Tensor) else [part for part in result if isinstance(part, torch.Tensor)]
        sum(part.sum() for part in parts).backward()
    except Exception as error:
        print(type(error).__name__, str(error))
    for line in log:
        print(*line)
    print("gradients", [listed(each.grad) for each in inputs if isinstance(each, torch.Tensor) and each.is_leaf])


class Doubled(nn.Module):
    def forward(self, x, factor=2):
        return x * factor


class Pair(nn.Module):
    def forward(self, a, b):
        return a * b, a + b, "a word"


def leaf():
    return torch.ones(2, requires_grad=True)


module = Doubled()
module.register_forward_pre_hook(note("pre"))
first = module.register_forward_pre_hook(note("pre first", lambda args: (args[0] + 1,)), prepend=True)
module.register_forward_pre_hook(note("pre named", lambda args, named: (args, {"factor": 5})), with_kwargs=True)
module.register_forward_hook(note("post"))
last = module.register_forward_hook(note("post named", lambda args, named, out: out + 1), with_kwargs=True, prepend=True)
show(module, leaf(), factor=3)
first.remove()
last.remove()
show(module, leaf())
with module.register_forward_hook(note("for a while")):
    show(module, leaf())
show(module, leaf())

# A hook that is always called sees None where forward failed.
module = Doubled()
module.register_forward_hook(note("always"), always_call=True)
show(module, "no tensor", factor="x")

for result in (None, lambda gi, go: (gi[0] * 2,), lambda gi, go: (1, 2), lambda gi, go: 3):
    module = Doubled()
    module.register_full_backward_hook(note("backward", result))
    module.register_full_backward_hook(note("backward first"), prepend=True)
    show(module, leaf())
    show(module, torch.ones(2, requires_grad=False) * leaf())
for result in (None, lambda go: (go[0] * 2,), lambda go: (1, 2)):
    module = Doubled()
    module.register_full_backward_pre_hook(note("before backward", result))
    module.register_full_backward_hook(note("backward"))
    show(module, leaf())
module = Pair()
module.register_full_backward_hook(note("pair"))
show(module, leaf(), leaf())
show(module, leaf(), torch.ones(2))
show(nn.Sequential(module), leaf())
module = Doubled()
module.register_full_backward_hook(note("no input needs it"))
show(module, torch.ones(2))
shared = Doubled()
shared.register_full_backward_hook(note("twice"))
show(nn.Sequential(shared, shared), leaf())

# The older kind sees the last operation only, and says so.
module = Pair()
module.register_backward_hook(note("old"))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    show(module, leaf(), leaf())
print([str(each.message) for each in caught])
for register in ("register_full_backward_hook", "register_backward_hook"):
    try:
        getattr(module, register)(print)
        module = Doubled()
        module.register_full_backward_hook(print)
    except RuntimeError as error:
        print(error)

# Hooks of all modules.
handles = [
    modules.register_module_forward_pre_hook(note("all: pre")),
    modules.register_module_forward_hook(note("all: post")),
    modules.register_module_full_backward_hook(note("all: backward")),
    modules.register_module_full_backward_pre_hook(note("all: before backward")),
]
show(nn.Sequential(Doubled(), nn.ReLU()), leaf())
for handle in handles:
    handle.remove()
show(Doubled(), leaf())
names = []
handles = [
    modules.register_module_module_registration_hook(lambda module, name, sub: names.append(("module", name))),
    modules.register_module_parameter_registration_hook(lambda module, name, param: names.append(("parameter", name))),
    modules.register_module_buffer_registration_hook(lambda module, name, buffer: names.append(("buffer", name))),
]
nn.Sequential(nn.Linear(1, 1, bias=False), nn.BatchNorm1d(1))
for handle in handles:
    handle.remove()
nn.Linear(1, 1)
print(names)
