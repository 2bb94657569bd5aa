"""torch.func, compiled, beside what PyTorch gives as it is."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np
import pytest
import torch

import rushlight

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "compiled"))
from transform_programs import NOT_IN_PYTORCH, PROGRAMS, called

pytestmark = pytest.mark.filterwarnings("ignore")


def always(function: Any) -> Any:
    fast: Any = rushlight.compile(function)
    fast._compiled.always = True
    return fast


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - NOT_IN_PYTORCH))
def test_compiled_transforms_give_pytorchs_numbers(name: str) -> None:
    given, right = called(rushlight, PROGRAMS[name], always), called(torch, PROGRAMS[name], lambda function: function)
    for call, (mine, its) in enumerate(zip(given, right, strict=True)):
        assert [one if isinstance(one, str) else one[0] for one in mine] == [
            one if isinstance(one, str) else one[0] for one in its
        ]
        for one, other in zip(mine, its, strict=True):
            if not isinstance(one, str):
                np.testing.assert_allclose(one[1], other[1], 2e-5, 2e-5, err_msg=f"call {call}")


@pytest.mark.parametrize("name", sorted(NOT_IN_PYTORCH))
def test_what_pytorch_refuses(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"Batching rule not implemented|would mutate a captured"):
        called(torch, PROGRAMS[name], lambda function: function)
