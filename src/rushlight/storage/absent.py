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
