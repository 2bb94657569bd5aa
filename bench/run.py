"""Run small programs on rushlight and on PyTorch, turn about in one run, and print how they compare.

    python bench/run.py [--rounds 3] [--seconds 1.0] [PROGRAM ...]

Every measurement is a process of its own, PyTorch with all its threads. The ratio of a program is the median over the
rounds of rushlight's time over PyTorch's, beside it the bound that the project has set itself.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIDES = ("rushlight", "torch")
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


def measure(side: str, program: Path, case: str, seconds: float) -> dict[str, float] | str:
    """What ``measure.py`` says of a program on one side, or the last line of its error."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    # As after any installation, bytecode is kept: rushlight would else be compiled anew in each process.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, str(HERE / "measure.py"), side, str(program), case, str(seconds)],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        return f"{side}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
    return json.loads(done.stdout)


def compare(program: Path, case: str, rounds: int, seconds: float) -> dict[str, list[dict[str, float]]] | str:
    """The measurements of both sides, round by round; the side that begins changes with the round."""
    found: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for turn in range(rounds):
        for side in SIDES if turn % 2 == 0 else reversed(SIDES):
            result = measure(side, program, case, seconds)
            if isinstance(result, str):
                return result
            found[side].append(result)
    return found


def ratio(found: dict[str, list[dict[str, float]]], what: str) -> float:
    """The median over the rounds of rushlight's value over PyTorch's."""
    pairs = zip(*(found[side] for side in SIDES), strict=True)
    return statistics.median(ours[what] / theirs[what] for ours, theirs in pairs)


def median(found: dict[str, list[dict[str, float]]], side: str, what: str) -> float:
    return statistics.median(each[what] for each in found[side])


def row(*cells: str) -> None:
    print(f"{cells[0]:44}" + "".join(f"{cell:>12}" for cell in cells[1:]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="names in bench/programs; all where none is given")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=1.0, help="time that one measurement takes")
    options = parser.parse_args()
    programs = sorted((HERE / "programs").glob("*.py"))
    unknown = set(options.programs) - {program.stem for program in programs}
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    chosen = [program for program in programs if not options.programs or program.stem in options.programs]

    all_found, failures = [], 0
    row("program", "rushlight us", "PyTorch us", "ratio", "bound", "MB", "PyTorch MB")
    for program in chosen:
        title_of_program, cases = description(program)
        for case, bound in cases.items():
            title = f"{title_of_program} {case}".strip()
            found = compare(program, case, options.rounds, options.seconds)
            if isinstance(found, str):
                failures += 1
                print(f"{title:44}  {found}", flush=True)
                continue
            all_found.append(found)
            times = [f"{median(found, side, 'step') * 1e6:,.1f}" for side in SIDES]
            memory = [f"{median(found, side, 'memory') / 2**20:.0f}" for side in SIDES]
            row(title, *times, f"{ratio(found, 'step'):.2f}", f"{bound:.2f}", *memory)
    if all_found:
        summary("import", [ratio(found, "import") for found in all_found], IMPORT_BOUND)
        summary("peak memory", [ratio(found, "memory") for found in all_found], MEMORY_BOUND)
        summary("geometric mean of the ratios", [ratio(found, "step") for found in all_found], MEAN_BOUND)
    return 1 if failures else 0


def summary(title: str, ratios: list[float], bound: float) -> None:
    """One line for all programs together."""
    row(title, "", "", f"{statistics.geometric_mean(ratios):.2f}", f"{bound:.2f}")


if __name__ == "__main__":
    sys.exit(main())
