"""torch._tensor: the name under which pickles ask for tensors of subclasses and tensors with attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tensor import Tensor

__all__ = ["Tensor", "_rebuild_from_type_v2"]


def _rebuild_from_type_v2(func: Callable[..., Any], new_type: type, args: tuple[Any, ...], state: Any) -> Any:
    """What ``func(*args)`` makes, as an instance of ``new_type`` with the attributes in ``state``."""
    from ._utils import set_state

    result = func(*args)
    if type(result) is not new_type:
        result = result.as_subclass(new_type)
    if hasattr(type(result), "__setstate__"):
        result.__setstate__(state)
    else:
        set_state(result, state)
    return result
