"""Nets in training that `faults.py` interrupts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import rushlight as torch


class Training:
    """A net of some layers and an optimizer; a step is two backward passes, which add to `.grad`, and the optimizer's."""

    def __init__(self, sizes: tuple[int, ...], rows: int, make: Callable[..., Any]) -> None:
        torch.manual_seed(0)
        layers: list[Any] = []
        for before, after in itertools.pairwise(sizes):
            layers += [torch.nn.Linear(before, after), torch.nn.Tanh()]
        self.net = torch.nn.Sequential(*layers)
        self.parameters = list(self.net.parameters())
        self.optimizer = make(self.parameters)
        self.x = torch.randn(rows, sizes[0])

    def go_back(self) -> None:
        self.net(self.x).square().mean().backward()

    def step(self) -> None:
        self.optimizer.zero_grad()
        self.go_back()
        self.go_back()
        self.optimizer.step()

    def values(self) -> list[Any]:
        return [parameter.detach().numpy().copy() for parameter in self.parameters]

    def gradients(self) -> list[Any]:
        return [None if parameter.grad is None else parameter.grad.numpy().copy() for parameter in self.parameters]


TRAININGS: dict[str, Callable[[], Training]] = {
    "small": lambda: Training((4, 8, 2), 5, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01)),
    "Adam": lambda: Training((6, 16, 3), 7, lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True)),
    "large": lambda: Training((700, 1100), 8, lambda p: torch.optim.AdamW(p, lr=0.01)),
}
