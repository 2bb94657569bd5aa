"""Every public function and method with arguments that do not fit, in subprocesses: no crash, no hang, memory bounded.

    python tests/trust/arguments.py --count 3                      # of each name; without PyTorch
    .oracle/bin/python tests/trust/arguments.py --count 60 --oracle  # the kind of error and what is accepted, held against PyTorch

A call runs in a forked process with a limit on memory and time. What ends that process is found by its exit status, and the
calls behind it run in another one.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import json
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from argument_calls import calls, public_names, space
from forked import Ended, answers

MEMORY = 3 << 30  # bytes beyond what the imports take
# No sentence of PyTorch's is behind these: they come from inside.
INNER = {*"SystemError UnboundLocalError NameError RecursionError MemoryError BufferError".split()}


class Outcome(NamedTuple):
    """What became of a call: ``kind`` is "ok", "NotImplemented", the type of an error, "crash" or "hang"."""

    line: str
    kind: str
    text: str = ""


Pair = tuple[Outcome, Outcome | None]


def run_all(module: str, lines: list[str]) -> list[Outcome]:
    """What becomes of each call, in order."""
    torch = importlib.import_module(module)
    names = space(torch)
    with tempfile.TemporaryDirectory() as folder:
        said = answers(len(lines), lambda: _begin(torch, folder), lambda number: _outcome(torch, lines[number], names), MEMORY)
    return [
        Outcome(line, *((each.how, each.why) if isinstance(each, Ended) else each))
        for line, each in zip(lines, said, strict=True)
    ]


def _begin(torch: Any, folder: str) -> None:
    torch.set_num_threads(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.chdir(folder)
    warnings.simplefilter("ignore")
    with contextlib.suppress(ImportError):
        import numpy as np

        np.seterr(all="ignore")


def _outcome(torch: Any, line: str, names: dict[str, Any]) -> tuple[str, str]:
    try:
        result = eval(line, dict(names))
    except BaseException as error:
        return _kind_of(error), str(error)[:300]
    if result is NotImplemented:  # an operator's way to refuse: Python asks the other side, and raises TypeError
        return "NotImplemented", ""
    try:
        _touch(torch, result)
    except Exception as error:
        return "ok", f"{type(error).__name__} when looked at: {str(error)[:200]}"
    return "ok", ""


def _kind_of(error: BaseException) -> str:
    """The built-in class of an error, which is what a program can catch on both sides."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def _touch(torch: Any, result: Any) -> None:
    """Reads all of a result and goes back through it, so that what lies outside of its memory would be found."""
    parts = result if isinstance(result, (tuple, list)) else [result]
    for part in parts[:20]:
        repr(part)
        if isinstance(part, torch.Tensor) and part.layout is torch.strided and part.numel() < 100_000:
            part.clone()
            if part.requires_grad and part.grad_fn is not None:
                part.real.sum().backward()


def _of_names(job: tuple[list[str], int, int, bool]) -> list[Pair]:
    names, count, seed, has_oracle = job
    lines = [line for name in names for line in calls(name, count, seed)]
    ours = run_all("rushlight", lines)
    theirs: list[Any] = [*run_all("torch", lines)] if has_oracle else [None] * len(lines)
    return list(zip(ours, theirs, strict=True))


def outcomes_of(
    names: list[str], count: int, seed: int, has_oracle: bool = False, jobs: int = 1, together: int = 4
) -> Iterator[Pair]:
    """What becomes of ``count`` calls of each name, here and on PyTorch if that is asked; ``together`` names in a process."""
    work = [(names[start : start + together], count, seed, has_oracle) for start in range(0, len(names), together)]
    if jobs == 1:
        for job in work:
            yield from _of_names(job)
        return
    with multiprocessing.Pool(jobs) as pool:
        for pairs in pool.imap(_of_names, work):
            yield from pairs


def verdict(ours: Outcome, theirs: Outcome | None) -> str:
    """One word for a call: what is wrong with it, if anything is."""
    if ours.kind == "crash" or (ours.kind == "hang" and (theirs is None or theirs.kind != "hang")):
        return ours.kind
    if ours.kind == "ok" and ours.text and (theirs is None or not theirs.text):
        return "broken result"
    if theirs is None:
        return "inner error" if ours.kind in INNER else "fine"
    if theirs.kind in ("crash", "hang"):
        return "PyTorch " + theirs.kind
    if ours.kind == theirs.kind:
        return "fine"
    if "NotImplemented" in (ours.kind, theirs.kind) and "ok" not in (ours.kind, theirs.kind):
        return "NotImplemented"
    if ours.kind == "ok":
        return "accepted"
    if theirs.kind == "ok":
        return "refused"
    return "inner error" if ours.kind in INNER else "other kind"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="calls of each name")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("-k", default="", help="only names with this in them")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--oracle", action="store_true", help="hold each call against PyTorch")
    parser.add_argument("--show", type=int, default=15, help="calls shown of each verdict")
    parser.add_argument("--out", help="write every call that is not fine behind this file")
    asked = parser.parse_args()
    names = [name for name in public_names() if asked.k in name]
    print(f"{len(names)} names, {asked.count} calls of each, seed {asked.seed}", flush=True)
    # Also what calls import at first, for longer than a call may take where others want the processor too.
    for module in ("rushlight", "scipy.special", "scipy.linalg", *(("torch", "torch._dynamo") if asked.oracle else ())):
        importlib.import_module(module)
    begun = time.monotonic()
    by_verdict: dict[str, list[Pair]] = collections.defaultdict(list)
    for ours, theirs in outcomes_of(names, asked.count, asked.seed, asked.oracle, asked.jobs):
        word = verdict(ours, theirs)
        by_verdict[word].append((ours, theirs))
        if asked.out and word != "fine":
            with open(asked.out, "a") as file:
                file.write(json.dumps([word, *ours, *(theirs or ())[1:]]) + "\n")
    for word, pairs in sorted(by_verdict.items()):
        print(f"{len(pairs):7} {word}")
    for word, pairs in sorted(by_verdict.items()):
        for ours, theirs in pairs[: 0 if word.startswith(("fine", "PyTorch")) else asked.show]:
            print(f"\n{word}: {ours.line}\n    {ours.kind}: {ours.text}" + (f"\n    PyTorch: {theirs[1:]}" if theirs else ""))
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if by_verdict.keys() & {"crash", "hang"} else 0


if __name__ == "__main__":
    sys.exit(main())
