"""How PyTorch itself is brought to do what the other side did, where the two differ: then the difference is no fault of ours."""

from __future__ import annotations

import contextlib
import functools
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from program_held import assigned
from program_sides import HALF, NONE, Running, judge, run
from sides import Side, Tolerance, tolerance_for


def proof(lines: list[str], candidate: Side) -> str | None:
    """How PyTorch itself does what the candidate did, where it does so once something is changed that ought not to matter."""
    least = coarsest(lines)
    try:
        ours = run(candidate, lines)
    except Exception:
        return None
    agrees = functools.partial(judge, lines, ours)
    if agrees(run(Side(torch), lines), least) is None or any(
        agrees(run(Side(torch), moved(lines, seed)), least) is None for seed in range(NUDGES)
    ):
        return "its leaves moved by a last digit, PyTorch does it too"
    with contextlib.suppress(RuntimeError):  # of what has no memory that could be put back
        if agrees(run(Side(torch), lines, Restoring)) is None:
            return "PyTorch has written some of what it then refuses to write: with memory put back by then it agrees"
    with copying():
        copied = [_KEEPS.sub("lambda g: kept.append(g.clone())", line) for line in lines]
        theirs = run(Side(torch), [line.replace("kept.extend(g for", "kept.extend(g.clone() for") for line in copied])
    if agrees(theirs) is None:
        return "PyTorch's leaf takes the memory of a gradient that the program holds, and adds to it: with a copy it does not"
    with one_by_one():
        theirs = run(Side(torch), lines)
    if agrees(theirs) is None:
        return "PyTorch's vectors and its single numbers differ: number by number it does it too"
    if _UNTOLD.search("\n".join(lines)):
        with moments_again():
            theirs = run(Side(torch), lines)
        if agrees(theirs) is None:
            return "an input of a norm was written to where no version tells: with moments of what it is by then PyTorch does it too"
    if any(agrees(run(Side(torch), turned(lines, seed)), least) is None for seed in range(NUDGES)):
        return "zeros on its way turned to those of the other sign, PyTorch does it too"
    return None


# Writes that no version counts.
_UNTOLD = re.compile(r"\.data\b|\.fill\(|\.numpy\(\)|memoryview\(|from_dlpack\(")
_KEEPS = re.compile(r"lambda g: kept\.append\(g\)|(?<=hook\()kept\.append(?=\))")


@contextlib.contextmanager
def copying() -> Iterator[None]:
    """PyTorch's passes are given copies of gradients, and hand out copies: no leaf takes memory that the program holds."""

    def copied(gradient: Any) -> Any:
        if isinstance(gradient, torch.Tensor):
            return gradient.clone()
        return type(gradient)(map(copied, gradient)) if isinstance(gradient, list | tuple) else gradient

    backward, grad = torch.autograd.backward, torch.autograd.grad
    torch.autograd.backward = lambda tensors, given=None, *rest, **options: backward(tensors, copied(given), *rest, **options)
    torch.autograd.grad = lambda *given, **options: copied(grad(*given, **options))
    try:
        yield
    finally:
        torch.autograd.backward, torch.autograd.grad = backward, grad


# What PyTorch computes by vectors, with other comparisons than for the numbers that are left over.
_BY_VECTORS = ("celu", "elu", "gelu", "hardshrink", "hardswish", "hardtanh", "relu6", "selu", "softshrink")
# What it computes the gradients of with moments that it saved, where rushlight takes those of the input again.
_OF_MOMENTS = ("batch_norm", "group_norm", "instance_norm", "layer_norm")


@contextlib.contextmanager
def changed_functions(names: tuple[str, ...], change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """Some of `torch.nn.functional` done in another way."""
    space = torch.nn.functional
    plain = {name: getattr(space, name) for name in names}
    try:
        for name, function in plain.items():
            setattr(space, name, change(function))
        yield
    finally:
        for name, function in plain.items():
            setattr(space, name, function)


def one_by_one() -> contextlib.AbstractContextManager[None]:
    """PyTorch's activations work on numbers that do not lie side by side, and so on one after another."""

    def apart(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, *rest, **options: function(torch.stack([x, x], -1)[..., 0], *rest, **options)

    return changed_functions(_BY_VECTORS, apart)


def moments_again() -> contextlib.AbstractContextManager[None]:
    """PyTorch's norms take the moments of their input when a gradient is computed, whatever has been written to it by then."""
    again = {"use_reentrant": False, "preserve_rng_state": False}

    def checkpointed(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **options: torch.utils.checkpoint.checkpoint(function, *given, **again, **options)

    return changed_functions(_OF_MOMENTS, checkpointed)


def turned(lines: list[str], seed: int) -> list[str]:
    """The program, in which for some lines, or all, zeros that they have made are of the other sign."""
    draw = random.Random(seed)

    def other(line: str) -> str:
        names = [name for name in assigned(line) if seed == 0 or draw.random() < 0.5]
        return line + "".join(f"; turn({name})" for name in names)

    return [other(line) for line in lines]


NUDGES = 16
# What is rounded, and where libraries differ in the last digit.
_ROUNDED = re.compile(r"\b(exp|log|sin|cos|tan|sigmoid|erf|i0|i1|softmax|softplus|gelu|pow|cdist|norm)\w*\(| \*\* ")
_LAST_DIGIT = {
    **dict.fromkeys(("float64", "complex128"), 2.0**-52),
    **dict.fromkeys(("float32", "complex64"), 2.0**-23),
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}


def moved(lines: list[str], seed: int) -> list[str]:
    """The program with the numbers of its leaves moved by a last digit, or not, or the other way; for every other seed also
    what functions that are rounded have given, since not all of it comes of leaves that have a last digit."""
    draw = random.Random(seed)

    def nudge(number: re.Match[str], step: float) -> str:
        return repr(float(number[0]) * (1 + draw.choice([-1, 0, 1]) * step))

    def leaf(text: re.Match[str]) -> str:
        step = _LAST_DIGIT.get(text[2])
        if step is None:
            return text[0]
        return re.sub(r"\d+\.\d+", lambda number: nudge(number, step), text[1]) + f", dtype=torch.{text[2]}"

    def drawn(text: re.Match[str]) -> str:
        return f"{text[0]}.mul_({1 + draw.choice([-2, -1, 0, 1, 2]) * 2.0**-23!r})"

    nudged = [re.sub(r"(torch\.tensor\([^\n]*?), dtype=torch\.(\w+)", leaf, line) for line in lines]
    nudged = [
        re.sub(r"torch\.randn\([^()]*generator=torch\.Generator\(\)\.manual_seed\(\d\)\)", drawn, line) for line in nudged
    ]
    if seed % 2 == 0:
        return nudged

    def rounded(line: str) -> str:
        names = assigned(line)
        if len(names) != 1 or not _ROUNDED.search(line):
            return line
        (name,) = names
        factor = f"1 + {draw.choice([-1, 0, 1])} * torch.finfo({name}.dtype).eps"
        return f"{line}; {name}.data.mul_({factor}) if {name}.is_floating_point() else None"

    return [rounded(line) for line in nudged]


def coarsest(lines: list[str]) -> Tolerance:
    """What the lowest precision that a program mentions allows, also where its numbers have gone on to a higher one."""
    text = "\n".join(lines)
    if re.search(r"float16|half\(", text):
        return HALF
    return tolerance_for(np.dtype(np.float32), order=1) if re.search(r"float32|complex64|True", text) else NONE


class Restoring(Running):
    """PyTorch, with the memory and the shape of all tensors as they were before a line that it has refused."""

    def _execute(self, line: str) -> Exception | None:
        tensors = [value for value in self.space.values() if self.side.is_tensor(value) and value.layout is torch.strided]
        before = [(one, one.untyped_storage(), one.storage_offset(), one.shape, one.stride()) for one in tensors]
        copies = [storage.clone() for _, storage, *_ in before]
        error = super()._execute(line)
        if error is not None:
            for (tensor, storage, *place), copy_ in zip(before, copies, strict=True):
                if storage.nbytes() != copy_.nbytes():
                    storage.resize_(copy_.nbytes())
                storage.copy_(copy_)
                if tensor.shape != place[1] or tensor.stride() != place[2]:
                    with torch.no_grad(), torch.autograd._unsafe_preserve_version_counter(tensor):
                        tensor.set_(storage, *place)
        return error
