"""What tests of several files share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import rushlight as torch
from rushlight.autograd.modes import special

collect_ignore = ["typing", "trust/guided.py"]  # programs for type checkers, and one that needs atheris


@pytest.fixture
def nothing_else_special() -> Iterator[None]:
    """Other tests of the process may have left something unusual: a dtype in use, say, or a tensor that waits for the collector."""
    gc.collect()
    others = set(special.hidden)
    special.hidden.clear()
    special.active.difference_update(others)
    yield
    living = {one for one in others if one() is not None}
    special.hidden.update(living)
    special.active.update(living)


@pytest.fixture
def four_threads() -> Iterator[None]:
    """As many threads, on whatever machine, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)
