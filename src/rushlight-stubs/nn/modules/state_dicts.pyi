# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Mapping
from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any
from typing import NamedTuple

class _IncompatibleKeys(NamedTuple):
    """What loading without ``strict`` left out."""
    missing_keys: list[str]
    unexpected_keys: list[str]
class _Loading:
    """What is found missing, unexpected or wrong while a state dict goes into a module."""
    metadata: Any
    assign: bool
    missing: list[str]
    unexpected: list[str]
    errors: list[str]
    def __init__(self, metadata: Any, assign: bool) -> None: ...
    def into(self, owner: Module, part: Any, prefix: str) -> None:
        """Loads ``owner`` and all below it."""
        ...
def collect(module: Module, destination: Any, prefix: str, keep_vars: bool) -> dict[str, Any]:
    """The state dict of a module and all below it."""
    ...
def get_extra_state(self: Module) -> Any:
    """What a subclass wants in its state dict beside parameters and buffers."""
    ...
def load(module: Module, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Loads a module and all below it; RuntimeError with all that did not fit."""
    ...
def load_own(module: Module, state_dict: Mapping[str, Any], prefix: str, local_metadata: Any, strict: bool, missing: list[str], unexpected: list[str], errors: list[str]) -> None:
    """Loads the part of a module without its children, noting what is missing, unexpected or wrong."""
    ...
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What takes the place of ``self`` when a module loads ``other``, with parameters exchanged rather than written to."""
    ...
def save_own(module: Module, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    """The part of a module without its children."""
    ...
def set_extra_state(self: Module, state: Any) -> None:
    """Takes back what :meth:`get_extra_state` gave."""
    ...
