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

OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__isub__": "sub_", "__mul__": "mul",
    "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div", "__itruediv__": "div_", "__mod__": "remainder",
    "__pow__": "pow", "__matmul__": "matmul", "__neg__": "neg", "__abs__": "abs", "__lt__": "lt", "__le__": "le",
    "__gt__": "gt", "__ge__": "ge", "__rtruediv__": "__rdiv__",
}  # fmt: skip
"""The methods that operators are taken for: what ``__torch_function__`` is told was called, and what events are called."""
OF_TWO = frozenset({
    *OPERATORS, *"__rsub__ __floordiv__ __rfloordiv__ __rpow__ __rmod__ __rmatmul__ __eq__ __ne__ __and__ __or__".split()
}) - {"__neg__", "__abs__"}  # fmt: skip
"""The operators that leave the matter to the other side where their operands do not fit."""


def module(name: str) -> dict[str, Callable[..., Any]]:
    """The public functions of one namespace: 'torch', 'torch.linalg', ..."""
    return registry.setdefault(name, {})
