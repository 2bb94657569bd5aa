"""What a program asks the world for, and what may change there between two calls: compiled it sees that too."""

from __future__ import annotations

import array
import functools
import os
import pathlib
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from changed_between import Made, follows_the_program

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")


def environment() -> Made:
    os.environ["RUSHLIGHT_SCALE"] = "1"
    return lambda: torch.ones(2) * float(os.environ["RUSHLIGHT_SCALE"]), lambda call: os.environ.update(
        RUSHLIGHT_SCALE=str(call)
    )


def seed() -> Made:
    return lambda: torch.ones(2) * (torch.initial_seed() % 7), torch.manual_seed


def threads() -> Made:
    return lambda: torch.ones(2) * torch.get_num_threads(), lambda call: torch.set_num_threads(1 + call % 2)


def version() -> Made:
    x = torch.ones(2)
    return lambda: torch.ones(2) * x._version, lambda call: x.add_(1)


def reference() -> Made:
    class Holder:
        scale = 1.0

    holder = Holder()
    reference = weakref.ref(holder)
    return lambda: torch.ones(2) * reference().scale, lambda call: setattr(holder, "scale", float(call))  # type: ignore[union-attr]


def cache() -> Made:
    scales = [1.0]

    @functools.lru_cache
    def scale() -> float:
        return scales[0]

    def change(call: int) -> None:
        scales[0] = float(call)
        scale.cache_clear()

    return lambda: torch.ones(2) * scale(), change


def schedule() -> Made:
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
    plan = torch.optim.lr_scheduler.StepLR(optimizer, 1)

    def change(call: int) -> None:
        optimizer.step()
        plan.step()

    return lambda: torch.ones(2) * plan.get_last_lr()[0], change


def closure_of_an_optimizer() -> Made:
    w, x = torch.ones(2, requires_grad=True), torch.ones(2)
    optimizer = torch.optim.SGD([w], lr=0.1)

    class Loss:
        def __init__(self, scale: Any) -> None:
            self.scale = scale

        def run(self) -> Any:
            optimizer.zero_grad()
            loss = (w * self.scale).sum()
            loss.backward()
            return loss

    def step() -> Any:
        with torch.no_grad():
            w.fill_(1.0)
        optimizer.step(Loss(x * x).run)
        return w.detach().clone()

    return step, lambda call: x.fill_(float(call))


def hooks_of_all_modules() -> Made:
    net = torch.nn.Linear(2, 2)
    hooks: list[Any] = []

    def change(call: int) -> None:
        if call == 3:
            hooks.append(torch.nn.modules.module.register_module_forward_hook(lambda module, given, output: output * 2))
        elif hooks:
            hooks.pop().remove()

    return lambda: net(torch.ones(2)).detach(), change


def class_of_an_object() -> Made:
    class One:
        scale = 1.0

    class Two:
        scale = 2.0

    holder: Any = One()
    return lambda: torch.ones(2) * holder.scale, lambda call: setattr(holder, "__class__", Two if call % 2 else One)


def numbers_of_an_extension() -> Made:
    numbers = array.array("d", [1.0])
    return lambda: torch.ones(2) * numbers[0], lambda call: numbers.__setitem__(0, float(call))


def switch() -> Made:
    return (
        lambda: torch.ones(2) * (2 if torch.backends.cudnn.deterministic else 3),
        lambda call: setattr(torch.backends.cudnn, "deterministic", bool(call % 2)),
    )


def switch_of_a_namespace() -> Made:
    return (
        lambda: torch.ones(2) * (2 if torch.backends.cuda.matmul.allow_tf32 else 3),
        lambda call: setattr(torch.backends.cuda.matmul, "allow_tf32", bool(call % 2)),
    )


def reference_to_what_ends() -> Made:
    class Holder:
        scale = 1.0

    holders = [Holder()]
    reference = weakref.ref(holders[0])

    def program() -> Any:
        holder = reference()
        return torch.ones(2) * (0.0 if holder is None else holder.scale)

    return program, lambda call: holders.clear()


MADE = (
    reference_to_what_ends,
    environment, seed, threads, version, reference, cache, schedule, closure_of_an_optimizer, hooks_of_all_modules,
    class_of_an_object, numbers_of_an_extension, switch, switch_of_a_namespace,
)  # fmt: skip


@pytest.mark.parametrize("make", MADE)
def test_what_changes_outside_is_seen(make: Callable[[], Made]) -> None:
    before = torch.get_num_threads()
    follows_the_program(*make())
    torch.set_num_threads(before)
    os.environ.pop("RUSHLIGHT_SCALE", None)


def _beside(program: Callable[..., Any], calls: Callable[[Callable[..., Any]], list[Any]]) -> Any:
    """Holds what several calls give, and what they leave behind, to what they do with the program as it is; gives the compiled one."""
    fast: Any = torch.compile(program)
    fast._compiled.always = True
    assert calls(fast) == calls(program)
    return fast


def test_a_generator_of_ones_own_goes_on_as_it_would() -> None:
    generator = torch.Generator()

    def calls(function: Callable[..., Any]) -> list[Any]:
        generator.manual_seed(3)
        return [function().tolist() for _ in range(6)]

    fast = _beside(lambda: torch.rand(4, generator=generator) + 1, calls)
    assert fast._compiled.forms[0].program is not None


def test_a_container_that_is_given_may_be_changed_or_given_back() -> None:
    def appends(numbers: list[Any]) -> Any:
        numbers.append(1)
        return numbers[0] * 2

    def calls(function: Callable[..., Any]) -> list[Any]:
        found = []
        for _ in range(5):
            given = [torch.ones(2)]
            result = function(given)
            found.append((len(given), result is given, [one.tolist() for one in given if isinstance(one, torch.Tensor)]))
        return found

    kept = [torch.ones(1)]
    _beside(appends, calls)
    _beside(lambda given: given, calls)
    assert [torch.compile(lambda: kept)() is kept for _ in range(1)] == [True]
    whole = torch.compile(lambda: kept)
    assert all(whole() is kept for _ in range(5))


def test_a_tensor_that_is_only_given_back_is_captured() -> None:
    x, p = torch.ones(2), torch.nn.Parameter(torch.ones(2))
    fast: Any = torch.compile(lambda x: (x, p, x * 2))
    fast._compiled.always = True
    for _ in range(5):
        first, second, _ = fast(x)
        assert first is x and second is p
    assert fast._compiled.forms[0].program is not None


def test_parameters_that_an_optimizer_is_given_later() -> None:
    def calls(compiled: Callable[..., Any]) -> list[Any]:
        first, second = (torch.ones(2, requires_grad=True) for _ in range(2))
        optimizer = torch.optim.SGD([first], lr=0.1)

        def step() -> Any:
            optimizer.zero_grad()
            (first * second).sum().backward()
            optimizer.step()
            return first.detach().clone()

        function, found = compiled(step), []
        for call in range(9):
            if call == 4:
                optimizer.add_param_group({"params": [second]})
            if call == 7:
                optimizer.param_groups.pop()
            found.append((function().tolist(), second.tolist(), None if second.grad is None else second.grad.tolist()))
        return found

    def compiled(step: Callable[..., Any]) -> Any:
        fast: Any = torch.compile(step)
        fast._compiled.always = True
        return fast

    assert calls(compiled) == calls(lambda step: step)


def test_a_rate_that_a_schedule_changes_inside() -> None:
    """Which it does at every third call alone: recorded between them, nothing changes."""

    def calls(compiled: Callable[..., Any]) -> list[Any]:
        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1.0)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)

        def step() -> Any:
            optimizer.zero_grad()
            w.sum().backward()
            optimizer.step()
            schedule.step()
            return w.detach() * optimizer.param_groups[0]["lr"]

        function = compiled(step)
        return [function().tolist() for _ in range(12)]

    def compiled(step: Callable[..., Any]) -> Any:
        fast: Any = torch.compile(step)
        fast._compiled.always = True
        return fast

    assert calls(compiled) == calls(lambda step: step)
