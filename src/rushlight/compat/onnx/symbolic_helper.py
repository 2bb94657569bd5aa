"""torch.onnx.symbolic_helper: how rules of export read their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.base.missing_names import lazy_names

__all__ = ["parse_args"]

Rule = TypeVar("Rule", bound=Callable[..., Any])


def parse_args(*arg_descriptors: str) -> Callable[[Rule], Rule]:
    """A decorator that notes what a rule's arguments are: no export calls one."""

    def note(fn: Rule) -> Rule:
        fn._arg_descriptors = arg_descriptors  # type: ignore[attr-defined]
        return fn

    return note


__getattr__, __dir__ = lazy_names(__name__)
