"""Backward passes within backward passes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function, Variable
from rushlight.autograd.reentrant import elsewhere


class Countdown(Function):
    """Its backward runs a whole pass of its own, which runs another, until zero."""

    threads: set[int] = set()  # noqa: RUF012
    at_end: Any = None

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_() - 1
        return ctx.x.detach()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        Countdown.threads.add(threading.get_ident())
        if ctx.x < 0:
            if Countdown.at_end is not None:
                Countdown.at_end()
            return g
        with torch.enable_grad():
            Countdown.apply(ctx.x).sum().backward()
        return g


@pytest.mark.parametrize("levels", [40, 3_000])
def test_passes_nest_deeply(levels: int) -> None:
    Countdown.threads.clear()
    Countdown.at_end = None
    x = torch.tensor(float(levels), requires_grad=True)
    Countdown.apply(x).backward()
    assert x.grad.item() == 1.0
    assert (len(Countdown.threads) > 1) is (levels > 1000)


def test_modes_and_errors_pass_through_all_levels() -> None:
    seen: list[Any] = []

    def at_end() -> None:
        seen.append((torch.is_anomaly_enabled(), torch.is_grad_enabled(), threading.get_ident() == here))
        Variable._execution_engine.queue_callback(lambda: seen.append("innermost pass is over"))
        raise KeyError("from the depths")

    here = threading.get_ident()
    Countdown.at_end = at_end
    x = torch.tensor(150.0, requires_grad=True)
    try:
        with torch.autograd.set_detect_anomaly(True), pytest.warns(UserWarning), pytest.raises(KeyError, match="the depths"):
            Countdown.apply(x).backward()
    finally:
        Countdown.at_end = None
    assert seen == [(True, False, False)] and x.grad is None and torch.is_grad_enabled()


def test_inner_passes_come_before_what_is_ready_outside() -> None:
    order: list[str] = []

    class Plain(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            order.append("plain")
            return g

    Countdown.at_end = lambda: order.append("last inner pass")
    try:
        a = Plain.apply(torch.tensor(2.0, requires_grad=True))
        (a * Countdown.apply(torch.tensor(5.0, requires_grad=True))).backward()
    finally:
        Countdown.at_end = None
    assert order == ["last inner pass", "plain"]


def test_modes_go_along_into_the_next_thread() -> None:
    """Passes that nest too deeply go on in another thread, where all that the first has switched on still holds."""

    class Silent(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    seen: list[Any] = []

    def look() -> None:
        stack = torch._C._len_torch_function_stack()
        seen.append(
            (torch.is_grad_enabled(), stack, torch.is_autocast_enabled("cpu"), torch._C._functorch.maybe_current_level())
        )

    def under_modes(x: Any) -> Any:
        with torch.no_grad(), torch.autocast("cpu"), Silent():
            look()
            elsewhere(look)
        return x

    torch.func.vmap(under_modes)(torch.ones(2))
    assert seen[0] == seen[1] == (False, 1, True, 1)
