"""torch.distributed.checkpoint.state_dict_saver: states into folders."""

from __future__ import annotations

import copy
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum
from os import PathLike
from typing import TypeVar

from ._nested_dict import Path, State, Value, leaves, name_of
from .api import CheckpointException
from .default_planner import SavePlanner
from .filesystem import FileSystemWriter
from .metadata import Metadata
from .stateful import Stateful
from .storage import StorageWriter

__all__ = ["AsyncCheckpointerType", "async_save", "save"]

T = TypeVar("T")


class AsyncCheckpointerType(Enum):
    """Where :func:`async_save` works."""

    THREAD = "thread"
    PROCESS = "process"


def guarded(step: Callable[[], T], doing: str, no_dist: bool) -> T:
    """Runs a step; its error comes as PyTorch's, a CheckpointException, and there is a warning that this is the only process."""
    if not no_dist:
        warnings.warn(
            "torch.distributed is disabled, unavailable or uninitialized, assuming the intent is to "
            f"{doing} in a single process.",
            stacklevel=3,
        )
    try:
        return step()
    except Exception as error:
        stack = traceback.extract_tb(error.__traceback__)
        raise CheckpointException(doing, {0: (error, stack)}) from None


def state_of(state_dict: State) -> State:
    """The state with objects that have one of their own replaced by that."""
    return {key: one.state_dict() if isinstance(one, Stateful) else one for key, one in state_dict.items()}


def save(
    state_dict: State,
    *,
    checkpoint_id: str | PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: object = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Saves a state, nested as it is, into the folder ``checkpoint_id``; PyTorch reads it, as :func:`load` reads PyTorch's.

    CheckpointException for what goes wrong on the way.

    >>> import tempfile
    >>> import rushlight as torch
    >>> import rushlight.distributed.checkpoint as checkpoint
    >>> folder = tempfile.mkdtemp()
    >>> state = {"model": torch.nn.Linear(1, 1).state_dict(), "step": 3}
    >>> sorted(checkpoint.save(state, checkpoint_id=folder, no_dist=True).state_dict_metadata)
    ['model.bias', 'model.weight', 'step']
    """
    target = FileSystemWriter(folder_of(checkpoint_id)) if storage_writer is None else storage_writer
    return guarded(lambda: _save(state_of(state_dict), target), "save", no_dist)


def folder_of(checkpoint_id: str | PathLike[str] | None) -> str | PathLike[str]:
    """Where a checkpoint is that nothing else reads or writes. RuntimeError if that is not said."""
    if checkpoint_id is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return checkpoint_id


def _save(state: State, target: StorageWriter) -> Metadata:
    flat = {name_of(path): (path, value) for path, value in leaves(state)}
    paths = {name: tuple(key if isinstance(key, int) and place and isinstance(_at(state, path[:place]), list) else str(key)
                         for place, key in enumerate(path)) for name, (path, _) in flat.items()}  # fmt: skip
    return target.write({name: value for name, (_, value) in flat.items()}, paths)


def _at(state: Value, path: Path) -> Value:
    for key in path:
        state = state[key]
    return state


def async_save(
    state_dict: State,
    *,
    checkpoint_id: str | PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: object = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: object = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Future[Metadata]:
    """:func:`save` of a copy of the state, in a thread; the result comes by the future."""
    target = FileSystemWriter(folder_of(checkpoint_id)) if storage_writer is None else storage_writer
    state = copy.deepcopy(state_of(state_dict))
    executor = ThreadPoolExecutor(max_workers=1)
    future = executor.submit(guarded, lambda: _save(state, target), "save", True)
    executor.shutdown(wait=False)
    return future
