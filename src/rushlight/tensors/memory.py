"""How a tensor lies in memory, and of which kind its elements are: what its array answers alone."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.interpreters import asks_itself, read
from ..autograd.mirrors import is_conjugate
from ..autograd.modes import special
from ..backend import numpy as backend
from ..backend.nothing import Nothing
from ..base import dtypes
from ..base.arguments import axis_of, check_device, type_name
from ..base.device import contiguous_format, strided
from ..base.device import layout as layout_class
from ..base.dtypes import of as of_numpy
from ..base.size import Size, known_sizes
from ..ops.asking import asked
from ..overrides.torch_dispatch import Outline
from ..tensor import Methods, Tensor


def _place_of(array: Any) -> tuple[int, int]:
    """The address of an array's memory, 0 of what stands for one without, and how many bytes of it lie before the array."""
    if isinstance(array, Outline):
        return 0, array.offset * array.itemsize
    start = backend.address(backend.root(array))
    return start, backend.address(array) - start


class Form(Methods):
    """What programs ask most often: the question of ops/asking.py stands in the bodies, which saves a call."""

    @property
    @asks_itself
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        if special.active and (answer := read(self, "dtype")) is not NotImplemented:
            return answer  # type: ignore[no-any-return]
        return of_numpy(self._array.dtype)

    @property
    @asks_itself
    def shape(self) -> Size:
        """How many elements there are along each dimension."""
        if special.active and (answer := read(self, "shape")) is not NotImplemented:
            return answer  # type: ignore[no-any-return]
        return known_sizes[self._array.shape]

    @property
    @asks_itself
    def ndim(self) -> int:
        """How many dimensions there are."""
        if special.active and (answer := read(self, "ndim")) is not NotImplemented:
            return answer  # type: ignore[no-any-return]
        return self._array.ndim

    @asks_itself
    def dim(self) -> int:
        """How many dimensions there are."""
        if special.active and (answer := asked(Tensor.dim, (self,), {})) is not NotImplemented:
            return answer  # type: ignore[no-any-return]
        return self._array.ndim

    def ndimension(self) -> int:
        """How many dimensions there are."""
        return self._array.ndim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return known_sizes[self._array.shape]
        shape = self._array.shape
        if dim.__class__ is int and -len(shape) <= dim < len(shape):
            return shape[dim]
        return shape[axis_of(dim, len(shape), wrap_scalar=False)]


class InMemory(Methods):
    @property
    def is_meta(self) -> bool:
        """Whether the tensor is on the meta device, where there are no numbers."""
        return isinstance(self._array, Nothing)

    @property
    def is_cpu(self) -> bool:
        """Whether the tensor is on the CPU."""
        return not isinstance(self._array, Nothing)

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return int(self._array.itemsize)

    def element_size(self) -> int:
        """How many bytes an element takes."""
        return int(self._array.itemsize)

    @property
    def nbytes(self) -> int:
        """How many bytes the elements take."""
        return int(self._array.nbytes)

    def get_device(self) -> int:
        """-1: the tensor is on the CPU."""
        return -1

    @property
    def layout(self) -> layout_class:
        """``torch.strided``, of every tensor that is not sparse."""
        return strided

    def stride(self, dim: int | None = None) -> Any:
        """Steps in elements between neighbours along each dimension."""
        array = self._array
        size = array.itemsize
        strides = tuple([step // size for step in array.strides])
        if not array.size and not any(strides):  # NumPy does not care where nothing lies; PyTorch does
            strides = tuple(math.prod([max(each, 1) for each in array.shape[axis + 1 :]]) for axis in range(array.ndim))
        if dim is None:
            return strides
        return strides[axis_of(dim, array.ndim, wrap_scalar=False)]

    def storage_offset(self) -> int:
        """How many elements of the storage lie before the first of the tensor."""
        array = self._array
        return _place_of(array)[1] // array.itemsize

    def is_contiguous(self, *, memory_format: Any = contiguous_format) -> bool:
        """Whether the elements lie one after another, in order (in the given memory format)."""
        if memory_format.__class__ is not contiguous_format.__class__:
            wrong = f"must be torch.memory_format, not {type_name(memory_format)}"
            raise TypeError(f"is_contiguous(): argument 'memory_format' {wrong}")
        array, name = self._array, str(memory_format)
        if not name.endswith(("channels_last", "channels_last_3d")):
            return bool(array.flags.c_contiguous)
        if array.ndim != (4 if name.endswith("channels_last") else 5):
            return False
        axes = (0, *range(2, array.ndim), 1)
        if array.size:
            return bool(array.transpose(axes).flags.c_contiguous)
        step, strides = 1, self.stride()  # in these formats, unlike in order, PyTorch asks for steps where nothing lies too
        for axis in reversed(axes):
            if array.shape[axis] != 1:
                if strides[axis] != step:
                    return False
                step *= array.shape[axis]
        return True

    @property
    def _cdata(self) -> int:  # which tells one tensor from another, whatever memory it has
        return id(self)

    def data_ptr(self) -> int:
        """The address of the first element; 0 where there is none."""
        array = self._array
        return sum(_place_of(array)) if array.size else 0

    def pin_memory(self, device: Any = None) -> Tensor:
        """RuntimeError: there is no accelerator to pin memory for."""
        check_device("pin_memory", device)
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def is_pinned(self, device: Any = None) -> bool:
        """False: no memory is pinned."""
        check_device("is_pinned", device)
        return False

    def is_set_to(self, tensor: Tensor) -> bool:
        """Whether both are the very same view of the same memory."""
        if not isinstance(tensor, Tensor):
            raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
        if self is tensor:
            return True
        if self._array.size:
            together = self.data_ptr() == tensor.data_ptr() != 0  # 0 of what has no memory, which is nobody else's
        else:
            together = backend.root(self._array) is backend.root(tensor._array)
        return together and self.shape == tensor.shape and self.stride() == tensor.stride()


class OfAKind(Methods):
    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating one."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self._array.dtype.kind in "cW"

    def is_signed(self) -> bool:
        """Whether the dtype holds negative numbers."""
        return self.dtype.is_signed

    def is_conj(self) -> bool:
        """Whether the memory holds the conjugates of the values."""
        return is_conjugate(self)

    def is_neg(self) -> bool:
        """Whether the memory holds the negatives of the values."""
        return self._negated

    def is_same_size(self, other: Tensor) -> bool:
        """Whether both have the same shape."""
        if not isinstance(other, Tensor):
            raise TypeError(f"is_same_size(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
        return self._array.shape == other._array.shape
