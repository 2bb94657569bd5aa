"""torch.distributed.checkpoint.filesystem: a checkpoint is a folder: ``.metadata``, and files of what it says where to find.

Folders that PyTorch wrote are read, and the other way round, those of several processes too.
"""

from __future__ import annotations

import io
import pickle
import uuid
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from rushlight import Tensor, dtype, empty, load, save
from rushlight.serialization.names import found
from rushlight.serialization.pickling import StorageTable, writer

from ._nested_dict import Path as Keys
from ._nested_dict import State, Value
from .metadata import BytesStorageMetadata, ChunkStorageMetadata, Metadata, MetadataIndex, StorageMeta, TensorProperties
from .metadata import TensorStorageMetadata as TensorStorageMetadata
from .storage import StorageReader, StorageWriter

__all__ = ["FileSystemReader", "FileSystemWriter"]

_VERSION = "1.0.0"
_FILE = "__0_0.distcp"
# What a file of metadata may name, besides dtypes: it is never made to call anything else.
_KNOWN = {
    "torch.distributed.checkpoint.metadata": (
        "BytesStorageMetadata ChunkStorageMetadata Metadata MetadataIndex StorageMeta TensorProperties TensorStorageMetadata "
        "_MEM_FORMAT_ENCODING"
    ).split(),
    "torch.distributed.checkpoint.filesystem": ["_StorageInfo"],
    "torch.serialization": ["_get_layout"],
    "torch": ["Size"],
    "collections": ["OrderedDict"],
    "pathlib": ["PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"],
    "pathlib._local": ["PosixPath", "WindowsPath"],
}


@dataclass
class _StorageInfo:
    """A stretch of a file."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: list[str] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if value is not None}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update({"transform_descriptors": None} | state)


class _MetadataReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        if module.startswith("pathlib") and name in _KNOWN.get(module, ()):
            return Path
        if module == "collections" and name == "OrderedDict":
            return dict
        known = found(module, name) if module == "torch" or name in _KNOWN.get(module, ()) else None
        if isinstance(known, dtype) or (known is not None and name in _KNOWN[module]):
            return known
        raise pickle.UnpicklingError(f"the metadata of a checkpoint name {module}.{name}, which belongs to none")


class FileSystemWriter(StorageWriter):
    """Writes a checkpoint into the folder ``path``. RuntimeError where one is there and ``overwrite`` is False."""

    def __init__(
        self,
        path: str | PathLike[str],
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
    ) -> None:
        self.path, self.overwrite = Path(path), overwrite

    def write(self, flat: State, paths: dict[str, Keys]) -> Metadata:
        """Writes what has these names; ``paths`` says where each stood in the state."""
        self.path.mkdir(parents=True, exist_ok=True)
        if not self.overwrite and (self.path / ".metadata").exists():
            raise RuntimeError(f"Checkpoint already exists and self.overwrite={self.overwrite}.")
        kept: dict[str, TensorStorageMetadata | BytesStorageMetadata] = {}
        places: dict[MetadataIndex, _StorageInfo] = {}
        for name, value in flat.items():
            kept[name] = _described(value) if isinstance(value, Tensor) else BytesStorageMetadata()
        with (self.path / f"{_FILE}.tmp").open("wb") as file:
            for name, value in sorted(flat.items(), key=lambda item: isinstance(item[1], Tensor)):
                start = file.tell()
                content = io.BytesIO()
                is_tensor = isinstance(value, Tensor)
                save(value.detach().clone() if is_tensor else value, content)
                file.write(content.getbuffer())
                index = MetadataIndex(name, type(value.shape)([0] * value.ndim), 0) if is_tensor else MetadataIndex(name)
                places[index] = _StorageInfo(_FILE, start, file.tell() - start)
        (self.path / f"{_FILE}.tmp").replace(self.path / _FILE)
        metadata = Metadata(kept, paths, places, StorageMeta(self.path, str(uuid.uuid4())), _VERSION)
        with (self.path / ".metadata.tmp").open("wb") as file:
            writer(pickle, file, 4, StorageTable()).dump(metadata)
        (self.path / ".metadata.tmp").replace(self.path / ".metadata")
        return metadata


def _described(tensor: Tensor) -> TensorStorageMetadata:
    origin = type(tensor.shape)([0] * tensor.ndim)
    return TensorStorageMetadata(
        TensorProperties.create_from_tensor(tensor), tensor.shape, [ChunkStorageMetadata(origin, tensor.shape)]
    )


class FileSystemReader(StorageReader):
    """Reads a checkpoint from the folder ``path``."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    def read_metadata(self) -> Metadata:
        """What the checkpoint holds. FileNotFoundError where there is none."""
        with (self.path / ".metadata").open("rb") as file:
            metadata: Metadata = _MetadataReader(file).load()
        return metadata

    def read(self, metadata: Metadata, name: str) -> Value:
        """What has a name: a tensor, put together of its parts, or any object, which is unpickled whatever it is: only that runs code."""
        kind = metadata.state_dict_metadata[name]
        parts = [(index, info) for index, info in metadata.storage_data.items() if index.fqn == name]
        is_tensor = isinstance(kind, TensorStorageMetadata)
        if not isinstance(kind, TensorStorageMetadata) or len(parts) == 1:
            return self._loaded(parts[0][1], is_tensor)
        whole = empty(kind.size, dtype=kind.properties.dtype)
        for index, info in parts:
            part = self._loaded(info, is_tensor)
            whole[tuple(slice(start, start + size) for start, size in zip(index.offset, part.shape, strict=True))] = part
        return whole

    def _loaded(self, info: _StorageInfo, is_tensor: bool) -> Value:
        with (self.path / info.relative_path).open("rb") as file:
            file.seek(info.offset)
            return load(io.BytesIO(file.read(info.length)), map_location="cpu", weights_only=is_tensor)
