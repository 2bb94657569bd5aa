"""Ctrl-C at random moments of training: every leaf whole, the process alive, the next step right.

    python tests/trust/faults.py --count 2000 --seed 1
    python tests/trust/faults.py --steps 20000        # memory over many steps
    python tests/trust/faults.py --threads 300        # seconds of mixed work in eight threads

A moment is drawn in microseconds from the step's beginning, in the time that a step takes, so that forward, backward and
optimizer get their share.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import signal
import statistics
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from trainings import TRAININGS, Training

import rushlight as torch
from rushlight.autograd.modes import special


class Right:
    """What the parameters are before and after each step, and the gradients and buffers after each pass of the first."""

    def __init__(self, training: Training, steps: int = 3) -> None:
        self.values = [training.values()]
        self.statistics = [training.statistics()]
        training.go_back()
        first = training.gradients()
        self.statistics.append(training.statistics())
        training.go_back()
        self.passes = [first, training.gradients()]
        self.statistics.append(training.statistics())
        if training.asks:  # the gradients of the places that it has looked at are no others' business
            self.passes = []
        for _ in range(steps):
            training.step()
            self.values.append(training.values())


class Seen(NamedTuple):
    """Where an interrupt came, and what it broke."""

    where: str
    wrong: str


class _Interrupted(KeyboardInterrupt):
    """What the handler of this test raises: with it an interrupt that the test itself gets is not taken for one of its own."""


def interrupted_steps(make: Callable[[], Training], count: int, seed: int) -> list[Seen]:
    """Interrupts ``count`` steps, each at a random moment."""
    draw = random.Random(seed)
    right = Right(make())
    took = _time_of_a_step(make)
    seen: list[Seen] = []
    previous = signal.signal(signal.SIGINT, _raise)
    try:
        for _ in range(20 * count):  # some moments come too late
            one = _interrupted(make(), right, draw.uniform(0, took))
            if one.where or one.wrong:
                seen.append(one)
            if len(seen) == count:
                break
    finally:
        signal.signal(signal.SIGINT, previous)
    return seen


def _time_of_a_step(make: Callable[[], Training]) -> float:
    times = []
    for _ in range(5):
        training = make()
        begun = time.perf_counter()
        training.step()
        times.append(time.perf_counter() - begun)
    return min(times)


def _raise(number: int, frame: Any) -> None:
    raise _Interrupted(_place(frame))


def _place(frame: Any) -> str:
    names = []
    while frame is not None and len(names) < 30:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return "optimizer" if "_step" in names else "backward" if "backward" in names else "forward"


def _interrupted(training: Training, right: Right, after: float) -> Seen:
    where = ""
    errors = np.geterr()
    try:
        _send(after)
        training.step()
        _send(0)
    except _Interrupted as error:
        where = str(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return Seen(where, _wrong(training, right, errors))


def _send(after: float) -> None:
    """SIGINT to this process after some time; none for 0."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, after)


def _wrong(training: Training, right: Right, errors: dict[str, str]) -> str:
    """What is not as it must be behind an interrupted step; an empty text where nothing is wrong."""
    if not torch.is_grad_enabled():
        return "grad mode is off"
    if np.geterr() != errors:
        return "NumPy's warnings are off"
    left = [
        sys.getprofile() and "the profiler",
        not gc.isenabled() and "no collections",
        special.hidden and "a mode",
    ]
    if any(left):
        return f"left behind: {', '.join(str(one) for one in left if one)}"
    same = _near if training.near else _same
    now, (before, behind) = training.values(), right.values[:2]
    moved = not all(map(same, now, before))
    if moved and not all(map(same, now, behind)):
        return "some parameters are stepped and others are not, or one is by half"
    for got, *whole in zip(training.gradients(), *right.passes, strict=True) if right.passes else ():
        if got is not None and not any(same(got, one) for one in whole):
            return "a gradient is none of those that are whole"
    for got, *whole in zip(training.statistics(), *right.statistics, strict=True) if right.passes else ():
        if not any(same(got, one) for one in whole):
            return "a buffer is none of those that are whole"
    for expected in right.values[1 + moved : 3 + moved]:
        training.step()
        if not all(map(same, training.values(), expected)):
            return "the parameters after the next step are not right"
    return ""


def _same(one: Any, other: Any) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _near(one: Any, other: Any) -> bool:
    return _same(one, other) or (one is not None and other is not None and np.allclose(one, other, 1e-4, 1e-6))


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def memory_of_steps(steps: int) -> tuple[int, int]:
    """By how many bytes a process grows in ``steps`` steps of training, after a tenth of them to warm up, and how many
    objects the collector finds afterwards that only cycles held."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.randn(64, 16), torch.randn(64, 1)

    def step(number: int) -> None:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward(create_graph=False)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if number % 50 == 0:
            (slope,) = torch.autograd.grad(net(x).sum(), [net[0].weight], create_graph=True)
            slope.square().sum().backward()

    for number in range(max(steps // 10, 10)):
        step(number)
    gc.collect()
    gc.disable()
    try:
        before = resident()
        for number in range(steps):
            step(number)
        grown = resident() - before
        return grown, gc.collect()
    finally:
        gc.enable()


def threads_of_mixed_work(seconds: float, seed: int, count: int = 8) -> tuple[list[str], int, int]:
    """Eight threads that each compute what is known beforehand: what was wrong, how many rounds, how many bytes more."""
    works = _works()
    right = [work(number) for number, work in enumerate(works)]
    shared = torch.zeros(1000, requires_grad=True)
    wrong: list[str] = []
    rounds = Counter[int]()
    end = time.monotonic() + seconds
    warm = time.monotonic() + seconds / 4
    sizes: list[int] = []

    def run(number: int) -> None:
        draw = random.Random(f"{seed}:{number}")
        while time.monotonic() < end:
            which = draw.randrange(len(works))
            try:
                got = works[which](which)
                (shared * 2).sum().backward()
            except BaseException as error:
                wrong.append(f"work {which}: {type(error).__name__}: {error}")
                return
            if not _same(got, right[which]):
                wrong.append(f"work {which} gave another result")
            rounds[number] += 1
            if number == 0 and time.monotonic() > warm:
                sizes.append(resident())

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 600)  # a whole machine may stand still meanwhile
        if thread.is_alive():
            wrong.append("a thread hangs")
    total = sum(rounds.values())
    third = len(sizes) // 3  # what is resident at a moment depends on what the threads are doing: medians of many
    grown = int(statistics.median(sizes[-third:]) - statistics.median(sizes[:third])) if third else 0
    if not wrong and not _same(shared.grad.numpy(), np.full(1000, 2.0 * total, np.float32)):
        wrong.append(f"a leaf that all threads add to has {shared.grad[0].item()} after {total} rounds")
    return wrong, total, grown


def _works() -> list[Callable[[int], Any]]:
    def net(seed: int) -> Any:
        generator = torch.Generator().manual_seed(seed)
        w = torch.randn(20, 10, generator=generator).requires_grad_()
        optimizer = torch.optim.Adam([w], lr=0.1)
        x = torch.randn(8, 20, generator=generator)
        for _ in range(3):
            optimizer.zero_grad()
            (x @ w).tanh().square().sum().backward()
            optimizer.step()
        return w.detach().numpy()

    def large(seed: int) -> Any:
        x = torch.arange(1_000_000, dtype=torch.float32).div_(1e6).requires_grad_()
        (x.sin() * x).sum().backward()
        return x.grad.numpy()

    def views(seed: int) -> Any:
        x = torch.arange(12.0).requires_grad_()
        y = x.clone()
        y.view(3, 4)[1].mul_(3)
        y[::2].exp_()
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        g.square().sum().backward()
        return x.grad.numpy()

    def batched(seed: int) -> Any:
        x = torch.arange(6.0).reshape(2, 3)
        return torch.func.vmap(torch.func.grad(lambda row: row.pow(3).sum()))(x).numpy()

    def modes(seed: int) -> Any:
        with torch.no_grad():
            silent = torch.ones(3, requires_grad=True) * 2
        with torch.inference_mode():
            silent = silent + 1
        y = torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(3, requires_grad=True), use_reentrant=False)
        y.sum().backward()
        return np.append(silent.numpy(), [float(y.requires_grad), float(torch.is_grad_enabled())])

    return [net, large, views, batched, modes]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0, help="interrupts, shared out over the trainings")
    parser.add_argument("--only", default="", help="trainings with this in their name")
    parser.add_argument("--steps", type=int, default=0, help="steps of training whose memory is measured")
    parser.add_argument("--threads", type=float, default=0, help="seconds of mixed work in eight threads")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = False
    chosen = {name: make for name, make in TRAININGS.items() if asked.only in name}
    total = 0
    for name, make in chosen.items() if asked.count else ():
        torch.set_num_threads(2)
        seen = interrupted_steps(make, -(-asked.count // len(chosen)), asked.seed)
        total += len(seen)
        print(f"{name}: {len(seen)} interrupts, {dict(Counter(one.where for one in seen))}, seed {asked.seed}", flush=True)
        for one, times in Counter(one for one in seen if one.wrong).items():
            print(f"    {times} in {one.where}: {one.wrong}")
            failed = True
    if asked.count:
        print(f"{total} interrupts")
    if asked.steps:
        grown, garbage = memory_of_steps(asked.steps)
        print(f"{asked.steps} steps: {grown / 1e6:+.2f} MB, {garbage} objects in cycles")
        failed |= grown > 4e6 or garbage > 0
    if asked.threads:
        wrong, rounds, grown = threads_of_mixed_work(asked.threads, asked.seed)
        print(f"8 threads, {asked.threads:.0f} s, {rounds} rounds: {grown / 1e6:+.1f} MB, {wrong[:5] or 'all right'}")
        failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
