"""Programs of torch.func, compiled and as they are: the same numbers, and most of them captured."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from typing import Any

import pytest

import rushlight as torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from transform_programs import NOT_CAPTURED, OUTSIDE, PROGRAMS, called

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")
OFF = 2e-5 if importlib.util.find_spec("jax") is None else 1e-4


def near(mine: Any, its: Any) -> bool:
    if isinstance(mine, str) or isinstance(its, str):
        return bool(mine == its)
    (shape, numbers), (other, right) = mine, its
    return shape == other and torch.allclose(torch.tensor(numbers), torch.tensor(right), OFF, OFF)


@pytest.mark.parametrize("name", PROGRAMS)
def test_transforms_and_compiled_functions_in_one_another(name: str) -> None:
    every: list[Any] = []

    def compiled(function: Any) -> Any:
        fast: Any = torch.compile(function)
        fast._compiled.always = True
        every.append(fast._compiled)
        return fast

    given, right = called(torch, PROGRAMS[name], compiled), called(torch, PROGRAMS[name], lambda function: function)
    for call, (mine, its) in enumerate(zip(given, right, strict=True)):
        assert len(mine) == len(its) and all(map(near, mine, its)), call
    if name not in NOT_CAPTURED and name not in {f"outside: {one}" for one in OUTSIDE} | {"both: compiled_noise_under_vmap"}:
        assert any(form.program is not None for one in every for form in one.forms)
