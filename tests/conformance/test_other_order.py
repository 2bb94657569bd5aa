"""Why the nodes of some programs are others than PyTorch's: each reason of ``OTHER_ORDER`` on a few lines, with equal gradients.

In ``vmap(grad(f))`` the graph of ``grad`` stands above the batch in PyTorch: its nodes are those of one example. Here it stands below: its
nodes are those of the ops that the batch is computed with. Ops that take a batch as they are have the same nodes; ``CORRESPONDING``
says which nodes stand for which where an op is computed by others.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
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
    assert {f"test_{reason}" for reason in OTHER_ORDER.values()} <= globals().keys()


def test_transforms() -> None:
    """A function's batch is taken apart below the graph of the transform in PyTorch, and above it here: other nodes, of all examples."""

    def program(t: Any) -> Any:
        w, x = t.tensor([[0.5, 1.0]], requires_grad=True), t.tensor([[1.0, 2.0], [3.0, 4.0]])
        slopes = t.func.vmap(t.func.grad(lambda w, row: (t.nn.functional.linear(row, w) ** 2).sum()), in_dims=(None, 0))(w, x)
        return (slopes * slopes).sum(), w

    theirs, ours = differ(program)
    assert theirs and ours


def test_cdist() -> None:
    """Of more than 25 rows PyTorch computes distances by a product, whose ops are nodes; here they are one node for any number."""

    def program(t: Any) -> Any:
        x = t.linspace(-1, 1, 60).reshape(30, 2).requires_grad_()
        return (t.cdist(x, x[:3].detach() + 0.1) ** 2).sum(), x

    theirs, ours = differ(program)
    assert theirs and ours


BATCHED_PRODUCT = ["UnsafeViewBackward0", "BmmBackward0", "ReshapeAliasBackward0", "ExpandBackward0", "TransposeBackward0"]
# An op on one example, the nodes that PyTorch records of it inside of vmap(grad(f)), and those that stand for them here.
CORRESPONDING: dict[str, tuple[Any, list[str], list[str]]] = {
    "elementwise": (lambda t, w, x: (w * x).exp(), ["ExpBackward0", "MulBackward0"], ["ExpBackward0", "MulBackward0"]),
    "sum along": (lambda t, w, x: (w * x).sum(0), ["SumBackward1", "MulBackward0"], ["SumBackward1", "MulBackward0"]),
    "softmax": (
        lambda t, w, x: t.softmax(w * x, 0),
        ["SoftmaxBackward0", "MulBackward0"],
        ["SoftmaxBackward0", "MulBackward0"],
    ),
    "index": (lambda t, w, x: (w * x)[0], ["SelectBackward0", "MulBackward0"], ["SelectBackward0", "MulBackward0"]),
    "reshape": (lambda t, w, x: (w * x).reshape(2, 1), ["ViewBackward0", "MulBackward0"], ["ViewBackward0", "MulBackward0"]),
    "sum": (lambda t, w, x: (w * x).sum(), ["SumBackward0", "MulBackward0"], ["SumBackward1", "MulBackward0"]),
    "mean": (lambda t, w, x: (w * x).mean(), ["MeanBackward0", "MulBackward0"], ["MeanBackward1", "MulBackward0"]),
    "dot": (lambda t, w, x: w.dot(x), ["DotBackward0"], ["SumBackward1", "MulBackward0"]),
    "product": (
        lambda t, w, x: t.nn.functional.linear(x[None], w[None]),
        ["MmBackward0", "TBackward0", "UnsqueezeBackward0"],
        [*BATCHED_PRODUCT, "UnsqueezeBackward0"],
    ),
}


def nodes_inside(function: Any, module: Any) -> tuple[list[str], Any]:
    """The nodes of a function's result inside of ``vmap(grad(f))``, and the gradients."""
    w, x = module.tensor([0.5, 1.0]), module.tensor([[1.0, 2.0], [3.0, 4.0]])
    names: list[list[str]] = []

    def squared(w: Any, row: Any) -> Any:
        result = function(module, w, row)
        found, waiting = [], [result.grad_fn]
        while waiting:
            node = waiting.pop(0)
            if node is not None and node not in found:
                found.append(node)
                waiting += [below for below, _ in node.next_functions]
        names.append([node.name().rpartition("::")[2] for node in found])
        return (result * result).sum()

    slopes = module.func.vmap(module.func.grad(squared), in_dims=(None, 0))(w, x)
    return names[0], np.array(slopes.tolist())


@pytest.mark.parametrize("name", CORRESPONDING)
def test_which_nodes_stand_for_which(name: str) -> None:
    function, of_one, of_all = CORRESPONDING[name]
    theirs, wanted = nodes_inside(function, torch)
    ours, got = nodes_inside(function, rushlight)
    assert theirs == [*of_one, "AccumulateGrad"] and ours == [*of_all, "AccumulateGrad"]
    np.testing.assert_allclose(got, wanted, rtol=1e-5)
