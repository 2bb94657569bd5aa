"""Every op of PyTorch's own table, on PyTorch's own samples, on PyTorch and on rushlight.

    python tests/conformance/op_samples.py --dtype float64 -k softmax --jobs 4 --json out.json

An op counts as agreeing only if all its samples do. Where an op has more samples than `--samples`, that many are taken
at even distances, first and last included: the same ones in every run. Modes other than `function` hold the op's other
forms (method, in-place, out=, forward derivative, errors) against PyTorch's in the same way. With `--compiled` each
sample goes through torch.compile first, on other numbers.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import gc
import importlib
import multiprocessing
import os
import re
import resource
import signal
import time
import types
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import as_if_large
import numpy as np
import torch
from op_check import Disagreement, Form, check_error, check_forward, check_sample, form_of, short, tensors_in
from op_results import FLOORS, Outcome, figures_in, write_floors, write_outcomes
from sides import Missing, Side
from torch.testing._internal import common_utils
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo import core

CLASSES: dict[str, tuple[torch.dtype, ...]] = {
    "float64": (torch.float64,),
    "complex128": (torch.complex128,),
    "float32": (torch.float32,),
    "integer": (torch.int64, torch.bool),
}
MODES = ("function", "method", "inplace", "out", "forward", "error")
_CLASSES_OF = {"function": list(CLASSES), "error": list(CLASSES), "forward": ["float64", "complex128"]}
SAMPLES_PER_OP = 60
LARGEST_INPUT = 200_000
SECONDS_PER_OP = 40
MEMORY_PER_WORKER = 16 * 2**30

_NOT_PUBLIC = re.compile(r"^_[^_]|^torch\.(ops|_)|sparse|jiterator|triton|cutedsl|_scaled_mm|^native_dropout_backward$|^slice$")


# For each sample PyTorch reads the source of every function on the stack, in search of a unittest: nine tenths of the time.
common_utils.extract_test_fn = core.extract_test_fn = lambda: None


class OutOfTime(BaseException):
    """The op used up its share of the run."""


def ops(pattern: str | None = None) -> list[Any]:
    """The table's public ops over strided tensors, whose full names match the pattern: a part of it, or a glob."""
    public = [op for op in op_db if not _NOT_PUBLIC.search(op.full_name)]
    if pattern is None:
        return public
    return [op for op in public if pattern in op.full_name or fnmatch.fnmatch(op.full_name, pattern)]


PARTS = 4  # of the table, for tests that run side by side


def different_in(
    difference: Callable[[Any, Any], tuple[int, str | None]], ours: Side, part: int
) -> tuple[int, dict[str, str], set[str]]:
    """What `difference` says of each op of a part of the table that has gradients, given it and our form of it: how many
    trials there were, the first difference by op, and the names of all."""
    count, different, names = 0, {}, set()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for op in [op for op in ops() if op.supports_autograd and torch.float64 in op.supported_dtypes("cpu")][part::PARTS]:
            names.add(op.full_name)
            try:
                form = ours.resolve(op.op, op.full_name)
            except Missing:
                continue
            tried, found = difference(op, form)
            count += tried
            if found:
                different[op.full_name] = found[:600]
    return count, different, names


def is_differentiable(op: Any, dtype: torch.dtype) -> bool:
    return bool(op.supports_autograd) and dtype in op.supported_backward_dtypes("cpu")


def dtypes_of(op: Any, inputs: str) -> list[torch.dtype]:
    return [dtype for dtype in CLASSES[inputs] if dtype in op.supported_dtypes("cpu")]


def fits(sample: Any) -> bool:
    """Whether the sample's tensors are of the kind that is held against PyTorch: on the CPU, strided, not huge.

    NumPy's arrays have 64 dimensions at most; one of PyTorch's erroneous inputs has more.
    """
    return all(
        t.layout is torch.strided and t.device.type == "cpu" and t.numel() <= LARGEST_INPUT and t.ndim <= 64
        for t in tensors_in((sample.input, sample.args, sample.kwargs))
    )


def chosen(samples: list[Any], most: int) -> list[Any]:
    """At most so many of the samples that fit, evenly spread."""
    fit = [sample for sample in samples if fits(sample)]
    if len(fit) <= most:
        return fit
    return [fit[index] for index in np.linspace(0, len(fit) - 1, most).round().astype(int)]


def _out_of_time(signum: int, frame: Any) -> None:
    raise OutOfTime


def judge(op: Any, inputs: str, mode: str, candidate: Side, most: int, compiled: bool = False) -> Outcome | None:
    """All samples of one op for one class of inputs; None where PyTorch has no such form."""
    dtypes = dtypes_of(op, inputs)
    if not dtypes or (mode == "error" and op.error_inputs_func is None):
        return None
    if mode == "forward" and not (op.supports_forward_ad and is_differentiable(op, dtypes[0])):
        return None
    form = form_of(op, mode, candidate)
    if form is None:
        return None
    form.compiled = compiled
    if compiled:
        gc.collect()  # tensors of complex32 that an error holds: while one is alive nothing is captured
    outcome = Outcome(op.full_name, inputs, mode, any(is_differentiable(op, dtype) for dtype in dtypes))
    start = time.monotonic()
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.alarm(SECONDS_PER_OP)
    try:
        if mode == "error":
            judge_errors(op, form, candidate, outcome)
        else:
            judge_samples(op, dtypes, form, mode, candidate, most, outcome)
    except OutOfTime:
        outcome.fail("time", f"more than {SECONDS_PER_OP} s")
    finally:
        signal.alarm(0)
    outcome.captured = form.captured
    outcome.seconds = round(time.monotonic() - start, 3)
    return outcome if outcome.samples else None


def judge_samples(
    op: Any, dtypes: list[torch.dtype], form: Form, mode: str, candidate: Side, most: int, outcome: Outcome
) -> None:
    for dtype in dtypes:
        differentiable = is_differentiable(op, dtype) and dtype.is_floating_point | dtype.is_complex
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=differentiable and mode in _RECORDING))
        outcome.of += len(samples)
        for number, sample in enumerate(chosen(samples, most)):
            outcome.samples += 1
            if form.ours is None:
                outcome.fail("missing", form.missing)
                continue
            try:
                if mode == "forward":
                    check_forward(op, sample, form, candidate)
                else:
                    check_sample(op, sample, form, candidate, mode, differentiable)
            except Exception as error:
                difference = error if isinstance(error, Disagreement) else Disagreement("reading", short(error))
                outcome.fail(difference.kind, f"{str(dtype)[6:]} sample {number}: {difference} | {describe(sample)}")


_RECORDING = ("function", "inplace", "forward")


def describe(sample: Any) -> str:
    return re.sub(r", device=\"cpu\"|, broadcasts_input=False|, name=''|torch\.", "", sample.summary())[12:-1]


def judge_errors(op: Any, form: Form, candidate: Side, outcome: Outcome) -> None:
    for number, erroneous in enumerate(op.error_inputs("cpu")):
        if not fits(erroneous.sample_input):
            continue
        try:
            if form.ours is None:
                raise Disagreement("missing", form.missing)
            if not check_error(erroneous, form, candidate):
                continue
        except Exception as error:
            difference = error if isinstance(error, Disagreement) else Disagreement("reading", short(error))
            outcome.fail(difference.kind, f"error input {number}: {difference} | {describe(erroneous.sample_input)}")
        outcome.samples += 1
        outcome.of += 1


def load_candidate(name: str) -> Side:
    """The side under test. `mirror` is PyTorch again, behind every conversion: what the harness itself adds."""
    if name != "mirror":
        return Side(importlib.import_module(name))
    mirror = types.ModuleType("mirror")
    mirror.__getattr__ = lambda attribute: getattr(torch, attribute)  # type: ignore[method-assign]
    return Side(mirror)


_WORK: dict[str, Any] = {}


def _start(candidate: str, most: int, compiled: bool) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_PER_WORKER, MEMORY_PER_WORKER))
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    np.seterr(all="ignore")
    _WORK["candidate"] = load_candidate(candidate)
    if as_if_large.is_installed():
        _WORK["candidate"].module.set_num_threads(as_if_large.THREADS)
    _WORK["most"], _WORK["compiled"] = most, compiled
    _WORK["ops"] = {op.full_name: op for op in ops()}


def _task(task: tuple[str, str, str]) -> Outcome | None:
    name, inputs, mode = task
    return judge(_WORK["ops"][name], inputs, mode, _WORK["candidate"], _WORK["most"], _WORK["compiled"])


def survey(
    classes: list[str],
    mode: str = "function",
    pattern: str | None = None,
    jobs: int = 4,
    candidate: str = "rushlight",
    most: int = SAMPLES_PER_OP,
    compiled: bool = False,
) -> list[Outcome]:
    """Runs the table over so many processes; outcomes in the table's order."""
    tasks = [(op.full_name, inputs, mode) for inputs in classes for op in ops(pattern) if dtypes_of(op, inputs)]
    if mode == "error":
        # Erroneous inputs bring their own dtypes, so each op comes once.
        tasks = list({name: (name, inputs, mode) for name, inputs, mode in reversed(tasks)}.values())[::-1]
    if jobs == 1:
        _start(candidate, most, compiled)
        return [outcome for outcome in map(_task, tasks) if outcome is not None]
    load_candidate(candidate)  # so that the workers need not, and an import that fails is told once
    workers = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _start, (candidate, most, compiled))
    with workers:
        return [outcome for outcome in workers.map(_task, tasks, chunksize=4) if outcome is not None]


def report(outcomes: list[Outcome], verbose: bool) -> None:
    for outcome in outcomes:
        if verbose or not outcome.agrees:
            print(outcome)
    reasons = collections.Counter(outcome.kind for outcome in outcomes if not outcome.agrees)
    if reasons:
        print("\nfirst failures: " + ", ".join(f"{kind} {count}" for kind, count in reasons.most_common()))
    cut = sum(outcome.samples != outcome.of for outcome in outcomes)
    if cut:
        print(f"{cut} of {len(outcomes)} had more samples than are taken, or some too large or not strided")
    captured = sum(outcome.captured for outcome in outcomes)
    if captured:
        print(f"{captured} of {sum(outcome.samples for outcome in outcomes)} samples were captured")
    for figure in figures_in(outcomes).values():
        print(figure)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", action="append", choices=list(CLASSES), help="class of inputs (default: all)")
    parser.add_argument("--mode", default="function", choices=MODES)
    parser.add_argument("-k", dest="pattern", help="only ops whose full name holds this, or matches this glob")
    parser.add_argument("-j", "--jobs", type=int, default=4)
    parser.add_argument("--samples", type=int, default=SAMPLES_PER_OP, help="most samples of one op")
    parser.add_argument("--json", type=Path, help="write every outcome here")
    parser.add_argument("--candidate", default="rushlight", help="module under test; `mirror` is PyTorch again")
    parser.add_argument("--as-if-large", action="store_true", help="thresholds of size lowered: see as_if_large.py")
    parser.add_argument("--kernels", choices=["numpy"], help="leave the compiled kernels alone")
    parser.add_argument("--compiled", action="store_true", help="each sample compiled, without its second derivatives")
    parser.add_argument("-v", "--verbose", action="store_true", help="also list the ops that agree")
    parser.add_argument("--write-floors", action="store_true", help=f"record this run in {FLOORS.name}")
    options = parser.parse_args(arguments)
    if options.kernels:
        os.environ["RUSHLIGHT_KERNELS"] = options.kernels  # read when rushlight is imported, here and in the workers
    if options.as_if_large:
        as_if_large.install()
    classes = options.dtype or _CLASSES_OF.get(options.mode, ["float64"])
    start = time.monotonic()
    outcomes = survey(
        classes, options.mode, options.pattern, options.jobs, options.candidate, options.samples, options.compiled
    )
    report(outcomes, options.verbose)
    print(f"{time.monotonic() - start:.0f} s")
    if options.json:
        write_outcomes(options.json, outcomes)
    if options.write_floors:
        write_floors(figures_in(outcomes).values())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
