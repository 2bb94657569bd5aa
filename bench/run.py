"""Run small programs on rushlight and on PyTorch, turn about in one run, and print how they compare.

    python bench/run.py [--models] [--rounds 3] [--seconds 1.0] [--threads N] [PROGRAM ...]

The programs are those of bench/programs, whose bounds the project has set itself, or with --models those of bench/models:
training steps made of modules, optimizers and data loaders.

Each side has all its threads unless told otherwise. The ratio of a program is the median over the rounds of rushlight's
time over PyTorch's.
"""

from __future__ import annotations

import argparse
import ast
import functools
import statistics
import sys
from pathlib import Path
from typing import Any

from turns import HERE, SIDES, Failed, ask, in_turns, median, ratio, row

PROGRAMS, MODELS = HERE / "programs", HERE / "models"
IMPORT_BOUND, MEMORY_BOUND, MEAN_BOUND = 0.20, 0.50, 0.65


def description(program: Path) -> tuple[str, dict[str, float]]:
    """A program's TITLE and the bound of each of its cases, read without running it: it would import torch here."""
    assigned = {
        target.id: node.value
        for node in ast.parse(program.read_text()).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    bound = ast.literal_eval(assigned["BOUND"])
    return ast.literal_eval(assigned["TITLE"]), bound if isinstance(bound, dict) else {"": bound}


def cases(names: list[str], folder: Path = PROGRAMS) -> list[tuple[Path, str, str, float]]:
    """Program, case, title and bound of the programs with these names; of all where none is given."""
    programs = sorted(folder.glob("*.py"))
    unknown = set(names) - {program.stem for program in programs}
    if unknown:
        raise SystemExit(f"no such program: {', '.join(sorted(unknown))}")
    found = []
    for program in programs:
        if not names or program.stem in names:
            title, bounds = description(program)
            found += [(program, case, f"{title} {case}".strip(), bound) for case, bound in bounds.items()]
    return found


def compare(program: Path, case: str, rounds: int, seconds: float, threads: int | None) -> dict[str, list[Any]]:
    """What ``measure.py`` says of both sides."""
    return in_turns(functools.partial(ask, "measure.py", str(program), case, str(seconds), threads=threads), rounds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="names of programs; all where none is given")
    parser.add_argument("--models", action="store_true", help="the programs of bench/models")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=1.0, help="time that one measurement takes")
    parser.add_argument("--threads", type=int, help="threads of each side; all, where not given")
    options = parser.parse_args()

    all_found, failures = [], 0
    row("program", "rushlight us", "PyTorch us", "ratio", "bound", "MB", "PyTorch MB")
    for program, case, title, bound in cases(options.programs, MODELS if options.models else PROGRAMS):
        try:
            found = compare(program, case, options.rounds, options.seconds, options.threads)
        except Failed as failure:
            failures += 1
            print(f"{title:44}  {failure}", flush=True)
            continue
        all_found.append(found)
        times = [f"{median(found, side, 'step') * 1e6:,.1f}" for side in SIDES]
        memory = [f"{median(found, side, 'memory') / 2**20:.0f}" for side in SIDES]
        row(title, *times, f"{ratio(found, 'step'):.2f}", f"{bound:.2f}", *memory)
    if all_found:
        for title, what, bound in (
            ("import", "import", IMPORT_BOUND),
            ("peak memory", "memory", MEMORY_BOUND),
            ("geometric mean of the ratios", "step", MEAN_BOUND),
        ):
            ratios = [ratio(found, what) for found in all_found]
            row(title, "", "", f"{statistics.geometric_mean(ratios):.2f}", f"{bound:.2f}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
