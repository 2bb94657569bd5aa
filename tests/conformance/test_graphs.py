"""The graph that an op records, node by node: PyTorch's op samples on both sides.

What is known to differ is listed, and fails here once it agrees.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from op_samples import PARTS, chosen, different_in
from sides import SEED, Side

import rushlight

THEIRS, OURS = Side(torch), Side(rushlight)
SAMPLES_PER_OP = 6
DEEPEST = 12


def graph_of(node: Any, depth: int = 0) -> str:
    """A node's name, and in brackets its next ones; what is deeper than that is left out."""
    if node is None:
        return "None"
    name = node.name().replace("torch::autograd::", "")
    if depth == DEEPEST or not node.next_functions:
        return str(name)
    return f"{name}({', '.join(graph_of(following, depth + 1) for following, _ in node.next_functions)})"


def graphs(side: Side, function: Any, input: Any, args: Any, keywords: Any) -> list[str]:
    side.module.manual_seed(SEED)
    results = [leaf for leaf in side.leaves(function(input, *args, **keywords)) if side.is_tensor(leaf)]
    return [graph_of(result.grad_fn) for result in results]


def difference(op: Any, ours: Any) -> tuple[int, str | None]:
    """How many samples were compared, and the first difference."""
    count = 0
    for sample in chosen(list(op.sample_inputs("cpu", torch.float64, requires_grad=True)), SAMPLES_PER_OP):
        arguments = (sample.input, tuple(sample.args), dict(sample.kwargs))
        try:
            expected = graphs(THEIRS, op.op, *arguments)
            got = graphs(OURS, ours, *OURS.build(arguments))
        except Exception:  # what raises is for test_ops.py
            continue
        count += 1
        if got != expected:
            return count, f"{got} for {expected}"
    return count, None


# Not the same, and why.
KNOWN = {
    # The same steps in another order, or a step more or less.
    *("combinations", "corrcoef", "cov", "diff", "svd_lowrank", "linalg.matrix_norm"),
    *("fft.fft2", "fft.fftn", "fft.ifft2", "fft.ifftn", "quantile", "nanquantile"),
    *("nn.functional.batch_norm", "nn.functional.dropout3d"),
    *("nn.functional.multi_margin_loss", "nn.functional.multilabel_margin_loss"),
    "index_fill",  # the number that is filled in counts as an input
    # One op of PyTorch's, composed here.
    *("nn.functional.linear_cross_entropy.chunked", "nn.functional.linear_cross_entropy.chunked_none"),
    "max_pool2d_with_indices_backward",  # no derivative here
}


@pytest.mark.parametrize("part", range(PARTS))
def test_ops_record_the_nodes_of_pytorch(part: int) -> None:
    compared, different, names = different_in(difference, OURS, part)
    assert compared > 400
    assert {name: found for name, found in different.items() if name not in KNOWN} == {}
    assert KNOWN & names - set(different) == set(), "agree now"


@pytest.mark.parametrize("batch", [((), ()), ((2,), ()), ((2, 1), (1, 5)), ((1,), (1,))])
def test_distances_of_many_rows_are_by_a_product(batch: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    def graphs_of(t: object) -> list[str]:
        a, b = (
            t.ones((*shape, rows, 3), dtype=t.float64, requires_grad=True) for shape, rows in zip(batch, (30, 4), strict=True)
        )
        out = t.cdist(a, b + 1)
        found = t.autograd.grad(out.sum(), (a, b), create_graph=True) if batch == ((), ()) else ()
        return [graph_of(one.grad_fn) for one in (out, *found)]

    assert graphs_of(rushlight) == graphs_of(torch)
