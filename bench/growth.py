"""How time and memory grow with the length of a chain of ops: flat per op, on both sides, if all is well.

    python bench/growth.py [--rounds 1] [LENGTH ...]

A chain is ``y = y * 1.01`` on 2 x 2. Both sides have one thread; short chains are repeated. ``backward / forward`` is
rushlight's own; the memory of a length is what the process grew by, in a process of its own.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import sys
import time

from turns import SIDES, ask, begin, in_turns, median, ratio, row

LENGTHS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
REPEATED = 20_000  # ops of a measurement, at least


def measure(side: str, length: int) -> dict[str, float]:
    torch = begin(side)
    torch.set_num_threads(1)
    x, gradient = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)

    def chain():
        y = x
        for _ in range(length):
            y = y * 1.01
        return y

    (x * 1.01).backward(gradient)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(max(1, REPEATED // length)):
        x.grad = None
        began = time.perf_counter()
        y = chain()
        recorded = time.perf_counter()
        y.backward(gradient)
        ended = time.perf_counter()
        del y
        times.append((recorded - began, ended - recorded, time.perf_counter() - began))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    forward, backward, whole = (min(parts) / length for parts in zip(*times, strict=True))
    return {"forward": forward, "backward": backward, "whole": whole, "memory": max(after - before, 1) * 1024}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lengths", nargs="*", type=int, metavar="LENGTH", help="ops in a chain; 10 to 1,000,000 if not given")
    parser.add_argument("--rounds", type=int, default=1, help="measurements of each side")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    lengths = options.lengths or LENGTHS
    if options.side:
        json.dump(measure(options.side, lengths[0]), sys.stdout)
        return 0
    row("ops in a chain", "us per op", "PyTorch us", "ratio", "back/forward", "MB", "PyTorch MB", "ratio", first=16)
    for length in lengths:
        found = in_turns(functools.partial(ask, "growth.py", str(length), "--side", threads=1), options.rounds)
        ours, theirs = (median(found, side, "whole") * 1e6 for side in SIDES)
        share = median(found, "rushlight", "backward") / median(found, "rushlight", "forward")
        cells = [f"{length:,}", f"{ours:.2f}", f"{theirs:.2f}", f"{ratio(found, 'whole'):.2f}", f"{share:.2f}"]
        if length >= 10_000:  # below, pages taken before are enough
            cells += [f"{median(found, side, 'memory') / 2**20:.1f}" for side in SIDES] + [f"{ratio(found, 'memory'):.2f}"]
        row(*cells, first=16)
    return 0


if __name__ == "__main__":
    sys.exit(main())
