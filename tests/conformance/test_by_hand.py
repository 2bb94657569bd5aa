"""The gradients that ``bench/by_hand`` works out are those of the programs beside them, on both sides."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import rushlight

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.mark.parametrize("side", [torch, rushlight])
@pytest.mark.parametrize("name", sorted(path.stem for path in (BENCH / "by_hand").glob("*.py")))
def test_floor_and_program_have_the_same_gradients(name, side, monkeypatch):
    by_hand = runpy.run_path(str(BENCH / "by_hand" / f"{name}.py"))
    first, second, arrays = by_hand["setup"]()
    _, expected = by_hand["loss_and_gradients"](first, second, arrays)
    weights = [side.from_numpy(array.copy()).requires_grad_() for array in arrays]
    found = {}
    for number, weight in enumerate(weights):
        weight.register_post_accumulate_grad_hook(lambda w, number=number: found.update({number: w.grad.numpy().copy()}))
    monkeypatch.setitem(sys.modules, "torch", side)
    monkeypatch.setitem(sys.modules, "torch.nn.functional", side.nn.functional)
    program = runpy.run_path(str(BENCH / "programs" / f"{name}.py"))
    program["step"](side.from_numpy(first), side.from_numpy(second), weights)
    for number, gradient in enumerate(expected):
        np.testing.assert_allclose(found[number], gradient, rtol=1e-4, atol=1e-6)
