"""Nets in training that `faults.py` interrupts: small ones, large layers with compiled kernels, every optimizer, replay."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight import nn, optim


class Training:
    """A net and an optimizer; a step is two backward passes, which add to `.grad`, and the optimizer's.

    ``again`` puts the net back to its first values instead of making it anew, which keeps what was compiled for it.
    """

    def __init__(self, net: Any, x: Any, make: Callable[..., Any], again: bool = False) -> None:
        self.near = again  # a replay and the program as it is, which take turns, differ in last digits
        if again:
            with torch.no_grad():
                for tensor, first in net.first:
                    tensor.copy_(first)
                    tensor.grad = None
        self.net, self.x = net, x
        self.parameters = list(net.parameters())
        self.buffers = list(net.buffers())
        self.optimizer = make(self.parameters)
        self.asks = isinstance(self.optimizer, optim.LBFGS)

    def go_back(self) -> None:
        out = self.net(self.x)
        for _ in range(2):
            if isinstance(out, tuple):
                out = out[0]
        out.square().mean().backward()

    def step(self) -> None:
        self.optimizer.zero_grad()
        self.go_back()
        self.go_back()
        if self.asks:
            self.optimizer.step(self.loss)
        else:
            self.optimizer.step()

    def loss(self) -> Any:
        with torch.enable_grad():
            loss = self.net(self.x).square().mean()
        for parameter, g in zip(self.parameters, torch.autograd.grad(loss, self.parameters), strict=True):
            parameter.grad = g
        return loss

    def values(self) -> list[Any]:
        return [_array(parameter) for parameter in self.parameters]

    def gradients(self) -> list[Any]:
        return [None if parameter.grad is None else _array(parameter.grad.to_dense()) for parameter in self.parameters]

    def statistics(self) -> list[Any]:
        """What the net's buffers are, which a forward pass writes."""
        return [_array(buffer) for buffer in self.buffers]


def _array(tensor: Any) -> Any:
    """The numbers of a tensor, copied."""
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor.clone()).numpy()


def _dense(sizes: tuple[int, ...]) -> Any:
    layers: list[Any] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.Tanh()]
    return nn.Sequential(*layers)


def _convolutions() -> Any:
    body = [nn.Conv2d(8, 24, 3), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 16, 3), nn.GroupNorm(4, 16)]
    return nn.Sequential(*body, nn.GELU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(16 * 36, 10), nn.LogSoftmax(-1))


def _attention(**options: Any) -> Any:
    return nn.TransformerEncoderLayer(96, 4, 256, dropout=0.0, batch_first=True, **options)


def _many() -> Any:
    return nn.Sequential(*(layer for _ in range(60) for layer in (nn.Linear(24, 24), nn.LayerNorm(24), nn.SiLU())))


def _pieces(dtype: Any = None) -> Any:
    """A parameter that is stepped in two pieces, some together, and one that does not lie row by row."""
    net = nn.Sequential(nn.Linear(520, 512), nn.Tanh(), nn.Linear(512, 8), nn.LayerNorm(8))
    if dtype is None:
        net[2].weight = nn.Parameter(net[2].weight.detach().t().contiguous().t())
    return net.to(dtype)


def _made(
    net: Callable[[], Any], shape: tuple[int, ...], make: Callable[..., Any], dtype: Any = None
) -> Callable[[], Training]:
    def training() -> Training:
        torch.manual_seed(0)
        return Training(net(), torch.randn(shape).to(dtype), make)

    return training


def _of_rows(make: Callable[..., Any]) -> Callable[[], Training]:
    def training() -> Training:
        torch.manual_seed(0)
        return Training(nn.Embedding(3000, 16, sparse=True), torch.randint(0, 3000, (40, 20)), make)

    return training


def _replayed(net: Callable[[], Any], shape: tuple[int, ...], make: Callable[..., Any], warm: bool) -> Callable[[], Training]:
    """What `torch.compile` gives for a net; ``warm``: once, so that passes are replayed, not anew, so that they are recorded."""

    @functools.cache
    def compiled() -> Any:
        torch.manual_seed(0)
        inner = net()
        outer = torch.compile(inner)
        outer.first = [(tensor, tensor.detach().clone()) for tensor in (*inner.parameters(), *inner.buffers())]
        return outer

    def training() -> Training:
        if not warm:
            compiled.cache_clear()
        torch.manual_seed(1)
        x = torch.randn(shape)
        if warm and not compiled.cache_info().currsize:
            for _ in range(3):
                Training(compiled(), x, make, again=True).step()
        return Training(compiled(), x, make, again=True)

    return training


def _adamw(parameters: Any) -> Any:
    return optim.AdamW(parameters, lr=0.01)


def _sgd(parameters: Any) -> Any:
    return optim.SGD(parameters, lr=1.0, momentum=0.9)


SMALL: dict[str, Callable[[], Training]] = {
    "small": _made(lambda: _dense((4, 8, 2)), (5, 4), lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01)),
    "Adam": _made(lambda: _dense((6, 16, 3)), (7, 6), lambda p: optim.AdamW(p, lr=0.01, amsgrad=True)),
}
LARGE: dict[str, Callable[[], Training]] = {
    "large": _made(lambda: _dense((700, 1100)), (8, 700), _adamw),
    "convolutions": _made(_convolutions, (8, 8, 32, 32), lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True)),
    "attention": _made(_attention, (4, 48, 96), lambda p: optim.AdamW(p, lr=0.01, fused=True)),
    "recurrent": _made(
        lambda: nn.LSTM(48, 64, batch_first=True), (16, 24, 48), lambda p: optim.RMSprop(p, lr=0.01, centered=True)
    ),
    "many": _made(_many, (16, 24), lambda p: optim.Adam(p, lr=0.01, fused=True)),
}
REPLAYED: dict[str, Callable[[], Training]] = {
    "replayed": _replayed(lambda: _dense((64, 256, 128)), (64, 64), _sgd, warm=True),
    "replayed attention": _replayed(_attention, (4, 48, 96), _sgd, warm=True),
    "recorded": _replayed(lambda: _dense((6, 16, 3)), (7, 6), _sgd, warm=False),
}
OPTIMIZERS: dict[str, Callable[[], Training]] = {
    **{
        name: _made(_pieces, (6, 520), getattr(optim, name))
        for name in "Adadelta Adagrad Adam Adamax ASGD NAdam RAdam RMSprop Rprop SGD".split()
    },
    "Adafactor": _made(_pieces, (6, 520), optim.Adafactor),
    "Muon": _made(lambda: nn.Sequential(nn.Linear(64, 48, bias=False), nn.Linear(48, 32, bias=False)), (6, 64), optim.Muon),
    "LBFGS": _made(
        lambda: _dense((6, 16, 3)), (7, 6), lambda p: optim.LBFGS(p, lr=0.5, max_iter=3, line_search_fn="strong_wolfe")
    ),
    "SparseAdam": _of_rows(optim.SparseAdam),
    "SGD of rows": _of_rows(lambda p: optim.SGD(p, lr=0.1)),
    "Adagrad of rows": _of_rows(lambda p: optim.Adagrad(p, lr=0.1)),
    "bfloat16": _made(lambda: _pieces(torch.bfloat16), (6, 520), _adamw, torch.bfloat16),
}
TRAININGS = SMALL | LARGE | REPLAYED | OPTIMIZERS
