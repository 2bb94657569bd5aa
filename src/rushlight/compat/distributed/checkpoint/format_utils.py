"""torch.distributed.checkpoint.format_utils: checkpoints into files of ``torch.save``, and back."""

from __future__ import annotations

from os import PathLike

import rushlight

from ._nested_dict import State, put
from .filesystem import FileSystemReader
from .state_dict_saver import save

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir: str | PathLike[str], torch_save_path: str | PathLike[str]) -> None:
    """Writes the state of a checkpoint's folder into a file."""
    reader = FileSystemReader(dcp_checkpoint_dir)
    metadata = reader.read_metadata()
    state: State = {}
    for name in metadata.state_dict_metadata:
        put(state, (metadata.planner_data or {}).get(name, (name,)), reader.read(metadata, name))
    rushlight.save(state, torch_save_path)


def torch_save_to_dcp(torch_save_path: str | PathLike[str], dcp_checkpoint_dir: str | PathLike[str]) -> None:
    """Writes the state of a file into a checkpoint's folder."""
    save(rushlight.load(torch_save_path, weights_only=False), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
