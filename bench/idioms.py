"""Some ninety short programs as people write them, forward and backward, on rushlight and on PyTorch: the slowest beside it first.

    python bench/idioms.py [--rounds 3] [--seconds 0.1] [--threads N] [NAME ...]

They are the functions of the files in idioms/: each makes its data and gives back the step to be timed. Each side is a process of
its own, in turns; the ratio is the median over the rounds.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import runpy
import sys
from collections.abc import Callable
from typing import Any

from measure import best_time
from turns import HERE, SIDES, Failed, ask, begin, in_turns, median, ratio, row


def programs() -> dict[str, Callable[[], Callable[[], Any]]]:
    """The programs by name, those of one file after those of another."""
    found: dict[str, Any] = {}
    for path in sorted((HERE / "idioms").glob("*.py")):
        names = runpy.run_path(str(path))
        found.update({name: names[name] for name in names["PROGRAMS"]})
    return found


def measure(side: str, wanted: list[str], seconds: float) -> dict[str, float]:
    """Seconds that a step of each program takes in this process, by its name."""
    begin(side)
    return {
        name.replace("_", " "): best_time(lambda step: step(), (program(),), seconds)
        for name, program in programs().items()
        if not wanted or name in wanted
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, with _ for blanks; all, where none is named")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=0.1, help="time that one measurement of one program takes")
    parser.add_argument("--threads", type=int, help="threads of each side; all, where not given")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        json.dump(measure(options.side, options.names, options.seconds), sys.stdout)
        return 0
    question = functools.partial(
        ask, "idioms.py", *options.names, "--seconds", str(options.seconds), "--side", threads=options.threads
    )
    try:
        found = in_turns(question, options.rounds)
    except Failed as failure:
        print(failure)
        return 1
    ratios = {name: ratio(found, name) for name in found[SIDES[0]][0]}
    row("program, forward and backward", "rushlight us", "PyTorch us", "ratio")
    for name in sorted(ratios, key=ratios.__getitem__, reverse=True):
        row(name, *(f"{median(found, side, name) * 1e6:,.0f}" for side in SIDES), f"{ratios[name]:.2f}")
    row("geometric mean", "", "", f"{math.exp(math.fsum(map(math.log, ratios.values())) / len(ratios)):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
