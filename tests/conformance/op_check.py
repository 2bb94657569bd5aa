"""One sample of one op, run on PyTorch and on the side under test, and what is compared.

Each `check_*` raises Disagreement, with the kind of thing that differs, where the two are not the same.
"""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from sides import SEED, Missing, Side, array_difference, largest, tolerance_for

# Uninitialised memory: only shape and dtype can agree.
UNINITIALISED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
# Streams that the design does not promise: shape and dtype agree, the draws need not.
OTHER_STREAMS = {"cauchy", "exponential", "geometric", "log_normal", "multinomial"}


class Disagreement(Exception):
    """One sample came out differently: `kind` is what differed."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


# One sample on one side.


@dataclasses.dataclass
class Run:
    """A sample as one side holds it, and what came out."""

    side: Side
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    tensors: list[Any]
    wanted: list[Any]
    output: Any = None
    error: Exception | None = None


def prepare(side: Side, sample: Any, differentiate: bool) -> Run:
    memo: dict[int, Any] = {}
    given = (sample.input, sample.args, sample.kwargs)
    first, rest, keywords = (side.build(part, memo) for part in given)
    originals = list({id(t): t for t in tensors_in(given)}.values())
    tensors = [memo[id(t)] for t in originals]
    wanted = [memo[id(t)] for t in originals if t.requires_grad] if differentiate else []
    return Run(side, (first, *rest), keywords, tensors, wanted)


def execute(run: Run, function: Callable[..., Any]) -> None:
    try:
        run.side.module.manual_seed(SEED)
        run.output = function(*run.arguments, **run.keywords)
    except Exception as error:
        run.error = error


def short(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}"[:400]


def error_kind(error: Exception) -> str:
    if isinstance(error, Missing):
        return "missing"
    if isinstance(error, NotImplementedError):
        return "not implemented"
    return "missing" if isinstance(error, AttributeError | ImportError) else "raises"


def on_candidate(run: Run, act: Callable[[], Any], during: str) -> Any:
    try:
        return act()
    except Disagreement:
        raise
    except Exception as error:
        raise Disagreement(f"{during} {error_kind(error)}".strip(), short(error)) from error


# Comparison of two runs.


def compare_leaves(ours: Side, theirs: Side, mine: Any, reference: Any, values: bool = True) -> None:
    a, b = list(ours.leaves(mine)), list(theirs.leaves(reference))
    if len(a) != len(b):
        raise Disagreement("structure", f"{len(a)} results for {len(b)}")
    for index, (left, right) in enumerate(zip(a, b, strict=True)):
        place = f"result {index}: " if len(b) > 1 else ""
        if theirs.is_tensor(right):
            if not ours.is_tensor(left):
                raise Disagreement("structure", f"{place}{type(left).__name__} for a Tensor")
            compare_tensors(ours, theirs, left, right, place, values)
        elif not same_value(left, right) and values:
            raise Disagreement("value", f"{place}{left!r} for {right!r}")


def same_value(left: Any, right: Any) -> bool:
    if isinstance(right, float | complex) and isinstance(left, float | complex):
        return bool(np.isclose(left, right, rtol=1e-5, equal_nan=True))
    if isinstance(right, torch.Size):
        return tuple(left) == tuple(right)
    if isinstance(right, torch.dtype | torch.device):
        return str(left) == str(right)
    return type(left) is type(right) and bool(left == right)


def compare_tensors(ours: Side, theirs: Side, mine: Any, reference: Any, place: str, values: bool) -> None:
    if tuple(mine.shape) != tuple(reference.shape):
        raise Disagreement("shape", f"{place}{tuple(mine.shape)} for {tuple(reference.shape)}")
    if str(mine.dtype) != str(reference.dtype):
        raise Disagreement("dtype", f"{place}{mine.dtype} for {reference.dtype}")
    if values:
        compare_arrays(ours.array(mine), theirs.array(reference), "value", place)
    if bool(mine.requires_grad) != bool(reference.requires_grad):
        raise Disagreement("requires_grad", f"{place}{mine.requires_grad} for {reference.requires_grad}")


def compare_arrays(mine: np.ndarray, reference: np.ndarray, kind: str, place: str, order: int = 0, beside: float = 0.0) -> None:
    difference = array_difference(mine, reference, tolerance_for(reference.dtype, order, beside))
    if difference is not None:
        raise Disagreement(kind, f"{place}{difference}")


def cotangents(outputs: list[torch.Tensor], seed: int) -> list[torch.Tensor]:
    draws = np.random.RandomState(seed)
    made = []
    for output in outputs:
        values = draws.standard_normal(tuple(output.shape))
        if output.is_complex():
            values = values + 1j * draws.standard_normal(tuple(output.shape))
        made.append(torch.from_numpy(np.asarray(values)).to(output.dtype))
    return made


def as_arrays(side: Side, gradients: Any) -> list[np.ndarray | None]:
    return [None if g is None else side.array(g) for g in gradients]


def compare_gradients(
    mine: list[np.ndarray | None], reference: list[np.ndarray | None], kind: str, order: int = 1, beside: float = 0.0
) -> None:
    beside = max(beside, largest(reference))
    for index, (left, right) in enumerate(zip(mine, reference, strict=True)):
        if left is None and right is None:
            continue
        place = f"input {index}: "
        left = np.zeros_like(right) if left is None else left
        right = np.zeros_like(left) if right is None else right
        if left.shape != right.shape or left.dtype != right.dtype:
            raise Disagreement(f"{kind} type", f"{place}{left.dtype}{left.shape} for {right.dtype}{right.shape}")
        compare_arrays(left, right, kind, place, order, beside)


def compare_derivatives(theirs: Run, ours: Run, processes: tuple[Any, Any], second: bool) -> None:
    """First and second gradients with random cotangents, in every input that asked for one."""
    reference, candidate = theirs.side, ours.side
    their_outputs = list(reference.leaves(processes[0](theirs.output)))
    our_outputs = on_candidate(ours, lambda: list(candidate.leaves(processes[1](ours.output))), "process")
    places = [i for i, out in enumerate(their_outputs) if isinstance(out, torch.Tensor) and out.requires_grad]
    if not places:
        return
    if len(our_outputs) != len(their_outputs):
        raise Disagreement("structure", f"{len(our_outputs)} processed results for {len(their_outputs)}")
    their_outputs = [their_outputs[i] for i in places]
    our_outputs = [our_outputs[i] for i in places]
    their_cotangents = cotangents(their_outputs, seed=1)
    our_cotangents = [candidate.build(c) for c in their_cotangents]
    for cotangent in (*their_cotangents, *our_cotangents):
        cotangent.requires_grad_(second)

    def gradients(module: types.ModuleType, outputs: Any, inputs: Any, given: Any, again: bool) -> Any:
        return module.autograd.grad(outputs, inputs, given, create_graph=again, allow_unused=True)

    try:
        expected = gradients(torch, their_outputs, theirs.wanted, their_cotangents, second)
    except (RuntimeError, NotImplementedError):
        return
    found = on_candidate(ours, lambda: gradients(candidate.module, our_outputs, ours.wanted, our_cotangents, second), "grad")
    beside = largest(as_arrays(reference, [*theirs.wanted, *their_outputs, *expected]))
    compare_gradients(as_arrays(candidate, found), as_arrays(reference, expected), "grad", beside=beside)
    if not second:
        return
    places = [i for i, gradient in enumerate(expected) if gradient is not None and gradient.requires_grad]
    if not places:
        return
    their_second = cotangents([expected[i] for i in places], seed=2)
    try:
        twice = gradients(torch, [expected[i] for i in places], theirs.wanted + their_cotangents, their_second, False)
    except (RuntimeError, NotImplementedError):
        return
    kept = [(found[i], candidate.build(c)) for i, c in zip(places, their_second, strict=True) if _recorded(found[i])]
    targets = ours.wanted + our_cotangents
    got = [None] * len(targets)
    if kept:
        outputs, given = zip(*kept, strict=True)
        got = on_candidate(ours, lambda: gradients(candidate.module, outputs, targets, given, False), "gradgrad")
    compare_gradients(as_arrays(candidate, got), as_arrays(reference, twice), "gradgrad", 2, beside)


def _recorded(gradient: Any) -> bool:
    return gradient is not None and gradient.requires_grad


# The modes.


@dataclasses.dataclass
class Form:
    """One form of an op: how PyTorch spells it and how the candidate does."""

    theirs: Callable[..., Any]
    ours: Callable[..., Any] | None
    missing: str = ""
    compiled: bool = False  # ours is compiled, and has been captured on other numbers before it is compared
    captured: int = 0  # how often it was


def form_of(op: Any, mode: str, candidate: Side) -> Form | None:
    """The op's form for a mode; None where PyTorch has none."""
    function, preferred = op.op, op.name
    if mode == "method":
        function, preferred = op.method_variant, f"Tensor.{op.name}"
    elif mode == "inplace":
        function, preferred = op.inplace_variant, f"Tensor.{op.name}_"
    elif mode == "out" and not op.supports_out:
        return None
    if function is None:
        return None
    try:
        return Form(function, candidate.resolve(function, preferred))
    except Missing as error:
        return Form(function, None, f"no {error}")


def check_sample(op: Any, sample: Any, form: Form, candidate: Side, mode: str, differentiable: bool) -> None:
    """Raises Disagreement where the candidate's result is not PyTorch's."""
    reference = Side(torch)
    differentiate = differentiable and mode in ("function", "inplace")
    theirs = prepare(reference, sample, differentiate)
    ours = on_candidate(theirs, lambda: prepare(candidate, sample, differentiate), "build")
    if mode == "inplace":
        if not isinstance(sample.input, torch.Tensor):
            return
        for run in (theirs, ours):
            run.arguments = (run.arguments[0].clone(), *run.arguments[1:])
    if mode == "out" and not add_out(op, sample, theirs, ours):
        return
    execute(theirs, form.theirs)
    assert form.ours is not None
    execute(ours, compiled(sample, form, candidate, mode) if form.compiled else form.ours)
    if theirs.error is not None:
        if ours.error is None:
            raise Disagreement("no error", f"PyTorch raises {short(theirs.error)}")
        if not isinstance(ours.error, type(theirs.error)):
            raise Disagreement("error type", f"{short(ours.error)} for {short(theirs.error)}")
        return
    if ours.error is not None:
        raise Disagreement(error_kind(ours.error), short(ours.error)) from ours.error
    compare_outputs(op, sample, theirs, ours, differentiate, bool(op.supports_gradgrad) and not form.compiled)


def compiled(sample: Any, form: Form, candidate: Side, mode: str) -> Callable[..., Any]:
    """The candidate's form compiled, and called twice: on other numbers and tensors than those that are compared."""
    function = form.ours
    assert function is not None
    fast = candidate.module.compile(lambda *args, **kwargs: function(*args, **kwargs))
    fast._compiled.always = True
    for scale in (0.75, 0.875):
        run = prepare(candidate, sample, mode in ("function", "inplace"))
        with candidate.module.no_grad():
            for tensor in run.tensors:
                if tensor.is_floating_point() and not any(step == 0 for step in tensor.stride()):
                    tensor.mul_(scale)
        if mode == "inplace":
            run.arguments = (run.arguments[0].clone(), *run.arguments[1:])
        execute(run, fast)
    form.captured += any(one.program is not None for one in fast._compiled.forms)
    return fast  # type: ignore[no-any-return]


def compare_outputs(op: Any, sample: Any, theirs: Run, ours: Run, differentiate: bool, second: bool) -> None:
    candidate = ours.side
    processes = (
        sample.output_process_fn_grad,
        on_candidate(ours, lambda: candidate.resolve(sample.output_process_fn_grad), "process"),
    )
    values = op.name not in UNINITIALISED | OTHER_STREAMS
    try:
        on_candidate(ours, lambda: compare_leaves(candidate, theirs.side, ours.output, theirs.output, values), "read")
    except Disagreement as difference:
        if difference.kind != "value":
            raise
        # A decomposition is unique only up to a phase or a sign; the table's own processing takes that out.
        processed = processes[0](theirs.output)
        if processed is theirs.output:
            raise
        mine = on_candidate(ours, lambda: processes[1](ours.output), "process")
        compare_leaves(candidate, theirs.side, mine, processed)
    if values:
        with torch.no_grad():
            for mine, reference in zip(ours.tensors, theirs.tensors, strict=True):
                try:
                    compare_arrays(candidate.array(mine), theirs.side.array(reference), "value", "")
                except Disagreement as difference:
                    raise Disagreement("input changed", str(difference)) from None
    if differentiate and ours.wanted:
        compare_derivatives(theirs, ours, processes, second)


def add_out(op: Any, sample: Any, theirs: Run, ours: Run) -> bool:
    """Gives both runs an `out=` of the right shape, filled with zeros; False where the sample has none."""
    trial = prepare(theirs.side, sample, False)
    execute(trial, op.op)
    result = trial.output
    if trial.error is not None or "out" in trial.keywords:
        return False
    made: Any
    if isinstance(result, torch.Tensor):
        made = torch.zeros_like(result.detach())
    elif isinstance(result, tuple) and all(isinstance(item, torch.Tensor) for item in result):
        made = tuple(torch.zeros_like(item.detach()) for item in result)
    else:
        return False
    for run in (theirs, ours):
        memo: dict[int, Any] = {}
        run.keywords = {**run.keywords, "out": run.side.build(made, memo)}
    return True


def check_forward(op: Any, sample: Any, form: Form, candidate: Side) -> None:
    """The directional derivative by dual numbers, along the same random directions."""
    reference = Side(torch)
    theirs = prepare(reference, sample, True)
    if not theirs.wanted:
        return
    ours = on_candidate(theirs, lambda: prepare(candidate, sample, True), "build")
    directions = cotangents(theirs.wanted, seed=3)
    try:
        expected = directional(theirs, form.theirs, sample.output_process_fn_grad, directions)
    except (RuntimeError, NotImplementedError):
        return
    process = on_candidate(ours, lambda: candidate.resolve(sample.output_process_fn_grad), "process")
    given = [candidate.build(direction) for direction in directions]
    assert form.ours is not None
    function = form.ours
    found = on_candidate(ours, lambda: directional(ours, function, process, given), "forward")
    if len(found) != len(expected):
        raise Disagreement("structure", f"{len(found)} results for {len(expected)}")
    compare_gradients(found, expected, "forward")


def directional(run: Run, function: Callable[..., Any], process: Any, directions: list[Any]) -> list[np.ndarray | None]:
    forward = run.side.module.autograd.forward_ad
    with forward.dual_level():
        duals = {
            id(tensor): forward.make_dual(tensor.detach(), direction)
            for tensor, direction in zip(run.wanted, directions, strict=True)
        }
        run.side.module.manual_seed(SEED)
        arguments = replaced(run.arguments, duals)
        output = process(function(*arguments, **replaced(run.keywords, duals)))
        tangents = [forward.unpack_dual(leaf).tangent for leaf in run.side.leaves(output) if run.side.is_tensor(leaf)]
        return [None if tangent is None else run.side.array(tangent) for tangent in tangents]


def replaced(value: Any, by: dict[int, Any]) -> Any:
    if id(value) in by:
        return by[id(value)]
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(replaced(item, by) for item in value)
    if isinstance(value, dict):
        return {key: replaced(item, by) for key, item in value.items()}
    return value


def check_error(erroneous: Any, form: Form, candidate: Side) -> bool:
    """False where PyTorch itself does not raise what its table says."""
    theirs = prepare(Side(torch), erroneous.sample_input, False)
    execute(theirs, form.theirs)
    if not isinstance(theirs.error, erroneous.error_type) or not re.search(erroneous.error_regex, str(theirs.error)):
        return False
    ours = on_candidate(theirs, lambda: prepare(candidate, erroneous.sample_input, False), "build")
    assert form.ours is not None
    execute(ours, form.ours)
    if ours.error is None:
        raise Disagreement("no error", f"PyTorch raises {short(theirs.error)}")
    if not isinstance(ours.error, erroneous.error_type):
        raise Disagreement("error type", f"{short(ours.error)} for {short(theirs.error)}") from ours.error
    if not re.search(erroneous.error_regex, str(ours.error)):
        raise Disagreement("error text", f"{short(ours.error)} for {short(theirs.error)}") from ours.error
    return True
