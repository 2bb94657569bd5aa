"""``vmap`` over the inputs of PyTorch's op table: what it gives for a batch is what the op gives for each example, gradients too.

The examples run on rushlight both times. ``vmap: ops without a loop`` is how many of the ops carried the batch through; the
others ran example by example.
"""

from __future__ import annotations

import collections
import warnings
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from op_samples import chosen, ops
from sides import Missing, Side

import rushlight
from rushlight.func import grad, vmap
from rushlight.transforms import batched_tensors
from rushlight.transforms import vmap as batching

MOST = 8
OURS = Side(rushlight)
# Random numbers are drawn anew; results whose shapes depend on numbers have no batch; offsets of as_strided are counted from the
# start of all memory, of which each example of a loop has a part of its own.
LEFT_OUT = ("as_strided", "dropout", "bernoulli", "multinomial", "normal", "uniform", "rand", "rrelu", "exponential", "geometric", "cauchy",
            "lowrank", "empty", "nonzero", "unique", "masked_select", "argwhere", "fractional", "poisson", "binomial")  # fmt: skip


class Watched(batched_tensors.Level):
    """A level that is known here, with whether the function got to its end on it."""

    seen: ClassVar[list[Watched]] = []
    finished = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seen.append(self)


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def left(value: Any, place: Any, level: Any) -> Any:
        result = batched_tensors.left(value, place, level)
        level.finished = True
        return result

    monkeypatch.setattr(batching, "Level", Watched)
    monkeypatch.setattr(batching, "left", left)


def tensors_of(result: Any) -> list[Any]:
    if isinstance(result, rushlight.Tensor):
        return [result]
    return [one for part in result for one in tensors_of(part)] if isinstance(result, (tuple, list)) else []


def batch_like(x: Any) -> Any:
    """A batch of three like ``x``."""
    if x.is_floating_point() or x.is_complex():
        return rushlight.stack([x, x * 0.9, x * 1.1])
    return rushlight.stack([x, x.clone(), x.clone()])


def numbers(value: Any) -> np.ndarray[Any, Any]:
    value = value.detach().to_dense().resolve_conj()
    if value.dtype == rushlight.complex32:
        value = value.cfloat()
    return (value.float() if value.dtype in (rushlight.bfloat16, rushlight.float16) else value).numpy()


def same(found: Any, expected: Any) -> bool:
    return found.shape == expected.shape and np.allclose(numbers(found), numbers(expected), 1e-6, 1e-8, equal_nan=True)


def check(call: Any, x: Any) -> tuple[int, list[str]]:
    """How many results were compared, and the ops that ran example by example."""
    batch = batch_like(x)
    try:
        rows = [tensors_of(call(one)) for one in batch.unbind(0)]
    except Exception:  # what the op refuses, vmap refuses
        with pytest.raises(Exception):  # noqa: B017
            vmap(call)(batch)
        return 0, []
    if not rows[0] or any(len({one.shape for one in column}) > 1 for column in zip(*rows, strict=True)):
        return 0, []
    Watched.seen.clear()
    try:
        found = tensors_of(vmap(lambda one: tuple(tensors_of(call(one))))(batch))
    except RuntimeError as error:
        assert "random operation" in str(error) or "updated in place, were not batched" in str(error)
        return 0, []
    for one, column in zip(found, zip(*rows, strict=True), strict=True):
        expected = rushlight.stack(list(column))
        assert same(one, expected), f"{numbers(one)} where the loop gives {numbers(expected)}"
    finished = Watched.seen and Watched.seen[0].finished
    return len(found), Watched.seen[0].by_example if finished else ["all of it"]


def differentiable(call: Any) -> Any:
    def total(x: Any) -> Any:
        return sum((one * one).sum() for one in tensors_of(call(x)) if one.is_floating_point())

    return total


@pytest.mark.parametrize(
    "op", [op for op in ops() if not any(word in op.full_name for word in LEFT_OUT)], ids=lambda op: op.full_name
)
@pytest.mark.filterwarnings("ignore")
def test_vmap_is_a_loop(op: Any, record_property: Any) -> None:
    if torch.float64 not in op.supported_dtypes("cpu"):
        return
    try:
        function = OURS.resolve(op.op, op.full_name)
    except Missing:
        return
    looped: collections.Counter[str] = collections.Counter()
    compared = 0
    with warnings.catch_warnings(action="ignore"):
        for sample in chosen(list(op.sample_inputs("cpu", torch.float64)), MOST):
            if not isinstance(sample.input, torch.Tensor) or sample.input.numel() > 400:
                continue
            args, kwargs = OURS.build(tuple(sample.args)), OURS.build(dict(sample.kwargs))
            x = OURS.build(sample.input)

            def call(one: Any, args: Any = args, kwargs: Any = kwargs) -> Any:
                return function(one, *args, **kwargs)

            count, names = check(call, x)
            compared += count
            looped.update(names)
            if count and op.supports_autograd and x.is_floating_point():
                check(grad(differentiable(call)), x)
    if compared:
        record_property("vmap", sorted(looped))
