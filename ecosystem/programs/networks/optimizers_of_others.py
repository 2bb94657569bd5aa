"""adabelief-pytorch, torch-optimizer, madgrad and pytorch-ranger: their optimizers on one problem."""

import contextlib
import io

import torch
import torch_optimizer
from adabelief_pytorch import AdaBelief
from madgrad import MADGRAD, MirrorMADGRAD
from pytorch_ranger import Ranger
from torch import nn

makers = {name: getattr(torch_optimizer, name) for name in (
    "A2GradUni", "AccSGD", "AdaBound", "AdaMod", "AdaBelief", "AggMo", "DiffGrad", "Lamb", "NovoGrad", "PID", "QHAdam", "QHM",
    "RAdam", "SGDP", "SGDW", "SWATS", "Yogi", "AdamP", "Apollo", "Adahessian", "Shampoo",
)}  # fmt: skip
makers |= {"adabelief_pytorch": AdaBelief, "MADGRAD": MADGRAD, "MirrorMADGRAD": MirrorMADGRAD, "Ranger": Ranger}
for name, make in makers.items():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.randn(32, 6)
    y = torch.sin(x).sum(1, keepdim=True)
    with contextlib.redirect_stdout(io.StringIO()):
        optimizer = make(model.parameters(), lr=1e-2)
    for _ in range(10):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward(create_graph=name == "Adahessian")
        optimizer.step()
    print(name, loss.item())
