"""ema-pytorch: an average of a network's weights while it learns."""

import torch
from ema_pytorch import EMA
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
ema = EMA(net, beta=0.99, update_after_step=3, update_every=2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
data, target = torch.randn(32, 8), torch.randn(32, 4)
for step in range(20):
    loss = nn.functional.mse_loss(net(data), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update()
    if step % 4 == 3:
        print(step, loss.item(), nn.functional.mse_loss(ema(data), target).item())
print("decay", ema.get_current_decay(), ema.step.item(), ema.initted.item())
print(sorted(ema.state_dict())[:6])
ema.copy_params_from_ema_to_model()
print("copied", sum((a - b).abs().sum().item() for a, b in zip(net.parameters(), ema.ema_model.parameters())))
