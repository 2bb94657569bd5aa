"""Indexing, views and resizing beside PyTorch: the same values, strides, warnings, or the same error in the same words."""

from __future__ import annotations

import warnings
from collections import UserList

import index_expressions
import pytest
import torch

import rushlight


def names(module):
    """What the expressions speak of, made anew for each of them."""

    def put(key, value):
        changed = names(module)["x"]
        changed[key] = value
        return changed

    return {
        "torch": module,
        "put": put,
        "UserList": UserList,
        "x": module.arange(9.0).view(3, 3),
        "t": module.arange(24.0).view(2, 3, 4),
        "number": module.tensor(1.0),
        "byte": module.tensor([1, 0, 1], dtype=module.uint8),
        "byte0": module.tensor(1, dtype=module.uint8),
        "first": module.tensor([0]),
    }


def facts(value, module):
    if isinstance(value, module.Tensor):
        return str(value), str(value.dtype), tuple(value.shape), value.stride(), value.requires_grad
    return repr(value)


def outcome(expression, module):
    """What an expression gives or the type and first sentence of its error; and which warnings it gave on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = facts(eval(expression, names(module)), module)
        except Exception as error:
            result = type(error).__name__, str(error).split("\n")[0]
    # PyTorch tells where in its sources a warning came from, and gives some of them once in a process.
    texts = [str(one.message).split(" (Triggered")[0] for one in caught]
    return result, [text for text in texts if "deprecated" in text and "0-D" not in text]


def expressions(text):
    joined: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith((" ", ")")):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return joined


GROUPS = {name: expressions(getattr(index_expressions, name)) for name in
          ("SUBSCRIPTS", "ASSIGNMENTS", "VECTORS", "SCATTERED", "VIEWS")} | {"FILLS": index_expressions.FILLS}  # fmt: skip


@pytest.mark.parametrize("group", GROUPS)
def test_same_outcome(group):
    different = {}
    for expression in GROUPS[group]:
        expected, found = outcome(expression, torch), outcome(expression, rushlight)
        if expected != found:
            different[expression] = expected, found
    assert not different, "\n".join(f"{one}\n  {pair[0]}\n  {pair[1]}" for one, pair in different.items())
