# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from typing import Any
from typing import TypeVar
from typing import overload

_Given = TypeVar('_Given', Tensor, tuple[Tensor, ...])
_Came = TypeVar('_Came', Tensor, tuple[Tensor, ...])

@overload
def hessian(func: Callable[..., Tensor], inputs: Tensor, create_graph: bool = False, strict: bool = False, vectorize: bool = False, outer_jacobian_strategy: str = 'reverse-mode') -> Tensor: ...
@overload
def hessian(func: Callable[..., Tensor], inputs: tuple[Tensor, ...], create_graph: bool = False, strict: bool = False, vectorize: bool = False, outer_jacobian_strategy: str = 'reverse-mode') -> tuple[tuple[Tensor, ...], ...]:
    """All second derivatives of a function with one number as its value."""
    ...
def hvp(func: Callable[..., Tensor], inputs: _Given, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Tensor, _Given]:
    """The value of ``func`` (one number) and the product of its Hessian with ``v``."""
    ...
@overload
def jacobian(func: Callable[..., Tensor], inputs: Tensor, create_graph: bool = False, strict: bool = False, vectorize: bool = False, strategy: str = 'reverse-mode') -> Tensor: ...
@overload
def jacobian(func: Callable[..., Tensor], inputs: tuple[Tensor, ...], create_graph: bool = False, strict: bool = False, vectorize: bool = False, strategy: str = 'reverse-mode') -> tuple[Tensor, ...]: ...
@overload
def jacobian(func: Callable[..., tuple[Tensor, ...]], inputs: Tensor, create_graph: bool = False, strict: bool = False, vectorize: bool = False, strategy: str = 'reverse-mode') -> tuple[Tensor, ...]: ...
@overload
def jacobian(func: Callable[..., tuple[Tensor, ...]], inputs: tuple[Tensor, ...], create_graph: bool = False, strict: bool = False, vectorize: bool = False, strategy: str = 'reverse-mode') -> tuple[tuple[Tensor, ...], ...]:
    """All derivatives of the outputs by the inputs: of shape (output shape..., input shape...)."""
    ...
def jvp(func: Callable[..., _Came], inputs: _Given, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[_Came, _Came]:
    """The value of ``func`` and the product of its Jacobian with ``v`` (of the inputs' shape)."""
    ...
def vhp(func: Callable[..., Tensor], inputs: _Given, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Tensor, _Given]:
    """The value of ``func`` (one number) and the product of ``v`` with its Hessian."""
    ...
def vjp(func: Callable[..., _Came], inputs: _Given, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[_Came, _Given]:
    """The value of ``func`` and the product of ``v`` (of the outputs' shape) with its Jacobian."""
    ...
