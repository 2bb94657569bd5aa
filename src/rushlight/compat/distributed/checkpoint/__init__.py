"""torch.distributed.checkpoint: the state of a program in a folder. There is one process; PyTorch's folders of several are read."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names

from .api import CheckpointException
from .default_planner import DefaultLoadPlanner, DefaultSavePlanner, LoadPlanner, SavePlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .metadata import BytesStorageMetadata, ChunkStorageMetadata, Metadata, TensorStorageMetadata
from .state_dict_loader import load
from .state_dict_saver import async_save, save
from .storage import StorageReader, StorageWriter

__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "LoadPlanner",
    "Metadata",
    "SavePlanner",
    "StorageReader",
    "StorageWriter",
    "TensorStorageMetadata",
    "async_save",
    "load",
    "save",
]

__getattr__, __dir__ = lazy_names(__name__, frozenset({"format_utils", "planner", "state_dict", "stateful"}))
