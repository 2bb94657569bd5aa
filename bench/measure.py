"""Time one program on one side, in this process: ``measure.py PROGRAM CASE SECONDS SIDE``, JSON on stdout.

SIDE is rushlight, torch, or numpy for a program that imports neither. A program is a file with ``setup(...)``, whose
result (a tuple) ``step(...)`` is called with. The time of a step is the best of several batches; the peak memory is that
of the whole process, imports included.
"""

from __future__ import annotations

import json
import resource
import runpy
import sys
import time

from turns import begin

BATCHES = 8


def main(program: str, case: str, seconds: str, side: str) -> None:
    began = time.perf_counter()
    library = begin(side)
    imported = time.perf_counter() - began
    getattr(library, "manual_seed", lambda seed: None)(0)
    names = runpy.run_path(program)
    step, state = names["step"], names["setup"](*names.get("CASES", {}).get(case, ()))
    json.dump(
        {
            "import": imported,
            "step": best_time(step, state, float(seconds)),
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        },
        sys.stdout,
    )


def best_time(step, state, seconds: float) -> float:
    """Seconds that one step takes, after steps that warm caches and thread pools up."""
    once = time_of(step, state, 1)
    warm = time.perf_counter() + seconds / 4
    while time.perf_counter() < warm:
        once = min(once, time_of(step, state, 1))
    steps = max(1, round(seconds / BATCHES / once))
    return min(time_of(step, state, steps) / steps for _ in range(BATCHES))


def time_of(step, state, steps: int) -> float:
    began = time.perf_counter()
    for _ in range(steps):
        step(*state)
    return time.perf_counter() - began


if __name__ == "__main__":
    main(*sys.argv[1:])
