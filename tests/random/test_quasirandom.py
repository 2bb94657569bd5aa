"""Sobol points: even, in the same order however they are asked for, and new ones for each seed."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.quasirandom import SobolEngine


@pytest.mark.parametrize("options", [{}, {"scramble": True, "seed": 3}], ids=str)
def test_every_cell_has_one_point(options: dict[str, int]) -> None:
    points = SobolEngine(40, **options).draw_base2(6)
    assert points.shape == (64, 40) and points.dtype == torch.float32
    cells = (points * 64).long().sort(0).values
    assert torch.equal(cells, torch.arange(64)[:, None].expand(64, 40))


@pytest.mark.parametrize("options", [{}, {"scramble": True, "seed": 3}], ids=str)
def test_points_do_not_depend_on_how_they_are_drawn(options: dict[str, int]) -> None:
    whole = SobolEngine(3, **options).draw(20, dtype=torch.float64)
    engine = SobolEngine(3, **options)
    parts = [engine.draw(count, dtype=torch.float64) for count in (1, 4, 8, 7)]
    assert torch.equal(torch.cat(parts), whole)
    assert torch.equal(engine.reset().draw(2, dtype=torch.float64), whole[:2])
    for count in range(5):
        engine = SobolEngine(3, **options).fast_forward(count)
        assert engine.num_generated == count
        assert torch.equal(engine.draw(3, dtype=torch.float64), whole[count : count + 3])


def test_seeds() -> None:
    one, same, other = (SobolEngine(2, scramble=True, seed=seed).draw(8) for seed in (1, 1, 2))
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert repr(SobolEngine(2, scramble=True, seed=1)) == "SobolEngine(dimension=2, scramble=True, seed=1)"


def test_refusals() -> None:
    with pytest.raises(ValueError, match="Supported range"):
        SobolEngine(0)
    engine = SobolEngine(2)
    engine.draw(3)
    with pytest.raises(ValueError, match="require n to be a power of 2"):
        engine.draw_base2(2)
    with pytest.raises(NotImplementedError, match="Half"):
        engine.draw(2, dtype=torch.float16)
