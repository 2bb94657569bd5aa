"""torch.onnx of a library that exports nothing: the answer to whether an export is going on, and rules that libraries register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.base.missing import lazy_names

__all__ = ["is_in_onnx_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]

_symbolics: dict[tuple[str, int], Callable[..., Any]] = {}


def is_in_onnx_export() -> bool:
    """False: nothing is exported.

    >>> import rushlight as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Keeps a rule by which an operator would be exported."""
    _symbolics[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forgets a rule again."""
    _symbolics.pop((symbolic_name, opset_version), None)


__getattr__, __dir__ = lazy_names(__name__, frozenset({"symbolic_helper", "symbolic_opset11"}))
