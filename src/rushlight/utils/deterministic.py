"""torch.utils.deterministic: whether deterministic algorithms fill memory that nobody has set.

>>> import rushlight as torch
>>> torch.use_deterministic_algorithms(True)
>>> torch.empty(2), torch.empty(2, dtype=torch.uint8)
(tensor([nan, nan]), tensor([255, 255], dtype=torch.uint8))
>>> torch.utils.deterministic.fill_uninitialized_memory
True
>>> torch.use_deterministic_algorithms(False)
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..tensors.runtime import fills_uninitialized, set_fill_uninitialized


class _Deterministic(ModuleType):
    """A module with a property: what is assigned to it takes effect."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether ``empty`` and its like give nan, or the largest integer, under ``use_deterministic_algorithms(True)``."""
        return fills_uninitialized()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, value: bool) -> None:
        set_fill_uninitialized(value)


sys.modules[__name__].__class__ = _Deterministic
