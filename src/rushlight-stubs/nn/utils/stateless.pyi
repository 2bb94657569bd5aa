# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator
from rushlight import Tensor as _Tensor
from rushlight.nn.modules.module import Module
from typing import Any
from rushlight import Tensor as Tensor

def call_with(module: Any, given: dict[str, Any], args: Any, kwargs: dict[str, Any] | None, tie_weights: bool, strict: bool) -> _Tensor:
    """:func:`functional_call` with one dict."""
    ...
def functional_call(module: Module, parameters_and_buffers: dict[str, Any], args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> _Tensor:
    """As :func:`torch.func.functional_call`, which replaces it, with one dict."""
    ...
def replaced(module: Any, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    """A context in which the tensors of those names are others; ``given`` then has what the module had at its end."""
    ...
