"""Every public function says what it is, and the examples that are made from the table of descriptions are right."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

import rushlight as torch
from rushlight.ops.descriptions import _TABLE
from rushlight.ops.public import methods, registry


def test_public_functions_have_docstrings() -> None:
    functions = {f"{space}.{name}": function for space, names in registry.items() for name, function in names.items()}
    functions |= {f"Tensor.{name}": getattr(torch.Tensor, name) for name in methods if not name.startswith("_")}
    assert [name for name, function in functions.items() if not function.__doc__ and "._" not in name] == []


def described(name: str) -> Any:
    return registry["torch"].get(name) or registry["torch.special"][name]


@pytest.mark.parametrize("name", _TABLE)
def test_example(name: str) -> None:
    test = doctest.DocTestParser().get_doctest(described(name).__doc__, {}, name, None, 0)
    assert len(test.examples) == 2
    told: list[str] = []
    assert doctest.DocTestRunner().run(test, out=told.append).failed == 0, "".join(told)
