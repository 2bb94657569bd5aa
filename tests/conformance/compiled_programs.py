"""Random programs, compiled, beside themselves as they are: results, gradients, versions, random numbers and errors over six calls.

    python tests/conformance/compiled_programs.py --count 1000 --seed 93000000 [--vocabulary wide] [--backend xla]

PyTorch is asked while a program is written, so that most of its lines make sense. Each program that differs is printed.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import warnings
from typing import Any

import numpy as np
from program_wide import MIXTURES, VOCABULARIES, vocabulary_of
from random_programs import write_program

import rushlight

CALLS = 6
Side = tuple[Any, list[Any]]  # a function, and the tensors that it works on


def source(seed: int, vocabulary: str) -> str:
    """The text of ``make()``, which gives a program without its failing lines as a function, and its tensors."""
    lines = []
    space: dict[str, Any] = {"torch": rushlight, "numpy": np}
    for line in write_program(random.Random(seed), vocabulary=vocabulary_of(seed, vocabulary)):
        try:
            exec(line, space)
        except Exception:
            continue
        lines.append(line)
    heads = [line for line in lines[:3] if "torch.tensor(" in line]
    found = [line.split(" = ")[0] for line in heads]
    text = ["def make():", *(f"    {line}" for line in heads), "    def step():", "        out = []"]
    for line in lines[len(heads) :]:
        text += [f"        {part}" for part in line.splitlines()]
        name = line.split(" = ")[0]
        if name.isidentifier():
            text.append(f"        if isinstance({name}, torch.Tensor): out.append({name}.detach().clone())")
    text += ["        return out", f"    return step, [one for one in [{', '.join(found)}] if isinstance(one, torch.Tensor)]"]
    return "\n".join(text)


def twins(text: str, seed: int) -> tuple[Side, Side] | None:
    """A program twice; None where its lines are none without those that failed."""
    space: dict[str, Any] = {"torch": rushlight, "numpy": np}
    try:
        exec(compile(text, f"<program {seed}>", "exec"), space)
        return space["make"](), space["make"]()
    except Exception:
        return None


def look(tensors: list[Any]) -> list[Any]:
    """What can be seen of tensors afterwards."""
    seen: list[Any] = []
    for tensor in tensors:
        grad = tensor._grad
        seen += [tensor.detach(), tensor._version, said(lambda tensor=tensor: tensor.grad_fn is None)]
        seen += [None, None] if grad is None else [grad.detach(), grad._version]
    return seen


def steps(tensor: Any) -> list[int]:
    """The strides of the dimensions in which there is anywhere to step to."""
    return [step for step, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1]


def agree(mine: Any, its: Any) -> bool:
    if isinstance(mine, rushlight.Tensor):
        return (
            mine.dtype is its.dtype
            and steps(mine) == steps(its)
            and rushlight.allclose(mine.float(), its.float(), rtol=1e-4, atol=1e-5, equal_nan=True)
        )
    return bool(mine == its)


def called(function: Any, generator: Any) -> Any:
    rushlight.set_rng_state(generator)
    return said(function)


def said(function: Any) -> Any:
    """What it gives, or its error: to ask a view for its node may raise one."""
    try:
        return function()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:80]}"


def difference(sides: tuple[Side, Side], backend: str = "replay") -> tuple[str | None, bool]:
    """In what the second side, compiled, differs from the first, None where in nothing; and whether it was captured."""
    (eager, own), (other, its) = sides
    fast = rushlight.compile(other, backend=backend)
    fast._compiled.always = True
    generator = rushlight.get_rng_state()
    for call in range(CALLS):
        first = called(eager, generator)
        after = rushlight.get_rng_state()
        second = called(fast, generator)
        if not rushlight.equal(rushlight.get_rng_state(), after):
            return f"call {call}: random numbers drawn", False
        generator = after
        if type(first) is not type(second) or (isinstance(first, str) and first != second):
            return f"call {call}: {str(second)[:200]} for {str(first)[:200]}", False
        if not isinstance(first, str) and not (len(first) == len(second) and all(map(agree, second, first))):
            return f"call {call}: a result", False
        if not all(map(agree, look(its), look(own))):
            return f"call {call}: a tensor, its gradient or a version", False
        with warnings.catch_warnings(), rushlight.no_grad():
            for tensor in (*own, *its):  # other numbers for the next call
                if tensor.is_floating_point() and tensor.grad_fn is None and not tensor._is_view():
                    tensor.mul_(1.01)
    return None, any(form.program is not None for form in fast._compiled.forms)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="first seed; the others follow")
    parser.add_argument("--vocabulary", default="plain", choices=[*VOCABULARIES, *MIXTURES])
    parser.add_argument("--backend", default="replay")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ran = captured = differ = 0
    for seed in range(options.seed, options.seed + options.count):
        gc.collect()  # tensors of complex32 and meta tensors in cycles: while one is alive nothing is captured
        text = source(seed, options.vocabulary)
        sides = twins(text, seed)
        if sides is None:
            continue
        found, was_captured = difference(sides, options.backend)
        ran, captured, differ = ran + 1, captured + was_captured, differ + (found is not None)
        if found is not None:
            print(f"--- {options.vocabulary} {seed}: {found}\n{text}", flush=True)
    print(f"{ran} programs of {options.count} ran, {captured} were captured, {differ} differ")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
