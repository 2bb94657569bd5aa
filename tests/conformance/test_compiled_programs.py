"""Random programs, compiled, do what they do as they are: results, gradients, versions, random numbers, errors."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from program_wide import VOCABULARIES
from random_programs import write_program

import rushlight

pytestmark = pytest.mark.filterwarnings("ignore")
CALLS = 6


def twins(seed: int, vocabulary: str) -> list[tuple[Any, Any]] | None:
    """A program without its failing lines as a function, twice, each with what it works on; None where there is none."""
    lines = []
    space: dict[str, Any] = {"torch": rushlight, "numpy": np}
    for line in write_program(random.Random(seed), vocabulary=VOCABULARIES[vocabulary]):
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
    text += ["        return out", f"    return step, [{', '.join(found)}]"]
    try:
        code = compile("\n".join(text), f"<program {seed}>", "exec")
        exec(code, space)
        return [space["make"](), space["make"]()]
    except Exception:
        return None


def look(tensors: list[Any]) -> list[Any]:
    seen: list[Any] = []
    for tensor in tensors:
        grad = tensor._grad
        seen += [tensor.detach(), tensor._version, tensor.grad_fn is None]
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
    try:
        return function()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:80]}"


@pytest.mark.parametrize(("vocabulary", "count", "least"), [("plain", 150, 70), ("wide", 80, 5)])
def test_compiled_programs_do_what_they_do_as_they_are(vocabulary: str, count: int, least: int) -> None:
    replayed = 0
    for seed in range(count):
        sides = twins(seed, vocabulary)
        if sides is None:
            continue
        (eager, own), (other, its) = sides
        fast = rushlight.compile(other)
        fast._compiled.always = True
        generator = rushlight.get_rng_state()
        for call in range(CALLS):
            first = called(eager, generator)
            after = rushlight.get_rng_state()
            second = called(fast, generator)
            assert rushlight.equal(rushlight.get_rng_state(), after), (vocabulary, seed, call)
            generator = after
            assert type(first) is type(second), (vocabulary, seed, call, first, second)
            if isinstance(first, str):
                assert first == second, (vocabulary, seed, call)
            else:
                assert len(first) == len(second) and all(map(agree, second, first)), (vocabulary, seed, call)
            assert all(map(agree, look(its), look(own))), (vocabulary, seed, call)
            with warnings.catch_warnings(), rushlight.no_grad():
                for tensor in (*own, *its):  # other numbers for the next call
                    if tensor.is_floating_point() and tensor.grad_fn is None and not tensor._is_view():
                        tensor.mul_(1.01)
        replayed += any(form.program is not None for form in fast._compiled.forms)
    assert replayed >= least
