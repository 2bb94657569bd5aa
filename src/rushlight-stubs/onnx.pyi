# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from typing import Any

def is_in_onnx_export() -> bool:
    """False: nothing is exported."""
    ...
def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Keeps a rule by which an operator would be exported."""
    ...
def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forgets a rule again."""
    ...
