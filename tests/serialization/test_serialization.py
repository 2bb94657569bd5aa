"""Saved files: what comes back, what hostile and damaged ones do, and that a crash leaves the old one."""

from __future__ import annotations

import copy
import io
import mmap
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from collections import OrderedDict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.serialization.archive import ArchiveReader, ArchiveWriter, _wide

SOURCE = str(Path(torch.__file__).parents[1])


def saved(value: Any, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return file


def archive(records: dict[str, bytes], root: str = "archive") -> io.BytesIO:
    file = io.BytesIO()
    writer = ArchiveWriter(file, root)
    for name, content in records.items():
        writer.write(name, content)
    writer.close()
    file.seek(0)
    return file


def records_of(file: io.BytesIO) -> dict[str, bytes]:
    reader = ArchiveReader(file)
    return {name: reader.read(name) for name in reader.names()}


def with_pickle(program: bytes) -> io.BytesIO:
    """A file with this pickle and one storage of six floats, 0."""
    records = records_of(saved(torch.arange(6.0)))
    return archive(records | {"data.pkl": program})


def test_views_share_memory_again() -> None:
    base = torch.arange(12.0).reshape(3, 4)
    base, row, turned = torch.load(saved((base, base[1], base.t())))
    row.fill_(9)
    assert turned[:, 1].tolist() == base[1].tolist() == [9, 9, 9, 9]
    assert turned.stride() == (1, 4)
    assert (row.storage_offset(), base.untyped_storage().nbytes()) == (4, 48)


def test_a_slice_brings_the_whole_storage_and_a_clone_does_not() -> None:
    large = torch.zeros(1000)
    assert torch.load(saved(large[:2])).untyped_storage().nbytes() == 4000
    assert torch.load(saved(large[:2].clone())).untyped_storage().nbytes() == 8


def test_one_object_stays_one() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    one, other = torch.load(saved([weight, weight]))
    assert one is other
    assert isinstance(one, torch.nn.Parameter)


def test_modules_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    model = Net()
    torch.save(model, path)
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed\."):
        torch.load(path)
    with torch.serialization.safe_globals(
        [Net, torch.nn.Linear, torch.nn.Sequential, (torch.nn.ReLU, "torch.nn.modules.activation.ReLU")]
    ):
        allowed = torch.load(str(path))
    trusted = torch.load(path, weights_only=False)
    x = torch.ones(1, 3)
    assert torch.equal(allowed(x), model(x))
    assert torch.equal(trusted(x), model(x))
    assert torch.serialization.get_safe_globals() == []


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))

    def forward(self, x: Any) -> Any:
        return self.layers(x)


class Noted(torch.Tensor):
    __slots__ = ("slot",)


def test_subclasses_and_attributes() -> None:
    tensor = torch.ones(2).as_subclass(Noted)
    tensor.note, tensor.slot = "a", "b"
    with torch.serialization.safe_globals([Noted]):
        got = torch.load(saved(tensor))
    assert (type(got), got.note, got.slot, got.tolist()) == (Noted, "a", "b", [1, 1])


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_protocols_of_pickle(protocol: int) -> None:
    file = saved({"a": [torch.ones(2), torch.nn.Linear]}, pickle_protocol=protocol)
    got = torch.load(file, weights_only=False)
    assert got["a"][0].tolist() == [1, 1]
    assert got["a"][1] is torch.nn.Linear


def test_pickle_and_copy_of_tensors_still_work() -> None:
    base = torch.arange(4.0)
    for same, seen in ((pickle.loads(pickle.dumps([base, base[1:]])), [1, 2, 3]), (copy.deepcopy([base, base[1:]]), [3, 3, 3])):
        same[0].fill_(3)
        assert same[1].tolist() == seen


def test_mapped_files_change_in_memory_only(tmp_path: Path) -> None:
    path = tmp_path / "large.pt"
    torch.save({"a": torch.zeros(1000), "b": torch.ones(3, dtype=torch.int8)}, path)
    before = path.read_bytes()
    got = torch.load(path, mmap=True)
    got["a"].fill_(5)
    assert (got["a"].sum().item(), got["b"].tolist()) == (5000, [1, 1, 1])
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="must be a file path"):
        torch.load(io.BytesIO(before), mmap=True)


def test_shared_maps_change_the_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    torch.save({"a": torch.ones(3)}, path)
    with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True)["a"][0] = 5
    torch.load(path, mmap=True)["a"][1] = 6
    assert torch.load(path, mmap=True)["a"].tolist() == [5, 1, 1]
    with pytest.raises(ValueError, match=r"expected mmap\.MAP_PRIVATE or mmap\.MAP_SHARED, but got 7"):
        torch.serialization.set_default_mmap_options(7)


def test_files_by_their_records(tmp_path: Path) -> None:
    path = tmp_path / "notes.pt"
    with torch.serialization._open_zipfile_writer(path) as writer:
        writer.write_record("a/b", b"12345", 4)
        writer.write_record("empty", b"", 0)
        assert not path.exists() and writer.get_all_written_records() == {"a/b", "empty"}
        with pytest.raises(RuntimeError, match="serialize file twice: empty"):
            writer.write_record("empty", b"", 0)
    with torch.serialization._open_zipfile_reader(path) as reader:
        assert reader.get_all_records() == ["a/b", "empty", "version", "byteorder"]
        assert (reader.get_record("a/b"), reader.get_record_size("empty"), reader.has_record("c")) == (b"1234", 0, False)
        assert path.read_bytes()[reader.get_record_offset("a/b") :].startswith(b"1234")
        with pytest.raises(RuntimeError, match="locating file c: file not found"):
            reader.get_record("c")
    with pytest.raises(ZeroDivisionError), torch.serialization._open_zipfile_writer(path) as writer:
        writer.write_record("lost", b"1", 1 // 0)
    with path.open("rb") as file:
        assert torch.serialization._is_zipfile(file) and file.tell() == 0
        assert torch.PyTorchFileReader(file).has_record("a/b")


class Spoofed:
    """A sparse tensor whose places are not what its size allows."""

    def __init__(self, layout: Any, *parts: Any) -> None:
        self.reduction = torch._utils._rebuild_sparse_tensor, (layout, parts)

    def __reduce__(self) -> Any:
        return self.reduction


def test_sparse_tensors_that_are_not_sound() -> None:
    places, values = torch.tensor([1, 0]), torch.tensor([5.0, 6.0])
    spoofed = {
        "size is inconsistent with indices: for dim 0, size is 2 but found index 3": Spoofed(
            torch.sparse_coo, torch.tensor([[0, 3]]), values, (2,)
        ),
        r"`crow_indices\[\.\.\., 0\] == 0` is not satisfied": Spoofed(
            torch.sparse_csr, torch.tensor([3, 1, 2]), places, values, (2, 2)
        ),
        r"`0 <= row_indices < nrows` is not satisfied": Spoofed(
            torch.sparse_csc, torch.tensor([0, 1, 2]), places + 1, values, (2, 2)
        ),
        "parts that are no tensors": Spoofed(torch.sparse_csr, [0], places, values, (2, 2)),
        "rebuilding sparse tensor for layout torch.strided": Spoofed(torch.strided, values, values, values, (2,)),
    }
    for message, one in spoofed.items():
        file = io.BytesIO()
        torch.save(one, file)
        for weights_only in (True, False):
            file.seek(0)
            with pytest.raises((RuntimeError, pickle.UnpicklingError), match=message):
                torch.load(file, weights_only=weights_only)


class Slotted:
    __slots__ = ("a",)


class Stated(torch.Tensor):
    def __getstate__(self) -> Any:
        return "mine", self.__dict__["note"]

    def __setstate__(self, state: Any) -> None:
        self.note = [*state]


def test_states_of_the_users_own() -> None:
    slotted = Slotted()
    slotted.a = 3  # type: ignore[attr-defined]
    stated = torch.ones(2).as_subclass(Stated)
    stated.note = "n"
    file = io.BytesIO()
    torch.save([slotted, stated], file)
    file.seek(0)
    with torch.serialization.safe_globals([Slotted, Stated]):
        first, second = torch.load(file)
    assert first.a == 3 and type(second) is Stated and second.note == ["mine", "n"] and second.tolist() == [1, 1]


def test_hooks_are_not_saved() -> None:
    x = torch.ones(2, requires_grad=True)
    handle = x.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="^backward hook .* on tensor will not be serialized"):
        torch.save(x, io.BytesIO())
    handle.remove()
    x.register_hook(torch.utils.hooks.unserializable_hook(lambda grad: grad))
    torch.save(x, io.BytesIO())


def test_the_environment_says_whether_code_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    torch.save(deque([1]), file)

    def load(**options: Any) -> Any:
        file.seek(0)
        return torch.load(file, **options)

    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError):
        load(weights_only=False)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "y")
    with pytest.raises(RuntimeError, match="should be set, but both were set"):
        load()
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert load() == deque([1])
    with pytest.raises(pickle.UnpicklingError):
        load(weights_only=True)


class Old:
    """Pickles as tensors did before PyTorch 0.2."""

    def __reduce__(self) -> Any:
        return torch.Tensor, (), (torch.arange(9.0)._typed_storage(), 2, (2, 2), (4, 1))


def test_tensors_of_old() -> None:
    file = io.BytesIO()
    torch.save(Old(), file)
    for weights_only in (True, False):
        file.seek(0)
        assert torch.load(file, weights_only=weights_only).tolist() == [[2, 3], [6, 7]]


def test_files_read_from_where_they_stand() -> None:
    file = io.BytesIO(b"header")
    file.seek(6)
    torch.save([torch.ones(2)], file)
    file.seek(6)
    assert torch.load(file)[0].tolist() == [1, 1]
    with pytest.raises(EOFError):
        torch.load(file.__class__(b""))


def test_writers_that_can_only_write() -> None:
    class Sink:
        def __init__(self) -> None:
            self.parts: list[bytes] = []

        def write(self, part: bytes) -> int:
            self.parts.append(bytes(part))
            return len(part)

    sink = Sink()
    torch.save({"a": torch.arange(3)}, sink)
    assert torch.load(io.BytesIO(b"".join(sink.parts)))["a"].tolist() == [0, 1, 2]
    with pytest.raises(AttributeError, match=r"^expected 'f' to be string, path, or a file-like object"):
        torch.save(1, 3)
    with pytest.raises(AttributeError, match=r"^'int' object has no attribute 'seek'\. You can only torch\.load from a file"):
        torch.load(3)


def test_storages_elsewhere() -> None:
    records = records_of(saved(torch.ones(2)))
    elsewhere = {**records, "data.pkl": records["data.pkl"].replace(b"\x03\0\0\0cpu", b"\x05\0\0\0attic")}
    with pytest.raises(
        RuntimeError, match=r"^don't know how to restore data location of torch\.storage\.UntypedStorage \(tagged"
    ):
        torch.load(archive(elsewhere))
    assert torch.load(archive(elsewhere), map_location={"attic": "cpu"}).tolist() == [1, 1]
    asked = []
    torch.load(archive(elsewhere), map_location=lambda storage, place: asked.append((type(storage), place)) or storage)
    assert asked == [(torch.UntypedStorage, "attic")]
    torch.serialization.register_package(5, lambda storage: None, lambda storage, place: storage if place == "attic" else None)
    assert torch.load(archive(elsewhere)).tolist() == [1, 1]


# Files that someone made to do harm.


class Evil:
    def __reduce__(self) -> Any:
        return os.system, ("echo harm > /dev/null",)


def test_code_is_not_run() -> None:
    with pytest.raises(
        pickle.UnpicklingError, match=r"GLOBAL (posix|nt)\.system whose module (posix|nt) is blocked"
    ) as refused:
        torch.load(saved(Evil()))
    assert "add_safe_globals" not in str(refused.value)
    torch.serialization.add_safe_globals([(os.system, f"{os.name if os.name != 'nt' else 'nt'}.system")])
    try:
        with pytest.raises(pickle.UnpicklingError, match="is blocked"):
            torch.load(saved(Evil()))
    finally:
        torch.serialization.clear_safe_globals()
    assert torch.serialization.get_unsafe_globals_in_checkpoint(saved([Evil(), deque()])) == [
        f"{os.name}.system",
        "collections.deque",
    ]


TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n"
STORAGE = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x06tQ"


def tensor_program(
    storage: bytes = STORAGE, offset: bytes = b"K\0", size: bytes = b"K\x06\x85", stride: bytes = b"K\x01\x85"
) -> bytes:
    return b"\x80\x02" + TENSOR + b"(" + storage + offset + size + stride + b"\x89Nt" + b"R."


def number(value: int) -> bytes:
    octets = value.to_bytes(17, "little", signed=True)
    return b"\x8a" + bytes([len(octets)]) + octets


def test_the_program_that_hostile_ones_are_made_of() -> None:
    assert torch.load(with_pickle(tensor_program())).tolist() == [0, 1, 2, 3, 4, 5]
    assert torch.load(with_pickle(tensor_program(size=b"K\x02K\x03\x86", stride=b"K\x00K\x02\x86"))).tolist() == [[0, 2, 4]] * 2


@pytest.mark.parametrize(
    "places",
    [
        {"offset": b"K\x01"},
        {"offset": number(-1)},
        {"offset": number(2**64)},
        {"offset": b"G?\xf0\0\0\0\0\0\0"},
        {"size": b"K\x07\x85"},
        {"size": number(-6) + b"\x85"},
        {"size": number(2**62) + b"\x85"},
        {"size": number(2**62) + number(4) + b"\x86", "stride": b"K\0K\0\x86"},
        {"size": number(2**40) + b"\x85", "stride": number(2**60) + b"\x85"},
        {"size": number(2**62) + b"\x85", "stride": b"K\0\x85"},
        {"size": b"N"},
        {"size": b"K\x06K\x01\x86"},
        {"size": b"(" + 70 * b"K\x01" + b"t", "stride": b"(" + 70 * b"K\x01" + b"t"},
        {"stride": b"K\x02\x85"},
        {"stride": number(-1) + b"\x85", "offset": b"K\x05"},
        {"stride": b"X\x01\0\0\0a\x85"},
        {"storage": STORAGE.replace(b"K\x06", b"K\x07")},
        {"storage": STORAGE.replace(b"K\x06", number(2**63))},
        {"storage": STORAGE.replace(b"K\x06", number(-6))},
        {"storage": STORAGE.replace(b"0X\x03", b"1X\x03")},
        {"storage": STORAGE.replace(b"FloatStorage", b"DoubleStorage")},
        {"storage": STORAGE.replace(b"FloatStorage", b"Tensor")},
        {"storage": b"K\x01"},
        {"storage": b"NQ"},
        {"storage": b"]Q"},
    ],
)
def test_places_outside_of_the_storage(places: dict[str, bytes]) -> None:
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        torch.load(with_pickle(tensor_program(**places)))


@pytest.mark.parametrize(
    "program",
    {
        "reduce what may only be named": b"ctorch\nTensor\n" + number(2**40) + b"\x85R.",
        "a bytearray of a size": b"cbuiltins\nbytearray\n" + number(2**40) + b"\x85R.",
        "a codec": b"c_codecs\nencode\nX\x01\0\0\0aX\x05\0\0\0rot13\x86R.",
        "attributes of a function": TENSOR + b"}X\x08\0\0\0__code__NsNb.",
        "attributes of a class": b"ctorch\nTensor\n}X\x03\0\0\0addNsb.",
        "a tensor's own attributes": tensor_program()[2:-1] + b"}X\x06\0\0\0_arrayNsb.",
        "an attribute by slots": tensor_program()[2:-1] + b"N}X\x06\0\0\0_arrayNs\x86b.",
        "from a type that is none": b"ctorch._tensor\n_rebuild_from_type_v2\n(" + TENSOR + b"NN)t" + b"R.",
        "append to a dict": b"}K\x01a.",
        "items of a list": b"]K\x01K\x02s.",
        "a new object of a class": b"ctorch.nn.parameter\nParameter\n)\x81\x81.",
        "an old instance": b"(i__main__\nNet\n.",
        "an extension": b"\x82\x01.",
        "a frame": b"\x95\0\0\0\0\0\0\0\0.",
        "an empty stack": b".",
        "a lonely mark": b"(.",
        "no mark": b"t.",
        "an empty memo": b"h\x05.",
        "too short a text": b"X\xff\xff\xff\xffa.",
        "no end": b"K\x01",
        "nothing": b"",
        "a later protocol": b"\x80\x09K\x01.",
        "a list as a key": b"}]K\x01s.",
        "half an item": b"}(K\x01u.",
        "not utf-8": b"X\x01\0\0\0\xff.",
        "a line without end": b"ctorch",
    }.values(),
)
def test_programs_that_do_more_than_tensors_need(program: bytes) -> None:
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        torch.load(with_pickle(b"\x80\x02" + program))


def broken_archives() -> dict[str, bytes]:
    good = records_of(saved(torch.arange(6.0)))
    plain = archive(good).getvalue()
    end = plain.rindex(b"PK\x05\x06")
    first = plain.index(b"PK\x01\x02")
    duplicate = io.BytesIO()
    writer = ArchiveWriter(duplicate, "archive")
    for name, content in [*good.items(), ("data/0", bytes(24))]:
        writer.write(name, content)
    writer.close()
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in (good | {"data/0": bytes(10_000_000)}).items():
            target.writestr(f"archive/{name}", content)
    overlapping = bytearray(plain)
    entry = plain.index(b"archive/data/0", first) - 46
    struct.pack_into("<II", overlapping, entry + 20, 2000, 2000)

    def changed(place: int, form: str, *values: int) -> bytes:
        octets = bytearray(plain)
        struct.pack_into(form, octets, place, *values)
        return bytes(octets)

    return {
        "truncated": plain[:-30],
        "half": plain[: len(plain) // 2],
        "no pickle": archive({name: content for name, content in good.items() if name != "data.pkl"}).getvalue(),
        "no storage": archive({name: content for name, content in good.items() if name != "data/0"}).getvalue(),
        "no version": archive({name: content for name, content in good.items() if name != "version"}).getvalue(),
        "short storage": archive(good | {"data/0": bytes(20)}).getvalue(),
        "unknown endianness": archive(good | {"byteorder": b"middle"}).getvalue(),
        "TorchScript": archive(good | {"constants.pkl": b""}).getvalue(),
        "duplicate": duplicate.getvalue(),
        "bomb": bomb.getvalue(),
        "overlapping": bytes(overlapping),
        "more records than there are": changed(end + 8, "<HH", 99, 99),
        "directory elsewhere": changed(end + 16, "<I", 5),
        "directory beyond the end": changed(end + 12, "<II", 2**31, 2**31),
        "record beyond the end": changed(first + 42, "<I", 2**31),
        "flipped bit": changed(plain.index(struct.pack("<6f", *range(6))), "<B", 255),
        "no records": archive({}).getvalue(),
        "two folders": plain.replace(b"archive/version", b"ARCHIVE/version"),
        "two names": plain.replace(b"archive/version", b"archive/Version", 1),
    }


@pytest.mark.parametrize("name", broken_archives())
@pytest.mark.parametrize("weights_only", [True, False])
def test_broken_archives(name: str, weights_only: bool) -> None:
    with pytest.raises((RuntimeError, pickle.UnpicklingError, ValueError)) as error:
        torch.load(io.BytesIO(broken_archives()[name]), weights_only=weights_only)
    assert len(str(error.value)) > 20


def in_old_format(obj: Any) -> bytes:
    file = io.BytesIO()
    torch.save(obj, file, _use_new_zipfile_serialization=False)
    return file.getvalue()


def test_the_format_before_pytorch_1_6() -> None:
    base = torch.arange(6.0).reshape(2, 3)
    file = io.BytesIO(in_old_format({"base": base, "row": base[1], "parameter": torch.nn.Parameter(torch.ones(2))}) + b"more")
    got = torch.load(file)
    assert file.read() == b"more"
    assert torch.equal(got["base"], base) and got["parameter"].requires_grad
    got["row"].zero_()
    assert got["base"].tolist() == [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]


def test_views_of_storages_as_pytorch_before_0_4_wrote_them() -> None:
    view = b"(X\x01\x00\x00\x00vK\x01K\x02t"  # two elements from the second on
    plain = in_old_format(torch.arange(3.0))
    content = plain.replace(b"K\x03Ntq", b"K\x03" + view + b"tq").replace(b"K\x03\x85", b"K\x02\x85")
    assert torch.load(io.BytesIO(content)).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="from 1 to 4, over its end"):
        torch.load(io.BytesIO(content.replace(b"K\x01K\x02t", b"K\x01K\x03t")))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content[:-3], "unexpected EOF, expected 3 more bytes"),
        (lambda content: content[:-14], "unexpected EOF, expected 6 more bytes"),
        (lambda content: content.replace(bytes([2, *bytes(7)]), bytes([3, *bytes(7)])), "expected 4 more bytes"),
        (lambda content: content.replace(b"M\xe9\x03.", b"M\xe8\x03.", 1), "Invalid protocol version: 1000"),
        (lambda content: content.replace(b"]q\x00", b"}q\x00"), "keys of the storages are no list|Weights only load failed"),
        (lambda content: content.replace(b"K\x02Nt", b"\x8a\x08" + bytes(7) + b"\x10Nt"), "does not match expected size"),
    ],
)
def test_damaged_files_of_the_old_format(change: Callable[[bytes], bytes], words: str) -> None:
    content = in_old_format(torch.ones(2))
    assert change(content) != content
    with pytest.raises((RuntimeError, pickle.UnpicklingError), match=words):
        torch.load(io.BytesIO(change(content)))


def test_the_old_format_cannot_be_mapped(tmp_path: Path) -> None:
    torch.save(1, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match=r"^mmap can only be used with files saved with"):
        torch.load(tmp_path / "old.pt", mmap=True)


def test_what_is_no_saved_file() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed\. The file is not one"):
        torch.load(io.BytesIO(b"hello, world"))


STATE = saved(
    OrderedDict(
        weight=torch.arange(6.0).reshape(2, 3),
        row=torch.nn.Parameter(torch.ones(3)),
        other=[torch.tensor(True), {"a": (1, 2.5, "b")}],
    )
).getvalue()


@given(st.lists(st.tuples(st.integers(0, len(STATE) - 1), st.integers(0, 255)), min_size=1, max_size=4), st.integers(0, 3))
def test_damaged_bytes_give_an_error_or_a_whole_object(changes: list[tuple[int, int]], cut: int) -> None:
    octets = bytearray(STATE)
    for place, value in changes:
        octets[place] = value
    if cut == 3:
        del octets[changes[0][0] :]
    check(octets)


PROGRAM = records_of(io.BytesIO(STATE))["data.pkl"]


@given(st.lists(st.tuples(st.integers(0, len(PROGRAM) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_damaged_pickles_give_an_error_or_a_whole_object(changes: list[tuple[int, int]]) -> None:
    """In an archive whose checksums are right: this is what a hostile writer can do."""
    program = bytearray(PROGRAM)
    for place, value in changes:
        program[place] = value
    check(archive(records_of(io.BytesIO(STATE)) | {"data.pkl": bytes(program)}).getvalue())


def check(octets: bytes | bytearray) -> None:
    try:
        got = torch.load(io.BytesIO(bytes(octets)))
    except (RuntimeError, EOFError, ValueError, pickle.UnpicklingError):
        return
    repr(got)  # every element of it can be read


# Writing.


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    torch.save([1], path)
    with pytest.raises(Exception, match="pickle"):
        torch.save([torch.ones(2), lambda: None], path)
    assert torch.load(path) == [1]
    assert os.listdir(tmp_path) == ["state.pt"]


CRASHING = """
import os, sys
import rushlight as torch
from rushlight.serialization import archive
plain = archive.ArchiveWriter.write
def write(self, name, content):
    plain(self, name, content)
    if name == "data/1":
        self._file.flush()
        os._exit(9)
archive.ArchiveWriter.write = write
torch.save([torch.zeros(100_000), torch.ones(100_000)], sys.argv[1])
"""


def test_a_crash_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    torch.save({"step": 1}, path)
    crashed = subprocess.run([sys.executable, "-c", CRASHING, str(path)], env={**os.environ, "PYTHONPATH": SOURCE}, check=False)
    assert crashed.returncode == 9
    assert torch.load(path) == {"step": 1}
    torch.save({"step": 2}, path)
    assert torch.load(path) == {"step": 2}


def test_the_new_file_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    path, link = tmp_path / "real.pt", tmp_path / "link.pt"
    torch.save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    torch.save(2, link)
    assert link.is_symlink()
    assert torch.load(path) == 2
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(RuntimeError, match=r"^Parent directory .*nowhere does not exist\."):
        torch.save(1, tmp_path / "nowhere" / "a.pt")
    with pytest.raises(RuntimeError, match="is a folder"):
        torch.save(1, tmp_path)


def test_records_begin_at_multiples_of_64_and_zip_tools_read_them(tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    torch.save({f"w{size}": torch.ones(size, dtype=torch.uint8) for size in range(1, 70, 7)}, path)
    with zipfile.ZipFile(path) as tool:
        assert tool.testzip() is None
        assert all(name.startswith("state/") for name in tool.namelist())
    with path.open("rb") as file:
        assert all(record.start % 64 == 0 for record in ArchiveReader(file)._records.values())


def test_offsets_beyond_32_bits() -> None:
    """As a record behind 5 GiB of others is written, and how its entry is read."""
    writer = ArchiveWriter(io.BytesIO(), "archive")
    writer._at = 5 << 30
    writer.write("data.pkl", b"K\x01.")
    extra = writer._directory[0][46 + len("archive/data.pkl") :]
    assert _wide(extra, 3, 3, 0xFFFFFFFF) == (3, 3, 5 << 30)
    writer.close()
    assert b"PK\x06\x06" in writer._file.getvalue()


def test_storages_over_files(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(16)))
    storage = torch.UntypedStorage.from_file(str(path), False, 16)
    tensor = torch.asarray(storage[2:6], dtype=torch.uint8)
    tensor[0] = 99
    assert (storage[2], path.read_bytes()[2]) == (99, 2)
    shared = torch.IntStorage.from_file(str(path), True, 5)
    shared[4] = -1
    assert (path.stat().st_size, shared.tolist()[4]) == (20, -1)
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size <99>"):
        torch.UntypedStorage.from_file(str(path), False, 99)
