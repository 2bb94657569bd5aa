"""How results lie in memory: PyTorch's op samples laid out in several ways, on both sides.

Held against PyTorch are the strides of results (of dimensions larger than 1), whether they are views, and their values.
What is known to differ is listed, and fails here once it agrees.
"""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from op_check import OTHER_STREAMS, UNINITIALISED, tensors_in
from op_samples import chosen, ops
from sides import SEED, Missing, Side, array_difference, tolerance_for

import rushlight

SAMPLES_PER_OP = 3
SECONDS_PER_SAMPLE = 20


class Viewing(Side):
    """A side that makes a view of what is a view on PyTorch's side."""

    def tensor(self, source: torch.Tensor) -> Any:
        base = source._base
        if base is None or base.dtype != source.dtype:
            return super().tensor(source)
        if not source.numel():
            made = super().tensor(source.detach())
            return made.view_as(made)
        return super().tensor(base.detach()).as_strided(tuple(source.shape), source.stride(), source.storage_offset())


THEIRS, OURS = Side(torch), Viewing(rushlight)


# Layouts.


def in_order(values: torch.Tensor, slowest_first: list[int]) -> torch.Tensor:
    """A copy with its dimensions in this order in memory; no view."""
    laid = values.permute(slowest_first).contiguous()
    strides = dict(zip(slowest_first, laid.stride(), strict=True))
    return torch.empty_strided(values.shape, [strides[axis] for axis in range(values.dim())], dtype=values.dtype).copy_(values)


def columns(values: torch.Tensor) -> torch.Tensor:
    axes = list(range(values.dim()))
    return in_order(values, [*axes[:-2], *axes[-2:][::-1]])


def batch_last(values: torch.Tensor) -> torch.Tensor:
    axes = list(range(values.dim()))
    return in_order(values, [*axes[1:], *axes[:1]])


def channels_last(values: torch.Tensor) -> torch.Tensor:
    axes = list(range(values.dim()))
    return in_order(values, [0, *axes[2:], 1] if len(axes) in (4, 5) else axes)


def stepped(values: torch.Tensor) -> torch.Tensor:
    if not values.dim():
        return values.clone()
    wide = torch.zeros(*values.shape[:-1], 2 * values.shape[-1], dtype=values.dtype)
    wide[..., ::2] = values
    return wide[..., ::2]


def plain(values: torch.Tensor) -> torch.Tensor:
    return in_order(values, list(range(values.dim())))


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    layout.__name__: layout for layout in (plain, columns, batch_last, channels_last, stepped)
}


def laid_out(value: Any, layout: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The tensors of a sample in a layout of their own memory; those that overlap themselves as they are."""
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided:
            return value
        values = value.detach()
        overlaps = any(size > 1 and not step for size, step in zip(values.shape, values.stride(), strict=True))
        return values if overlaps else layout(values)
    if type(value) in (list, tuple):
        return type(value)(laid_out(item, layout) for item in value)
    if isinstance(value, dict):
        return {key: laid_out(item, layout) for key, item in value.items()}
    return value


# Samples.


def samples_of(op: Any, layout: str) -> Iterator[tuple[Any, ...]]:
    for sample in chosen(list(op.sample_inputs("cpu", torch.float64)), SAMPLES_PER_OP):
        given = (sample.input, tuple(sample.args), dict(sample.kwargs))
        yield (sample, *laid_out(given, LAYOUTS[layout]))


def tensors(side: Side, value: Any) -> list[Any]:
    return [leaf for leaf in side.leaves(value) if side.is_tensor(leaf)]


def form_of(tensor: Any) -> Any:
    """The shape, and the strides of dimensions of more than one element; the shape alone where there is nothing."""
    shape = tuple(tensor.shape)
    if 0 in shape:
        return shape
    return shape, tuple(step for step, size in zip(tensor.stride(), shape, strict=True) if size > 1)


def is_view(tensor: Any) -> bool:
    """Pending conjugations are views in PyTorch, and computed at once here."""
    return bool(tensor._is_view() and not tensor.is_conj() and not tensor.is_neg())


def seeded(side: Side, function: Callable[..., Any], input: Any, args: Any, keywords: Any) -> Any:
    side.module.manual_seed(SEED)
    return function(input, *args, **keywords)


def _out_of_time(signum: int, frame: Any) -> None:
    raise TimeoutError


def differences(op: Any, layout: str) -> tuple[int, str | None]:
    """How many samples PyTorch ran, and the first difference."""
    try:
        ours = OURS.resolve(op.op, op.full_name)
        given = list(samples_of(op, layout))
    except (Missing, RuntimeError):
        return 0, None
    count = 0
    for sample, *arguments in given:
        signal.signal(signal.SIGALRM, _out_of_time)
        signal.alarm(SECONDS_PER_SAMPLE)
        try:
            copies = OURS.build(arguments)
            try:
                expected = seeded(THEIRS, THEIRS.resolve(op.op), *arguments)
            except Exception:  # not for this layout
                continue
            count += 1
            try:
                different = compare(op, sample, expected, seeded(OURS, ours, *copies))
            except Exception as error:
                different = repr(error)[:200]
        finally:
            signal.alarm(0)
        if different:
            return count, f"{op.full_name} of {[form_of(tensor) for tensor in tensors_in(arguments)]}: {different}"
    return count, None


def compare(op: Any, sample: Any, expected: Any, got: Any) -> str | None:
    """What differs between the results of the two sides: strides, view or not, values."""
    theirs, ours = tensors(THEIRS, expected), tensors(OURS, got)
    forms = [(form_of(one), is_view(one)) for one in theirs], [(form_of(one), is_view(one)) for one in ours]
    if forms[0] != forms[1]:
        return f"{forms[1]} for {forms[0]}"
    if op.name in UNINITIALISED or op.name in OTHER_STREAMS:
        return None
    process = sample.output_process_fn_grad
    theirs, ours = tensors(THEIRS, process(expected)), tensors(OURS, OURS.resolve(process)(got))
    for one, other in zip(theirs, ours, strict=True):
        values = THEIRS.array(one)
        half = one.dtype.itemsize == 2 * (1 + one.is_complex())
        tolerance = tolerance_for(np.dtype(np.float16) if half else values.dtype)
        different = array_difference(OURS.array(other), values, tolerance)
        if different:
            return different
    return None


# Not the same, and why.
EVERYWHERE = {
    "nn.functional.linear_cross_entropy.chunked",  # a mean that PyTorch makes a view of
    "nn.functional.linear_cross_entropy.chunked_none",
}
KNOWN: dict[str, set[str]] = {
    "batch_last": {
        "__rsub__",  # the other operand comes first in PyTorch
    },
    "channels_last": {
        "max_pool2d_with_indices_backward",
    },
    "stepped": {"histogramdd"},  # edges as they were given
}


@pytest.fixture
def one_thread() -> Iterator[None]:
    """The samples are small: threads that wait for one another cost more than they bring."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("one_thread")
def test_results_lie_as_in_pytorch(layout: str) -> None:
    run, different = 0, {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for op in ops():
            if torch.float64 in op.supported_dtypes("cpu"):
                count, difference = differences(op, layout)
                run += count
                if difference:
                    different[op.full_name] = difference
    known = EVERYWHERE | KNOWN.get(layout, set())
    assert run > 1000
    assert [text for name, text in different.items() if name not in known] == []
    assert known - set(different) == set(), "agree now"


# Elements that share places: which of two dimensions with equal strides is the slower, the sizes say.
MET = [((2, 17), (1, 1)), ((2, 3, 4), (1, 0, 2)), ((3, 4), (1, 1)), ((4, 3), (1, 1)), ((2, 3, 4), (4, 4, 1)), ((4, 3, 2), (1, 1, 2)),
       ((1, 4, 3), (1, 1, 1)), ((3, 1, 4), (1, 5, 1)), ((2, 5), (2, 2)), ((2, 3, 4), (0, 1, 0)), ((3, 4), (2, 1))]  # fmt: skip
COPIES: list[Callable[[Any, Any], Any]] = [
    lambda module, x: x.clone(),
    lambda module, x: module.empty_like(x),
    lambda module, x: module.zeros_like(x),
    lambda module, x: module.ones_like(x, dtype=module.float64),
    lambda module, x: x + x,
    lambda module, x: x + x.double(),
    lambda module, x: module.nn.functional.dropout(x, 0.5),
]


@pytest.mark.parametrize("shape, strides", MET)
@pytest.mark.parametrize("number", range(len(COPIES)))
def test_copies_of_what_shares_places_lie_as_in_pytorch(shape: Any, strides: Any, number: int) -> None:
    theirs, ours = [COPIES[number](module, module.arange(40.0).as_strided(shape, strides)) for module in (torch, rushlight)]
    assert form_of(theirs) == form_of(ours)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("layout", [columns, batch_last])
def test_gradients_of_layer_norm_lie_as_in_pytorch(layout: Callable[[torch.Tensor], torch.Tensor], dtype: str) -> None:
    forms = []
    for side in (THEIRS, OURS):
        x = side.tensor(layout(torch.arange(24.0).reshape(2, 3, 4))).to(getattr(side.module, dtype)).requires_grad_()
        result = side.module.nn.functional.layer_norm(x, (4,))
        (gradient,) = side.module.autograd.grad(result, x, side.module.ones_like(x))
        forms.append([x.stride(), form_of(result), form_of(gradient)])
    assert forms[0] == forms[1]
