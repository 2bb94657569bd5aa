"""Random programs for torch.autograd, run line by line on PyTorch and on rushlight.

    python tests/conformance/random_programs.py --count 10000 --jobs 4
    python tests/conformance/random_programs.py --seed 1234 --count 1      # one program, printed

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
import signal
import string
import time
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from op_results import FLOORS, Figure, write_floors
from op_samples import OutOfTime, load_candidate
from program_lines import ACTIONS, SEVERAL, VALUES
from program_parts import LARGEST, Holes, NoFit
from sides import Side, array_difference, tolerance_for

FIGURE = "random programs"
SECONDS_PER_PROGRAM = 20
SHRUNK_OF_A_KIND = 3
# PyTorch's own faults, and derivatives that it lacks: nothing to agree with.
_FAULTS = re.compile(
    r"INTERNAL ASSERT|Please report a bug|torch\.tensor_symint|Expected isFloatingType\(grad|ZeroTensors are imm"
    r"|for outputs with complex dtype|returned an invalid gradient|derivative for '_cdist_backward'"
)


# Writing.


def write_program(draw: random.Random, length: int = 14) -> list[str]:
    """Lines that mostly make sense: each is written knowing what PyTorch made of those before it."""
    lines: list[str] = []
    space: dict[str, Any] = {"torch": torch}
    gradients: set[str] = set()
    names = iter([*string.ascii_lowercase, *(f"{letter}{n}" for n in range(1, 9) for letter in string.ascii_lowercase)])
    for _ in range(draw.randint(1, 3)):
        _take(f"{next(names)} = {Holes(draw, {}).leaf()}", lines, space)
    while len(lines) < length:
        holes = Holes(draw, {name: value for name, value in space.items() if _usable(value)}, gradients)
        line = _line(draw, holes, names)
        if line is not None:
            _take(line, lines, space)
            if "autograd.grad(" in line or follows_layout(line, gradients):
                gradients |= set(assigned(line))
    holes = Holes(draw, {name: value for name, value in space.items() if _usable(value)})
    with contextlib.suppress(NoFit):
        _take(f"{holes.outcome()}.backward()", lines, space)
    return lines


def _usable(value: Any) -> bool:
    """Whether later lines may build on it: not where it is large, or where even its grad_fn raises."""
    return (
        isinstance(value, torch.Tensor)
        and value.numel() <= LARGEST
        and value.ndim <= 5
        and not isinstance(node_name(value), Exception)
    )


def _line(draw: random.Random, holes: Holes, names: Any) -> str | None:
    kind = draw.random()
    try:
        if kind < 0.68:
            line = _choose(draw, VALUES, holes)
            line = f"{next(names)} = {line}"
        elif kind < 0.78:
            weights = [weight for weight, *_ in SEVERAL]
            _, text, count = draw.choices(SEVERAL, weights)[0]
            line = holes.fill(text)
            line = f"{', '.join(next(names) for _ in range(count))} = {line}"
        else:
            line = _choose(draw, ACTIONS, holes)
    except NoFit:
        return None
    if draw.random() > 0.94:
        line = f"with torch.no_grad():\n    {line}"
    return line


def _choose(draw: random.Random, parts: list[tuple[int, str]], holes: Holes) -> str:
    return holes.fill(draw.choices(parts, [weight for weight, _ in parts])[0][1])


def _take(line: str, lines: list[str], space: dict[str, Any]) -> None:
    try:
        exec(_compiled(line), space)
    except Exception as error:
        if _FAULTS.search(str(error)):
            return
    lines.append(line)


@functools.lru_cache(4096)
def _compiled(line: str) -> types.CodeType:
    return compile(line, "<program>", "exec")


# Running.


def node_name(tensor: Any) -> str | Exception | None:
    """The name of its node in the graph; the error, for a view whose base was changed in a way that forbids it."""
    try:
        node = tensor.grad_fn
        return None if node is None else node.name()
    except RuntimeError as error:
        return error


@dataclasses.dataclass(frozen=True)
class Seen:
    """A tensor as it was when looked at."""

    values: np.ndarray
    facts: dict[str, Any]


def look(side: Side, value: Any, gradient: bool = False, born: int = 0) -> Any:
    """A tensor's values and place in the graph.

    How a gradient was computed is the engine's own business: PyTorch has nodes of their own for second derivatives
    (TanhBackwardBackward0), rushlight records the rule's operations. So of a gradient's node only its presence counts.
    Versions count from the one that the tensor was born with: some of PyTorch's ops write into their own results.
    """
    if not side.is_tensor(value):
        return value if isinstance(value, bool | int | float | type(None)) else type(value).__name__
    facts = {"dtype": str(value.dtype), "shape": tuple(value.shape), "grad_fn": node_name(value)}
    if not isinstance(facts["grad_fn"], Exception):
        facts |= {
            "requires_grad": bool(value.requires_grad),
            "is_leaf": bool(value.is_leaf),
        }
        if gradient:
            facts["grad_fn"] = facts["grad_fn"] is not None
        else:
            facts |= {"_version": int(value._version) - born, "is a view": value._base is not None}
    return Seen(side.array(value), facts)


@dataclasses.dataclass
class Step:
    """What one line did: the error it raised, or what its names stand for."""

    error: Exception | None
    made: dict[str, Any]


class Difference(Exception):
    """The two sides disagree: in what, in which line, and how."""

    def __init__(self, kind: str, place: str, detail: str) -> None:
        super().__init__(kind, place, detail)
        self.kind, self.place, self.detail = kind, place, detail

    def what(self) -> str:
        """The kind; for an error also its text, less the numbers and addresses in it."""
        if self.kind in ("error", "no error", "raises", "missing", "look"):
            return f"{self.kind}: " + re.sub(r"0x\w+|-?\d+(\.\d+)?", "#", self.detail)
        return self.kind


def run(side: Side, lines: list[str]) -> tuple[list[Step], dict[str, Any]]:
    """What each line did on a side, and what there is in the end, gradients included."""
    space: dict[str, Any] = {"torch": side.module}
    steps = []
    gradients: set[str] = set()
    born: dict[str, int] = {}
    for line in lines:
        try:
            exec(_compiled(line), space)
        except Exception as error:
            steps.append(Step(error, {}))
            continue
        made = assigned(line)
        if "grad(" in line or line.endswith(".grad") or follows_layout(line, gradients):
            gradients.update(made)
        born.update({name: space[name]._version for name in made if side.is_tensor(space.get(name))})
        steps.append(Step(None, {name: look(side, space.get(name), name in gradients, born.get(name, 0)) for name in made}))
    end: dict[str, Any] = {}
    for name in list(space):
        value = space[name]
        if side.is_tensor(value):
            end[name] = look(side, value, name in gradients, born.get(name, 0))
            if accumulates(value):
                end[f"{name}.grad"] = look(side, value.grad, gradient=True)
    return steps, end


_VIEWS_AND_COPIES = (
    None, "T", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "broadcast_to", "chunk", "contiguous", "data",
    "detach", "diagonal", "expand", "expand_as", "flatten", "hsplit", "mT", "meshgrid", "movedim", "narrow", "permute",
    "repeat_interleave", "reshape", "reshape_as", "rot90", "select", "split", "squeeze", "swapaxes", "swapdims", "t",
    "tensor_split", "to", "transpose", "type_as", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "vsplit",
)  # fmt: skip


def follows_layout(line: str, gradients: set[str]) -> bool:
    """Whether a line makes a view or a copy of a gradient, depending on how that lies in memory: not what is compared."""
    if not set(re.findall(r"\b[a-z]\d?\b", line)) & gradients:
        return False
    method = re.search(r"\w\.(\w+)|\w\[", line.partition(" = ")[2])
    return method is not None and method[1] in _VIEWS_AND_COPIES


def accumulates(tensor: Any) -> bool:
    if isinstance(node_name(tensor), Exception):
        return False
    return tensor.requires_grad and (tensor.is_leaf or tensor.retains_grad)


def assigned(line: str) -> list[str]:
    left = re.match(r"(?:with [^\n]*\n\s+)?(\w+(?:, \w+)*) = ", line)
    return left[1].split(", ") if left else []


def first_sentence(error: Exception) -> str:
    return re.split(r"(?<=\.)\s|\n", str(error).strip(), maxsplit=1)[0].strip()


def compare_step(line: str, ours: Step, theirs: Step) -> None:
    if theirs.error is None and ours.error is None:
        for name, reference in theirs.made.items():
            compare_value(line, name, ours.made[name], reference)
    elif theirs.error is None:
        assert ours.error is not None
        kind = "missing" if isinstance(ours.error, AttributeError | ImportError | NotImplementedError) else "raises"
        raise Difference(kind, line, f"{type(ours.error).__name__}: {first_sentence(ours.error)}")
    elif ours.error is None:
        raise Difference("no error", line, f"{type(theirs.error).__name__}: {first_sentence(theirs.error)}")
    else:
        mine, reference = (f"{type(e).__name__}: {first_sentence(e)}" for e in (ours.error, theirs.error))
        if mine != reference:
            raise Difference("error", line, f"{mine!r} for {reference!r}")


def compare_value(line: str, name: str, mine: Any, reference: Any) -> None:
    kind = "grad" if name.endswith(".grad") else "value"
    if not isinstance(reference, Seen):
        if isinstance(mine, Seen) or mine != reference:
            raise Difference(kind, line, f"{name}: {mine!r} for {reference!r}")
        return
    if not isinstance(mine, Seen):
        raise Difference(kind, line, f"{name}: {mine!r} for a tensor")
    for fact, expected in reference.facts.items():
        found = mine.facts.get(fact)
        if isinstance(expected, Exception) and isinstance(found, Exception):
            compare_step(line, Step(found, {}), Step(expected, {}))
        elif found != expected:
            raise Difference(fact, line, f"{name}: {found!r} for {expected!r}")
    difference = array_difference(_parts(mine.values), _parts(reference.values), tolerance_for(reference.values.dtype, order=1))
    if difference is not None:
        raise Difference(kind, line, f"{name}: {difference}")


def _parts(values: np.ndarray) -> np.ndarray:
    """Complex numbers with a part that is not finite as nan: which parts are is an accident of how they were multiplied."""
    if values.dtype.kind != "c":
        return values
    return np.where(np.isfinite(values), values, complex("nan+nanj"))


def difference(lines: list[str], candidate: Side) -> Difference | None:
    """None where both sides agree on the whole program."""
    reference = Side(torch)
    their_steps, their_end = run(reference, lines)
    signal.alarm(SECONDS_PER_PROGRAM)
    try:
        our_steps, our_end = run(candidate, lines)
        for line, ours, theirs in zip(lines, our_steps, their_steps, strict=True):
            compare_step(line, ours, theirs)
        for name, expected in their_end.items():
            compare_value("the end", name, our_end.get(name, "nothing"), expected)
    except Difference as found:
        return found
    except OutOfTime:
        return Difference("time", "the program", f"more than {SECONDS_PER_PROGRAM} s")
    except Exception as error:
        return Difference("look", "the end", f"{type(error).__name__}: {first_sentence(error)}")
    finally:
        signal.alarm(0)
    return None


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

    def __str__(self) -> str:
        program = "\n".join(self.lines)
        place = self.found.place.replace("\n", "; ")
        return f"# seed {self.seed}: {self.found.kind} at `{place}`\n# {self.found.detail}\n\n{program}\n"


def try_program(seed: int, candidate: Side, length: int) -> Failure | None:
    lines = write_program(random.Random(seed), length)
    found = difference(lines, candidate)
    return None if found is None else Failure(seed, found, lines)


def cut_down(failure: Failure, candidate: Side) -> Failure:
    lines = shrink(failure.lines, candidate, failure.found)
    return Failure(failure.seed, difference(lines, candidate) or failure.found, lines)


# Many programs.

_WORK: dict[str, Any] = {}


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
    if _WORK["seen"][failure.cause] > SHRUNK_OF_A_KIND:
        return failure
    return cut_down(failure, _WORK["candidate"])


def survey(count: int, seed: int = 0, jobs: int = 4, candidate: str = "rushlight", length: int = 14) -> list[Failure]:
    """The failures among so many programs, from this seed on."""
    seeds = range(seed, seed + count)
    if jobs == 1:
        _start(candidate, length)
        return [failure for failure in map(_task, seeds) if failure is not None]
    load_candidate(candidate)  # so that the workers need not, and an import that fails is told once
    failures: list[Failure] = []
    for crashed in _in_processes(
        [list(seeds[start : start + 25]) for start in range(0, count, 25)], jobs, candidate, length, failures
    ):
        # A process died at this program. PyTorch has such bugs of its own: then there is nothing to compare with.
        died_on_pytorch = candidate != "mirror" and list(_in_processes([[crashed]], 1, "mirror", length, []))
        if died_on_pytorch or candidate == "mirror":
            print(f"PyTorch itself crashes at seed {crashed}")
        else:
            lines = write_program(random.Random(crashed), length)
            failures.append(Failure(crashed, Difference("crash", "somewhere", "the interpreter dies"), lines))
    return failures


def _in_processes(chunks: list[list[int]], jobs: int, candidate: str, length: int, failures: list[Failure]) -> Iterator[int]:
    """Runs chunks of seeds, each in a process of its own; yields the seeds at which a process died."""
    context = multiprocessing.get_context("fork")
    waiting, running = list(chunks), {}
    while waiting or running:
        while waiting and len(running) < jobs:
            chunk = waiting.pop()
            answer, question = context.Pipe(duplex=False)
            process = context.Process(target=_run_chunk, args=(question, chunk, candidate, length))
            process.start()
            question.close()
            running[answer] = chunk, process
        for answer in multiprocessing.connection.wait(list(running)):
            chunk, process = running.pop(answer)
            try:
                failures += answer.recv()
            except EOFError:
                if len(chunk) == 1:
                    yield chunk[0]
                else:
                    waiting += [[seed] for seed in chunk]
            answer.close()
            process.join()


def _run_chunk(question: Any, chunk: list[int], candidate: str, length: int) -> None:
    _start(candidate, length)
    question.send([failure for failure in map(_task, chunk) if failure is not None])


def report(failures: list[Failure], count: int, shown: int) -> str:
    causes: dict[str, list[Failure]] = {}
    for failure in failures:
        causes.setdefault(failure.cause, []).append(failure)
    text = []
    for cause, alike in sorted(causes.items(), key=lambda item: -len(item[1]))[:shown]:
        shortest = min(alike, key=lambda failure: len(failure.lines))
        text.append(f"## {len(alike)} x {cause}\n{shortest}")
    kinds = collections.Counter(failure.found.kind for failure in failures)
    if kinds:
        text.append(", ".join(f"{kind} {number}" for kind, number in kinds.most_common()))
    text.append(f"{count - len(failures)} of {count} programs agree, {len(causes)} causes")
    return "\n".join(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="first seed; the others follow")
    parser.add_argument("-j", "--jobs", type=int, default=4)
    parser.add_argument("--length", type=int, default=14, help="lines of a program")
    parser.add_argument("--candidate", default="rushlight", help="module under test; `mirror` is PyTorch again")
    parser.add_argument("--subclass", action="store_true", help="with a subclass of Tensor about: ops take their general path")
    parser.add_argument("--causes", type=int, default=40, help="how many causes to show")
    parser.add_argument("--write-floors", action="store_true", help=f"record this run in {FLOORS.name}")
    parser.add_argument("--out", type=Path, help="write the report here")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    start = time.monotonic()
    if options.count == 1:
        print("\n".join(write_program(random.Random(options.seed), options.length)), end="\n\n")
    jobs = 1 if options.count == 1 else options.jobs
    _WORK["subclass"] = options.subclass  # processes are forked
    failures = survey(options.count, options.seed, jobs, options.candidate, options.length)
    text = report(failures, options.count, options.causes)
    print(text)
    print(f"{time.monotonic() - start:.0f} s")
    if options.out:
        options.out.write_text(text)
    agree = options.count - len(failures)
    if options.write_floors:
        write_floors([Figure(FIGURE, options.count, agree, options.count, agree)])
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
