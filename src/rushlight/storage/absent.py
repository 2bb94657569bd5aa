"""What stands for the memory of a storage on the meta device: how much there would be, and no numbers."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..backend.nothing import NoData

Kind = np.dtype[Any]


class Absent:
    """A row of ``size`` numbers of a dtype that are not there; ``owner`` is what storages of one tensor have in common."""

    __slots__ = ("dtype", "owner", "size")

    def __init__(self, size: int, dtype: Kind, owner: object = None) -> None:
        self.size, self.dtype, self.owner = size, dtype, owner or object()

    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def view(self, dtype: Kind) -> Absent:
        return Absent(self.nbytes // dtype.itemsize, dtype, self.owner)

    def astype(self, dtype: Kind) -> Absent:
        return Absent(self.size, dtype)

    def copy(self) -> Absent:
        return Absent(self.size, self.dtype)

    def fill(self, value: object) -> None:
        """Nobody will see it."""

    def __setitem__(self, place: object, value: object) -> None:
        """Nobody will see it."""

    def _refuse(self, *args: object) -> NoReturn:
        raise NotImplementedError("Not available for 'meta' device type")

    __getitem__ = tolist = _refuse

    def tobytes(self) -> NoReturn:
        raise NoData


class Unallocated(Absent):
    """What a wrapper subclass says that it would take up: it is on the CPU, and nobody may look at it."""

    __slots__ = ()

    def view(self, dtype: Kind) -> Absent:
        return Unallocated(self.nbytes // dtype.itemsize, dtype, self.owner)

    def copy(self) -> NoReturn:
        raise RuntimeError("Attempted to call copy_() on an invalid python storage.")

    def fill(self, value: object) -> NoReturn:
        raise RuntimeError("Attempted to call fill_() on an invalid python storage.")

    def _refuse(self, *args: object) -> NoReturn:
        raise RuntimeError(
            "The tensor has a non-zero number of elements, but its data is not allocated yet.\nIf you're using "
            "torch.compile/export/fx, it is likely that we are erroneously tracing into a custom kernel. To fix this, please wrap "
            "the custom kernel into an opaque custom op. Please see the following for details: "
            "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\nIf you're using Caffe2, Caffe2 uses a lazy "
            "allocation, so you will need to call mutable_data() or raw_mutable_data() to actually allocate memory."
        )

    __getitem__ = tolist = _refuse
