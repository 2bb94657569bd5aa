"""Libraries written for PyTorch, doing on rushlight what their READMEs show.

Each program in programs/GROUP is a plain PyTorch program, whose libraries stand in GROUP.txt. ``run.py`` runs them where
``rushlight install-torch`` has made ``torch`` mean rushlight, and compares what they print with recorded/, which
``run.py --record`` writes by running the same programs on PyTorch. Text must be equal, numbers close.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bnan\b|\binf\b")
STUBS = Path(sysconfig.get_path("purelib"), "torchvision.libs")  # what built_for_cuda.py makes is there
SECONDS = 300
# Relative differences allowed, of numbers below SMALL relative to SMALL: training steps in float32 carry roundings along.
CLOSE = 1e-3
SMALL = 1e-2


def main() -> int:
    """Runs the programs that the command line names, or all, and prints a table. 1 where one does not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="run on PyTorch and keep what is printed")
    parser.add_argument("--group", default="*", help="training, networks or science; all where left out")
    parser.add_argument("names", nargs="*", default=["*"], help="programs, without .py")
    options = parser.parse_args()
    paths = sorted(path for name in options.names for path in HERE.glob(f"programs/{options.group}/{name}.py"))
    if options.record:
        RECORDED.mkdir(exist_ok=True)
        for path in paths:
            output, error, _ = run([sys.executable, str(path)])
            if error:
                print(f"{path.stem}: {error}")
                return 1
            (RECORDED / f"{path.stem}.txt").write_text(output)
        return 0
    print(f"{'program':<24} {'lines':>5} {'numbers':>7} {'worst':>8} {'seconds':>7}")
    failed = 0
    for path in paths:
        output, error, seconds = run([sys.executable, str(path)])
        count, worst, difference = compared(output, (RECORDED / f"{path.stem}.txt").read_text())
        problem = error or difference or (f"a number differs by {worst:.1e}" if worst > CLOSE else "")
        failed += bool(problem)
        print(
            f"{path.stem:<24} {len(output.splitlines()):>5} {count:>7} {worst:>8.1e} {seconds:>7.1f}  {problem or 'agrees'}",
            flush=True,
        )
    print(f"{len(paths) - failed} of {len(paths)} programs agree with PyTorch")
    return int(failed > 0)


def run(command: list[str]) -> tuple[str, str, float]:
    """What a program prints, the last line of its error if it fails, and how long it took."""
    start = time.perf_counter()
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    if STUBS.exists():
        environment["LD_LIBRARY_PATH"] = str(STUBS)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return "", f"takes more than {SECONDS} s", SECONDS
    error = (done.stderr.strip().splitlines() or ["fails"])[-1] if done.returncode else ""
    return done.stdout, error, time.perf_counter() - start


def compared(output: str, expected: str) -> tuple[int, float, str]:
    """How many numbers were compared, the worst relative difference, and the first line whose text differs."""
    ours, theirs = output.splitlines(), expected.splitlines()
    count, worst = 0, 0.0
    for one, other in zip(ours, theirs, strict=False):
        if NUMBER.sub("#", one) != NUMBER.sub("#", other):
            return count, worst, f"prints {one[:60]!r} instead of {other[:60]!r}"
        for number, target in zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other)), strict=True):
            count += 1
            if number != target and not (number != number and target != target):
                difference = abs(number - target) / max(abs(target), SMALL)
                worst = max(worst, difference) if difference == difference else float("inf")
    if len(ours) != len(theirs):
        return count, worst, f"prints {len(ours)} lines instead of {len(theirs)}"
    return count, worst, ""


if __name__ == "__main__":
    sys.exit(main())
