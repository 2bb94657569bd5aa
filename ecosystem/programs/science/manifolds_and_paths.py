"""geoopt and torchcde: points on manifolds, and controlled differential equations."""

import geoopt
import torch
import torchcde

torch.manual_seed(0)
goal = torch.randn(4, 4)
for name, manifold, start in (
    ("sphere", geoopt.Sphere(), torch.randn(4)),
    ("stiefel", geoopt.Stiefel(), torch.randn(4, 2)),
    ("ball", geoopt.PoincareBall(), torch.randn(4) * 0.1),
    ("lorentz", geoopt.Lorentz(), torch.tensor([1.5, 0.5, 0.5, 0.5])),
    ("positive", geoopt.SymmetricPositiveDefinite(), torch.eye(4) * 2),
):
    for make in (geoopt.optim.RiemannianAdam, geoopt.optim.RiemannianSGD):
        point = geoopt.ManifoldParameter(start.clone(), manifold=manifold)
        with torch.no_grad():
            point.proj_()
        optimizer = make([point], lr=0.02)
        for _ in range(4):
            optimizer.zero_grad()
            loss = (point.reshape(4, -1) - goal[:, : point.numel() // 4]).square().sum()
            loss.backward()
            optimizer.step()
        print(name, f"{loss.item():.4f}", point.detach().flatten()[:3])
ball = geoopt.PoincareBall()
print(
    ball.dist(torch.tensor([0.1, 0.2]), torch.tensor([-0.3, 0.1])),
    ball.expmap0(torch.ones(2)),
    ball.mobius_add(torch.ones(2) * 0.1, torch.ones(2) * 0.2),
)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 12)

    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape[:-1], 4, 3)


torch.manual_seed(1)
x = torch.cat([torch.linspace(0, 1, 6)[None, :, None].expand(2, 6, 1), torch.randn(2, 6, 2).cumsum(1)], 2)
for name, path in (
    ("cubic", torchcde.CubicSpline(torchcde.hermite_cubic_coefficients_with_backward_differences(x))),
    ("natural", torchcde.CubicSpline(torchcde.natural_cubic_coeffs(x))),
    ("linear", torchcde.LinearInterpolation(torchcde.linear_interpolation_coeffs(x))),
):
    field = Field()
    out = torchcde.cdeint(
        path, field, torch.ones(2, 4), path.interval, adjoint=name != "linear", method="rk4", options={"step_size": 0.5}
    )
    out[:, -1].square().sum().backward()
    print(name, out[:, -1].sum(), field.linear.weight.grad.abs().sum())
