"""higher: steps of an inner optimizer that gradients pass through, as in meta-learning."""

import higher
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
outer = torch.optim.Adam(model.parameters(), lr=1e-2)
inner = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(5):
    outer.zero_grad()
    total = 0.0
    for task in range(3):
        x = torch.linspace(-1, 1, 10)[:, None]
        y = torch.sin(3 * x + task + step)
        with higher.innerloop_ctx(model, inner, copy_initial_weights=False) as (fast, steps):
            for _ in range(3):
                steps.step(nn.functional.mse_loss(fast(x), y))
            loss = nn.functional.mse_loss(fast(x), y)
            total += loss.item()
            loss.backward()
    outer.step()
    print("loss", total, model[0].weight.grad.norm().item())
