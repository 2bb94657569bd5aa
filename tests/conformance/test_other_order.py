"""Why the nodes of some programs are others than PyTorch's: each reason of ``OTHER_ORDER`` on a few lines, with equal gradients.

In ``vmap(grad(f))`` the graph of ``grad`` stands above the batch in PyTorch: its nodes are those of one example. Here it stands below: its
nodes are those of the ops that the batch is computed with. Ops that take a batch as they are have the same nodes; ``CORRESPONDING``
says which nodes stand for which where an op is computed by others.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from test_explain import OTHER_ORDER

import rushlight

Program = Callable[[ModuleType], tuple[object, object]]  # gives a result, and a leaf


def names_below(root: object) -> Counter[str]:
    """The nodes that a pass from a node runs, by name."""
    found, waiting = set(), [root]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [below for below, _ in node.next_functions]
    return Counter(node.name().rpartition("::")[2] for node in found)


def nodes(function: Program, module: ModuleType) -> tuple[Counter[str], np.ndarray]:
    """The nodes that a pass from ``function(module)`` runs, and the gradient of the leaf; it gives (result, leaf)."""
    result, leaf = function(module)
    (gradient,) = module.autograd.grad(result, leaf, retain_graph=True)
    return names_below(result.grad_fn), np.array(gradient.resolve_conj().tolist())


def differ(function: Program) -> tuple[Counter[str], Counter[str]]:
    """The nodes that only PyTorch has, and those that only rushlight has."""
    theirs, wanted = nodes(function, torch)
    ours, got = nodes(function, rushlight)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6)
    return theirs - ours, ours - theirs


def test_each_reason_is_shown() -> None:
    assert {f"test_{reason}" for reason in OTHER_ORDER.values()} <= globals().keys()


def test_transforms() -> None:
    """A function's batch is taken apart below the graph of the transform in PyTorch, and above it here: other nodes, of all examples."""

    def program(t: ModuleType) -> tuple[object, object]:
        w, x = t.tensor([[0.5, 1.0]], requires_grad=True), t.tensor([[1.0, 2.0], [3.0, 4.0]])
        slopes = t.func.vmap(t.func.grad(lambda w, row: (t.nn.functional.linear(row, w) ** 2).sum()), in_dims=(None, 0))(w, x)
        return (slopes * slopes).sum(), w

    theirs, ours = differ(program)
    assert theirs and ours


def test_masked_tensors() -> None:
    """Reductions of masked tensors are cut into custom Functions at other places: PyTorch has one that fills what is masked out."""

    def root(t: ModuleType) -> object:
        x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
        return t.masked.as_masked_tensor(x, t.tensor([True, False, True])).sum().grad_fn

    with warnings.catch_warnings(action="ignore"):  # that they are a prototype
        theirs, ours = names_below(root(torch)), names_below(root(rushlight))
    assert theirs["CombineBackward"] == ours["WhereBackward0"] == 1 and not theirs["WhereBackward0"]


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


def nodes_inside(function: Callable[..., object], module: ModuleType) -> tuple[list[str], np.ndarray]:
    """The nodes of a function's result inside of ``vmap(grad(f))``, and the gradients."""
    w, x = module.tensor([0.5, 1.0]), module.tensor([[1.0, 2.0], [3.0, 4.0]])
    names: list[list[str]] = []

    def squared(w: object, row: object) -> object:
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
