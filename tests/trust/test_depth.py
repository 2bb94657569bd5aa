"""Deep and wide graphs in short; `make depth` takes longer ones and shows what an op takes."""

from __future__ import annotations

import sys

import pytest
from depth import KINDS, containers, higher, nested_modules

COUNTS = {"chain": 30_000, "fan-out": 20_000, "views": 10_000, "hooks": 2_000}


@pytest.mark.parametrize("kind", KINDS)
def test_as_many_as_there_are(kind: str) -> None:
    cost = KINDS[kind](COUNTS[kind])
    assert cost.memory < 3000  # bytes for each op: nothing grows with its square


def test_structures_behind_a_deep_history() -> None:
    limit = sys.getrecursionlimit()
    containers(20_000)
    higher(2_000)
    nested_modules(3_000)
    assert sys.getrecursionlimit() == limit
