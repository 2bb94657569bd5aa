# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any

def functional_call(module: Module, parameters_and_buffers: dict[str, Any], args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> Tensor:
    """As :func:`torch.func.functional_call`, which replaces it, with one dict."""
    ...
