import torch

TITLE = "graph of 117 scalar ops"
BOUND = 0.60


def setup():
    return (torch.tensor(1.0, requires_grad=True), torch.tensor(0.1, requires_grad=True))


def step(stiffness, drag):
    """A damped oscillator: 19 steps of 6 ops, and 3 ops for the loss."""
    stiffness.grad = drag.grad = None
    place, speed = 1.0, 0.5
    place = stiffness * 0 + place
    for _ in range(19):
        speed = speed - (stiffness * place + drag * speed) * 0.1
        place = place + speed
    (place * place).backward()
