"""Compiled programs beside PyTorch eager, in turns; and how many of the idioms are captured.

    python bench/compiled.py [--rounds 3] [--seconds 0.2] [--threads 1] [--backend replay [--backend xla]] [--inductor] [NAME ...]
    python bench/compiled.py --first [NAME ...]
    python bench/compiled.py --captured
    python bench/compiled.py --slower [NAME ...]

Each side is a process of its own: rushlight eager, rushlight compiled with all its guards by each backend, PyTorch eager, and with
`--inductor` PyTorch's torch.compile, which takes minutes to compile and needs g++. Ratios are to PyTorch eager, medians over the
rounds. A program that gains nothing is left as it is by torch.compile, which `--captured` tells too.

`--slower` tells which idioms, or programs that are named, take over 5 per cent longer compiled than as they are, in turns in one
process.

`--first` tells what compiling costs: seconds that the first two calls take more than two as they are, with nothing kept from
before and with what an earlier process has kept.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from idioms import programs
from measure import best_time, time_of
from turns import HERE, Failed, ask, begin, in_turns, row

STEPS = 80  # calls after which it is known whether a program is replayed
KEPT = {"xla": "XDG_CACHE_HOME", "inductor": "TORCHINDUCTOR_CACHE_DIR"}  # where a compiler is told to keep what it has compiled


def elementwise(size: int) -> Callable[[], Callable[[], Any]]:
    """A program of a few pointwise ops on so many numbers, with its backward pass."""

    def make() -> Callable[[], Any]:
        import torch

        x, y = torch.randn(size, requires_grad=True), torch.randn(size)

        def step() -> None:
            ((x * y + x.sigmoid()) * x.tanh() - y).pow(2).sum().backward()
            x.grad = None

        return step

    return make


def lstm_by_hand() -> Callable[[], Any]:
    import torch

    w, u, b = (torch.randn(*shape).mul(0.1).requires_grad_() for shape in ((16, 256), (64, 256), (256,)))
    x = torch.randn(32, 8, 16)

    def step() -> None:
        h = c = torch.zeros(8, 64)
        for one in x:
            i, f, g, o = (one @ w + h @ u + b).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        h.pow(2).mean().backward()
        w.grad = u.grad = b.grad = None

    return step


def transformer() -> Callable[[], Any]:
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    head, optimizer = nn.Linear(64, 10), torch.optim.AdamW([*layer.parameters()], lr=1e-3)
    x, y = torch.randn(8, 32, 64), torch.randint(0, 10, (8 * 32,))

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(layer(x)).view(-1, 10), y).backward()
        optimizer.step()
        head.zero_grad()

    return step


def of_file(path: str) -> Callable[[], Callable[[], Any]]:
    """A program of bench/programs or bench/models."""

    def make() -> Callable[[], Any]:
        name = Path(path).stem
        spec = importlib.util.spec_from_file_location(name, HERE / path)
        assert spec is not None and spec.loader is not None
        program = sys.modules[name] = importlib.util.module_from_spec(spec)  # where PyTorch's compiler looks for its globals
        spec.loader.exec_module(program)
        given = program.setup()
        return lambda: program.step(*given)

    return make


OWN: dict[str, Callable[[], Callable[[], Any]]] = {
    "elementwise, 4 numbers": elementwise(4),
    "elementwise, 10,000": elementwise(10_000),
    "elementwise, 1,000,000": elementwise(1_000_000),
    "MLP": of_file("programs/mlp.py"),
    "digits, Adam": of_file("models/digits.py"),
    "GPT, AdamW": of_file("models/gpt.py"),
    "LSTM, loop in Python": lstm_by_hand,
    "nn.LSTM": of_file("models/recurrent.py"),
    "convolutions": of_file("programs/convolution.py"),
    "attention": of_file("programs/attention.py"),
    "transformer layer, AdamW": transformer,
}
FROM_IDIOMS = ("adam_mlp", "sgd_momentum", "logistic", "convolutions_with_batch_norm", "encoder_layer", "letters_by_gru", "vae")


def chosen(names: list[str]) -> dict[str, Callable[[], Callable[[], Any]]]:
    """The programs of these names; those that are reported, where none is named."""
    every = {**OWN, **programs()}
    return {name: every[name] for name in names or [*OWN, *FROM_IDIOMS]}


def measure(side: str, names: list[str], seconds: float) -> dict[str, float]:
    """Seconds that a step of each program takes in this process."""
    return {name: best_time(lambda call: call(), (call,), seconds) for name, (call, _) in started(side, names).items()}


def started(side: str, names: list[str]) -> dict[str, tuple[Callable[[], Any], float]]:
    """Each program after so many calls, and how many seconds its first two took more than two of the last ones."""
    torch = begin("torch" if side in ("torch", "inductor") else "rushlight")
    torch.manual_seed(0)
    found = {}
    for name, program in chosen(names).items():
        step = program()
        call = step if side in ("eager", "torch") else torch.compile(step, backend=side)
        times = []
        for _ in range(STEPS):
            began = time.perf_counter()
            call()
            times.append(time.perf_counter() - began)
        found[name] = call, sum(times[:2]) - 2 * statistics.median(times[2:])
    return found


def first_calls(names: list[str], sides: tuple[str, ...], threads: int) -> int:
    """Prints what compiling each program costs."""
    columns: dict[str, dict[str, float]] = {}
    for side in sides:
        with tempfile.TemporaryDirectory() as folder:
            if side in KEPT:
                os.environ[KEPT[side]] = folder
            for kept in ("", ", kept")[: 2 if side in KEPT else 1]:
                given = (*names, "--first", "--side", side)
                columns[side + kept] = ask("compiled.py", *given, threads=threads)
    row("seconds more in the first two calls", *columns)
    for name in columns[sides[0]]:
        row(name.replace("_", " "), *(f"{column[name]:.2f}" for column in columns.values()))
    return 0


def captured(backend: str) -> int:
    """Prints for each idiom whether it is captured, and if not why; then how many are."""
    torch = begin("rushlight")
    every, count, kept = programs(), 0, 0
    for name, program in every.items():
        torch.manual_seed(0)
        call = torch.compile(program(), backend=backend)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(STEPS):
                call()
        form = call._compiled.forms[-1]
        count += form.program is not None
        kept += form.replays is True
        print(f"{name:40} {'captured' if form.program is not None else 'as it is: ' + form.reason.reason}")
    print(f"{count} of {len(every)} programs are captured, {kept} of them replayed, which is faster there")
    return 0


def slower(names: list[str], backend: str, threads: int) -> int:
    """Prints each idiom that is slower compiled, once it is known what is fastest, by the best of several turns."""
    torch = begin("rushlight")
    torch.set_num_threads(threads)
    ratios = {}
    for name, program in (chosen(names) if names else programs()).items():
        torch.manual_seed(0)
        calls = [step := program(), torch.compile(step, backend=backend)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(STEPS):
                calls[1]()
            steps = max(1, round(0.001 / time_of(lambda call: call(), (calls[0],), 1)))
            turns = [[time_of(lambda call: call(), (call,), steps) / steps for call in calls] for _ in range(20)]
        eager, fast = (min(one) for one in zip(*turns, strict=True))
        ratios[name] = fast / eager
        if ratios[name] > 1.05:
            print(f"{name:40} {eager * 1e6:10,.1f} us as it is, {fast * 1e6:10,.1f} us compiled: {ratios[name]:.2f}")
    late = sum(ratio > 1.05 for ratio in ratios.values())
    mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
    print(f"{late} of {len(ratios)} programs are over 5 per cent slower; geometric mean of all {mean:.2f}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=0.2, help="time that one measurement of one program takes")
    parser.add_argument("--threads", type=int, default=1, help="threads of each side")
    parser.add_argument("--backend", action="append", help="that of torch.compile: replay unless one or several are named")
    parser.add_argument("--inductor", action="store_true", help="PyTorch's torch.compile too")
    parser.add_argument("--first", action="store_true", help="what compiling costs")
    parser.add_argument("--captured", action="store_true", help="how many of the idioms are captured")
    parser.add_argument("--slower", action="store_true", help="which of the idioms are slower compiled")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    backends = tuple(options.backend or ["replay"])
    if options.captured:
        return captured(backends[0])
    if options.slower:
        return slower(options.names, backends[0], options.threads)
    if options.side:
        if options.first:
            found: Any = {name: first for name, (_, first) in started(options.side, options.names).items()}
        else:
            found = measure(options.side, options.names, options.seconds)
        json.dump(found, sys.stdout)
        return 0
    compilers = (*backends, *(["inductor"] if options.inductor else []))
    if options.first:
        return first_calls(options.names, compilers, options.threads)

    def question(side: str) -> Any:
        given = (*options.names, "--seconds", str(options.seconds), "--side", side)
        return ask("compiled.py", *given, threads=options.threads)

    try:
        found = in_turns(question, options.rounds, ("eager", *compilers, "torch"))
    except Failed as failure:
        print(failure)
        return 1
    row("program", "PyTorch us", "eager", *compilers)
    logs: dict[str, list[float]] = {side: [] for side in ("eager", *compilers)}
    for name in found["torch"][0]:
        cells = []
        for side, log in logs.items():
            ratio = statistics.median(ours[name] / its[name] for ours, its in zip(found[side], found["torch"], strict=True))
            log.append(math.log(ratio))
            cells.append(f"{ratio:.2f}")
        row(name.replace("_", " "), f"{statistics.median(one[name] for one in found['torch']) * 1e6:,.0f}", *cells)
    row("geometric mean", "", *(f"{math.exp(statistics.fmean(one)):.2f}" for one in logs.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
