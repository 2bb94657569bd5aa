"""What somebody holds is not kept: under a debugger, a profiler, held frames, weak references, other threads."""

from __future__ import annotations

import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from onlookers import OtherThread, Watcher, by_the_frame, profiled, strongly, traced, weakly

import rushlight as torch
from rushlight.backend import ownership
from rushlight.tensor import Tensor

SHAPE = (64, 256)
COUNTS = getattr(sys, "_is_gil_enabled", lambda: True)()  # else counts say nothing, and all is copied
WAYS = [name for name in vars(ownership) if name.startswith("BY_")]


def step(x: Any, w: Any) -> Any:
    """Rules, sums of cotangents that meet, leaves."""
    y = x * w
    z = (y.softmax(-1) * 3.0) ** 2
    return ((z + y * w).reshape(-1).reshape(SHAPE) * w + z).sum()


def leaves() -> list[Any]:
    random = np.random.default_rng(0)
    return [torch.from_numpy(random.standard_normal(SHAPE).astype(np.float32)).requires_grad_() for _ in range(2)]


@pytest.mark.parametrize("keep", [strongly, by_the_frame, weakly, OtherThread()], ids=["names", "frames", "weakly", "thread"])
@pytest.mark.parametrize("watched", [traced, profiled])
def test_what_a_watcher_keeps_stays_as_it_was(watched: Any, keep: Any) -> None:
    plain, seen = leaves(), leaves()
    step(*plain).backward()
    total = step(*seen)
    watcher = Watcher(keep)
    with watched(watcher):
        total.backward()
    assert len(watcher.kept) > 10
    assert watcher.changed() == 0
    for one, other in zip(plain, seen, strict=True):
        assert torch.equal(one.grad, other.grad)
        other.grad.fill_(-7.0)
    assert watcher.changed() == 0


def test_without_a_watcher_memory_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, answers = ownership.is_only_here, set()

    def asked(value: Any, way: int) -> bool:
        answer = ask(value, way and way + 1)  # one for the name that it has here
        answers.add((sys._getframe(1).f_code.co_name, answer))
        return answer

    for module in (ownership, sys.modules["rushlight.autograd.engine"]):
        monkeypatch.setattr(module, "is_only_here", asked)
    x, w = leaves()
    step(x, w).backward()
    assert ("accumulate", COUNTS) in answers


@pytest.mark.parametrize("way", WAYS)
def test_one_holder_more_is_one_too_many(way: str) -> None:
    number = getattr(ownership, way)
    walk = getattr(ownership, way.lower().replace("by_", "_by_"))
    assert walk(number) == COUNTS and not walk(number - 1)


def test_a_leaf_keeps_what_nobody_holds_and_copies_the_rest() -> None:
    holders: list[Any] = []
    for hold in (
        lambda g: None,
        holders.append,
        lambda g: holders.append(weakref.ref(g)),
        lambda g: holders.append(memoryview(g)),
    ):
        x = torch.zeros(SHAPE, requires_grad=True)
        places: list[int] = []

        class Given(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x.clone()

            @staticmethod
            def backward(ctx: Any, g: Any, hold: Any = hold, places: Any = places) -> Any:
                out = g * torch.ones(SHAPE)
                places.append(out._array.__array_interface__["data"][0])
                hold(out._array)
                return out

        Given.apply(x).sum().backward()
        is_kept = x.grad._array.__array_interface__["data"][0] == places[0]
        assert is_kept == (COUNTS and not holders)


def test_who_looks_on_at_the_import_does_not_count() -> None:
    program = (
        "import sys\n"
        "kept = []\n"
        "def look(frame, event, argument):\n"
        "    kept.append((frame, frame.f_locals))\n"
        "    return look\n"
        "def only_ours(frame, event, argument):\n"
        "    return look(frame, event, argument) if frame.f_code.co_filename.endswith('ownership.py') else None\n"
        "sys.{set}(only_ours)\n"
        "from rushlight.backend import ownership\n"
        "sys.{set}(None)\n"
        "assert kept\n"
        f"print([getattr(ownership, name) for name in {WAYS}])\n"
    )
    expected = str([getattr(ownership, name) for name in WAYS])
    for setter in ("settrace", "setprofile"):
        done = subprocess.run(
            [sys.executable, "-c", program.replace("{set}", setter)],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path)},
            timeout=300,
        )
        assert done.stdout.strip() == expected, done.stderr


def test_where_counts_say_nothing_all_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert ownership._numbers() == [0] * len(WAYS)
    assert not ownership.is_only_here(np.empty(1), 0)


def test_a_class_of_tensors_is_asked_for_too() -> None:
    def is_only_here(value: Any, way: int) -> bool:
        return ownership.is_only_here(value, way)

    tensor: Tensor = torch.zeros(2)
    way = next(number for number in range(1, 20) if is_only_here(tensor, number))
    assert is_only_here(tensor, way)
    other = tensor
    assert not is_only_here(tensor, way)
    del other
    sighting = weakref.ref(tensor)
    assert not is_only_here(tensor, way)
    del sighting
    assert is_only_here(tensor, way)
