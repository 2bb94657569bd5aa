"""Nodes are PyTorch's where others might be looked for: of masked tensors, of layers, and in ``vmap(grad(f))`` those of ops on one example."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import rushlight


def names_below(root: object) -> Counter[str]:
    """The nodes that a pass from a node runs, by name."""
    found, waiting = set(), [root]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [below for below, _ in node.next_functions]
    return Counter(node.name().rpartition("::")[2] for node in found)


def test_reductions_of_masked_tensors_have_pytorchs_functions() -> None:
    def root(t: ModuleType, of: str, chosen: bool = False) -> object:
        x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
        masked = t.masked.as_masked_tensor(x, t.tensor([True, False, True]))
        if chosen:
            masked = t.where(t.tensor([True, True, False]), masked, masked)
        return getattr(masked, of)().grad_fn

    with warnings.catch_warnings(action="ignore"):  # that they are a prototype
        for of in ("sum", "mean", "prod", "amax", "amin", "std", "var"):
            assert names_below(root(torch, of)) == names_below(root(rushlight, of))
        assert names_below(root(torch, "sum", True)) == names_below(root(rushlight, "sum", True))


@pytest.mark.parametrize("turned", [False, True], ids=["in order", "turned"])
@pytest.mark.parametrize(
    "options", [{}, {"batch_first": True}, {"batch_first": True, "bidirectional": True, "num_layers": 2}], ids=str
)
def test_layers_of_lstms_are_given_what_lies_in_order(options: dict[str, Any], turned: bool) -> None:
    def root(t: ModuleType) -> object:
        lstm, directions = t.nn.LSTM(3, 2, **options), options.get("num_layers", 1) * (1 + options.get("bidirectional", False))
        x = t.ones(3, 4, 5, requires_grad=True).permute(1, 2, 0) if turned else t.ones(4, 5, 3, requires_grad=True)
        batch = 4 if options else 5
        state = t.ones(directions, 2, batch, requires_grad=True).transpose(1, 2) if turned else t.ones(directions, batch, 2)
        return lstm(x, (state, state))[0].grad_fn

    assert names_below(root(torch)) == names_below(root(rushlight))


def test_the_second_derivative_of_where_chooses_again() -> None:
    def root(t: ModuleType) -> object:
        x, y = (t.ones(2, requires_grad=True) for _ in range(2))
        result = t.where(t.tensor([True, False]), x, y)
        return t.autograd.grad(result.pow(2).sum(), y, create_graph=True)[0].grad_fn

    assert names_below(root(torch)) == names_below(root(rushlight))


# Functions of a vector that all examples share and one of each example.
INSIDE: dict[str, Any] = {
    "elementwise": lambda t, w, x: (w * x).exp(),
    "sum along": lambda t, w, x: (w * x).sum(0),
    "softmax": lambda t, w, x: t.softmax(w * x, 0),
    "index": lambda t, w, x: (w * x)[0],
    "reshape": lambda t, w, x: (w * x).reshape(2, 1),
    "sum": lambda t, w, x: (w * x).sum(),
    "mean": lambda t, w, x: (w * x).mean(),
    "dot": lambda t, w, x: w.dot(x),
    "product": lambda t, w, x: t.nn.functional.linear(x[None], w[None]),
    "loss": lambda t, w, x: t.nn.functional.cross_entropy((w * x)[None], t.tensor([1])),
    "shared alone": lambda t, w, x: w.exp() + x,
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


@pytest.mark.parametrize("name", INSIDE)
def test_examples_have_the_nodes_of_one(name: str) -> None:
    theirs, wanted = nodes_inside(INSIDE[name], torch)
    ours, got = nodes_inside(INSIDE[name], rushlight)
    assert ours == theirs
    np.testing.assert_allclose(got, wanted, rtol=1e-5)
