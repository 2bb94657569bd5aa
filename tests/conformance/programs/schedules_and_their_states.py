"""Schedules of learning rates, and what they save of themselves."""

import torch
from torch import nn
from torch.optim import lr_scheduler as schedules

KINDS = {
    "steps": lambda o: schedules.StepLR(o, 2),
    "milestones": lambda o: schedules.MultiStepLR(o, [2, 4]),
    "exponential": lambda o: schedules.ExponentialLR(o, 0.9),
    "cosine": lambda o: schedules.CosineAnnealingLR(o, 5),
    "restarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
    "one cycle": lambda o: schedules.OneCycleLR(o, 0.5, total_steps=8),
    "cycles": lambda o: schedules.CyclicLR(o, 0.1, 0.5, 3),
    "linear": lambda o: schedules.LinearLR(o),
    "polynomial": lambda o: schedules.PolynomialLR(o, 5),
    "constant": lambda o: schedules.ConstantLR(o),
    "one after the other": lambda o: schedules.SequentialLR(
        o, [schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, 0.9)], [2]
    ),
    "all at once": lambda o: schedules.ChainedScheduler([schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, 0.9)]),
}
for name, make in KINDS.items():
    optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1, momentum=0.9)
    schedule = make(optimizer)
    rates = []
    for _ in range(7):
        optimizer.step()
        schedule.step()
        rates.append(round(schedule.get_last_lr()[0], 6))
    print(name, rates)
    print({key: value for key, value in schedule.state_dict().items() if key[0] != "_"})

optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1)
plateau = schedules.ReduceLROnPlateau(optimizer, patience=1)
for figure in (1.0, 0.5, 0.5, 0.5, 0.5):
    plateau.step(figure)
print(optimizer.param_groups[0]["lr"], plateau.state_dict())
again = schedules.ReduceLROnPlateau(optimizer)
again.load_state_dict(plateau.state_dict())
print(again.best, again.num_bad_epochs, again.patience)
