"""What is public, by PyTorch's namespaces: the rooms that own functions and methods put them here.

``registry["torch"]["tril"]`` is a function, ``methods["tril_"]`` what Tensor has. See ops/public.py and ops/publishing.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

registry: dict[str, dict[str, Callable[..., Any]]] = {}
methods: dict[str, Any] = {}
operator_namespaces: dict[str, object] = {}  # of ``torch.ops``: "aten", those that programs have defined, and what loads more
loaded_libraries: set[str] = set()  # their paths


def module(name: str) -> dict[str, Callable[..., Any]]:
    """The public functions of one namespace: 'torch', 'torch.linalg', ..."""
    return registry.setdefault(name, {})
