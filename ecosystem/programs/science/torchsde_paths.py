"""torchsde: paths of a stochastic differential equation, and gradients through it by the adjoint."""

import torch
import torchsde

torch.manual_seed(0)


class Noise(torch.nn.Module):
    noise_type = "diagonal"
    sde_type = "ito"

    def __init__(self):
        super().__init__()
        self.drift = torch.nn.Linear(3, 3)
        self.spread = torch.nn.Linear(3, 3)

    def f(self, t, y):
        return torch.tanh(self.drift(y))

    def g(self, t, y):
        return 0.3 * torch.sigmoid(self.spread(y))


sde = Noise()
start, times = torch.full((4, 3), 0.1), torch.linspace(0, 1, 5)
for method in ("euler", "milstein", "srk"):
    brownian = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=7, levy_area_approximation="space-time")
    paths = torchsde.sdeint(sde, start, times, bm=brownian, method=method, dt=0.05)
    print(method, paths.shape, paths[-1].mean(0).tolist())
brownian = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=7)
torchsde.sdeint_adjoint(sde, start, times, bm=brownian, method="euler", dt=0.05)[-1].pow(2).sum().backward()
print("gradient", sde.drift.weight.grad.tolist())
