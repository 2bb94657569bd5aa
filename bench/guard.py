"""The short bench of CI: fails when a ratio is over twice its bound in each of three tries.

    python bench/guard.py [PROGRAM ...]

Both sides have one thread: thread pools slow down a hundredfold where other programs hold the processors. The
second and third try take each side's best of several rounds: what else the machine does only ever adds to a time.
"""

from __future__ import annotations

import sys

from run import cases, compare
from turns import SIDES, row

ROUNDS, SLACK, SECONDS = (1, 3, 9), 2.0, 0.3  # as many tries


def main(names: list[str]) -> int:
    row("program", "ratio", "limit", "try")
    waiting = cases(names)
    for turn, rounds in enumerate(ROUNDS, 1):
        over = []
        for case in waiting:
            program, name, title, bound = case
            found = compare(program, name, rounds, SECONDS, 1)
            ours, theirs = (min(each["step"] for each in found[side]) for side in SIDES)
            row(title, f"{ours / theirs:.2f}", f"{SLACK * bound:.2f}", str(turn))
            if ours > SLACK * bound * theirs:
                over.append(case)
        waiting = over
    for _, _, title, bound in waiting:
        print(f"{title}: over {SLACK * bound:.2f} times PyTorch's time in each of {len(ROUNDS)} tries")
    return 1 if waiting else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
