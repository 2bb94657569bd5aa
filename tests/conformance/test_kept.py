"""What nodes keep: a write into an input or a result of an op fails the backward pass where it does in PyTorch.

PyTorch's op samples, each with one of its tensors written into between the op and `backward`. What is known to differ is
listed, and fails here once it agrees.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from op_samples import PARTS, chosen, different_in
from sides import SEED, Side

import rushlight

THEIRS, OURS = Side(torch), Side(rushlight)
SAMPLES_PER_OP = 4
TENSORS_PER_SAMPLE = 4


def tensors(side: Side, value: Any) -> list[Any]:
    return [leaf for leaf in side.leaves(value) if side.is_tensor(leaf)]


def copied(side: Side, value: Any) -> Any:
    """The arguments of a sample, tensors that need a gradient as results of an op: leaves cannot be written into."""
    if side.is_tensor(value):
        copy = value.detach().clone()
        return copy.requires_grad_().clone() if value.requires_grad else copy
    if type(value) in (list, tuple):
        return type(value)(copied(side, each) for each in value)
    if isinstance(value, dict):
        return {key: copied(side, each) for key, each in value.items()}
    return value


def outcome(side: Side, function: Any, arguments: Any, of_result: bool, number: int) -> str | None:
    """What the backward pass says after a write into one of the tensors; None where there is nothing to try."""
    input, args, keywords = copied(side, arguments)
    given = tensors(side, (input, args, keywords))
    side.module.manual_seed(SEED)
    results = tensors(side, function(input, *args, **keywords))
    derived = [one for one in results if one.requires_grad]
    written = (results if of_result else given)[number : number + 1]
    if not derived or not written or written[0].dtype is side.module.bool:
        return None
    with side.module.no_grad():
        written[0].mul_(1)
    total = functools.reduce(lambda a, b: a + b, [(one.abs() if one.is_complex() else one).sum() for one in derived])
    try:
        total.backward()
    except RuntimeError as error:
        return "modified" if "modified by an inplace operation" in str(error) else "another error"
    return "nothing"


def trials(op: Any) -> Iterator[tuple[str, Any, bool, int]]:
    for number, sample in enumerate(chosen(list(op.sample_inputs("cpu", torch.float64, requires_grad=True)), SAMPLES_PER_OP)):
        arguments = (sample.input, tuple(sample.args), dict(sample.kwargs))
        for place in range(min(TENSORS_PER_SAMPLE, len(tensors(THEIRS, arguments)))):
            yield f"sample {number}, input {place}", arguments, False, place
        for place in range(2):
            yield f"sample {number}, result {place}", arguments, True, place


def difference(op: Any, ours: Any) -> tuple[int, str | None]:
    """How many writes were tried, and the first after which the sides disagree."""
    count = 0
    for label, arguments, of_result, place in trials(op):
        try:
            expected = outcome(THEIRS, op.op, arguments, of_result, place)
        except Exception:  # not to be written into, or not for copies
            continue
        if expected is None:
            continue
        count += 1
        try:
            got = outcome(OURS, ours, OURS.build(arguments), of_result, place)
        except Exception as error:
            got = repr(error)[:100]
        if got != expected:
            return count, f"{label}: {got} for {expected}"
    return count, None


# Not the same, and why: the right gradients in place of an error, unless it says otherwise.
KNOWN = {
    # PyTorch keeps what none of the rules here reads.
    *(f"native_{name}_norm" for name in ("batch", "layer", "group")),
    *(f"nn.functional.{name}" for name in ("batch_norm", "layer_norm", "ctc_loss", "scaled_dot_product_attention")),
    "combinations",
    *("triangular_solve", "svd_lowrank"),
    # An error here, where PyTorch keeps a copy or nothing.
    *("nn.functional.embedding_bag", "nn.functional.linear_cross_entropy.chunked", "take_along_dim"),
    # PyTorch's gradient of a gradient; here there is none.
    "max_pool2d_with_indices_backward",
}


@pytest.mark.parametrize("part", range(PARTS))
def test_writes_fail_where_pytorch_fails(part: int) -> None:
    tried, different, names = different_in(difference, OURS, part)
    assert tried > 300
    assert {name: found for name, found in different.items() if name not in KNOWN} == {}
    assert KNOWN & names - set(different) == set(), "agree now"
