"""Pruning: every method, one on top of another, over several layers at once, and for good."""

import torch
from torch import nn
from torch.nn.utils import prune

METHODS = {
    "identity": lambda layer: prune.identity(layer, "weight"),
    "a share at random": lambda layer: prune.random_unstructured(layer, "weight", 0.5),
    "a number at random": lambda layer: prune.random_unstructured(layer, "weight", 3),
    "a share of the smallest": lambda layer: prune.l1_unstructured(layer, "weight", 0.3),
    "the least important": lambda layer: prune.l1_unstructured(
        layer, "weight", 4, importance_scores=torch.arange(12.0).view(4, 3)
    ),
    "rows at random": lambda layer: prune.random_structured(layer, "weight", 0.5, 0),
    "a column at random": lambda layer: prune.random_structured(layer, "weight", 1, -1),
    "rows of small norm": lambda layer: prune.ln_structured(layer, "weight", 0.5, 2, 0),
    "columns of small sum": lambda layer: prune.ln_structured(layer, "weight", 2, 1, 1),
    "a column of small maximum": lambda layer: prune.ln_structured(layer, "weight", 1, float("inf"), -1),
    "by a mask": lambda layer: prune.custom_from_mask(
        layer, "weight", torch.tensor([[0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 0]])
    ),
}


def attempt(function):
    try:
        function()
    except Exception as error:
        print(type(error).__name__, error)


for name, method in METHODS.items():
    torch.manual_seed(1)
    layer = nn.Linear(3, 4)
    print(name, method(layer) is layer, list(layer.state_dict()), prune.is_pruned(layer))
    print(layer.weight)
    layer(torch.ones(2, 3)).sum().backward()
    print(layer.weight_orig.grad)
    prune.remove(layer, "weight")
    print(type(layer.weight).__name__, (layer.weight == 0).sum().item(), list(layer.state_dict()), prune.is_pruned(layer))

# One after another: each looks at what the others left.
torch.manual_seed(2)
layer = nn.Linear(4, 4)
for method in (
    lambda: prune.l1_unstructured(layer, "weight", 0.25),
    lambda: prune.random_structured(layer, "weight", 1, 0),
    lambda: prune.ln_structured(layer, "weight", 1, 2, 1),
    lambda: prune.random_unstructured(layer, "weight", 2),
    lambda: prune.l1_unstructured(layer, "bias", 1),
):
    method()
    print(layer.weight_mask)
hooks = list(layer._forward_pre_hooks.values())
print([type(hook).__name__ for hook in hooks], [type(each).__name__ for each in hooks[0]])

# Over all layers as if they were one.
torch.manual_seed(3)
net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2))
parts = [(net[0], "weight"), (net[2], "weight")]
prune.global_unstructured(parts, pruning_method=prune.L1Unstructured, amount=4)
print(net.state_dict())
prune.global_unstructured(parts, pruning_method=prune.RandomUnstructured, amount=0.5)
print(net[0].weight_mask, net[2].weight_mask, prune.is_pruned(net))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(4, 3)).square().sum().backward()
    optimizer.step()
print(net[0].weight, net[2].weight)


class EveryOther(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


layer = nn.Linear(2, 2)
EveryOther.apply(layer, "weight")
print(layer.weight_mask)
print(prune.L1Unstructured(2).prune(torch.tensor([[3.0, -1.0], [0.5, 2.0]])))

attempt(lambda: prune.remove(nn.Linear(1, 1), "weight"))
attempt(lambda: prune.random_structured(nn.Linear(2, 2), "bias", 1, 0))
attempt(lambda: prune.ln_structured(nn.Linear(2, 2), "weight", 1, 2, 2))
attempt(lambda: prune.custom_from_mask(nn.Linear(2, 2), "weight", torch.ones(3, 3)))
attempt(lambda: prune.global_unstructured(parts, pruning_method=prune.LnStructured, amount=1, n=1))
attempt(lambda: prune.global_unstructured(3, pruning_method=prune.L1Unstructured, amount=1))
for amount in (-1, 1.5, "x", 5, None):
    attempt(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount))
    attempt(lambda: prune.random_structured(nn.Linear(2, 2), "weight", amount, 0))
