"""Storages: the blocks of memory beneath tensors, as bytes or as numbers of one dtype.

Two tensors share memory if their storages have the same ``data_ptr()``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..autograd import modes, views
from ..backend import creation as layouts
from ..backend import memory, shared
from ..backend import numpy as backend
from ..backend.nothing import NoData, Nothing
from ..base import dtypes
from ..base.device import CPU, META, channels_last, channels_last_3d, contiguous_format, preserve_format
from ..base.device import device as Device
from ..ops.public import module
from ..ops.publishing import method, published
from ..ops.table import op, table
from ..overrides.torch_dispatch import Outline
from ..tensor import Tensor, wrap
from ..tensors.arguments import checked_shape, memory_format_name, shape_of, type_name, warn
from . import arguments
from .absent import Absent, Unallocated
from .mapped_files import mapped

_BYTE = np.dtype(np.uint8)


class _Storage:
    """What both kinds of storage can do: a row of numbers in memory."""

    _memory: Any  # a one-dimensional array, from the first byte of the block to its last; Absent on the meta device

    _on_meta = False  # read for tensors on the meta device

    is_cuda = is_sparse = is_sparse_csr = is_hpu = False
    filename = None

    @property
    def device(self) -> Device:
        return META if isinstance(self._memory, Absent) and not isinstance(self._memory, Unallocated) else CPU

    @property
    def _cdata(self) -> int:
        return id(self._memory.owner) if isinstance(self._memory, Absent) else self.data_ptr()

    def get_device(self) -> None:
        """Nothing: the devices here have no numbers."""

    def data_ptr(self) -> int:
        """The address of the first byte; 0 where there is none."""
        if isinstance(self._memory, Unallocated) and self._memory.size:
            raise RuntimeError("Attempted to access the data pointer on an invalid python storage.")
        return backend.address(self._memory) if self._memory.size and not isinstance(self._memory, Absent) else 0

    def nbytes(self) -> int:
        return int(self._memory.nbytes)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def size(self) -> int:
        """How many numbers there are."""
        return int(self._memory.size)

    def __len__(self) -> int:
        return int(self._memory.size)

    def element_size(self) -> int:
        return int(self._memory.itemsize)

    def tolist(self) -> list[Any]:
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._memory.astype(np.float32).tolist() if self._memory.dtype.kind == "V" else self._memory.tolist())

    def fill_(self, value: Any) -> Self:
        self._memory.fill(value)
        return self

    def copy_(self, source: _Storage, non_blocking: Any = None) -> Self:
        """Copies the bytes of another storage, whatever they stand for there."""
        if source.nbytes() != self.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes")
        if not isinstance(self._memory, Absent):
            if isinstance(source._memory, Absent):
                raise NoData
            self._memory.view(_BYTE)[:] = source._memory.view(_BYTE)
        return self

    def _deep_copied(self, memo: dict[int, Any]) -> Any:
        """A copy of the memory; one for all tensors and storages over it that are copied together."""
        if isinstance(self._memory, Absent):
            return self._memory.copy()
        whole = backend.root(self._memory)
        if id(whole) not in memo:
            memo[id(whole)] = whole.copy("K")
        return memory.block(memo[id(whole)])

    def is_shared(self) -> bool:
        return not isinstance(self._memory, Absent) and shared.block_of(self._memory) is not None

    def share_memory_(self) -> Self:
        if isinstance(self._memory, Absent):
            raise RuntimeError("_share_fd_: only available on CPU")
        return self

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def resizable(self) -> bool:
        return isinstance(self._memory, Absent) or backend.root(self._memory).base is None

    def cpu(self) -> Self:
        if isinstance(self._memory, Absent):
            raise NoData
        return self

    def _text(self, kind: str) -> str:
        numbers = "...\n" if isinstance(self._memory, Absent) else "".join(f" {number}\n" for number in self)
        return f"{numbers}[{kind}device={self.device}) of size {len(self)}]"


class StorageBase(_Storage):
    """What ``isinstance`` asks about: a storage of bytes. Made by subclasses alone.

    >>> import rushlight as torch
    >>> isinstance(torch.ones(2).untyped_storage(), torch.StorageBase)
    True
    """

    __module__ = "torch._C"

    def __new__(cls, *args: Any, **kwargs: Any) -> StorageBase:
        if cls is StorageBase:
            raise RuntimeError("Cannot directly construct StorageBase; subclass it and then construct that")
        return object.__new__(cls)


class UntypedStorage(StorageBase):
    """A block of memory as bytes.

    >>> import rushlight as torch
    >>> x = torch.zeros(2, 3)
    >>> x[1].untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), x.untyped_storage().nbytes()
    (True, 24)
    """

    __module__ = "torch.storage"

    def __init__(self, *args: Any, device: Any = None, **kwargs: Any) -> None:
        arguments.check_untyped(args, kwargs)
        self._memory = arguments.as_bytes(args[0] if args else 0, arguments.is_meta(device))

    @classmethod
    def _over(cls, octets: object) -> UntypedStorage:
        made = object.__new__(cls)
        made._memory = octets
        return made

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, UntypedStorage) and self._cdata == other._cdata and self.nbytes() == other.nbytes()
        return bool(same and (self.nbytes() or self is other))

    def __hash__(self) -> int:
        return self.data_ptr() or id(self)

    def __getitem__(self, index: Any) -> Any:
        place = arguments.byte_index(self, index)
        if isinstance(place, slice):
            return UntypedStorage._over(self._memory[place])
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} out of range for storage of size {len(self)}")
        return int(self._memory[place])

    def __setitem__(self, index: Any, value: Any) -> None:
        place = arguments.byte_index(self, index)
        if not isinstance(place, slice) and not -len(self) <= place < len(self):
            raise RuntimeError("out of bounds")
        self._memory[place] = arguments.as_byte(value)

    def __repr__(self) -> str:
        return self._text("torch.storage.UntypedStorage(")

    def clone(self) -> UntypedStorage:
        return UntypedStorage._over(self._memory.copy())

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> UntypedStorage:
        if id(self) not in memo:
            memo[id(self)] = UntypedStorage._over(self._deep_copied(memo))
        return memo[id(self)]  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return _storage_from_bytes, (self._memory.tobytes(),)

    def resize_(self, size: int) -> UntypedStorage:
        """Makes this block ``size`` bytes long; tensors that lie over it keep the memory they have."""
        have = self._memory
        if isinstance(have, Absent):
            self._memory = Absent(size, _BYTE, have.owner)
            return self
        self._memory = arguments.block_of(size, _BYTE)
        shared = min(size, have.size)
        self._memory[:shared], self._memory[shared:] = have[:shared], 0
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        return "torch.storage.UntypedStorage" if dtype is None else TypedStorage(wrap_storage=self, dtype=dtype)

    def untyped(self) -> UntypedStorage:
        return self

    @staticmethod
    def from_buffer(*args: Any, dtype: dtypes.dtype = dtypes.uint8, **kwargs: Any) -> UntypedStorage:
        """The bytes of a buffer of numbers, as ``torch.FloatStorage.from_buffer`` reads them."""
        return _from_buffer(dtype, *args, **kwargs).untyped()

    @staticmethod
    def from_file(filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The bytes of a file, read when they are needed; ``shared``: changes go to the file, which grows if it must.

        RuntimeError where the file is shorter than ``nbytes`` and not shared.
        """
        return UntypedStorage._over(mapped(filename, shared, nbytes))


def _storage_from_bytes(octets: bytes) -> UntypedStorage:
    return UntypedStorage._over(np.frombuffer(octets, _BYTE).copy())


class TypedStorage(_Storage):
    """Memory as numbers of one dtype (deprecated in PyTorch): of a tensor, a storage, a size or a sequence."""

    __module__ = "torch.storage"
    dtype: dtypes.dtype

    def __new__(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        return object.__new__(TypedStorage)

    def __init__(self, *args: Any, dtype: dtypes.dtype | None = None, device: Any = None, wrap_storage: Any = None) -> None:
        arguments.check_typed(args, dtype, device, wrap_storage, UntypedStorage)
        self.dtype = chosen = dtype or dtypes.get_default_dtype()
        if wrap_storage is not None:
            self._memory = wrap_storage._memory.view(chosen.numpy)
        else:
            self._memory = arguments.numbers(args[0] if args else 0, chosen.numpy, arguments.is_meta(device))

    @staticmethod
    def _over(numbers: object, dtype: dtypes.dtype) -> TypedStorage:
        made = object.__new__(TypedStorage)
        made._memory, made.dtype = numbers, dtype
        return made

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._memory[arguments.element_index(self, index, "out of range for storage of size")].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, (int, float, complex, Tensor)):
            arguments.refuse_value(value, self.dtype.scalar_name)
        self._memory[arguments.element_index(self, index)] = value

    def __repr__(self) -> str:
        return self._text(f"torch.storage.TypedStorage(dtype={self.dtype}, ")

    def untyped(self) -> UntypedStorage:
        return UntypedStorage._over(self._memory.view(_BYTE))

    @property
    def _untyped_storage(self) -> UntypedStorage:
        return self.untyped()

    def pickle_storage_type(self) -> str:
        return f"{self.dtype.scalar_name}Storage"

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is None:
            return "torch.storage.TypedStorage" if isinstance(self._memory, Absent) else f"torch.{self.pickle_storage_type()}"
        if isinstance(dtype, str):
            dtype = CLASSES[dtype.removeprefix("torch.")]
        return self._cast(getattr(dtype, "dtype", dtype))

    def clone(self) -> TypedStorage:
        return self._cast(self.dtype)

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> TypedStorage:
        if id(self) not in memo:
            memo[id(self)] = TypedStorage._over(self._deep_copied(memo).view(self.dtype.numpy), self.dtype)
        return memo[id(self)]  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return _typed_from_bytes, (self._memory.tobytes(), self.dtype)

    def resize_(self, size: int) -> None:
        """Makes this block ``size`` numbers long; tensors that lie over it keep the memory they have."""
        self._memory = self.untyped().resize_(size * self.element_size())._memory.view(self._memory.dtype)

    def _cast(self, dtype: dtypes.dtype) -> TypedStorage:
        return TypedStorage._over(self._memory.astype(dtype.numpy), dtype)


def _typed_from_bytes(octets: bytes, dtype: dtypes.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=_storage_from_bytes(octets), dtype=dtype)


def _casting_method(name: str, dtype: dtypes.dtype) -> None:
    def cast(self: _Storage) -> TypedStorage:
        return TypedStorage._over(self._memory.astype(dtype.numpy), dtype)

    cast.__name__ = name
    cast.__doc__ = f"A copy as torch.{dtype.name}."
    setattr(_Storage, name, cast)


for _dtype in dtypes.ALL:
    _casting_method(_dtype.scalar_name.lower().replace("complex", "complex_"), _dtype)


class _LegacyStorage(type):
    """``torch.FloatStorage``: makes a TypedStorage of its dtype; one of that dtype is an instance of it."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        arguments.check_legacy(cls.__name__, args, kwargs, UntypedStorage)
        return TypedStorage(*args, dtype=cls.dtype, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> TypedStorage:
        """The numbers in a file, as :meth:`UntypedStorage.from_file`."""
        octets = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=octets, dtype=cls.dtype)

    def from_buffer(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """The numbers in a buffer, whose bytes stand in ``byte_order`` ("native", "little" or "big").

        ``count`` of them from the byte ``offset`` on; all that are there without it.

        >>> import rushlight as torch
        >>> torch.ShortStorage.from_buffer(bytearray([1, 2, 3, 4]), "big").tolist()
        [258, 772]
        """
        return _from_buffer(cls.dtype, *args, **kwargs)


def _from_buffer(
    dtype: dtypes.dtype, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0
) -> TypedStorage:
    size = dtype.itemsize
    if byte_order is None and dtype not in (dtypes.uint8, dtypes.int8):
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "native", "little", "big") and dtype is not dtypes.uint8:
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    octets = np.frombuffer(buffer, _BYTE)
    if not 0 <= offset <= octets.size:
        # PyTorch names the two the other way round.
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({offset}) , but got {octets.size}")
    if count < 0:
        if (octets.size - offset) % size:
            raise ValueError(f"buffer size ({octets.size}) must be a multiple of element size ({size})")
        count = (octets.size - offset) // size
    elif offset + count * size > octets.size:
        raise ValueError(
            f"buffer has only {octets.size - offset} elements after offset {offset}, but specified a size of {count}"
        )
    chosen = octets[offset : offset + count * size].copy()
    if dtype is dtypes.bool_:
        chosen = (chosen != 0).view(_BYTE)
    elif byte_order not in (None, "native", sys.byteorder):
        chosen = chosen.reshape(-1, dtype.to_real().itemsize)[:, ::-1].reshape(-1)
    return TypedStorage._over(np.ascontiguousarray(chosen).view(dtype.numpy), dtype)


CLASSES: dict[str, type] = {
    f"{each.scalar_name}Storage": _LegacyStorage(f"{each.scalar_name}Storage", (), {"dtype": each, "__module__": "torch"})
    for each in dtypes.ALL
}


def _dtype_to_storage_type_map() -> dict[dtypes.dtype, str]:
    """The names of the storages by dtype."""
    return {each.dtype: name for name, each in CLASSES.items() if name != "Storage"}  # type: ignore[attr-defined]


def _storage_type_to_dtype_map() -> dict[str, dtypes.dtype]:
    return {name: dtype for dtype, name in _dtype_to_storage_type_map().items()}


def _follow(default: dtypes.dtype) -> None:
    """``torch.Storage`` is the class of the default dtype's storages."""
    CLASSES["Storage"] = CLASSES[f"{default.scalar_name}Storage"]
    package = sys.modules.get(__name__.rpartition(".")[0])
    if package is not None:
        package.Storage = CLASSES["Storage"]  # type: ignore[attr-defined]


_follow(dtypes.get_default_dtype())
dtypes.followers.append(_follow)


@published
def is_storage(obj: Any, /) -> bool:
    """Whether an object is a storage."""
    return isinstance(obj, _Storage)


@published
def from_file(
    filename: str,
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of the ``size`` numbers at the beginning of a file, read when they are needed.

    ``shared``  changes go to the file, which is made or grows if it must

    RuntimeError where the file is shorter and not shared.
    """
    arguments.check_device(device)
    kind = dtype or dtypes.get_default_dtype()
    octets = mapped(filename, bool(shared), (size or 0) * kind.itemsize)
    made = wrap(octets.view(kind.numpy))
    made.requires_grad = requires_grad
    return made


_warned: set[str] = set()


def _block_of(tensor: Tensor) -> Any:
    """The memory that a tensor lies in, as bytes."""
    array: object = tensor._array
    if isinstance(array, Nothing):
        return Absent(array.nbytes_of_memory, _BYTE, array.memory)
    if isinstance(array, Outline):  # of a wrapper subclass
        return Unallocated(array.extent, _BYTE, array)
    return memory.block(tensor._array)


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The block of memory beneath the tensor; equal ``data_ptr()`` means that two tensors share it."""
    return UntypedStorage._over(_block_of(self))


@method
def storage(self: Tensor) -> TypedStorage:
    """The block of memory beneath the tensor as numbers (deprecated in PyTorch)."""
    if "typed" not in _warned:
        _warned.add("typed")
        warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
            "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
            "directly, use tensor.untyped_storage() instead of tensor.storage()"
        )
    return TypedStorage._over(_block_of(self).view(self.dtype.numpy), self.dtype)


@method
def _typed_storage(self: Tensor) -> TypedStorage:
    """:meth:`storage` without the warning."""
    return TypedStorage._over(_block_of(self).view(self.dtype.numpy), self.dtype)


@method
def storage_type(self: Tensor) -> type:
    """The class of the tensor's storage, ``torch.FloatStorage`` say."""
    return CLASSES[f"{self.dtype.scalar_name}Storage"]
