# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any

def convert_own(module: Module, fn: Callable[[Tensor], Tensor]) -> None:
    """Gives the tensors of a module, not those below it, the memory of what ``fn`` makes of them."""
    ...
def converter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Tensor], Tensor]:
    """What ``module.to(*args, **kwargs)`` does to every tensor."""
    ...
def parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """What arguments of ``module.to`` ask for: (device, dtype, whether not to wait, memory format); None for what is not said."""
    ...
