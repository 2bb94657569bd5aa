"""Every test, those in docstrings included, starts from the state of a fresh process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

import rushlight as torch
from rushlight.printing import set_printoptions

# The same examples in every run, however slow the machine: a failure is a change of the code.
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")


@pytest.fixture(autouse=True)
def fresh_state() -> Iterator[None]:
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)
    set_printoptions(profile="default")
    torch.set_grad_enabled(True)
