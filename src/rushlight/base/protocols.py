"""Who is asked before a function of torch runs, or in its place; the room overrides stands here once it is needed.

Each takes a function and its arguments, and gives a result or NotImplemented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Asked = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

# Modes and subclasses, while there are any.
protocol: list[Asked] = []
# Arguments that are no tensors but define ``__torch_function__``: after a call has failed.
foreigners: list[Asked] = []
# The same and subclasses among the given arguments, for functions that ask by themselves.
overriding: list[Callable[..., Any]] = []
