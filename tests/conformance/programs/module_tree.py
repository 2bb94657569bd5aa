"""Modules in modules: names, walking, replacing, printing, and the errors of all that."""

import torch
from torch import nn


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.same = self.first
        self.body = nn.Sequential(self.first, nn.ReLU())
        self.register_buffer("mean", torch.ones(1))
        self.register_module("empty", None)

    def extra_repr(self):
        return "line one\nline two"


net = Net()
print(net)
print([name for name, _ in net.named_modules()], [name for name, _ in net.named_modules(remove_duplicate=False)])
print([name for name, _ in net.named_parameters()], [name for name, _ in net.named_parameters(remove_duplicate=False)])
print([name for name, _ in net.named_children()], [name for name, _ in net.named_buffers(prefix="net")])
visited = []
net.apply(lambda module: visited.append(type(module).__name__))
print(visited)
for target in ("", "first", "body.1", "missing", "body.missing", "first.weight", "empty"):
    attempt(lambda: type(net.get_submodule(target)).__name__)
for target in ("first.weight", "mean", "first", "missing", "first.missing"):
    attempt(lambda: net.get_parameter(target).shape)
    attempt(lambda: net.get_buffer(target).shape)
for arguments in (
    ("body.1", nn.Tanh()),
    ("body.7", nn.Tanh()),
    ("new", nn.Tanh()),
    ("new.deep", nn.Tanh(), True),
    ("", nn.Tanh()),
    ("first", 3),
    ("mean", nn.Tanh()),
):
    attempt(lambda: net.set_submodule(*arguments))
print(net)

module = nn.Module()
for action in (
    lambda: module.register_parameter("w", torch.ones(1)),
    lambda: module.register_parameter("a.b", None),
    lambda: module.register_parameter("training", None),
    lambda: module.register_parameter("w", nn.Parameter(torch.ones(1)) * 1),
    lambda: module.register_buffer("b", 3),
    lambda: module.register_buffer("", None),
    lambda: module.add_module("a.b", nn.ReLU()),
    lambda: module.add_module("x", nn.ReLU),
    lambda: module.add_module("training", nn.ReLU()),
    lambda: setattr(module, "p", nn.Parameter(torch.ones(1))),
    lambda: setattr(module, "p", torch.ones(1)),
    lambda: setattr(module, "p", None),
    lambda: setattr(module, "m", nn.ReLU()),
    lambda: setattr(module, "m", 3),
    lambda: setattr(module, "b", nn.Buffer(torch.ones(1), persistent=False)),
    lambda: setattr(module, "b", 3),
    lambda: module.missing,
    lambda: delattr(module, "missing"),
    lambda: module(1),
    lambda: module.train("yes"),
    lambda: nn.Module(3),
    lambda: nn.Module(three=3),
):
    attempt(action)
print(list(module._parameters), list(module._buffers), list(module._modules), module._non_persistent_buffers_set)


class Forgetful(nn.Module):
    """Uses the registers before they are there."""

    def __init__(self, what):
        if what is not None:
            self.thing = what


for what in (nn.Parameter(torch.ones(1)), nn.ReLU(), nn.Buffer(torch.ones(1)), 3):
    attempt(lambda: Forgetful(what).thing)
attempt(lambda: Forgetful(None)(1))

layers = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
for action in (
    lambda: layers[-1],
    lambda: layers[1:],
    lambda: layers[9],
    lambda: layers.append(nn.Tanh()),
    lambda: layers.insert(0, nn.Identity()),
    lambda: layers.pop(1),
    lambda: layers + nn.Sequential(nn.ELU()),
    lambda: layers * 2,
    lambda: layers * 0,
    lambda: layers + [nn.ReLU()],
    lambda: nn.Sequential(nn.ReLU, nn.Tanh()),
    lambda: nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1), nn.ReLU()]),
    lambda: nn.ModuleList([nn.ReLU()]).extend(3),
    lambda: nn.ModuleList([nn.ReLU()])(1),
    lambda: nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()}).pop("a"),
    lambda: nn.ModuleDict([("a", nn.ReLU()), ("b", 3)]),
    lambda: nn.ModuleDict({"keys": nn.ReLU()}),
    lambda: nn.ModuleDict([1]),
    lambda: nn.ParameterList([torch.ones(1), 3, torch.ones(2, 2)]),
    lambda: nn.ParameterList(3),
    lambda: nn.ParameterDict({"b": torch.ones(1), "a": 3}) | {"c": torch.ones(2)},
    lambda: nn.ParameterDict({"a": torch.ones(1)}).popitem(),
    lambda: nn.ParameterDict([(1, 2, 3)]),
    lambda: nn.ParameterDict({3: torch.ones(1)}),
):
    attempt(action)

# Lazy modules take their shapes from the first input.
net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2, bias=False))
print(net, list(net.state_dict()), net[3].weight)
attempt(lambda: net[3].weight.shape)
attempt(lambda: net[3].weight.numel())
print(net(torch.ones(2, 1, 4, 4)).shape, net)

# A module as a function of other tensors.
layer = nn.Linear(2, 1)
eye = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
for arguments, options in (
    ((eye, torch.ones(1, 2)), {}),
    (({"weight": 3}, torch.ones(1, 2)), {}),
    (({"in_features": torch.ones(1)}, torch.ones(1, 2)), {}),
    (({"a.b": torch.ones(1)}, torch.ones(1, 2)), {}),
    (({"weight": torch.ones(1, 2), "other": torch.ones(1)}, torch.ones(1, 2)), {"strict": True}),
    ((({"weight": torch.ones(1, 2)}, {"weight": torch.ones(1, 2)}), torch.ones(1, 2)), {}),
    ((3, torch.ones(1, 2)), {}),
):
    attempt(lambda: torch.func.functional_call(layer, *arguments, **options))
print(layer.weight.requires_grad, list(layer.state_dict()))
tied = nn.ModuleList([nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)])
tied[1].weight = tied[0].weight
tied.forward = lambda x: tied[1](tied[0](x))
attempt(lambda: torch.func.functional_call(tied, {"0.weight": torch.full((1, 1), 3.0)}, torch.ones(1, 1)))
two = {"0.weight": torch.ones(1, 1), "1.weight": torch.zeros(1, 1)}
attempt(lambda: torch.func.functional_call(tied, two, torch.ones(1, 1)))
attempt(lambda: torch.func.functional_call(tied, two, torch.ones(1, 1), tie_weights=False))
