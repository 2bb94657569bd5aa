"""What the stubs say that no annotation of the package can: overloads, and types that go by a parameter's name."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

import rushlight as torch

Number = bool | int | float | complex
TYPES: dict[str, Any] = {
    "Tensor": torch.Tensor,
    "Any": Any,
}
RETURNS: dict[str, Any] = {}
FORMS: dict[str, list[str]] = {}
MORE_MEMBERS: dict[str, list[str]] = {}
MORE_MODULES: tuple[str, ...] = ()
LEFT_OUT: frozenset[str] = frozenset()


def forms(qualified: str) -> list[str]:
    return FORMS.get(qualified, [])


_BY_NAME: dict[str, Any] = {
    "dtype": torch.dtype | None,
    "device": torch.device | str | int | None,
    "layout": torch.layout | None,
    "memory_format": torch.memory_format | None,
    "generator": torch.Generator | None,
}


def parameter(parameter: inspect.Parameter, qualified: str, is_op: bool) -> Any:
    return _BY_NAME.get(parameter.name)
