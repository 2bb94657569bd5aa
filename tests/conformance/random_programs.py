"""Random programs for torch.autograd, run line by line on PyTorch and on rushlight.

    python tests/conformance/random_programs.py --count 10000 --jobs 4
    python tests/conformance/random_programs.py --seed 1234 --count 1      # one program, printed
    make fuzz COUNT=10000 SEED=1234                                        # every vocabulary of program_wide.py

A program is lines of source, so a failing one is its own report; it is cut down to the lines it needs. After each line
the raised error (type, first sentence) or the value made must agree; at the end every tensor and every gradient.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import functools
import multiprocessing
import multiprocessing.connection
import random
import re
import resource
import signal
import string
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from known_differences import known
from op_results import FLOORS, Figure, write_floors
from op_samples import OutOfTime, load_candidate
from program_held import assigned, node_name
from program_parts import Holes, NoFit
from program_proofs import agrees_by, proof
from program_sides import TRANSFORMS, Difference, Run, Running, difference, follows_layout
from program_wide import MIXTURES, VOCABULARIES, Vocabulary, vocabulary_of
from program_wide_parts import WideHoles, exported
from sides import Side

FIGURE = "random programs"
SHRUNK_OF_A_KIND = 3
# PyTorch's own faults, and derivatives that it lacks: nothing to agree with. A tensor that cannot be resized has its new size in
# PyTorch all the same, and reads beyond its memory from then on: so most processes end that do.
_FAULTS = re.compile(
    r"INTERNAL ASSERT|Please report a bug|torch\.tensor_symint|Expected isFloatingType\(grad|ZeroTensors are imm"
    r"|storage that is not resizable|for outputs with complex dtype|returned an invalid gradient|derivative for '_cdist_backward'|MKL FFT error"
)


# Writing.


class Writing:
    """A program that is being written: its lines so far, and PyTorch with them run."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.running = Running(Side(torch))
        self.faultless = self.sound = True

    def take(self, line: str) -> None:
        step = self.running.take(line)
        if step.error is not None and _FAULTS.search(str(step.error)):
            self.running.steps.pop()
            self.faultless = False
            self.sound = "not resizable" not in str(step.error)
        else:
            self.lines.append(line)

    def ran(self) -> Run | None:
        """What PyTorch did; not known where a line was left out that may have done something."""
        return (self.running.steps, self.running.end()) if self.faultless else None


def written(draw: random.Random, length: int = 14, vocabulary: Vocabulary = VOCABULARIES["plain"]) -> Writing:
    """Lines that mostly make sense: each is written knowing what PyTorch made of those before it."""
    writing = Writing()
    space, gradients = writing.running.space, set[str]()
    names = iter([*string.ascii_lowercase, *(f"{letter}{n}" for n in range(1, 9) for letter in string.ascii_lowercase)])
    for line in vocabulary.begin:
        writing.take(line)
    for _ in range(draw.randint(1, 3)):
        writing.take(f"{next(names)} = {vocabulary.holes(draw, {}).leaf()}")
    while writing.sound and len(writing.lines) < max(2, length // vocabulary.shorter):
        holes = _holes(vocabulary, draw, space, gradients)
        line = _line(draw, holes, names, vocabulary)
        if line is not None:
            writing.take(line)
            if "autograd.grad(" in line or follows_layout(line, gradients) or TRANSFORMS.search(line):
                gradients |= set(assigned(line))
    with contextlib.suppress(NoFit):
        if writing.sound:
            writing.take(f"{_holes(vocabulary, draw, space, set()).outcome()}.backward()")
    return writing


def write_program(draw: random.Random, length: int = 14, vocabulary: Vocabulary = VOCABULARIES["plain"]) -> list[str]:
    return written(draw, length, vocabulary).lines


def _holes(vocabulary: Vocabulary, draw: random.Random, space: dict[str, Any], gradients: set[str]) -> Holes:
    largest = vocabulary.holes.largest
    holes = vocabulary.holes(draw, {name: value for name, value in space.items() if _usable(value, largest)}, gradients)
    if isinstance(holes, WideHoles):
        holes.arrays = exported(space)
    return holes


def _usable(value: Any, largest: int) -> bool:
    """Whether later lines may build on it: not where it is large, has come out of a transform, or where even its grad_fn raises."""
    return (
        isinstance(value, torch.Tensor)
        and not torch._C._functorch.is_functorch_wrapped_tensor(value)
        and value.layout is torch.strided
        and value.numel() <= largest
        and value.ndim <= 5
        and not isinstance(node_name(value), Exception)
    )


def _line(draw: random.Random, holes: Holes, names: Any, vocabulary: Vocabulary) -> str | None:
    kind = draw.random()
    try:
        if kind < 0.68:
            line = holes.fill(vocabulary.draw(draw, "values")[1])
            if "forward_ad" in line:
                return f"with torch.autograd.forward_ad.dual_level():\n    {next(names)} = {line}"
            if " :: " in line:
                return line.replace(" :: ", f":\n    {next(names)} = ")
            line = f"{next(names)} = {line}"
        elif kind < 0.78:
            _, text, count = vocabulary.draw(draw, "several")
            line = holes.fill(text)
            line = f"{', '.join(next(names) for _ in range(count))} = {line}"
        else:
            line = holes.fill(vocabulary.draw(draw, "actions")[1])
    except NoFit:
        return None
    if draw.random() > 0.94 and "\n" not in line:
        line = f"with torch.no_grad():\n    {line}"
    return line


# Cutting down.


def without(lines: list[str], index: int) -> list[str]:
    """The program without a line and without those that need a name it made."""
    gone = set(assigned(lines[index]))
    kept = lines[:index]
    for line in lines[index + 1 :]:
        if gone & set(re.findall(r"\w+", line)):
            gone |= set(assigned(line))
        else:
            kept.append(line)
    return kept


def shrink(lines: list[str], candidate: Side, like: Difference) -> list[str]:
    """Drops lines for as long as the same difference is left."""
    index = len(lines) - 1
    while index >= 0:
        outside = lines[index].split("\n    ")[-1]
        for shorter in (without(lines, index), [*lines[:index], outside, *lines[index + 1 :]]):
            if shorter == lines:
                continue
            found = difference(shorter, candidate)
            if found is not None and found.what() == like.what():
                lines = shorter
                break
        index = min(index, len(lines)) - 1
    return lines


@dataclasses.dataclass
class Failure:
    """A program on which the sides disagree, and in what."""

    seed: int
    found: Difference
    lines: list[str]

    @property
    def cause(self) -> str:
        """What failures of one cause are likely to have in common: the difference, and the names in the program."""
        found = self.found
        if found.what() != found.kind:
            return found.what()
        if found.kind not in ("value", "grad"):
            return f"{found.kind}: {found.detail.partition(': ')[2]}"
        calls, operators = r"\b[a-zA-Z]\w+(?=\()", r"(?<=[\w\])] )[-+*/@%<>=!]+(?= )"
        names = re.findall(rf"{calls}|{operators}|(?<=\w)\[(?=[^\[])|\.(?:T|mT|data|grad)\b", "\n".join(self.lines))
        used = [name for name in dict.fromkeys(names) if name not in ("tensor", "=", "sum", "mean", "backward")]
        return f"{found.kind}: {' '.join(used)}"

    @property
    def in_numbers(self) -> bool:
        """Whether what is computed differs, and not only what is refused, or how the graph looks."""
        return self.found.kind in ("value", "grad", "held", "dtype", "shape", "crash", "time", "look")

    @property
    def excuse(self) -> str | None:
        """Why it is no fault of ours, where that is known."""
        return self.found.proof

    def __str__(self) -> str:
        program = "\n".join(self.lines)
        place = self.found.place.replace("\n", "; ")
        return f"# seed {self.seed}: {self.found.kind} at `{place}`\n# {self.found.detail}\n\n{program}\n"


def program_of(seed: int, length: int) -> Writing:
    return written(random.Random(seed), length, vocabulary_of(seed, _WORK["vocabulary"]))


def try_program(seed: int, candidate: Side, length: int) -> Failure | None:
    program = program_of(seed, length)
    found = difference(program.lines, candidate, program.ran())
    if found is not None:
        # While it was written its tensors were asked for their nodes, which gives views that were written to new ones.
        found = difference(program.lines, candidate)
    return None if found is None else Failure(seed, found, program.lines)


def cut_down(failure: Failure, candidate: Side) -> Failure:
    lines = shrink(failure.lines, candidate, failure.found)
    return Failure(failure.seed, difference(lines, candidate) or failure.found, lines)


# Many programs.

_WORK: dict[str, Any] = {"vocabulary": "plain"}
MEMORY_PER_PROCESS = 8 << 30  # bytes of addresses, with what libraries reserve


def _out_of_time(signum: int, frame: Any) -> None:
    raise OutOfTime


def _start(candidate: str, length: int) -> None:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, _out_of_time)
    _WORK.update(candidate=load_candidate(candidate), length=length, seen=collections.Counter())
    if _WORK.get("subclass"):
        module = _WORK["candidate"].module
        _WORK["kept"] = module.ones(1).as_subclass(type("Subclass", (module.Tensor,), {}))


def _task(seed: int) -> Failure | None:
    failure = try_program(seed, _WORK["candidate"], _WORK["length"])
    if failure is None:
        return None
    _WORK["seen"][failure.cause] += 1
    if _WORK["seen"][failure.cause] <= SHRUNK_OF_A_KIND:
        failure = cut_down(failure, _WORK["candidate"])
    given = failure.lines, _WORK["candidate"]
    failure.found.proof = proof(*given) or known(str(failure), functools.partial(agrees_by, *given))
    return failure


def survey(count: int, seed: int = 0, jobs: int = 4, candidate: str = "rushlight", length: int = 14) -> list[Failure]:
    """The failures among so many programs, from this seed on."""
    seeds = range(seed, seed + count)
    if count == 1:
        _start(candidate, length)
        return [failure for failure in map(_task, seeds) if failure is not None]
    load_candidate(candidate)  # so that the workers need not, and an import that fails is told once
    failures: list[Failure] = []
    # Ops are compiled when first used, in each process anew: few processes, but as many as keep all busy to the end.
    size = max(25, min(500, count // (4 * jobs)))
    chunks = [list(seeds[start : start + size]) for start in range(0, count, size)]
    for crashed, before in _in_processes(chunks, jobs, candidate, length, failures):
        # A process died at this program. PyTorch has such bugs of its own: then there is nothing to compare with. Memory that
        # was written past its end is not always noticed, nor at once, so it is asked again and again, and for the programs before.
        alone = [[crashed] * 200, *[[*before, crashed]] * 3]
        if candidate == "mirror" or any(True for chunk in alone for _ in _in_processes([chunk], 1, "mirror", length, [])):
            print(f"PyTorch itself crashes at seed {crashed}")
        else:
            lines = program_of(crashed, length).lines
            failures.append(Failure(crashed, Difference("crash", "somewhere", "the interpreter dies"), lines))
    return failures


def _in_processes(
    chunks: list[list[int]], jobs: int, candidate: str, length: int, failures: list[Failure]
) -> Iterator[tuple[int, list[int]]]:
    """Runs chunks of seeds, each in a process of its own; yields the seeds at which a process died, with those that it had run
    before, and goes on after them."""
    context = multiprocessing.get_context("fork")
    waiting, running = list(chunks), {}
    while waiting or running:
        while waiting and len(running) < jobs:
            chunk = waiting.pop()
            answers, question = context.Pipe(duplex=False)
            process = context.Process(target=_run_chunk, args=(question, chunk, candidate, length))
            process.start()
            question.close()
            running[answers] = chunk, [], process
        for answers in multiprocessing.connection.wait(list(running)):
            chunk, ran, process = running[answers]
            try:
                failure = answers.recv()
            except EOFError:
                del running[answers]
                answers.close()
                process.join()
                if chunk:
                    yield chunk.pop(0), ran
                if chunk:
                    waiting.append(chunk)
            else:
                ran.append(chunk.pop(0))
                if failure is not None:
                    failures.append(failure)


def _run_chunk(question: Any, chunk: list[int], candidate: str, length: int) -> None:
    # A program may broadcast two large tensors against one another: an error then, and not the end of other processes.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_PER_PROCESS, MEMORY_PER_PROCESS))
    _start(candidate, length)
    for seed in chunk:
        question.send(_task(seed))


def report(failures: list[Failure], count: int, shown: int) -> str:
    causes: dict[str, list[Failure]] = {}
    for failure in failures:
        causes.setdefault(failure.cause, []).append(failure)
    text = []
    for cause, alike in sorted(causes.items(), key=lambda item: -len(item[1]))[:shown]:
        shortest = min(alike, key=lambda failure: len(failure.lines))
        excuse = f" (known: {shortest.excuse})" if shortest.excuse else ""
        text.append(f"## {len(alike)} x {cause}{excuse}\n{shortest}")
    excuses = collections.Counter(failure.excuse for failure in failures if failure.excuse is not None)
    text += [f"{number} known: {excuse}" for excuse, number in excuses.most_common()]
    kinds = collections.Counter(failure.found.kind for failure in failures)
    if kinds:
        text.append(", ".join(f"{kind} {number}" for kind, number in kinds.most_common()))
    unknown = sum(failure.in_numbers and failure.excuse is None for failure in failures)
    text.append(f"{unknown} of {count} programs differ in numbers for no known cause")
    text.append(f"{count - len(failures)} of {count} programs agree, {len(causes)} causes")
    return "\n".join(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="first seed; the others follow")
    parser.add_argument("-j", "--jobs", type=int, default=4)
    parser.add_argument("--vocabulary", default="plain", choices=[*VOCABULARIES, *MIXTURES], help="see program_wide.py")
    parser.add_argument("--threads", type=int, default=1, help="of the module under test")
    parser.add_argument("--length", type=int, default=14, help="lines of a program")
    parser.add_argument("--candidate", default="rushlight", help="module under test; `mirror` is PyTorch again")
    parser.add_argument("--subclass", action="store_true", help="with a subclass of Tensor about: ops take their general path")
    parser.add_argument("--causes", type=int, default=40, help="how many causes to show")
    parser.add_argument("--write-floors", action="store_true", help=f"record this run in {FLOORS.name}")
    parser.add_argument("--only-numbers", action="store_true", help="fail only where numbers differ for no known cause")
    parser.add_argument("--out", type=Path, help="write the report here")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    start = time.monotonic()
    _WORK.update(subclass=options.subclass, vocabulary=options.vocabulary)  # processes are forked
    Running.threads = options.threads
    if options.count == 1:
        print("\n".join(program_of(options.seed, options.length).lines), end="\n\n")
    print(f"seeds {options.seed} to {options.seed + options.count - 1}, vocabulary {options.vocabulary}", flush=True)
    failures = survey(options.count, options.seed, options.jobs, options.candidate, options.length)
    text = report(failures, options.count, options.causes)
    print(text)
    print(f"{time.monotonic() - start:.0f} s")
    if options.out:
        options.out.write_text(text)
    agree = options.count - len(failures)
    if options.write_floors:
        write_floors([Figure(FIGURE, options.count, agree, options.count, agree)])
    if options.only_numbers:
        return 1 if any(failure.in_numbers and failure.excuse is None for failure in failures) else 0
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
