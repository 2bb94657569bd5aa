"""torch.distributed.checkpoint.storage: what writes checkpoints, and reads them; here these are folders."""

from __future__ import annotations

from ._nested_dict import Path, State, Value
from .metadata import Metadata

__all__ = ["StorageReader", "StorageWriter"]


class StorageWriter:
    """What writes a checkpoint."""

    def write(self, flat: State, paths: dict[str, Path]) -> Metadata:
        """Writes what has these names. NotImplementedError: a kind of storage has its own."""
        raise NotImplementedError


class StorageReader:
    """What reads a checkpoint."""

    def read_metadata(self) -> Metadata:
        """What the checkpoint holds. NotImplementedError: a kind of storage has its own."""
        raise NotImplementedError

    def read(self, metadata: Metadata, name: str) -> Value:
        """What has a name in it. NotImplementedError: a kind of storage has its own."""
        raise NotImplementedError
