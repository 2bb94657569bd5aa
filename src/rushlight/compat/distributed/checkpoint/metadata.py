"""torch.distributed.checkpoint.metadata: what a checkpoint holds, and where; its file ``.metadata`` is one :class:`Metadata`, pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from os import PathLike
from typing import Any

from rushlight import (
    Size,
    Tensor,
    channels_last,
    contiguous_format,
    dtype,
    get_default_dtype,
    layout,
    memory_format,
    preserve_format,
    strided,
)

__all__ = [
    "BytesStorageMetadata",
    "ChunkStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "StorageMeta",
    "TensorProperties",
    "TensorStorageMetadata",
]


@dataclass
class ChunkStorageMetadata:
    """A part of a tensor: where it begins, and its sizes."""

    offsets: Size
    sizes: Size


class _MEM_FORMAT_ENCODING(Enum):
    """Memory formats by number, as they stand in the file."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


_FORMATS = (contiguous_format, channels_last, preserve_format)


_Packed = tuple[dtype, layout, bool, _MEM_FORMAT_ENCODING, bool]


@dataclass
class TensorProperties:
    """What a tensor is besides its sizes and numbers."""

    dtype: dtype = field(default_factory=get_default_dtype)
    layout: layout = field(default=strided)
    requires_grad: bool = False
    memory_format: memory_format = field(default=contiguous_format)
    pin_memory: bool = False

    def __getstate__(self) -> _Packed:
        number = _FORMATS.index(self.memory_format)
        return self.dtype, self.layout, self.requires_grad, _MEM_FORMAT_ENCODING(number), self.pin_memory

    def __setstate__(self, state: _Packed) -> None:
        self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory = state
        self.memory_format = _FORMATS[encoded.value]

    @staticmethod
    def create_from_tensor(tensor: Tensor) -> TensorProperties:
        """Those of a tensor."""
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad)


@dataclass
class TensorStorageMetadata:
    """A tensor, and the parts in which it is kept."""

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """What is no tensor."""


@dataclass(frozen=True)
class MetadataIndex:
    """The name of something kept, and which part of it."""

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name == "fqn" or value is not None}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update({"offset": None, "index": None} | state)


@dataclass
class StorageMeta:
    """Which checkpoint this is."""

    checkpoint_id: str | PathLike[str] | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """The names of a checkpoint, their places in the state that was saved, and in which file each lies."""

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None
