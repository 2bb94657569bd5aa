"""What one busy process beside it does to a program: its time there over its time alone, on all threads.

    python bench/beside.py [--rounds 3] [--seconds 0.5] [--threads N] [PROGRAM ...]

Threads that wait for one another in a loop wait for the busy process too, whenever it has the processor of one of them. The programs
are those of bench/programs and bench/models; without names, those whose kernels share threads.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
from collections.abc import Iterator

from run import MODELS, PROGRAMS
from turns import SIDES, Failed, ask, row

BOUND = 3.0
USUAL = ("attention", "convolution", "mlp", "matmul", "digits", "gpt", "recurrent")


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """A process that computes without end."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="names of programs")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each kind")
    parser.add_argument("--seconds", type=float, default=0.5, help="time that one measurement takes")
    parser.add_argument("--threads", type=int, help="threads of each side; all, where not given")
    options = parser.parse_args()

    row("program", "alone us", "beside us", "times", "bound", "PyTorch")
    over = 0
    for name in options.programs or USUAL:
        program = next(folder / f"{name}.py" for folder in (PROGRAMS, MODELS) if (folder / f"{name}.py").exists())
        times = {}
        for side in SIDES:
            with contextlib.suppress(Failed):
                found = []
                for _ in range(options.rounds):
                    arguments = ("measure.py", str(program), "", str(options.seconds), side)
                    alone = ask(*arguments, threads=options.threads)["step"]
                    with busy():
                        found.append((alone, ask(*arguments, threads=options.threads)["step"]))
                times[side] = [statistics.median(each) for each in zip(*found, strict=True)]
        alone, beside = times[SIDES[0]]
        over += beside > BOUND * alone
        theirs = f"{times[SIDES[1]][1] / times[SIDES[1]][0]:.2f}" if SIDES[1] in times else ""
        row(name, f"{alone * 1e6:,.1f}", f"{beside * 1e6:,.1f}", f"{beside / alone:.2f}", f"{BOUND:.2f}", theirs)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
