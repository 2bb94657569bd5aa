"""e3nn: spherical harmonics, tensor products and gates that turn with what they are given, trained, and its own code compiled."""

import warnings

import torch

warnings.simplefilter("ignore")
from e3nn import nn, o3  # noqa: E402
from e3nn.math import soft_one_hot_linspace  # noqa: E402
from e3nn.nn.models.v2106.gate_points_networks import SimpleNetwork  # noqa: E402

torch.manual_seed(0)
places = torch.randn(6, 3, requires_grad=True)
harmonics = o3.spherical_harmonics([0, 1, 2, 3], places, normalize=True, normalization="component")
harmonics.pow(3).sum().backward()
print(harmonics[0], places.grad.abs().sum())
rotation = o3.rand_matrix()
print(
    o3.Irreps("2x0e + 1o").D_from_matrix(rotation).square().sum(),
    o3.wigner_3j(1, 1, 2).square().sum(),
    o3.Irreps("5x0e+2x1o+1x2e").dim,
)
left, right, out = o3.Irreps("4x0e + 2x1o"), o3.Irreps("0e + 1o + 2e"), o3.Irreps("3x0e + 2x1o + 1x2e")
torch.manual_seed(1)
for product in (
    o3.FullyConnectedTensorProduct(left, right, out),
    o3.FullTensorProduct(left, right),
    o3.Linear(left, out),
    o3.Norm(left),
    o3.ElementwiseTensorProduct(left, left),
):
    a, b = left.randn(5, -1).requires_grad_(), right.randn(5, -1)
    inputs = (
        (a,)
        if isinstance(product, (o3.Linear, o3.Norm))
        else (a, a.detach())
        if isinstance(product, o3.ElementwiseTensorProduct)
        else (a, b)
    )
    y = product(*inputs)
    y.square().sum().backward()
    print(type(product).__name__, tuple(y.shape), f"{y.sum().item():.4f} {a.grad.abs().sum().item():.4f}")
gate = nn.Gate("4x0e", [torch.tanh], "2x0e", [torch.sigmoid], "2x1o")
print(
    gate.irreps_in,
    gate(gate.irreps_in.randn(3, -1)).sum(),
    nn.FullyConnectedNet([3, 8, 2], torch.nn.functional.silu)(places).sum(),
)
print(soft_one_hot_linspace(places.norm(dim=1), 0.0, 3.0, 4, "smooth_finite", cutoff=True).sum(0))
torch.manual_seed(2)
net = SimpleNetwork("1x0e", "1x0e + 1x1o", max_radius=2.0, num_neighbors=3.0, num_nodes=6.0, mul=4, layers=1, lmax=1)
data = {"pos": torch.randn(6, 3), "x": torch.ones(6, 1), "batch": torch.zeros(6, dtype=torch.long)}
turned = {**data, "pos": data["pos"] @ rotation.T}
try:
    first, second = net(data), net(turned)
    first.sum().backward()
    print(
        first[:, 0],
        torch.allclose(first[:, 0], second[:, 0], atol=1e-5),
        torch.allclose(first[:, 1:] @ rotation.T, second[:, 1:], atol=1e-4),
    )
except ModuleNotFoundError as error:
    print(error)
