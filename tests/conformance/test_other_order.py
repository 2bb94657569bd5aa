"""Why the nodes of some programs are others than PyTorch's: each reason of ``OTHER_ORDER`` on a few lines, with equal gradients."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import torch
from test_explain import OTHER_ORDER

import rushlight


def nodes(function: Any, module: Any) -> tuple[Counter[str], Any]:
    """The nodes that a pass from ``function(module)`` runs, and the gradient of the leaf; it gives (result, leaf)."""
    result, leaf = function(module)
    found, waiting = set(), [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [below for below, _ in node.next_functions]
    (gradient,) = module.autograd.grad(result, leaf, retain_graph=True)
    return Counter(node.name().rpartition("::")[2] for node in found), np.array(gradient.resolve_conj().tolist())


def differ(function: Any) -> tuple[Counter[str], Counter[str]]:
    """The nodes that only PyTorch has, and those that only rushlight has."""
    theirs, wanted = nodes(function, torch)
    ours, got = nodes(function, rushlight)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6)
    return theirs - ours, ours - theirs


def test_each_reason_is_shown() -> None:
    assert {f"test_{reason}" for reason in OTHER_ORDER.values()} == {name for name in globals() if name.startswith("test_")} - {
        "test_each_reason_is_shown"
    }


def test_transforms() -> None:
    """A function's batch is taken apart below the graph of the transform in PyTorch, and above it here: other nodes, of all examples."""

    def program(t: Any) -> Any:
        w, x = t.tensor([[0.5, 1.0]], requires_grad=True), t.tensor([[1.0, 2.0], [3.0, 4.0]])
        slopes = t.func.vmap(t.func.grad(lambda w, row: (t.nn.functional.linear(row, w) ** 2).sum()), in_dims=(None, 0))(w, x)
        return (slopes * slopes).sum(), w

    theirs, ours = differ(program)
    assert theirs and ours
