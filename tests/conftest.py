"""What tests of several files share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

import rushlight as torch

collect_ignore = ["typing", "trust/guided.py"]  # programs for type checkers, and one that needs atheris


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Tests in whose text no example begins are not searched for examples."""
    found = yield
    if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
        return found
    return [each for each in found if not isinstance(each, DoctestModule)]


@pytest.fixture
def four_threads() -> Iterator[None]:
    """As many threads, on whatever machine, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)
