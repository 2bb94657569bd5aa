"""How training is steered: rate finder, warm restarts, cyclic rates, averages of weights, early stopping, distillation, mixup, accumulation."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import lr_scheduler as S
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

torch.manual_seed(0)
x = torch.randn(64, 6)
y = (x[:, :2].prod(1) > 0).long()
teacher = nn.Sequential(nn.Linear(6, 16, bias=False), nn.BatchNorm1d(16), nn.Hardswish(), nn.Linear(16, 2))
start = copy.deepcopy(teacher.state_dict())
optimizer = torch.optim.SGD(teacher.parameters(), lr=1e-4, momentum=0.9)
finder, seen = S.ExponentialLR(optimizer, 10 ** (1 / 5)), []
for _ in range(20):
    optimizer.zero_grad()
    loss = F.cross_entropy(teacher(x), y)
    loss.backward()
    optimizer.step()
    finder.step()
    seen.append((loss.item(), finder.get_last_lr()[0]))
print(f"{min(seen)[0]:.4f} {min(seen)[1]:.4f}")
teacher.load_state_dict(start)

optimizer = torch.optim.AdamW(
    [
        {"params": [p for p in teacher.parameters() if p.ndim > 1], "weight_decay": 0.1},
        {"params": [p for p in teacher.parameters() if p.ndim <= 1]},
    ],
    lr=0.02,
)
scheduler, average, swa = (
    S.CosineAnnealingWarmRestarts(optimizer, 4, 2),
    AveragedModel(teacher),
    SWALR(optimizer, 5e-3, anneal_epochs=3),
)
best, waited = math.inf, 0
for epoch in range(16):
    for rows in torch.arange(64).split(16):
        share = torch.distributions.Beta(0.4, 0.4).sample()
        mixed, other = torch.lerp(x[rows].flip(0), x[rows], share), y[rows].flip(0)
        out = teacher(mixed)
        (share * F.cross_entropy(out, y[rows]) + (1 - share) * F.cross_entropy(out, other)).backward()
        if rows[0] % 32 == 16:
            optimizer.step()
            optimizer.zero_grad()
    if epoch >= 10:
        average.update_parameters(teacher)
        swa.step()
    else:
        scheduler.step()
    with torch.no_grad():
        held = F.cross_entropy(teacher.eval()(x), y).item()
    teacher.train()
    best, waited = (held, 0) if held < best - 1e-3 else (best, waited + 1)
    if epoch % 3 == 0:
        print(epoch, f"{held:.4f} {waited}", [round(group["lr"], 6) for group in optimizer.param_groups])
update_bn(x.split(16), average)
print(average.n_averaged.item(), f"{average.module[1].running_mean.norm().item():.4f}")

student = nn.Linear(6, 2)
optimizer = torch.optim.Adadelta(student.parameters(), lr=1.0)
for step in range(5):
    with torch.no_grad():
        soft = (teacher.eval()(x) / 3).log_softmax(-1)
    loss = 9 * F.kl_div((student(x) / 3).log_softmax(-1), soft, reduction="batchmean", log_target=True) + F.cross_entropy(
        student(x), y
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")

for make in (
    lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=2, mode="triangular2"),
    lambda o: S.OneCycleLR(o, 0.1, total_steps=8, three_phase=True),
    lambda o: S.PolynomialLR(o, 6, 2.0),
    lambda o: S.MultiStepLR(o, [2, 5], 0.1),
    lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.5, 3), S.StepLR(o, 2, 0.5)]),
    lambda o: S.CosineAnnealingLR(o, 4, 0.001),
    lambda o: S.MultiplicativeLR(o, lambda n: 0.9),
):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    scheduler, rates = make(optimizer), []
    for _ in range(7):
        rates.append(f"{optimizer.param_groups[0]['lr']:.5f}")
        optimizer.step()
        scheduler.step()
    print(type(scheduler).__name__, rates, optimizer.param_groups[0]["momentum"], sorted(scheduler.state_dict())[:3])
