# Written by tools/stubs.py; `make stubs` writes it anew.

from types import ModuleType

class _Deterministic(ModuleType):
    """A module with a property: what is assigned to it takes effect."""
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether ``empty`` and its like give nan, or the largest integer, under ``use_deterministic_algorithms(True)``."""
        ...
    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, value: bool) -> None: ...
