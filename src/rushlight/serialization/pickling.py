"""Pickles of tensors as PyTorch writes them: storages stand outside, in records of their own."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import IO, Any

import numpy as np

from ..autograd.hooks import warn_if_has_hooks
from ..backend import memory
from ..backend import numpy as backend
from ..base import dtypes
from ..base.attributes import OWN_ATTRIBUTES, held
from ..base.device import layout
from ..nn import parameter
from ..nn.parameter import Parameter, UninitializedTensorMixin
from ..overrides.torch_function import DisableTorchFunctionSubclass
from ..sparse import creation
from ..sparse.tensors import SparseTensor
from ..storage import CLASSES as STORAGES
from ..storage import TypedStorage, UntypedStorage, _Storage
from ..tensor import Tensor
from ..tensors import rebuilding
from .archive import Bytes, broken
from .locations import tag_of
from .names import _get_layout, found, place_of

_WITH_STORAGE_CLASSES = frozenset(dtypes.ALL) - {dtypes.uint16, dtypes.uint32, dtypes.uint64}


_KINDS: dict[type, dtypes.dtype] = {cls: cls.dtype for cls in STORAGES.values()}  # type: ignore[attr-defined]
_PLAIN_KINDS = frozenset((str, int, float, bool, bytes, tuple, list, dict, type(None), OrderedDict))


class StorageTable:
    """The storages that a pickle came upon, each once, under the keys of their records."""

    def __init__(self, without_data: bool = False) -> None:
        self._without_data = without_data
        self.memories: dict[str, Bytes] = {}
        self._keys: dict[int, str] = {}
        self._kinds: dict[int, dtypes.dtype] = {}
        self._empty: list[_Storage] = []  # kept, so that none gets the identity of another

    def reference(self, storage: _Storage) -> tuple[Any, ...]:
        """What stands in the pickle for a storage."""
        kind = storage.dtype if isinstance(storage, TypedStorage) else dtypes.uint8
        octets = storage._memory.view(np.uint8)
        if octets.size:
            address = backend.address(octets)
        else:
            address = -id(storage)
            self._empty.append(storage)
        if self._kinds.setdefault(address, kind) is not kind:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        key = self._keys.setdefault(address, str(len(self._keys)))
        self.memories.setdefault(key, np.zeros_like(octets) if self._without_data else octets)
        cls = STORAGES[f"{kind.scalar_name}Storage"] if isinstance(storage, TypedStorage) else UntypedStorage
        return ("storage", cls, key, tag_of(storage), len(storage))


def writer(pickle_module: Any, file: IO[bytes], protocol: int, storages: StorageTable) -> Any:
    """A pickler of ``pickle_module``, or of one that extends Python's own, that writes tensors as PyTorch does."""

    class Writer(getattr(pickle_module, "_Pickler", None) or pickle_module.Pickler):  # type: ignore[misc]
        # Python's own pickler, not the compiled one: only there names can be written as PyTorch spells them.
        def persistent_id(self, obj: Any) -> Any:
            return storages.reference(obj) if isinstance(obj, _Storage) else None

        def reducer_override(self, obj: Any) -> Any:
            kind = type(obj)
            if kind in _PLAIN_KINDS:
                return NotImplemented
            if kind is FunctionType:
                return NotImplemented if place_of(obj, obj.__qualname__) is None else obj.__qualname__
            if isinstance(obj, SparseTensor):
                return creation._rebuild_sparse_tensor, (obj.layout, _parts(obj))
            if isinstance(obj, Tensor) and type(obj).__reduce_ex__ is Tensor.__reduce_ex__:
                return reduced(obj)
            if isinstance(obj, dtypes.dtype):
                return obj.name
            if isinstance(obj, layout):
                return _get_layout, (str(obj),)
            above = getattr(super(), "reducer_override", None)
            return NotImplemented if above is None else above(obj)

        def save_global(self, obj: Any, name: str | None = None) -> None:
            qualified = name or getattr(obj, "__qualname__", None) or obj.__name__
            place = "torch" if isinstance(obj, dtypes.dtype) else place_of(obj, qualified)
            if place is None:
                super().save_global(obj, name)
                return
            if self.proto >= 4:
                self.save(place)
                self.save(qualified)
                self.write(pickle.STACK_GLOBAL)
            else:
                self.write(pickle.GLOBAL + f"{place}\n{qualified}\n".encode())
            self.memoize(obj)

    return Writer(file, protocol)


def reduced(tensor: Tensor) -> tuple[Any, ...]:
    """How PyTorch reduces a tensor: a function that rebuilds it, and its arguments."""
    state = {name: value for name, value in held(tensor).items() if name not in OWN_ATTRIBUTES} or None
    if isinstance(tensor, UninitializedTensorMixin):
        return type(tensor), (tensor.requires_grad,)
    if type(tensor) is Parameter:
        data = _plain(tensor.detach())
        if state is None:
            return parameter._rebuild_parameter, (_Reduced(data), tensor.requires_grad, OrderedDict())
        return parameter._rebuild_parameter_with_state, (_Reduced(data), tensor.requires_grad, OrderedDict(), state)
    warn_if_has_hooks(tensor)
    has_own_state = type(tensor).__getstate__ is not object.__getstate__
    whole_state = tensor.__getstate__() if has_own_state else _with_slots(tensor, state)
    if not isinstance(tensor._array, np.ndarray) and not tensor.is_meta:
        return rebuilding.reduced_wrapper(tensor, whole_state)
    function, arguments = _plain(tensor)
    if type(tensor) is Tensor and state is None:
        return function, arguments
    return rebuilding._rebuild_from_type_v2, (function, type(tensor), arguments, whole_state)


def _parts(tensor: SparseTensor) -> tuple[Any, ...]:
    """What PyTorch saves of a sparse tensor."""
    with DisableTorchFunctionSubclass():
        if tensor.is_sparse:
            return tensor._indices(), tensor._values(), tensor.shape, tensor.is_coalesced()
        by_rows = tensor.layout.name.endswith("r")
        pointers, plain = ("crow_indices", "col_indices") if by_rows else ("ccol_indices", "row_indices")
        return getattr(tensor, pointers)(), getattr(tensor, plain)(), tensor._values(), tensor.shape


class _Reduced:
    """Pickles as what is given: a function and its arguments."""

    def __init__(self, reduction: tuple[Any, ...]) -> None:
        self._reduction = reduction

    def __reduce__(self) -> tuple[Any, ...]:
        return self._reduction


def _plain(tensor: Tensor) -> tuple[Any, ...]:
    """The reduction of what every tensor has: its place in a storage."""
    if tensor.is_meta:
        return rebuilding.reduced_meta(tensor)
    array = tensor._array
    if tensor.is_conj() or tensor.is_neg():  # the file holds the values from before
        array = np.conj(array) if tensor.is_conj() else array
        array = np.asarray(np.negative(array) if tensor.is_neg() else array)
    dtype = tensor.dtype
    if any(step < 0 or step % array.itemsize for step in array.strides) or not array.flags.aligned:
        array = array.copy()
    typed = dtype in _WITH_STORAGE_CLASSES
    whole = memory.block(array) if array.size else np.empty(0, np.uint8)
    start = backend.address(array) - backend.address(whole) if array.size else 0
    if start % array.itemsize or whole.size % array.itemsize:
        whole, start = np.ascontiguousarray(array).reshape(-1).view(np.uint8), 0
    untyped = UntypedStorage._over(whole)
    storage = TypedStorage(wrap_storage=untyped, dtype=dtype) if typed else untyped
    strides = tensor.stride() if array is tensor._array else tuple(step // array.itemsize for step in array.strides)
    arguments: tuple[Any, ...] = (
        storage,
        start // array.itemsize,
        tuple(array.shape),
        strides,
        tensor.requires_grad,
        OrderedDict(),
    )
    if not typed:
        arguments += (dtype,)
    pending = {name: True for name, holds in (("conj", tensor.is_conj()), ("neg", tensor.is_neg())) if holds}
    if pending:
        arguments += (pending,)
    return (rebuilding._rebuild_tensor_v2 if typed else rebuilding._rebuild_tensor_v3), arguments


def _with_slots(tensor: Tensor, state: dict[str, Any] | None) -> Any:
    slots = rebuilding.in_slots(tensor)
    return (state, slots) if slots else state


class StorageReader:
    """Gives the storages that a pickle refers to, each made once.

    ``octets``  gives the memory of the storage under a key, which should have so many bytes
    ``restore`` puts it where its location says
    ``is_big_endian``  whether the first byte of a number is its highest
    """

    def __init__(
        self,
        octets: Callable[[str, int], Bytes],
        restore: Callable[[UntypedStorage, str], Any],
        is_big_endian: bool = False,
    ) -> None:
        self._octets = octets
        self._is_big_endian = is_big_endian
        self._restore = restore
        self._loaded: dict[str, tuple[UntypedStorage, int]] = {}

    def __call__(self, reference: Any) -> Any:
        """The storage of ``('storage', class, key, location, size)``. RuntimeError where memory and size do not agree."""
        if not isinstance(reference, tuple) or len(reference) != 5 or reference[0] != "storage":
            broken(f"the pickle refers to {reference!r}, which is no storage")
        _, cls, key, location, length = reference
        dtype = dtypes.uint8 if cls is UntypedStorage else _KINDS.get(cls)
        if dtype is None or not isinstance(key, str) or not isinstance(location, str):
            broken(f"the pickle refers to {reference!r}, which is no storage")
        if type(length) is not int or length < 0:
            broken(f"a storage has the size {length!r}")
        need = length * dtype.itemsize
        if key not in self._loaded:
            octets = self._octets(key, need)
            if self._is_big_endian and octets.size == need:
                octets = octets.reshape(-1, dtype.to_real().itemsize)[:, ::-1].reshape(-1)
            self._loaded[key] = self._restore(UntypedStorage._over(_aligned(octets)), location), octets.size
        untyped, have = self._loaded[key]
        if have != need:
            raise RuntimeError(
                f"record size ({have} bytes) does not match expected size ({need} bytes = {length} elements * "
                f"{dtype.itemsize} bytes/element) for dtype {dtype.scalar_name}"
            )
        if not isinstance(untyped, UntypedStorage):
            return untyped
        typed = TypedStorage(wrap_storage=untyped, dtype=dtype)
        typed._on_meta = untyped._on_meta
        return typed


def _aligned(octets: Bytes) -> Bytes:
    """The same bytes from an address at which every dtype may begin."""
    return octets if backend.address(octets) % 16 == 0 else octets.copy()


def reader(pickle_module: Any, content: IO[bytes], storages: Callable[[Any], Any], options: dict[str, Any]) -> Any:
    """An unpickler that finds PyTorch's names in rushlight. It calls whatever the pickle says."""

    class Reader(pickle_module.Unpickler):  # type: ignore[misc]
        def find_class(self, module: str, name: str) -> Any:
            if module == "torch" or module.startswith("torch."):
                return found(module, name)
            return super().find_class(module, name)

        def persistent_load(self, reference: Any) -> Any:
            return storages(reference)

    return Reader(content, **options)
