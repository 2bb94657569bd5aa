"""torch._custom_ops: what ``torch.library`` was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import library

__all__ = ["impl", "impl_abstract"]


def impl(qualname: str, *, device_types: Any = ("cpu", "cuda"), func: Any = None) -> Callable[..., Any]:
    """Gives an operator its function, for kinds of devices: a decorator."""
    return library.impl(qualname, device_types, func)  # type: ignore[no-any-return]


def impl_abstract(qualname: str, *, func: Any = None) -> Callable[..., Any]:
    """Says what an operator's result looks like: a decorator."""
    return library.register_fake(qualname, func)  # type: ignore[no-any-return]
