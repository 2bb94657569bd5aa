"""Sobol points are PyTorch's, for a seed as well."""

from __future__ import annotations

import pytest
import torch

import rushlight
from rushlight.quasirandom import SobolEngine


@pytest.mark.parametrize("dimension", [1, 3, 700, 21201])
@pytest.mark.parametrize("scramble", [False, True])
def test_same_points(dimension: int, scramble: bool) -> None:
    if scramble and dimension > 1000:
        dimension = 1000  # its matrices of bits
    theirs = torch.quasirandom.SobolEngine(dimension, scramble, seed=5)
    ours = SobolEngine(dimension, scramble, seed=5)
    for count in (1, 5, 3):
        assert ours.draw(count).tolist() == theirs.draw(count).tolist()
        ours.fast_forward(count)
        theirs.fast_forward(count)
    for name in ("sobolstate", "shift", "quasi", "num_generated"):
        expected, found = getattr(theirs, name), getattr(ours, name)
        assert expected == found if isinstance(expected, int) else found.tolist() == expected.tolist()


def test_default_generator() -> None:
    torch.manual_seed(3)
    rushlight.manual_seed(3)
    expected = torch.quasirandom.SobolEngine(3, scramble=True).draw(4)
    assert SobolEngine(3, scramble=True).draw(4).tolist() == expected.tolist()
    assert rushlight.rand(2).tolist() == torch.rand(2).tolist()
