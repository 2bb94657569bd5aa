"""Spoiled files: refused, or whole, and nothing of them runs. `make files` reads 5,000 of them."""

from __future__ import annotations

import os
import sys

import pytest
from files import WAYS, read_all, read_mapped, read_safely, samples, spoiled_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory as Linux has them")


@pytest.mark.parametrize("read", [read_safely, read_mapped])
def test_spoiled_files_are_refused_or_whole(read: object) -> None:
    files = list(spoiled_files(3 * len(WAYS), seed=20))
    said = read_all([content for _, content in files], read)  # type: ignore[arg-type]
    wrong = [(way, word) for (way, _), word in zip(files, said, strict=True) if word not in ("refused", "whole")]
    assert wrong == []
    assert said.count("refused") > len(files) // 2


def test_what_is_not_spoiled_is_read_whole() -> None:
    assert read_all(samples(), read_safely) == ["whole"] * len(samples())


def test_what_a_reader_does_wrong_is_found() -> None:
    def opens(content: bytes) -> str:
        return read_all_that_opens()

    def dies(content: bytes) -> str:
        os.abort()

    def takes_much(content: bytes) -> str:
        try:
            return str(len(bytearray(4 << 30)))
        except MemoryError:
            return "MemoryError"

    assert read_all([b""], dies) == ["crash: exit status -6"]
    assert read_all([b""], takes_much) == ["MemoryError"]
    assert 'executed: ["open' in read_all([b""], opens)[0]


def read_all_that_opens() -> str:
    """What the audit hook says of a loader that opens a file."""
    import files

    plain, files.torch.load = files.torch.load, lambda content: open(os.devnull)  # type: ignore[assignment]  # noqa: SIM115
    try:
        return read_safely(b"")
    finally:
        files.torch.load = plain


def test_seeds_say_which_files() -> None:
    assert list(spoiled_files(len(WAYS), 1)) == list(spoiled_files(len(WAYS), 1)) != list(spoiled_files(len(WAYS), 2))
