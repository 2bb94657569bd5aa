"""Measurements of rushlight and of PyTorch in turns: each in a process of its own, and each side begins every other round.

What other programs do to the machine meets both sides alike, so only ratios of one call are printed for comparison.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SIDES = ("rushlight", "torch")


class Failed(Exception):
    """A measurement ended with an error; the message is the last line that it wrote."""


def begin(side: str) -> Any:
    """The library of a side, in the process that measures it."""
    torch = importlib.import_module(side)
    if side == "rushlight":
        torch.install_as_torch()
    return torch


def ask(script: str, *arguments: str, threads: int | None = None) -> Any:
    """What a script of this folder writes as JSON, in a process of its own with so many threads; all, if None."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    # As after any installation, bytecode is kept: rushlight would else be compiled anew in each process.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if threads is not None:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[name] = str(threads)
    if threads == 1:
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise Failed(f"{' '.join(arguments)}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return json.loads(done.stdout)


def in_turns(question: Callable[[str], Any], rounds: int, sides: Iterable[str] = SIDES) -> dict[str, list[Any]]:
    """The answers of each side, round by round."""
    sides = tuple(sides)
    found: dict[str, list[Any]] = {side: [] for side in sides}
    for turn in range(rounds):
        for side in sides if turn % 2 == 0 else sides[::-1]:
            found[side].append(question(side))
    return found


def ratio(found: dict[str, list[Any]], what: str) -> float:
    """The median over the rounds of rushlight's value over PyTorch's."""
    ours, theirs = (found[side] for side in SIDES)
    return statistics.median(a[what] / b[what] for a, b in zip(ours, theirs, strict=True))


def median(found: dict[str, list[Any]], side: str, what: str) -> float:
    return statistics.median(each[what] for each in found[side])


def row(*cells: str, first: int = 44) -> None:
    print(f"{cells[0]:{first}}" + "".join(f"{cell:>13}" for cell in cells[1:]), flush=True)
