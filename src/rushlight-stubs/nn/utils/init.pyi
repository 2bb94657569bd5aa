# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.nn.modules.module import Module
from typing import Any
from typing import TypeVar

_Layer = TypeVar('_Layer', bound=Module)

def skip_init(module_cls: type[_Layer], *args: Any, **kwargs: Any) -> _Layer:
    """Makes a module without drawing first values: the random generator stays where it is, what parameters hold is undefined."""
    ...
