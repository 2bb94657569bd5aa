"""What tests of several files share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import rushlight as torch
from rushlight.autograd.interpreters import stack
from rushlight.base import dtypes
from rushlight.tensors import complex_half

collect_ignore = ["typing", "trust/guided.py"]  # programs for type checkers, and one that needs atheris


@pytest.fixture
def four_threads() -> Iterator[None]:
    """As many threads, on whatever machine, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def complex32_unknown_again() -> Iterator[None]:
    """Once it is in use all ops are looked at, and nothing is compiled: each test begins as if no other had used it."""
    yield
    if complex_half._marks:
        complex_half._marks.clear()
        for one in [*stack.interpreters]:
            if isinstance(one, complex_half._InSingle):
                stack.take(one)
        del dtypes.named("complex32").numpy
