"""`inspect.signature` and `help` show the signatures of public functions with defaults that one can write."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.ops.public import methods, registry

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{space}.{name}": one for space, names in registry.items() for name, one in names.items()
}
FUNCTIONS |= {f"torch.Tensor.{name}": getattr(torch.Tensor, name) for name in methods if callable(getattr(torch.Tensor, name))}
FUNCTIONS |= {f"torch.{name}": getattr(torch, name) for name in torch.__all__ if inspect.isfunction(getattr(torch, name))}


def test_no_default_is_an_object_without_a_name() -> None:
    shown = {name: str(inspect.signature(function)) for name, function in FUNCTIONS.items() if inspect.isfunction(function)}
    assert len(shown) > 1500
    assert [(name, text) for name, text in shown.items() if "<" in text] == []


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (torch.sum, "(input, dim=None, keepdim=False, *, dtype=None, out=None)"),
        (torch.mean, "(input, dim=None, keepdim=False, *, dtype=None, out=None)"),
        (torch.div, "(input, other, *, rounding_mode=None, out=None)"),
        (torch.sin, "(input, *, out=None)"),
        (torch.tril, "(input, diagonal=0, *, out=None)"),
        (torch.allclose, "(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)"),
        (torch.ones(2).sum, "(dim=None, keepdim=False, *, dtype=None)"),
        (torch.Tensor.tril, "(input, diagonal=0)"),
        (torch.Tensor.backward, "(self, gradient=None, retain_graph=None, create_graph=False, inputs=None)"),
    ],
)
def test_signatures_are_pytorchs(function: Callable[..., Any], text: str) -> None:
    signature = inspect.signature(function)
    plain = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    assert str(signature.replace(parameters=plain, return_annotation=signature.empty)) == text


def test_help_shows_them() -> None:
    said = " ".join(pydoc.plain(pydoc.render_doc(torch.sum)).replace("'", "").split())  # since 3.13 a line each
    assert "input: Any, dim: Any = None, keepdim: bool = False" in said
