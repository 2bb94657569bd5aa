"""Weights that are functions of what is learned: one's own parametrizations and the ready-made ones."""

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, a):
        return a.triu()


class Halves(nn.Module):
    """A sum of two tensors."""

    def forward(self, a, b):
        return a + b

    def right_inverse(self, x):
        return x / 2, x / 2


class MatrixExponential(nn.Module):
    def forward(self, x):
        return torch.matrix_exp(x)


def attempt(function):
    try:
        function()
    except Exception as error:
        print(type(error).__name__, error)


torch.manual_seed(0)
layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer)
print(layer.weight)
print(list(layer.state_dict()), [name for name, _ in layer.named_parameters()])
parametrize.register_parametrization(layer, "weight", MatrixExponential())
print(layer, layer.weight.det() > 0)
parametrize.register_parametrization(layer, "bias", Halves())
layer.bias = torch.ones(3)
print(layer.bias, layer.parametrizations.bias.original0)
print(parametrize.is_parametrized(layer, "bias"), parametrize.is_parametrized(layer, "other"), type(layer).__name__)
attempt(lambda: setattr(layer, "weight", torch.eye(3)))
attempt(lambda: setattr(layer, "bias", torch.ones(3, dtype=torch.float64)))
attempt(lambda: parametrize.register_parametrization(layer, "in_features", Symmetric()))
attempt(lambda: parametrize.remove_parametrizations(layer, "bias", leave_parametrized=False))

# Learning goes through them.
net = nn.Sequential(parametrizations.orthogonal(nn.Linear(4, 4)), nn.Tanh(), parametrizations.weight_norm(nn.Linear(4, 2)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
inputs, targets = torch.randn(16, 4), torch.randn(16, 2)
for _ in range(5):
    optimizer.zero_grad()
    loss = (net(inputs) - targets).square().mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}")
weight = net[0].weight
print(torch.allclose(weight @ weight.T, torch.eye(4), atol=1e-5))
print(net[2].weight.grad_fn.name(), net[2].parametrizations.weight.original0.T)

# Each map, square, tall and wide.
for orthogonal_map in ("matrix_exp", "cayley", "householder"):
    for shape in ((3, 3), (4, 2), (2, 4)):
        for use_trivialization in (True, False):
            torch.manual_seed(1)
            layer = nn.Linear(shape[1], shape[0], dtype=torch.float64)
            parametrizations.orthogonal(layer, orthogonal_map=orthogonal_map, use_trivialization=use_trivialization)
            print(orthogonal_map, shape, use_trivialization, list(layer.state_dict()))
            print(layer.weight)
            attempt(lambda: setattr(layer, "weight", torch.ones(shape[0] + 1, shape[1], dtype=torch.float64)))

# The spectral norm follows the weight in training, and stays in evaluation.
torch.manual_seed(2)
layer = parametrizations.spectral_norm(nn.Conv2d(2, 3, 2))
print(layer, list(layer.state_dict()))
print(layer.weight.sum(), layer.weight.sum(), layer.eval().weight.sum(), layer.weight.sum())
print(parametrizations.spectral_norm(nn.ConvTranspose2d(2, 3, 2)).parametrizations.weight[0]._u)

# Taking them off again, with the value or without.
for leave in (True, False):
    torch.manual_seed(3)
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leave)
    print(layer, layer.weight)

# Shapes and dtypes are checked.
for change in (lambda x: x.double(), lambda x: x[:1], lambda x: [x]):

    class Changed(nn.Module):
        def forward(self, x, change=change):
            return change(x)

    attempt(lambda: parametrize.register_parametrization(nn.Linear(2, 2), "weight", Changed()))
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    attempt(lambda: parametrize.register_parametrization(layer, "weight", Changed()))
    parametrize.register_parametrization(layer, "weight", Changed(), unsafe=True)
    print(layer.parametrizations.weight.unsafe, type(layer.weight).__name__)

# State dicts of the older weight norm are taken.
layer = parametrizations.weight_norm(nn.Linear(2, 2))
print(layer.load_state_dict({"bias": torch.zeros(2), "weight_g": torch.ones(2, 1), "weight_v": torch.eye(2)}), layer.weight)
