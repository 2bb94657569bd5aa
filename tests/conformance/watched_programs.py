"""Random programs while somebody looks on: what a program holds stays as it was, and it does what it does alone.

    PYTHONPATH=tests:tests/trust .oracle/bin/python -X dev tests/conformance/watched_programs.py --count 4000 --seed 1

The seed decides the onlooker. All that a program holds is compared before and after each line, and so is what the onlooker has
kept of passes: only what lies in memory of the program's own may change, at a line that writes. Under coverage nothing is kept.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from forked import Ended, answers
from onlookers import OtherThread, Watcher, by_the_frame, profiled, strongly, traced, weakly
from op_samples import load_candidate
from program_held import EXPORTS, accumulates, writes
from program_sides import Difference, Run, Running, judge, run
from program_wide import VOCABULARIES, vocabulary_of
from random_programs import write_program
from sides import Side

import rushlight

try:
    import coverage
except ImportError:  # `make watched` installs it
    coverage = None

Watched = Callable[[Watcher], Any]


@contextmanager
def covered(watcher: Watcher) -> Iterator[None]:
    """Line by line under coverage, which looks at the package's files too."""
    looking = coverage.Coverage(data_file=None, branch=True, source_pkgs=["rushlight"])
    looking.start()
    try:
        yield
    finally:
        looking.stop()


KEPT: dict[str, Callable[[Any], Any]] = {"names": strongly, "frames": by_the_frame, "weakly": weakly, "thread": OtherThread()}
WAYS: dict[str, tuple[Watched, Callable[[Any], Any]]] = {
    **{f"settrace, {name}": (traced, keep) for name, keep in KEPT.items()},
    **{f"setprofile, {name}": (profiled, keep) for name, keep in KEPT.items()},
    **({} if coverage is None else {"coverage": (covered, weakly)}),
}
MEMORY = 4 << 30
TOGETHER = 200  # programs of one process: ops are compiled in each anew


def watched_run(candidate: Side, lines: list[str], watcher: Watcher, watched: Watched) -> tuple[Run, str]:
    """What the program did, and at which line something changed that the onlooker keeps; an empty text where nothing has."""
    running = Running(candidate)
    for line in lines:
        with watched(watcher):
            running.take(line)
        own = [array for value in running.space.values() for array in _memory(value)] if writes(line) else []
        for place, (held, before) in enumerate(watcher.kept):
            array = held()
            if array is None or array.tobytes() == before.tobytes():
                continue
            if not any(np.may_share_memory(one, array) for one in own):
                return (running.steps, running.end()), f"what the onlooker kept has changed at `{line}`"
            watcher.kept[place] = (held, array.copy())
    return (running.steps, running.end()), ""


def _memory(value: Any) -> list[Any]:
    """The arrays of a tensor of the program's and of its gradient, of an export, or of a list of such."""
    if isinstance(value, list):
        return [array for one in value for array in _memory(one)]
    if isinstance(value, EXPORTS):
        return [np.asarray(value)]
    if not isinstance(value, rushlight.Tensor):
        return []
    return [value._array, *(_memory(value.grad) if accumulates(value) and value.grad is not None else [])]


def answer(candidate: Side, seed: int, way: str, vocabulary: str) -> tuple[str, int, str]:
    """The onlooker, how many arrays it kept, and what is wrong; an empty text where nothing is."""
    watched, keep = WAYS[way]
    lines = write_program(random.Random(seed), 10, vocabulary_of(seed // len(WAYS), vocabulary))
    watcher = Watcher(OtherThread() if isinstance(keep, OtherThread) else keep)
    try:
        plain = run(candidate, lines)
        found, said = watched_run(candidate, lines, watcher, watched)
        wrong = judge(lines, found, plain)
    except Difference as held:
        said, wrong = "", held
    said = said or ("" if wrong is None else str(wrong))
    return way, len(watcher.kept), said and "\n".join([said, *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--vocabulary", default="mixed", choices=[*VOCABULARIES, "mixed"])
    asked = parser.parse_args()
    candidate = load_candidate("rushlight")
    seeds = range(asked.seed, asked.seed + asked.count)
    print(f"{asked.count} programs from seed {asked.seed}, dev mode {sys.flags.dev_mode}", flush=True)

    def begin() -> None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        torch.set_num_threads(1)

    ways = list(WAYS)
    said: list[Any] = []
    for start in range(0, asked.count, TOGETHER):
        part = seeds[start : start + TOGETHER]

        def one(place: int, part: range = part) -> tuple[str, int, str]:
            return answer(candidate, part[place], ways[part[place] % len(ways)], asked.vocabulary)

        said += answers(len(part), begin, one, MEMORY)
    ended = {seed: each for seed, each in zip(seeds, said, strict=True) if isinstance(each, Ended)}
    done = [(seed, *each) for seed, each in zip(seeds, said, strict=True) if not isinstance(each, Ended)]
    arrays = collections.Counter[str]()
    for _, name, kept, _ in done:
        arrays[name] += kept
    for name, count in collections.Counter(name for _, name, _, _ in done).items():
        print(f"{name:22} {count:6} programs, {arrays[name]:8} arrays kept")
    for seed, each in ended.items():
        print(f"seed {seed}: {each}")
    wrong = [each for each in done if each[3]]
    for seed, name, _, text in wrong:
        print(f"\nseed {seed}, {name}: {text}")
    print(f"{len(wrong)} of {len(done)} differ from what they do alone; {len(ended)} ended their process, or took too long")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
