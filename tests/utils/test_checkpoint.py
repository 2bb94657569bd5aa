"""Checkpoints beside autocast, custom Functions, groups of backward passes, and runs that differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function
from rushlight.utils.checkpoint import (
    CheckpointError,
    GraphExecGroup,
    checkpoint,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("reentrant", [True, False])
def test_autocast_is_as_it_was(enabled: bool, reentrant: bool) -> None:
    seen: list[Any] = []

    def product(x: Any) -> Any:
        y = x @ x
        seen.append(y.dtype)
        return y.float()

    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu", enabled=enabled), set_checkpoint_early_stop(False):
        y = checkpoint(product, x, use_reentrant=reentrant)
    with torch.autocast("cpu", enabled=not enabled):
        y.sum().backward()
    assert seen == [torch.bfloat16 if enabled else torch.float32] * 2
    assert x.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_what_is_made_again_is_given_out_once() -> None:
    class Greedy(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            _ = ctx.saved_tensors
            with pytest.raises(CheckpointError, match="already unpacked once"):
                _ = ctx.saved_tensors
            return g * 2

    x = leaf(1.0)
    checkpoint(lambda x: Greedy.apply(x.sin()), x, use_reentrant=False).backward()
    assert x.grad is not None


def test_an_argument_that_is_saved_stays_the_same_object() -> None:
    seen: list[Any] = []

    class Saves(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(y)
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.extend(ctx.saved_tensors)
            return g, None

    y = torch.ones(1)
    checkpoint(Saves.apply, leaf(1.0), y, use_reentrant=False).backward()
    assert seen[0] is y


@pytest.mark.parametrize("grouped", [True, False])
def test_a_group_runs_the_function_once(grouped: bool) -> None:
    runs: list[int] = []

    def function(x: Any) -> Any:
        runs.append(1)
        y = x.sin().cos()
        return y, y.sin().cos()

    x = leaf(1.0)
    y, z = checkpoint(function, x, use_reentrant=False)
    group = GraphExecGroup()
    if grouped:
        with group:
            (dy,) = torch.autograd.grad(z, y)
            (dx,) = torch.autograd.grad(y, x, dy)
    else:
        (dy,) = torch.autograd.grad(z, y)
        (dx,) = torch.autograd.grad(y, x, dy)
    assert len(runs) == (2 if grouped else 3)
    expected = torch.func.grad(lambda x: x.sin().cos().sin().cos())(x.detach()[0])
    assert dx.item() == pytest.approx(expected.item())


def test_passes_of_a_group_must_not_overlap() -> None:
    x = leaf(1.0)
    y = checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False)
    with GraphExecGroup() as group:
        y.backward(retain_graph=True)
        with pytest.raises(CheckpointError, match="Performing two backward calls that overlap"):
            y.backward()
        with pytest.raises(RuntimeError, match="cannot be nested"):
            group.__enter__()
    y.backward()


def changing(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    ways = iter([first, second])
    return lambda x: next(ways)(x)


def test_more_saved_in_the_second_run() -> None:
    function = changing(lambda x: x.sin().exp(), lambda x: x.sin().exp().sin())
    with set_checkpoint_early_stop(False), pytest.raises(CheckpointError, match="trying to save more tensors"):
        checkpoint(function, leaf(1.0), use_reentrant=False).backward()
    # With early stop nobody sees what comes later, and the result is right.
    checkpoint(changing(lambda x: x.sin().exp(), lambda x: x.sin().exp().sin()), leaf(1.0), use_reentrant=False).backward()


def test_examples_are_computed_again_all_at_once() -> None:
    x = leaf(1.0, 2.0)
    checkpoint(torch.vmap(torch.sin), x, use_reentrant=False).sum().backward()
    assert torch.equal(x.grad, x.detach().cos())


@pytest.mark.parametrize(("asked", "overridden", "told"), [(True, None, True), (False, True, True), (True, False, False)])
def test_debug_shows_both_runs(asked: bool, overridden: bool | None, told: bool) -> None:
    function = changing(lambda x: x.sin().exp(), lambda x: x.sin() * torch.ones(2))
    with set_checkpoint_debug_enabled(overridden), pytest.raises(CheckpointError) as caught:
        checkpoint(function, leaf(1.0), use_reentrant=False, debug=asked).backward()
    assert "have different metadata" in str(caught.value)
    assert ("You are seeing this error because you passed `debug=True` to checkpoint" in str(caught.value)) is told
    assert ("ops of the original forward: sin, exp" in str(caught.value)) is told
