"""torchdiffeq: the spiral of its examples, with several solvers, by backpropagation and by the adjoint method."""

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint, odeint_event

torch.manual_seed(0)
true_start = torch.tensor([[2.0, 0.0]])
times = torch.linspace(0.0, 2.0, 20)
matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


class Spiral(nn.Module):
    def forward(self, t, y):
        return torch.mm(y**3, matrix)


with torch.no_grad():
    for method in (
        "dopri5",
        "dopri8",
        "bosh3",
        "adaptive_heun",
        "euler",
        "midpoint",
        "rk4",
        "explicit_adams",
        "implicit_adams",
    ):
        print(method, odeint(Spiral(), true_start, times, method=method)[-1].tolist())
    true = odeint(Spiral(), true_start, times, method="dopri5")


class Learned(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 2))
        for layer in self.net:
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, mean=0, std=0.1)
                nn.init.constant_(layer.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


for solve in (odeint, odeint_adjoint):
    torch.manual_seed(1)
    model = Learned()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
    for _ in range(8):
        optimizer.zero_grad()
        loss = torch.mean(torch.abs(solve(model, true_start, times, rtol=1e-4, atol=1e-5) - true))
        loss.backward()
        optimizer.step()
        print(solve.__name__, "loss", loss.item())


class Fall(nn.Module):
    def forward(self, t, state):
        position, speed = state
        return speed, torch.full_like(speed, -9.81)


state = (torch.tensor([10.0], dtype=torch.float64), torch.tensor([0.0], dtype=torch.float64))
when, states = odeint_event(
    Fall(),
    state,
    torch.tensor(0.0, dtype=torch.float64),
    event_fn=lambda t, y: y[0],
    rtol=1e-8,
    atol=1e-8,
    odeint_interface=odeint,
)
print("ground", when.item(), states[1][-1].item())
