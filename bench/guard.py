"""The short bench of CI: fails when a ratio is over twice its bound in each of three tries.

    python bench/guard.py [PROGRAM ...]

Both sides have one thread: thread pools slow down a hundredfold where other programs hold the processors.
"""

from __future__ import annotations

import sys

from run import cases, compare
from turns import ratio, row

TRIES, SLACK, SECONDS = 3, 2.0, 0.3


def main(names: list[str]) -> int:
    row("program", "ratio", "limit", "try")
    waiting = cases(names)
    for turn in range(1, TRIES + 1):
        over = []
        for case in waiting:
            program, name, title, bound = case
            found = ratio(compare(program, name, 1, SECONDS, 1), "step")
            row(title, f"{found:.2f}", f"{SLACK * bound:.2f}", str(turn))
            if found > SLACK * bound:
                over.append(case)
        waiting = over
    for _, _, title, bound in waiting:
        print(f"{title}: over {SLACK * bound:.2f} times PyTorch's time in each of {TRIES} tries")
    return 1 if waiting else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
