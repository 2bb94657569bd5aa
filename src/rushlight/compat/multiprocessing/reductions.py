"""torch.multiprocessing.reductions: of it, weak references to memory."""

from __future__ import annotations

import weakref

from rushlight.backend.numpy import root
from rushlight.base.missing_names import lazy_names
from rushlight.storage import StorageBase

__all__ = ["StorageWeakRef"]


class StorageWeakRef:
    """A block of memory that is not kept alive; equal for one block.

    >>> import rushlight as torch
    >>> from rushlight.compat.multiprocessing.reductions import StorageWeakRef
    >>> x = torch.zeros(4)
    >>> StorageWeakRef(x.untyped_storage()) == StorageWeakRef(x[1:].untyped_storage())
    True
    """

    def __init__(self, storage: StorageBase) -> None:
        self.cdata = storage._cdata
        memory = storage._memory
        self._block = weakref.ref(memory.owner if hasattr(memory, "owner") else root(memory))

    def expired(self) -> bool:
        """Whether the memory is gone."""
        return self._block() is None

    def __hash__(self) -> int:
        return self.cdata

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorageWeakRef) and (self is other or self.cdata == other.cdata)


__getattr__, __dir__ = lazy_names(__name__)
