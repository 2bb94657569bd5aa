"""State dicts: what is in them, what is missing, hooks around saving and loading, and how modules are converted."""

import copy
import io
import pickle
from collections import OrderedDict

import torch
from torch import nn


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


class Counter(nn.Module):
    """Has a state beside its tensors."""

    _version = 2

    def __init__(self, count):
        super().__init__()
        self.count = count
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("kept", torch.zeros(1))
        self.register_buffer("not_kept", torch.zeros(1), persistent=False)
        self.register_buffer("nothing", None)

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), Counter(3))
state = net.state_dict()
print(type(state).__name__, list(state), dict(state._metadata))
print(state["0.weight"].requires_grad, net.state_dict(keep_vars=True)["0.weight"] is net[0].weight)
print(list(net.state_dict(prefix="net.")), state["0.weight"].data_ptr() == net[0].weight.data_ptr())
other = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), Counter(5))
print(other.load_state_dict(state), other[2].count)

wrong = OrderedDict(state)
wrong["unknown"] = wrong["0.more.deep"] = torch.ones(1)
del wrong["0.weight"], wrong["2._extra_state"]
wrong["1.running_mean"] = torch.ones(3)
wrong["0.bias"] = "no tensor"
attempt(lambda: other.load_state_dict(wrong))
del wrong["1.running_mean"], wrong["0.bias"]
attempt(lambda: other.load_state_dict(wrong, strict=False))
attempt(lambda: other.load_state_dict(3))
attempt(lambda: nn.Linear(1, 1).load_state_dict({"_extra_state": 1, "weight": torch.ones(1, 1), "bias": torch.ones(1)}))

# Copied in place, or taken as they are.
layer = nn.Linear(2, 2)
weight, given = layer.weight, {"weight": torch.zeros(2, 2, dtype=torch.float64), "bias": torch.ones(2)}
layer.load_state_dict(given)
print(layer.weight is weight, layer.weight.dtype, weight._version, weight.grad_fn)
layer.load_state_dict(given, assign=True)
print(layer.weight is weight, layer.weight.dtype, type(layer.weight).__name__, layer.weight.requires_grad)
print(layer.bias.data_ptr() == given["bias"].data_ptr())

log = []
layer = nn.Sequential(nn.Linear(2, 2))
layer.register_state_dict_pre_hook(lambda module, prefix, keep_vars: log.append(("saving", prefix, keep_vars)))
layer.register_state_dict_post_hook(lambda module, state, prefix, metadata: log.append(("saved", list(state), metadata)))
layer.register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: log.append(("loading", sorted(state), *rest)))
layer.register_load_state_dict_post_hook(lambda module, keys: log.append(("loaded", keys.missing_keys, keys.unexpected_keys)))
layer.load_state_dict(layer.state_dict())
layer.load_state_dict({"x": torch.ones(1)}, strict=False)
for line in log:
    print(*line)


def rename(state, prefix, *rest):
    if prefix + "kernel" in state:
        state[prefix + "weight"] = state.pop(prefix + "kernel")


layer = nn.Sequential(nn.Linear(2, 1, bias=False))
layer[0]._register_load_state_dict_pre_hook(rename)
print(layer.load_state_dict({"0.kernel": torch.ones(1, 2)}), layer[0].weight)
layer.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
print(layer.load_state_dict({}))

# Copies.
twin = copy.deepcopy(net)
print(twin[0].weight is net[0].weight, torch.equal(twin[0].weight, net[0].weight), twin[2].count)
print(pickle.loads(pickle.dumps(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))))
file = io.BytesIO()
torch.save(nn.Linear(2, 2).state_dict(), file)
file.seek(0)
print(type(torch.load(file)).__name__)

# Conversions keep the parameters, and their gradients come along.
layer = nn.Linear(2, 1)
layer.register_buffer("steps", torch.tensor([1]))
layer(torch.ones(1, 2)).sum().backward()
weight = layer.weight
for convert in (
    lambda: layer.double(),
    lambda: layer.to(torch.float16),
    lambda: layer.to("cpu", torch.float32),
    lambda: layer.to(torch.ones(1, dtype=torch.float64)),
    lambda: layer.to(dtype=torch.bfloat16),
    lambda: layer.float(),
    lambda: layer.to(torch.int32),
):
    attempt(lambda: convert() is layer)
    print(layer.weight is weight, layer.weight.dtype, layer.weight.grad.dtype, layer.steps.dtype)
net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Flatten(), nn.Linear(3, 1)).to(memory_format=torch.channels_last)
print(net[0].weight.stride(), net[2].weight.stride())
torch.__future__.set_overwrite_module_params_on_conversion(True)
layer.double()
print(layer.weight is weight, layer.weight.dtype, layer.weight.grad.dtype)
torch.__future__.set_overwrite_module_params_on_conversion(False)
torch.__future__.set_swap_module_params_on_conversion(True)
weight = layer.weight
layer.float()
print(layer.weight is weight, layer.weight.dtype, layer.weight.grad.dtype)
