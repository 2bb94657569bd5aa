"""lion-pytorch: the optimizer and its variants on a small network."""

import torch
from lion_pytorch import Lion
from lion_pytorch.cautious_lion import Lion as CautiousLion
from lion_pytorch.foreach import Lion as ForeachLion
from torch import nn

for cls in (Lion, ForeachLion, CautiousLion):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = cls(model.parameters(), lr=1e-3, weight_decay=1e-2)
    x = torch.randn(64, 10)
    y = x[:, :1] * 2 - x[:, 1:2]
    for step in range(30):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 5 == 4:
            print(cls.__module__, step, loss.item())
    print(sorted(optimizer.state_dict()["state"][0]), optimizer.state_dict()["param_groups"][0]["betas"])
