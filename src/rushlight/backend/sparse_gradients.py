"""Gradients that are zero but for some rows: their indices and values, which leaves, hooks and Functions get to see."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class ScatteredArray:
    """An array of ``shape`` that holds ``values`` at ``indices``, (dimensions with indices, number of values), else zeros.

    Whatever else is asked of it is asked of the dense array: so a rule of any op can read it.
    """

    __slots__ = ("indices", "shape", "taken", "values")
    nbytes = 0  # what the engine goes by to add large arrays in place

    def __init__(self, indices: Array, values: Array, shape: tuple[int, ...]) -> None:
        self.indices, self.values, self.shape = indices, values, shape
        self.taken = False  # whether a leaf keeps it as its gradient

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def dense(self) -> Array:
        whole = np.zeros(self.shape, self.values.dtype)
        np.add.at(whole, tuple(self.indices), self.values)
        return whole

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.dense() if dtype is None else self.dense().astype(dtype, copy=False)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, ScatteredArray) or len(other.indices) != len(self.indices):
            return self.dense() + np.asarray(other)
        indices = np.concatenate([self.indices, other.indices], 1)
        return ScatteredArray(indices, np.concatenate([self.values, other.values]), self.shape)

    def astype(self, dtype: Any, copy: bool = True) -> ScatteredArray:
        return ScatteredArray(self.indices, self.values.astype(dtype, copy=copy), self.shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dense(), name)


def _of_dense(name: str) -> Any:
    def ask(self: ScatteredArray, *args: Any) -> Any:
        return getattr(self.dense(), name)(*args)

    return ask


for _name in (
    "__radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __matmul__ __rmatmul__ __pow__ __neg__ __abs__ "
    "__getitem__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__ __len__".split()
):
    setattr(ScatteredArray, _name, _of_dense(_name))
