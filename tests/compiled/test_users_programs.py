"""Programs as users write them, compiled: they do what they do as they are, and those that are not captured say why."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import pytest

import rushlight as torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from users_programs import PROGRAMS

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")
AS_THEY_ARE = {
    "attention_by_einsum": "a result that shares memory",  # gradients that are given back and are no .grad any more
    "packed_sequences": "looks at a tensor's values",
    "scaled_gradients": "__bool__() looks at a tensor's values",
    "lbfgs": "which is called where nobody looks on",
    "beam_search": "item() looks at a tensor's values",
    "early_stop": "__bool__() looks at a tensor's values",
}


def tensors(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value.detach().clone()]
    return [one for part in (value.values() if isinstance(value, dict) else value) for one in tensors(part)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_do_what_they_do_as_they_are(name: str) -> None:
    steps = []
    for _ in range(2):
        torch.manual_seed(0)
        steps.append(PROGRAMS[name]())
    fast: Any = torch.compile(steps[1], backend="replay")
    fast._compiled.always = True
    # The slopes of a layer norm of bfloat16 are rounded once as they are, and at each step where they are recorded.
    near = 0.01 if name == "mixed_precision" else 1e-6
    for call in range(6):
        found = []
        for step in (steps[0], fast):
            torch.manual_seed(call)
            found.append(tensors(step()))
        for one, other in zip(*found, strict=True):
            assert one.dtype is other.dtype
            assert torch.allclose(one.double(), other.double(), rtol=1e-5, atol=near), call
    form = fast._compiled.forms[-1]
    assert (form.program is None) == (name in AS_THEY_ARE), form.reason
    if name in AS_THEY_ARE:
        assert AS_THEY_ARE[name] in form.reason.reason
