"""How far rushlight and PyTorch are from NumPy code written by hand, with its gradients worked out: the floor.

python bench/floors.py [--rounds 3] [--seconds 0.5] [--threads N]
"""

from __future__ import annotations

import argparse
import sys

from run import PROGRAMS, description
from turns import HERE, SIDES, ask, in_turns, median, row

BY_HAND = HERE / "by_hand"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=0.5, help="time that one measurement takes")
    parser.add_argument("--threads", type=int, help="threads of each side; all, where not given")
    options = parser.parse_args()
    row("program", "by hand us", "rushlight us", "PyTorch us", "rushlight/", "PyTorch/")
    for by_hand in sorted(BY_HAND.glob("*.py")):
        program = PROGRAMS / by_hand.name

        def question(side: str, programs=(by_hand, program)) -> dict[str, float]:
            return ask("measure.py", str(programs[side != "numpy"]), "", str(options.seconds), side, threads=options.threads)

        found = in_turns(question, options.rounds, ("numpy", *SIDES))
        times = [median(found, side, "step") * 1e6 for side in ("numpy", *SIDES)]
        row(description(program)[0], *(f"{each:,.1f}" for each in times), *(f"{each / times[0]:.2f}" for each in times[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
