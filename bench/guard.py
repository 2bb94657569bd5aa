"""The short bench of CI: fails when a ratio is over twice its bound in each of three tries.

    python bench/guard.py [PROGRAM ...]

Both sides have one thread: thread pools slow down a hundredfold where other programs hold the processors. A second or third
try is the median of three rounds, so that what else the machine does has to last to be seen.
"""

from __future__ import annotations

import sys

from run import cases, compare
from turns import ratio, row

ROUNDS, SLACK, SECONDS = (1, 3, 3), 2.0, 0.3  # as many tries


def main(names: list[str]) -> int:
    row("program", "ratio", "limit", "try")
    waiting = cases(names)
    for turn, rounds in enumerate(ROUNDS, 1):
        over = []
        for case in waiting:
            program, name, title, bound = case
            found = ratio(compare(program, name, rounds, SECONDS, 1), "step")
            row(title, f"{found:.2f}", f"{SLACK * bound:.2f}", str(turn))
            if found > SLACK * bound:
                over.append(case)
        waiting = over
    for _, _, title, bound in waiting:
        print(f"{title}: over {SLACK * bound:.2f} times PyTorch's time in each of {len(ROUNDS)} tries")
    return 1 if waiting else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
