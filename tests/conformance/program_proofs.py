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
from program_held import assigned, keeps_gradient
from program_sides import HALF, NONE, Run, Running, Seen, Step, judge, nudge, run
from program_ways import WAYS, WITHOUT_VECTORS, mapped, replaced
from sides import Side, Tolerance, tolerance_for
from torch.overrides import TorchFunctionMode


def proof(lines: list[str], candidate: Side) -> str | None:
    """How PyTorch itself does what the candidate did, where it does so once something is changed that ought not to matter."""
    least = coarsest(lines)
    try:
        ours = run(candidate, lines)
    except Exception:
        return None
    text = "\n".join(lines)
    plain = run(Side(torch), lines)
    agrees = functools.partial(judge, lines, ours)
    if agrees(plain, least) is None or any(
        agrees(run(Side(torch), moved(lines, seed)), least) is None for seed in range(NUDGES)
    ):
        return "its leaves moved by a last digit, PyTorch does it too"
    if agrees(followed(lines, candidate)) is None:
        return "its results moved, line by line, to those given here that rounding tells as little from its own, PyTorch does it too"
    with contextlib.suppress(RuntimeError):  # of what has no memory that could be put back
        if agrees(run(Side(torch), lines, Restoring)) is None:
            return "PyTorch has written some of what it then refuses to write: with memory put back by then it agrees"
    with copying():
        # Where a pass records nothing, a clone all the same has a node as what it is cloned from.
        copied = [_KEEPS.sub("lambda g: kept.append(torch.enable_grad()(torch.clone)(g))", line) for line in lines]
        copied = [line.replace("kept.extend(g for", "kept.extend(torch.enable_grad()(torch.clone)(g) for") for line in copied]
        theirs = run(Side(torch), copied)
    if agrees(theirs) is None:
        return "PyTorch's leaf takes the memory of a gradient that the program holds, and adds to it: with a copy it does not"
    with one_by_one():
        theirs = run(Side(torch), lines)
    if agrees(theirs) is None:
        return "PyTorch's vectors and its single numbers differ: number by number it does it too"
    if any(agrees(run(Side(torch), turned(lines, seed)), least) is None for seed in range(NUDGES)):
        return "zeros on its way turned to those of the other sign, PyTorch does it too"
    if _UNTOLD.search(text) and saved_apart(lines, candidate):
        return "which values are saved: where both sides save copies, they do the same"
    if _UNWRITTEN.search(text) and settled(lines, ours, [plain, filled(lines)], least, unwritten):
        return "numbers that nothing has been written to"
    theirs = WITHOUT_VECTORS.run(lines)
    if theirs is not None and agrees(theirs, least) is None:
        return "without its vectors (ATEN_CPU_CAPABILITY=default) PyTorch does it too"
    if settled(
        lines, ours, [plain, *(run(Side(torch), rounded_anew(lines, seed)) for seed in range(NUDGES))], least, scattered
    ):
        return "nothing but rounding: where functions round otherwise, PyTorch's own numbers lie apart as far"
    if settled(lines, ours, [plain, twice_as_precise(lines)], least, nearer):
        return "PyTorch in twice the precision is nearer to what is given here than to itself"
    return None


def agrees_by(lines: list[str], candidate: Side, way: str) -> bool:
    """Whether PyTorch does what the candidate does where it goes this way, but for the nodes that it records."""
    lines = [BITS.sub(".detach().clone()", line) for line in lines] if way == "numbers for bits" else lines
    try:
        with WAYS[way]():
            theirs = run(Side(torch), lines)
        return judge(lines, _only_numbers(run(candidate, lines)), _only_numbers(theirs), coarsest(lines)) is None
    except Exception:  # the way does not reach as far, or the candidate itself ends
        return False


def _only_numbers(done: Run) -> Run:
    """What was done, with nothing said of nodes, views and versions."""
    kept = ("dtype", "shape", "requires_grad", "made")
    return mapped(done, Seen, lambda seen: Seen(seen.values, {name: seen.facts[name] for name in kept if name in seen.facts}))


def saved_apart(lines: list[str], candidate: Side) -> bool:
    """Whether both sides do the same where what is saved for gradients is copied, so that no later write reaches it."""
    done = []
    for side in (candidate, Side(torch)):
        with side.module.autograd.graph.saved_tensors_hooks(lambda saved: saved.detach().clone(), lambda saved: saved):
            done.append(run(side, lines))
    return judge(lines, done[0], done[1], coarsest(lines)) is None


def filled(lines: list[str]) -> Run:
    """PyTorch, with memory that nothing has been written to full of nan, or of the largest number."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        return run(Side(torch), lines)
    finally:
        torch.use_deterministic_algorithms(False)


Choose = Callable[[np.ndarray, list[np.ndarray]], np.ndarray]


def settled(lines: list[str], ours: Run, runs: list[Run], least: Tolerance, choose: Choose) -> bool:
    """Whether the candidate does what PyTorch does (the first run), but for numbers about which PyTorch's own runs settle nothing:
    of those `choose` takes PyTorch's."""

    def adopted(mine: Any, seen: list[Any]) -> Any:
        first = seen[0]
        if isinstance(first, list) and all(isinstance(one, list) and len(one) == len(first) for one in (mine, *seen)):
            return [adopted(mine[i], [one[i] for one in seen]) for i in range(len(first))]
        if isinstance(first, Seen) and isinstance(mine, Seen):
            alike = [one.values for one in seen if isinstance(one, Seen) and one.values.shape == first.values.shape]
            if mine.values.shape == first.values.shape and mine.values.dtype == first.values.dtype:
                return Seen(_parted(mine.values, alike, choose), mine.facts)
        elif isinstance(first, bool | int | float) and type(mine) is type(first):
            return type(first)(choose(np.asarray(mine), [np.asarray(one) for one in seen if type(one) is type(first)]))
        return mine

    def made(mine: dict[str, Any], seen: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            name: adopted(value, [one[name] for one in seen if name in one]) if name in seen[0] else value
            for name, value in mine.items()
        }

    steps = [Step(mine.error, made(mine.made, [one[0][i].made for one in runs])) for i, mine in enumerate(ours[0])]
    return judge(lines, (steps, made(ours[1], [one[1] for one in runs])), runs[0], least) is None


def _parted(mine: np.ndarray, runs: list[np.ndarray], choose: Choose) -> np.ndarray:
    if mine.dtype.kind != "c":
        return choose(mine, runs)
    return choose(mine.real, [one.real for one in runs]) + 1j * choose(mine.imag, [one.imag for one in runs])


def unwritten(mine: np.ndarray, runs: list[np.ndarray]) -> np.ndarray:
    """PyTorch's number wherever two of its runs differ."""
    same = np.logical_and.reduce([(one == runs[0]) | (one != one) & (runs[0] != runs[0]) for one in runs])
    return np.where(same, mine, runs[0])


APART = 0.1  # of a number: nothing of it is known


def scattered(mine: np.ndarray, runs: list[np.ndarray]) -> np.ndarray:
    """PyTorch's number where its runs lie apart, and the candidate is no further from all than they are from each other."""
    numbers, own = np.stack(runs).astype(np.float64), mine.astype(np.float64)
    finite = np.isfinite(numbers)
    low, high = np.where(finite, numbers, np.inf).min(0), np.where(finite, numbers, -np.inf).max(0)
    some = finite.any(0) & ~finite.all(0)
    exact = mine.dtype.kind != "f"
    spread = np.where(low < high, high - low, 0.0)
    apart = some | (spread > (0 if exact else APART * np.maximum(abs(low), abs(high))))
    beyond = 0 if exact else spread
    near = (own >= low - beyond) & (own <= high + beyond) | ~np.isfinite(own) & (some | (low <= 0) & (high >= 0))
    return np.where(apart & near, runs[0], mine)


def nearer(mine: np.ndarray, runs: list[np.ndarray]) -> np.ndarray:
    """PyTorch's number where the candidate is as near to what PyTorch has in twice the precision."""
    if len(runs) < 2:
        return mine
    off, theirs = abs(mine.astype(np.float64) - runs[1]), abs(runs[0].astype(np.float64) - runs[1])
    return np.where(off <= theirs, runs[0], mine)


def twice_as_precise(lines: list[str]) -> Run:
    torch.set_default_dtype(torch.float64)
    try:
        return run(Side(torch), [line.replace("float32", "float64").replace("complex64", "complex128") for line in lines])
    finally:
        torch.set_default_dtype(torch.float32)


def rounded_anew(lines: list[str], seed: int) -> list[str]:
    """The program, in which functions that are rounded give numbers a last digit off: equal numbers stay equal."""
    return [
        line + "".join(f"; nudge({name}, {seed})" for name in assigned(line)) if _INEXACT.search(line) else line
        for line in lines
    ]


BITS = re.compile(r"\.view\(torch\.u?int\d+\)")
# What may leave memory that nothing is written to.
_UNWRITTEN = re.compile(r"resize_|empty")
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


def one_by_one() -> contextlib.AbstractContextManager[None]:
    """PyTorch's activations work on numbers that do not lie side by side, and so on one after another."""

    def apart(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, *rest, **options: function(torch.stack([x, x], -1)[..., 0], *rest, **options)

    space = torch.nn.functional
    return replaced(space, **{name: apart(getattr(space, name)) for name in _BY_VECTORS})


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
_INEXACT_NAME = re.compile(
    r"\w*(exp(?!and)|log|sin|cos|tan|sigmoid|erf|i0|i1|softm|softplus|elu|pow|cdist|norm|mean|var|std|cross|matmul|mm|solve|inv|det"
    r"|cumsum|prod|Norm)\w*(?<!_)"
)
_INEXACT = re.compile(rf"\b{_INEXACT_NAME.pattern}\(|[\])] [/@] | \*\* ")
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


FOLLOWED = 2.0  # last digits by which PyTorch's numbers are moved to others
BEYOND = 4.0  # times as far as PyTorch's own lie apart: as if inputs were moved by some last digits instead of one


class Following(Running):
    """PyTorch, beside another side: after each line its numbers are the other's, where those lie a last digit from its own, or not
    much further than its own lie apart where those that the line began with are moved by a last digit."""

    def __init__(self, side: Side, other: Side) -> None:
        super().__init__(side)
        self.beside = Running(other)
        self.moved = [Running(side) for _ in range(NUDGES)]

    def _execute(self, line: str) -> Exception | None:
        self.beside.take(line)
        draws = torch.get_rng_state()
        for seed, running in enumerate(self.moved):
            torch.set_rng_state(draws)
            with RoundedInside(seed) if "lambda" in line else contextlib.nullcontext():
                running.take(line)
        torch.set_rng_state(draws)
        error = super()._execute(line)
        moved, beside = [_tensors(running) for running in self.moved], _tensors(self.beside)
        for name, value in _tensors(self).items():
            alike = [one[name] for one in moved if name in one and one[name].shape == value.shape]
            if name in beside:
                _follow(value, self.beside.side.array(beside[name]), alike)
            for seed, one in enumerate(alike):
                with contextlib.suppress(RuntimeError):  # where elements share places
                    one.data.copy_(value.detach())
                nudge(one, seed)
        return error


class RoundedInside(TorchFunctionMode):
    """Functions that are rounded give numbers a last digit off, or not, where no name stands for them."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.draw = random.Random(seed)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if (
            not isinstance(result, torch.Tensor)
            or not result.dtype.is_floating_point
            or not _INEXACT_NAME.fullmatch(getattr(function, "__name__", ""))
        ):
            return result
        return result * (1 + self.draw.choice([-1, 0, 1]) * torch.finfo(result.dtype).eps)


def _tensors(running: Running) -> dict[str, Any]:
    """All that a program holds, with gradients, less what is sparse."""
    found = {name: value for name, value in running.space.items() if running.side.is_tensor(value)}
    lists = {name: value for name, value in running.space.items() if isinstance(value, list)}
    found |= {
        f"{name}[{i}]": one for name, value in lists.items() for i, one in enumerate(value) if running.side.is_tensor(one)
    }
    found |= {f"{name}.grad": value.grad for name, value in found.items() if keeps_gradient(value) and value.grad is not None}
    return {name: value for name, value in found.items() if "strided" in str(value.layout)}


def _follow(value: torch.Tensor, numbers: np.ndarray, moved: list[torch.Tensor]) -> None:
    """Moves a tensor's numbers to these, where they are as good as its own."""
    if value.shape != numbers.shape:
        return
    theirs = torch.as_tensor(np.array(numbers))
    own, theirs, *runs = (_in_parts(one) for one in (value, theirs, *moved))
    eps = torch.finfo(value.dtype).eps if value.is_floating_point() or value.is_complex() else 0.0
    near = (own - theirs).abs() <= FOLLOWED * eps * own.abs()
    if runs:
        near |= _between(theirs, torch.stack([own, *runs]), eps)
    if (near & (own != theirs)).any():
        parts = torch.where(near, theirs, own)
        with contextlib.suppress(RuntimeError):  # where elements share places
            value.data.copy_(torch.view_as_complex(parts) if value.is_complex() else parts)


def _in_parts(value: torch.Tensor) -> torch.Tensor:
    value = value.detach().resolve_conj().resolve_neg()
    return (torch.view_as_real(value.to(torch.complex128)) if value.is_complex() else value).to(torch.float64)


def _between(numbers: torch.Tensor, runs: torch.Tensor, eps: float) -> torch.Tensor:
    """Whether numbers are not much further from those of several runs than these from each other; what is not finite, one of them."""
    finite = runs.isfinite()
    low = torch.where(finite, runs, torch.inf).amin(0)
    high = torch.where(finite, runs, -torch.inf).amax(0)
    beyond = (high - low) * BEYOND * bool(eps)
    same = (runs == numbers) | runs.isnan() & numbers.isnan()
    return (numbers >= low - beyond) & (numbers <= high + beyond) | same.any(0)


def followed(lines: list[str], candidate: Side) -> Run:
    running = Following(Side(torch), candidate)
    for line in lines:
        running.take(line)
    return running.steps, running.end()


def coarsest(lines: list[str]) -> Tolerance:
    """What the lowest precision that a program mentions allows, also where its numbers have gone on to a higher one."""
    text = "\n".join(lines)
    if re.search(r"float16|half\(|autocast", text):
        return HALF
    return tolerance_for(np.dtype(np.float32), order=1) if re.search(r"float32|complex64|True", text) else NONE


class Restoring(Running):
    """PyTorch, with the memory, the shape and the version of all tensors as they were before a line that it has refused."""

    def _execute(self, line: str) -> Exception | None:
        tensors = [value for value in self.space.values() if self.side.is_tensor(value) and value.layout is torch.strided]
        before = [(one, one.untyped_storage(), one.storage_offset(), one.shape, one.stride()) for one in tensors]
        counted = [(one, one._version) for one in tensors if not one.is_inference()]
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
            for tensor, version in counted:
                torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))
        return error
