"""Storages: what they are made of, how they are read and written, and what is refused in PyTorch's words."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: torch.FloatStorage(1, 2), RuntimeError, "Too many positional arguments"),
        (lambda: torch.FloatStorage(device="cpu"), RuntimeError, "Keyword argument 'device' cannot be specified"),
        (lambda: torch.FloatStorage(2.5), TypeError, "Argument type not recognized: <class 'float'>"),
        (lambda: torch.FloatStorage(torch.ones(2)), TypeError, "Argument type not recognized"),
        (lambda: torch.FloatStorage(wrap_storage=torch.ones(2)), TypeError, "'wrap_storage' must be UntypedStorage"),
        (lambda: torch.FloatStorage(["a"]), ValueError, "too many dimensions 'str'"),
        (lambda: torch.FloatStorage(-1), RuntimeError, "called with negative number: 18446744073709551612"),
        (lambda: torch.TypedStorage(wrap_storage=torch.UntypedStorage(4)), RuntimeError, "Argument 'dtype' must be specified"),
        (lambda: torch.TypedStorage(1, dtype=3), TypeError, "Argument 'dtype' must be torch.dtype, not <class 'int'>"),
        (lambda: torch.TypedStorage(1, device="cuda"), AssertionError, "Torch not compiled with CUDA enabled"),
        (lambda: torch.UntypedStorage(2.5), RuntimeError, "Expected a sequence type, but got float"),
        (lambda: torch.UntypedStorage([1, "a"]), RuntimeError, "one of the items was of type str instead of int"),
        (lambda: torch.UntypedStorage(1, 2), TypeError, r"invalid combination of arguments - got \(int, int\)"),
    ],
)
def test_what_storages_are_not_made_of(make: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def test_reading_and_writing_numbers() -> None:
    numbers = torch.FloatStorage(range(3))
    numbers[-1] = 7
    numbers[0:2] = 1.5
    assert numbers.tolist() == [1.5, 1.5, 7]
    assert numbers.complex_double().dtype is torch.complex128 and numbers.type("torch.IntStorage").tolist() == [1, 1, 7]
    for index, value, kind, words in (
        (3, 1.0, IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (0, "a", TypeError, "can't assign a str to a torch.FloatTensor"),
        ("a", 1.0, RuntimeError, "can't index a <class"),
    ):
        with pytest.raises(kind, match=words):
            numbers[index] = value
    assert numbers.resize_(4) is None and len(numbers) == 4  # type: ignore[func-returns-value]


def test_reading_and_writing_bytes() -> None:
    octets = torch.UntypedStorage([1, 300])
    octets[0] = 257
    assert octets.tolist() == [1, 44] and octets[1:].tolist() == [44]
    for write, kind, words in (
        (lambda: octets.__setitem__(5, 1), RuntimeError, "out of bounds"),
        (lambda: octets.__setitem__(0, "a"), RuntimeError, "can only set storage content with a int types, but got str"),
        (lambda: octets["a"], TypeError, "can't index a torch.UntypedStorage with str"),
        (lambda: octets[::2], RuntimeError, "Trying to slice with a step of 2, but only a step of 1"),
    ):
        with pytest.raises(kind, match=words):
            write()


def test_one_block_of_memory_is_one_key() -> None:
    x, y = torch.ones(3), torch.ones(3)
    assert len({x.untyped_storage(), x[1:].untyped_storage(), y.untyped_storage()}) == 2
    assert x.untyped_storage() == x[1:].untyped_storage() != y.untyped_storage()
    assert torch.UntypedStorage(0) != torch.UntypedStorage(0)
    assert x._typed_storage()._untyped_storage == x.untyped_storage()


def test_a_leaf_that_needs_a_gradient_keeps_its_memory() -> None:
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        leaf.set_(torch.zeros(3))
    with torch.no_grad():
        assert leaf.set_(torch.zeros(3)).shape == (3,)


def test_a_shared_file_is_made(tmp_path: Path) -> None:
    numbers = torch.FloatStorage.from_file(str(tmp_path / "x"), True, 3)
    numbers.fill_(2)
    assert torch.from_file(str(tmp_path / "x"), size=3).tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="in read-only mode: No such file or directory"):
        torch.FloatStorage.from_file(str(tmp_path / "y"), False, 3)


def test_elements_are_mapped_within_one_dtype() -> None:
    x = torch.ones(2)
    assert x.map_(torch.tensor([3.0]), lambda own, other: own + other).tolist() == [4, 4]
    with pytest.raises(TypeError, match=r"^map_: expected torch\.FloatTensor for 'other' \(got torch\.LongTensor\)"):
        x.map_(torch.tensor([3]), lambda own, other: own)
    with pytest.raises(TypeError, match=r"^map2_: expected torch\.FloatTensor for argument 'y' \(got torch\.DoubleTensor\)"):
        x.map2_(x, x.double(), lambda own, one, other: own)
    with pytest.raises(RuntimeError, match=r"^The expanded size of the tensor \(2\) must match the existing size \(3\)"):
        x.map_(torch.ones(3), lambda own, other: own)
    with pytest.raises(TypeError, match=r"must be Tensor, not collections\.OrderedDict$"):
        x.copy_(OrderedDict())  # type: ignore[arg-type]


def test_storages_of_bytes_have_a_base() -> None:
    """tensordict asks whether what it is given is a storage."""
    assert torch.StorageBase is torch._C.StorageBase
    assert isinstance(torch.UntypedStorage(2), torch.StorageBase) and isinstance(
        torch.ones(2).untyped_storage(), torch.StorageBase
    )
    assert not isinstance(torch.FloatStorage(2), torch.StorageBase)
    with pytest.raises(RuntimeError, match="Cannot directly construct StorageBase; subclass it and then construct that"):
        torch.StorageBase()
