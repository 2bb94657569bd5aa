"""torch.utils.hooks: the handles that registering a hook returns, and what is said of hooks that a file does not keep."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..autograd.graph import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a hook that may get lost when its tensor is saved: saving does not warn of it.

    >>> import io
    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> _ = x.register_hook(torch.utils.hooks.unserializable_hook(lambda grad: grad * 2))
    >>> torch.save(x, io.BytesIO())
    """
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warns of each hook of a tensor that saving loses, unless it is marked with :func:`unserializable_hook`."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function "
                "with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
