"""torch.distributed.checkpoint: folders that one side writes are read by the other, and states come out the same."""

from __future__ import annotations

import io
import pickle

import pytest
import torch
import torch.distributed.checkpoint

import rushlight
import rushlight.distributed.checkpoint
import rushlight.distributed.checkpoint.format_utils
import rushlight.distributed.checkpoint.state_dict
from rushlight.distributed.checkpoint.metadata import MetadataIndex

SIDES = [(torch, rushlight), (rushlight, torch), (rushlight, rushlight)]


def trained(module):
    module.manual_seed(0)
    model = module.nn.Sequential(module.nn.Linear(3, 2), module.nn.Linear(2, 1))
    optimizer = module.optim.Adam(model.parameters(), lr=0.1)
    model(module.ones(1, 3)).sum().backward()
    optimizer.step()
    return model, optimizer


def state(module) -> dict:
    model, optimizer = trained(module)
    return {
        "model": model.state_dict(),
        "optim": optimizer.state_dict(),
        "step": 5,
        "list": [1, module.arange(3, dtype=module.int32)],
        "plain": [[1, 2], [3]],
        "tuple": (1, 2),
        "nested": [{"a": "text"}, {}],
        "half": module.ones(2, 2, dtype=module.bfloat16),
        "scalar": module.tensor(3),
    }


def described(metadata) -> list[str]:
    found = [f"{name}: {kind}" for name, kind in metadata.state_dict_metadata.items()]
    return [*found, str(metadata.planner_data), *sorted(str(index) for index in metadata.storage_data)]


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
@pytest.mark.parametrize(("writer", "reader"), SIDES)
def test_a_folder_is_read_by_the_other(tmp_path, writer, reader):
    written = state(writer)
    metadata = writer.distributed.checkpoint.save(written, checkpoint_id=tmp_path)
    if reader is rushlight:
        assert described(rushlight.distributed.checkpoint.FileSystemReader(tmp_path).read_metadata()) == described(metadata)
    model = reader.nn.Sequential(reader.nn.Linear(3, 2), reader.nn.Linear(2, 1))
    empty = {
        "model": model.state_dict(), "step": 0, "list": [0, reader.zeros(3, dtype=reader.int32)], "plain": None, "tuple": None,
        "half": reader.zeros(2, 2, dtype=reader.bfloat16), "scalar": reader.tensor(0),
    }  # fmt: skip
    reader.distributed.checkpoint.load(empty, checkpoint_id=tmp_path)
    assert {name: value.tolist() for name, value in model.state_dict().items()} == {
        name: value.tolist() for name, value in written["model"].items()
    }
    for name in ("step", "plain", "tuple"):
        assert empty[name] == written[name]
    assert [empty["list"][0], empty["list"][1].tolist()] == [1, [0, 1, 2]]
    assert empty["half"].tolist() == [[1, 1], [1, 1]]
    assert empty["scalar"].item() == 3


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
def test_what_is_kept_is_described_as_by_pytorch(tmp_path):
    found = rushlight.distributed.checkpoint.save(state(rushlight), checkpoint_id=tmp_path / "ours")
    expected = torch.distributed.checkpoint.save(state(torch), checkpoint_id=tmp_path / "theirs")
    assert described(found) == described(expected)


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
@pytest.mark.parametrize("wrong", ["name", "size", "folder"])
def test_errors_are_pytorchs(tmp_path, wrong):
    def raised(module) -> tuple:
        folder = tmp_path / module.__name__
        module.distributed.checkpoint.save({"w": module.ones(2)}, checkpoint_id=folder)
        into = {"v": 1} if wrong == "name" else {"w": module.ones(3)}
        with pytest.raises(BaseException) as caught:
            module.distributed.checkpoint.load(into, checkpoint_id=tmp_path / "none" if wrong == "folder" else folder)
        error, _ = caught.value.failures[0]
        return type(caught.value).__name__, type(error).__name__, str(error).partition("; rank local")[0]

    assert raised(rushlight) == raised(torch)


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
def test_parts_of_a_tensor_are_put_together(tmp_path):
    """As several processes would have written them."""
    checkpoint = rushlight.distributed.checkpoint
    checkpoint.save(
        {"w": rushlight.arange(6.0).view(2, 3)[:1], "v": rushlight.arange(6.0).view(2, 3)[1:]}, checkpoint_id=tmp_path
    )
    reader = checkpoint.FileSystemReader(tmp_path)
    metadata = reader.read_metadata()
    places = {index.fqn: info for index, info in metadata.storage_data.items()}
    metadata.state_dict_metadata["w"].size = rushlight.Size([2, 3])
    metadata.storage_data = {
        MetadataIndex("w", rushlight.Size([0, 0])): places["w"],
        MetadataIndex("w", rushlight.Size([1, 0])): places["v"],
    }
    assert reader.read(metadata, "w").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_metadata_cannot_call_anything(tmp_path):
    (tmp_path / ".metadata").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(Exception, match=r"os\.system"):
        rushlight.distributed.checkpoint.FileSystemReader(tmp_path).read_metadata()
    (tmp_path / ".metadata").write_bytes(b"ctorch\nload\n(S'x'\ntR.")
    with pytest.raises(Exception, match=r"torch\.load"):
        rushlight.distributed.checkpoint.FileSystemReader(tmp_path).read_metadata()


def test_a_tensors_file_cannot_call_anything(tmp_path):
    """In the place of a tensor stands what calls; of other objects PyTorch and rushlight both run it."""
    rushlight.distributed.checkpoint.save({"a": rushlight.ones(2)}, checkpoint_id=tmp_path, no_dist=True)
    reader = rushlight.distributed.checkpoint.FileSystemReader(tmp_path)
    metadata = reader.read_metadata()
    called, record = tmp_path / "called", io.BytesIO()
    torch.save(_Calling(called), record)
    (info,) = metadata.storage_data.values()
    info.offset, info.length = 0, len(record.getvalue())
    (tmp_path / info.relative_path).write_bytes(record.getvalue())
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        reader.read(metadata, "a")
    assert not called.exists()


class _Calling:
    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return type(self.place).touch, (self.place,)


def test_states_of_models_and_optimizers_by_name():
    """An optimizer of the same parameters in another order takes the state."""
    by_name = rushlight.distributed.checkpoint.state_dict
    model, optimizer = trained(rushlight)
    states = by_name.get_state_dict(model, optimizer)
    again, _ = trained(rushlight)
    other = rushlight.optim.Adam(reversed(list(again.parameters())))
    by_name.set_state_dict(again, other, model_state_dict=states[0], optim_state_dict=states[1])
    for one, its, optim in ((model, model[0].weight, optimizer), (again, again[0].weight, other)):
        assert optim.state[its]["exp_avg"].shape == its.shape, one
    assert other.state[again[1].bias]["exp_avg"].tolist() == optimizer.state[model[1].bias]["exp_avg"].tolist()


def test_formats_are_changed(tmp_path):
    utils = rushlight.distributed.checkpoint.format_utils
    rushlight.save({"a": [{"b": rushlight.ones(2)}], "c": 3}, tmp_path / "file")
    utils.torch_save_to_dcp(tmp_path / "file", tmp_path / "folder")
    utils.dcp_to_torch_save(tmp_path / "folder", tmp_path / "again")
    found = rushlight.load(tmp_path / "again")
    assert found["a"][0]["b"].tolist() == [1, 1]
    assert found["c"] == 3
