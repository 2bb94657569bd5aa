# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any

class LazyModuleMixin:
    """Put before the class that a lazy module becomes (``cls_to_become``) once its parameters have shapes."""
    cls_to_become: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def has_uninitialized_params(self) -> bool: ...
    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives parameters their shapes and first values, from the arguments of forward."""
        ...
