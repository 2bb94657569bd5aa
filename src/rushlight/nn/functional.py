"""torch.nn.functional: the functions of neural networks, served from the op table."""

from importlib import import_module
from typing import Any

from ..base.missing import lazy_names

_found, __dir__ = lazy_names(__name__)


def __getattr__(name: str) -> Any:
    return import_module("rushlight.nn.grad") if name == "grad" else _found(name)  # which needs this module itself
