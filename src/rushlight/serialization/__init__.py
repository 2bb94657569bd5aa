"""torch.serialization: ``save`` and ``load`` in PyTorch's formats, the zip archive and the one before it, in both directions.

``load`` never runs what is in a file unless ``weights_only=False`` is said. ``save`` to a path is atomic: the old file stays
until the new one is complete.
"""

from __future__ import annotations

import io
import mmap as mmap_module
import os
import pickle
import warnings
from collections.abc import Callable
from enum import Enum
from typing import IO, Any

from ..base.device import device as Device
from ..base.missing_names import lazy_names
from ..storage import CLASSES as _STORAGES
from ..storage import TypedStorage, UntypedStorage
from ..tensor import Tensor
from ..tensors.creation.legacy import CLASSES as _TENSORS
from . import legacy
from .archive import SIGNATURE, ArchiveReader, ArchiveWriter, replacing
from .files import PyTorchFileReader as PyTorchFileReader
from .files import PyTorchFileWriter as PyTorchFileWriter
from .files import is_archive as _is_zipfile
from .files import open_reader as _open_zipfile_reader
from .files import open_writer as _open_zipfile_writer
from .locations import mapping, register_package
from .locations import restored as default_restore_location
from .locations import tag_of as location_tag
from .names import _get_layout as _get_layout
from .pickling import StorageReader, StorageTable, reader, writer
from .weights_only import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals, unsafe_globals
from .weights_only import load as load_weights

__all__ = [
    "LoadEndianness",
    "SourceChangeWarning",
    "_is_zipfile",
    "_open_zipfile_reader",
    "_open_zipfile_writer",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "normalize_storage_type",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "storage_to_tensor_type",
]

DEFAULT_PROTOCOL = 2
MAP_SHARED, MAP_PRIVATE = 1, 2  # as mmap has them where there is such a thing
# What libraries write in signatures of their own.
FileLike = str | os.PathLike[str] | IO[bytes]
MAP_LOCATION = Callable[[Any, str], Any] | Device | str | dict[str, str] | None


class SourceChangeWarning(Warning):
    """Never given: saved modules do not hold their source."""


class LoadEndianness(Enum):
    """The order of bytes that is assumed of a file that does not say its own."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Saves an object to a path or to an open file, in the format of PyTorch, which can load it too.

    ``_use_new_zipfile_serialization=False`` writes the format before PyTorch 1.6.
    Tensors that share memory share it when loaded again. A path gets its new content only when all of it is written.
    RuntimeError where the path's folder does not exist.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """

    def write(file: IO[bytes], root: str) -> None:
        if _use_new_zipfile_serialization:
            _write_archive(obj, file, root, pickle_module, pickle_protocol, not _disable_byteorder_record)
        else:
            legacy.save(obj, file, pickle_module, pickle_protocol, _Options.skips_data)

    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if os.path.isdir(path) or not path:
            raise RuntimeError(f"open file failed: {path!r} is a folder" if path else "invalid file name: ''")
        root = os.path.splitext(os.path.basename(path))[0] or "archive"
        with replacing(path) as file:
            write(file, root)
    elif hasattr(f, "write"):
        if not callable(f.write):
            raise TypeError(f"Buffer of {str(type(f))[1:-1]} has no callable attribute 'write'")
        write(f, "archive")
        if hasattr(f, "flush"):
            f.flush()
    else:
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")


def _write_archive(obj: Any, file: IO[bytes], root: str, pickle_module: Any, protocol: int, says_byteorder: bool) -> None:
    storages = StorageTable(_Options.skips_data)
    stream = io.BytesIO()
    writer(pickle_module, stream, protocol, storages).dump(obj)
    records: dict[str, Any] = {"data.pkl": stream.getvalue(), ".format_version": b"1", ".storage_alignment": b"64"}
    if says_byteorder:
        records["byteorder"] = b"little"
    records |= {f"data/{key}": memory for key, memory in storages.memories.items()}
    records["version"] = b"3\n"
    archive = ArchiveWriter(file, root)
    for name, content in records.items():
        archive.write(name, content)
    archive.close()


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Loads what :func:`save` or PyTorch saved, from a path or an open file.

    ``map_location`` where storages go that were elsewhere: a device or its name, a dict of names, or a function of a
                     storage and its location
    ``weights_only`` True (as is the default) reads tensors and plain containers and never runs code; UnpicklingError for
                     anything else. With False the file may run anything: only for files that you trust
    ``mmap``         leaves the values of a file (given by its path) on the disk until they are read

    Environment variables: TORCH_FORCE_WEIGHTS_ONLY_LOAD=1 means weights_only=True whatever is said,
    TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 means False, with a warning, where nothing is said.

    RuntimeError where the file is damaged, or holds TorchScript.
    """
    weights_only = _only_weights(weights_only, pickle_module is not None)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    is_path = isinstance(f, (str, os.PathLike))
    if mmap and not is_path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if is_path:
        with open(f, "r+b" if mmap and _Options.mmap_flags == MAP_SHARED else "rb") as file:
            return _load(file, map_location, pickle_module or pickle, weights_only, bool(mmap), pickle_load_args)
    for name in ("seek", "tell"):
        if not hasattr(f, name):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{name}'. You can only torch.load from a file that is seekable."
                " Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )
    return _load(f, map_location, pickle_module or pickle, weights_only, False, pickle_load_args)


def _only_weights(said: bool | None, has_pickle_module: bool) -> bool:
    """What ``weights_only`` means where the environment has a word in it."""
    never, always = (
        os.environ.get(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0").lower() in ("1", "y", "yes", "true") for name in ("NO_", "")
    )
    if never and always:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both were set."
        )
    if said is None and never:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not explicitly "
            "passed to `torch.load`, forcing weights_only=False.",
            stacklevel=3,
        )
        return False
    return always or (not has_pickle_module if said is None else said)


def _load(file: Any, map_location: Any, pickle_module: Any, weights_only: bool, mapped: bool, options: dict[str, Any]) -> Any:
    restore = mapping(map_location)
    options = {"encoding": "utf-8", **options}
    if weights_only:
        encoding = options.pop("encoding")
        if options:
            raise TypeError(f"load() got an unexpected keyword argument {next(iter(options))!r}")

    def next_object(stream: io.BytesIO, storages: Callable[[Any], Any]) -> Any:
        if weights_only:
            return load_weights(stream, storages, encoding)
        return reader(pickle_module, stream, storages, options).load()

    start = file.tell()
    head = file.read(32)
    file.seek(start)
    if legacy.is_legacy(head):
        if mapped:
            raise RuntimeError(
                "mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), "
                "please torch.save your checkpoint with this option in order to use mmap."
            )
        return legacy.load(file, restore, next_object)
    archive = _opened(file, head, mapped)
    storages = StorageReader(lambda key, _: archive.array(f"data/{key}"), restore, _is_big_endian(archive))
    return next_object(io.BytesIO(archive.read("data.pkl")), storages)


def _opened(file: Any, head: bytes, mapped: bool) -> ArchiveReader:
    """The archive in a file that begins with ``head``, if it is one that can be read here."""
    if not head:
        raise EOFError("Ran out of input: the file is empty, or was read to its end already")
    if not head.startswith(SIGNATURE):
        raise pickle.UnpicklingError(
            "Weights only load failed. The file is not one that torch.save writes: it begins with "
            f"{head[:16]!r}, not as a zip archive does"
        )
    access = mmap_module.ACCESS_WRITE if _Options.mmap_flags == MAP_SHARED else mmap_module.ACCESS_COPY
    memory = mmap_module.mmap(file.fileno(), 0, access=access) if mapped else None
    archive = ArchiveReader(file, memory)
    if "constants.pkl" in archive:
        raise RuntimeError(
            "Cannot load TorchScript archives: rushlight runs no TorchScript. In PyTorch, save the module's state_dict() instead"
        )
    if "version" not in archive:
        raise RuntimeError("the archive does not say its version: it was not written by torch.save")
    return archive


def _is_big_endian(archive: ArchiveReader) -> bool:
    """Of what an archive says, or :func:`set_default_load_endianness` where it says nothing."""
    if "byteorder" not in archive:
        return _Options.endianness is LoadEndianness.BIG
    order = archive.read("byteorder")
    if order not in (b"big", b"little"):
        raise ValueError(f"Unknown endianness type: {order.decode('latin1')}")
    return order == b"big"


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The classes and functions that a file names and ``load(weights_only=True)`` would refuse."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    if not f.read(4).startswith(SIGNATURE):
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    f.seek(-4, os.SEEK_CUR)
    return unsafe_globals(ArchiveReader(f).read("data.pkl"))


def normalize_storage_type(storage_type: Any) -> Any:
    """The storage class under the name that it has at the top of torch."""
    return _STORAGES.get(storage_type.__name__, storage_type)


def storage_to_tensor_type(storage: TypedStorage | UntypedStorage) -> type[Tensor]:
    """The class of tensors over a storage's numbers, ``torch.FloatTensor`` say."""
    return _TENSORS[f"{storage.dtype.scalar_name}Tensor" if isinstance(storage, TypedStorage) else "ByteTensor"]


class _Options:
    """What programs may set, and ask for."""

    crc32 = True
    mmap_flags = MAP_PRIVATE
    endianness: LoadEndianness | None = None
    skips_data = False


class skip_data:
    """Has ``save`` in a ``with`` block leave room for the values of storages, without writing the values.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2), file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before = _Options.skips_data
        _Options.skips_data = True

    def __exit__(self, *error: object) -> None:
        _Options.skips_data = self._before


def get_crc32_options() -> bool:
    """Whether archives get checksums: what :func:`set_crc32_options` was told; they always do."""
    return _Options.crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Kept for :func:`get_crc32_options`."""
    _Options.crc32 = compute_crc32


def get_default_mmap_options() -> int:
    """The flags of mmap: private unless set otherwise, so that changes of loaded tensors do not reach the file."""
    return _Options.mmap_flags


class set_default_mmap_options:
    """Has ``load(..., mmap=True)`` map files with MAP_PRIVATE (as by default) or MAP_SHARED, with which changes of the
    tensors change the file. As a ``with`` block it holds within.

    ValueError for other flags.

    >>> import mmap
    >>> import rushlight as torch
    >>> with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags: int) -> None:
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self._before = _Options.mmap_flags
        _Options.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _Options.mmap_flags = self._before


def get_default_load_endianness() -> LoadEndianness | None:
    """What :func:`set_default_load_endianness` was told."""
    return _Options.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """How files are read that do not say; little where nothing is set. TypeError for what is no LoadEndianness."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _Options.endianness = endianness


__getattr__, __dir__ = lazy_names(__name__)
