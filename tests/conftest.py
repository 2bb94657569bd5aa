"""What tests of several files share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import rushlight as torch

collect_ignore = ["typing", "trust/guided.py"]  # programs for type checkers, and one that needs atheris


@pytest.fixture
def four_threads() -> Iterator[None]:
    """As many threads, on whatever machine, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)
