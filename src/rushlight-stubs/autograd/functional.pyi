# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from typing import Any

def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False, outer_jacobian_strategy: str = 'reverse-mode') -> Any:
    """All second derivatives of a function with one number as its value."""
    ...
def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` (one number) and the product of its Hessian with ``v``."""
    ...
def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False, strategy: str = 'reverse-mode') -> Any:
    """All derivatives of the outputs by the inputs: of shape (output shape..., input shape...)."""
    ...
def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` and the product of its Jacobian with ``v`` (of the inputs' shape)."""
    ...
def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` (one number) and the product of ``v`` with its Hessian."""
    ...
def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` and the product of ``v`` (of the outputs' shape) with its Jacobian."""
    ...
