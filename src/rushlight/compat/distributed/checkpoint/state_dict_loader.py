"""torch.distributed.checkpoint.state_dict_loader: states from folders, into what is there."""

from __future__ import annotations

from os import PathLike

from rushlight import Tensor, no_grad

from ._nested_dict import State, leaves, name_of, put
from .default_planner import LoadPlanner
from .filesystem import FileSystemReader
from .metadata import TensorStorageMetadata
from .state_dict_saver import folder_of, guarded, state_of
from .stateful import Stateful
from .storage import StorageReader

__all__ = ["load"]


def load(
    state_dict: State,
    *,
    checkpoint_id: str | PathLike[str] | None = None,
    storage_reader: StorageReader | None = None,
    planner: LoadPlanner | None = None,
    process_group: object = None,
    no_dist: bool = False,
) -> None:
    """Loads what ``state_dict`` names from a folder: tensors are written into, other values are replaced, and objects with a
    ``load_state_dict`` get their state.

    CheckpointException for names that the checkpoint lacks (unless ``planner.allow_partial_load``), and for other sizes.

    >>> import tempfile
    >>> import rushlight as torch
    >>> import rushlight.distributed.checkpoint as checkpoint
    >>> folder = tempfile.mkdtemp()
    >>> _ = checkpoint.save({"w": torch.ones(2), "step": 3}, checkpoint_id=folder, no_dist=True)
    >>> state = {"w": torch.zeros(2), "step": 0}
    >>> checkpoint.load(state, checkpoint_id=folder, no_dist=True)
    >>> state
    {'w': tensor([1., 1.]), 'step': 3}
    """
    source = FileSystemReader(folder_of(checkpoint_id)) if storage_reader is None else storage_reader
    states = state_of(state_dict)
    partial = planner is not None and planner.allow_partial_load
    guarded(lambda: _load(states, source, partial), "load", no_dist)
    for key, one in state_dict.items():
        if isinstance(one, Stateful):
            one.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]


def _load(state: State, source: StorageReader, partial: bool) -> None:
    try:
        metadata = source.read_metadata()
    except FileNotFoundError as error:
        raise AssertionError(f"metadata is None; global metadata read failed: {error}") from None
    wanted = []
    for path, value in list(leaves(state)):
        name = name_of(path)
        kept = metadata.state_dict_metadata.get(name)
        if kept is None:
            if partial:
                continue
            raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
        if isinstance(value, Tensor) and isinstance(kept, TensorStorageMetadata) and kept.size != value.shape:
            raise ValueError(f"Size mismatch between saved {kept.size} and current: {value.shape} for {name}")
        wanted.append((path, name, value))
    for path, name, value in wanted:
        found = source.read(metadata, name)
        if isinstance(value, Tensor) and isinstance(found, Tensor):
            with no_grad():
                value.copy_(found)
        else:
            put(state, path, found)
