"""Files move both ways: what PyTorch saves loads in rushlight, what rushlight saves loads in PyTorch."""

from __future__ import annotations

import io
import pickletools
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sides import attribute

import rushlight

SIDES = {"rushlight": (rushlight, torch), "PyTorch": (torch, rushlight)}
DTYPES = "uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 bool".split()


def moved(side: Any, other: Any, value: Any, **options: Any) -> Any:
    """A value of one side as the other loads it."""
    file = io.BytesIO()
    side.save(value, file)
    file.seek(0)
    return other.load(file, **options)


def shown(value: Any) -> Any:
    """All there is to know of a loaded value, in words that both sides share."""
    kind = type(value).__name__
    if kind in ("Tensor", "Parameter"):
        plain = value.detach().resolve_conj()
        plain = plain.float() if str(plain.dtype) == "torch.bfloat16" else plain
        place = (tuple(value.shape), value.stride(), value.storage_offset(), value.untyped_storage().nbytes())
        return kind, str(value.dtype), plain.tolist(), place, value.requires_grad, value.is_conj(), getattr(value, "note", None)
    if kind == "TypedStorage":
        return kind, str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return kind, [(shown(key), shown(one)) for key, one in value.items()], shown(getattr(value, "_metadata", None))
    if isinstance(value, (list, tuple)):
        return kind, [shown(one) for one in value]
    return kind, repr(value)


def everything(side: Any) -> Any:
    """A state as programs save it, and corners of it."""
    base = side.arange(24.0).reshape(2, 3, 4)
    noted = side.ones(2)
    noted.note = "kept"
    parameter = side.nn.Parameter(side.zeros(3), requires_grad=False)
    parameter.note = ["kept", "too"]
    model = side.nn.Sequential(side.nn.Linear(2, 3), side.nn.BatchNorm1d(3))
    for one in model.parameters():
        side.nn.init.constant_(one, 0.25)
    optimizer = side.optim.Adam(model.parameters())
    model(side.ones(4, 2)).sum().backward()
    optimizer.step()
    return OrderedDict(
        views=[base, base[1], base.mT, base[:, 1:, ::2], base[0, 0, 0], base.flatten()[5:9], base.view(24)],
        dtypes=[side.arange(3).to(getattr(side, name)) for name in DTYPES],
        expanded=side.ones(1).expand(3, 4),
        empty=(side.empty(0), side.empty(2, 0, 3)),
        scalars=(side.tensor(1.5), side.tensor(True), side.tensor(2 + 3j)),
        conjugate=side.tensor([1 + 2j]).conj(),
        leaf=side.ones(2, requires_grad=True),
        computed=side.ones(2, requires_grad=True) * 2,
        parameters=(side.nn.Parameter(base[0]), parameter),
        noted=noted,
        storages=(side.arange(4).untyped_storage(), side.arange(4).storage()),
        names=(side.float32, side.device("cuda:1"), side.Size([2, 3]), side.strided),
        plain=[1, -(2**70), 2.5, None, True, "text", b"bytes", bytearray(b"more"), {1}, 2j, {"a": (1, [2])}],
        model=model.state_dict(),
        optimizer=optimizer.state_dict(),
    )


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("writer", SIDES)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_everything_moves_both_ways(writer: str, weights_only: bool) -> None:
    side, other = SIDES[writer]
    got = moved(side, other, everything(side), weights_only=weights_only)
    expected = moved(side, side, everything(side), weights_only=weights_only)
    for name in expected:
        assert shown(got[name]) == shown(expected[name]), name
    views = got["views"]
    assert len({one.untyped_storage().data_ptr() for one in views}) == 1
    views[0].fill_(7)
    assert all((one == 7).all() for one in views)


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("writer", SIDES)
@pytest.mark.filterwarnings("ignore:Sparse")
def test_sparse_and_negated_tensors_move_both_ways(writer: str, weights_only: bool) -> None:
    side, other = SIDES[writer]
    dense = side.tensor([[0.0, 1.0], [2.0, 0.0]])
    layouts = ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]
    made = [dense.to_sparse(layout=getattr(side, name), blocksize=(1, 2) if "_bs" in name else None) for name in layouts]
    made.append(side.sparse_coo_tensor([[1, 1, 0]], [[1.0], [2.0], [3.0]], (2, 1), check_invariants=True))
    got = moved(side, other, {"sparse": made, "negated": side._neg_view(dense)}, weights_only=weights_only)
    for one, expected in zip(got["sparse"], made, strict=True):
        assert repr(one) == repr(expected)
    assert got["negated"].is_neg() and got["negated"].tolist() == (-dense).tolist()


MODULES = {
    "Linear": (2, 3),
    "Conv2d": (2, 4, 3),
    "BatchNorm2d": (2,),
    "InstanceNorm2d": (2,),
    "LayerNorm": (3,),
    "GroupNorm": (1, 2),
    "Embedding": (5, 3),
    "LSTM": (3, 2, 2),
    "GRU": (3, 2),
    "MultiheadAttention": (4, 2),
    "TransformerEncoderLayer": (4, 2, 8),
    "PReLU": (),
    "Dropout": (0.5,),
    "MaxPool2d": (2,),
    "CrossEntropyLoss": (),
    "Bilinear": (2, 3, 4),
    "GELU": (),
    "Softmax": (1,),
    "Upsample": (None, 2),
}
INPUTS = {
    "Linear": [(4, 2)],
    "Conv2d": [(1, 2, 5, 5)],
    "BatchNorm2d": [(2, 2, 3, 3)],
    "InstanceNorm2d": [(2, 2, 3, 3)],
    "LayerNorm": [(2, 3)],
    "GroupNorm": [(2, 2, 3)],
    "LSTM": [(4, 2, 3)],
    "GRU": [(4, 2, 3)],
    "MultiheadAttention": [(3, 1, 4)] * 3,
    "TransformerEncoderLayer": [(3, 1, 4)],
    "PReLU": [(3,)],
    "Dropout": [(3,)],
    "MaxPool2d": [(1, 4, 4)],
    "CrossEntropyLoss": [(3, 4), (3, 4)],
    "Bilinear": [(2, 2), (2, 3)],
    "GELU": [(3,)],
    "Softmax": [(2, 3)],
    "Upsample": [(1, 1, 3)],
}


def _diagonal(side: Any) -> Any:
    """A class of tensors without memory of their own: matrices that keep their diagonal alone."""

    def made(cls: Any, diagonal: Any) -> Any:
        return side.Tensor._make_wrapper_subclass(cls, diagonal.shape * 2, dtype=diagonal.dtype)

    def dispatch(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return cls(func(args[0].diagonal_, *args[1:], **(kwargs or {})))

    names = {
        "__new__": made,
        "__init__": lambda self, diagonal: setattr(self, "diagonal_", diagonal),
        "__torch_dispatch__": classmethod(dispatch),
        "__repr__": lambda self: side.Tensor.__repr__(self, tensor_contents=f"{self.diagonal_}"),
    }
    return type(f"Of{side.__name__.title()}", (side.Tensor,), names)


OfTorch, OfRushlight = _diagonal(torch), _diagonal(rushlight)


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("writer", ["torch", "rushlight"])
def test_tensors_without_memory_of_their_own_move_both_ways(writer: str, weights_only: bool) -> None:
    side, other = (torch, rushlight) if writer == "torch" else (rushlight, torch)
    cls, read_as = (OfTorch, OfRushlight) if writer == "torch" else (OfRushlight, OfTorch)
    file = io.BytesIO()
    side.save([cls(side.arange(3.0)), side.nn.Parameter(cls(side.ones(2)))], file)
    place = f"{cls.__module__}.{cls.__name__}"
    for reader, target, allowed in ((side, cls, cls), (other, read_as, (read_as, place))):
        if reader is other and not weights_only:
            continue  # the file names the writer's class
        file.seek(0)
        with reader.serialization.safe_globals([allowed]):
            one, parameter = reader.load(file, weights_only=weights_only)
        assert (type(one), type(parameter)) == (target, target)
        assert isinstance(parameter, reader.nn.Parameter) and parameter.requires_grad
        assert (one.shape, one.diagonal_.tolist()) == ((3, 3), [0.0, 1.0, 2.0])
        name = target.__name__
        assert repr(one) == f"{name}(tensor([0., 1., 2.]))"
        assert repr(parameter) == f"Parameter({name}(tensor([1., 1.]), requires_grad=True))"


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("writer", SIDES)
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_whole_modules_move_both_ways(writer: str, name: str) -> None:
    """Also what they are: their settings, and functions among them."""
    side, other = SIDES[writer]
    made = getattr(side.nn, name)(*MODULES[name]).eval()
    got = moved(side, other, made, weights_only=False)
    assert type(got) is getattr(other.nn, name)
    assert str(got) == str(made)
    generator = np.random.default_rng(0)
    arrays = [generator.random(shape, np.float32) for shape in INPUTS.get(name, [])]
    inputs = [[one.tensor(array) for array in arrays] for one in (side, other)]
    if name == "Embedding":
        inputs = [[side.tensor([1, 4])], [other.tensor([1, 4])]]
    expected, result = made(*inputs[0]), got(*inputs[1])
    expected, result = (one[0] if isinstance(one, tuple) else one for one in (expected, result))
    np.testing.assert_allclose(result.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("writer", SIDES)
def test_optimizers_and_functions_move_both_ways(writer: str) -> None:
    side, other = SIDES[writer]
    value = [side.nn.functional.relu, side.optim.SGD, side.optim.AdamW, side.optim.lr_scheduler.StepLR, side.nn.InstanceNorm1d]
    got = moved(side, other, value, weights_only=False)
    names = "nn.functional.relu optim.SGD optim.AdamW optim.lr_scheduler.StepLR nn.InstanceNorm1d".split()
    assert got == [attribute(other, name) for name in names]


@pytest.mark.parametrize("writer", SIDES)
def test_map_location(writer: str, tmp_path: Path) -> None:
    """Storages that were on a GPU, which neither side has here."""
    side, other = SIDES[writer]
    path = tmp_path / "state.pt"
    side.save({"weight": side.ones(3)}, path)
    on_gpu = tmp_path / "gpu.pt"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(on_gpu, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename.endswith("data.pkl"):
                content = content.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")
            target.writestr(entry, content)
    for one in (side, other):
        with pytest.raises(RuntimeError, match=r"^Attempting to deserialize object on a CUDA device but torch.cuda.is_avail"):
            one.load(on_gpu)
        for place in ("cpu", one.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage):
            assert one.load(on_gpu, map_location=place)["weight"].tolist() == [1, 1, 1]
        assert one.load(path, mmap=True)["weight"].tolist() == [1, 1, 1]


def test_the_archive_is_laid_out_as_pytorchs() -> None:
    """The same records in the same order, each from a multiple of 64; and the same pickle, byte for byte."""
    found = []
    for side in (rushlight, torch):
        file = io.BytesIO()
        state = OrderedDict(
            a=side.arange(6.0).reshape(2, 3), n=side.nn.Parameter(side.ones(2)), u=side.ones(2, dtype=side.uint16)
        )
        side.save(state, file)
        with zipfile.ZipFile(file) as archive:
            assert archive.testzip() is None
            names = [name for name in archive.namelist() if not name.endswith("serialization_id")]
            for entry in archive.infolist():
                header = file.getbuffer()[entry.header_offset : entry.header_offset + 30]
                start = entry.header_offset + 30 + sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
                assert start % 64 == 0
            small = {name: archive.read(name) for name in names if "/data/" not in name and "pkl" not in name}
            program = [(code.name, argument) for code, argument, _ in pickletools.genops(archive.read("archive/data.pkl"))]
        found.append((names, small, program))
    assert found[0][0] == found[1][0]
    assert found[0][1] == found[1][1]
    assert found[0][2] == found[1][2]


@pytest.mark.parametrize("side", [rushlight, torch], ids=["rushlight", "PyTorch"])
def test_what_both_refuse(side: Any) -> None:
    import pickle

    file = io.BytesIO()
    side.save(side.nn.Linear(2, 2), file)
    file.seek(0)
    name = "torch.nn.modules.linear.Linear"
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed\.") as refused:
        side.load(file)
    assert f"Unsupported global: GLOBAL {name} was not an allowed global by default" in str(refused.value)
    file.seek(0)
    assert name in side.serialization.get_unsafe_globals_in_checkpoint(file)
    with pytest.raises(RuntimeError, match=r"^Cannot save multiple tensors or storages that view the same data as different"):
        side.save([side.ones(2).view(side.int32), (one := side.ones(2)), one.view(side.int32)], io.BytesIO())
    with pytest.raises(RuntimeError, match=r"^Parent directory /no/such/folder does not exist\."):
        side.save(1, "/no/such/folder/file.pt")
    with pytest.raises(RuntimeError, match=r"^Can not safely load weights when explicit pickle_module is specified"):
        side.load(io.BytesIO(b"PK"), weights_only=True, pickle_module=pickle)
    with pytest.raises(EOFError):
        side.load(io.BytesIO(b""))
    with pytest.raises(
        RuntimeError, match=r"^PytorchStreamReader failed reading zip archive: failed finding central directory"
    ):
        side.load(io.BytesIO(file.getvalue()[:-40]))


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize(("writes", "reads"), [(rushlight, torch), (torch, rushlight)], ids=["written", "read"])
def test_the_format_before_1_6_goes_both_ways(writes: Any, reads: Any, protocol: int) -> None:
    base = writes.arange(6.0).reshape(2, 3)
    objects = [
        base,
        {"base": base, "row": base[1], "turned": base.t()},
        writes.nn.BatchNorm1d(2).state_dict(),
        [writes.tensor(1 + 2j).conj(), writes.ones(3, dtype=writes.bfloat16), writes.tensor(True), writes.empty(0), 2**70],
        writes.eye(2).to_sparse(),
        writes.nn.Linear(2, 2),
    ]
    file = io.BytesIO()
    for each in objects:
        writes.save(each, file, _use_new_zipfile_serialization=False, pickle_protocol=protocol)
    file.seek(0)
    for each in objects:
        assert repr(reads.load(file, weights_only=False)) == repr(each)


def test_scripts_are_refused_with_a_reason() -> None:
    script = io.BytesIO()
    with pytest.warns(DeprecationWarning):
        torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), script)
    script.seek(0)
    with pytest.raises(RuntimeError, match="TorchScript"):
        rushlight.load(script)


@pytest.mark.filterwarnings("ignore:pickle_load_args only works")
@pytest.mark.parametrize("side", [rushlight, torch], ids=["rushlight", "PyTorch"])
def test_files_of_other_machines(side: Any) -> None:
    """What a big-endian machine writes, and what Python 2 wrote, whose texts may be read as bytes."""
    numbers = (np.arange(6, dtype="f4"), np.arange(3, dtype="i2"), np.array([1 + 2j], "c8"), np.array([True, False]))
    content = io.BytesIO()
    torch.save([torch.from_numpy(each) for each in numbers], content)
    for says, default in ((b"big", None), (None, "BIG"), (None, None)):
        file = io.BytesIO()
        with zipfile.ZipFile(content) as source, zipfile.ZipFile(file, "w") as target:
            for name in source.namelist():
                octets = source.read(name)
                if "/data/" in name and (says or default):
                    octets = numbers[int(name.rpartition("/")[2])].byteswap().tobytes()
                if not name.endswith("byteorder"):
                    target.writestr(name, octets)
                elif says:
                    target.writestr(name, says)
        file.seek(0)
        side.serialization.set_default_load_endianness(default and side.serialization.LoadEndianness[default])
        try:
            loaded = side.load(file)
        finally:
            side.serialization.set_default_load_endianness(None)
        assert [each.tolist() for each in loaded] == [each.tolist() for each in numbers]
    octets = (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}q\x01.\x80\x02]q\x01(U\x02\xc4\x85q\x02"
        b"ctorch._utils\n_rebuild_tensor_v2\nq\x03((U\x07storageq\x04ctorch\nFloatStorage\nq\x05U\x017q\x06U\x03cpuq\x07"
        b"\x8a\x01\x01NtQK\x00K\x01\x85K\x01\x85\x89NtRq\x08K\x02e.\x80\x02]q\x01U\x017q\x02a."
        b"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80?"
    )
    for encoding, text in (("utf-8", "\u0105"), ("bytes", b"\xc4\x85")):
        for weights_only in (True, False):
            found = side.load(io.BytesIO(octets), encoding=encoding, weights_only=weights_only)
            assert (found[0], found[1].tolist(), found[2]) == (text, [1.0], 2)
