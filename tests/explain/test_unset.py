"""What `torch.empty` gives has no values until something is written there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.explain.numerals import has_holes


def values_of(story: Any, name: str) -> list[Any]:
    """The values of a name's tensor, life by life."""
    return [one["value"] for one in story.recording["tensors"] if any(told["name"] == name for told in one["names"])]


def test_each_element_has_a_value_from_when_it_is_written():
    with torch.explain() as story:
        x = torch.tensor([5.0, 6.0], requires_grad=True)
        buffer = torch.empty(3)
        buffer[0] = 1.0
        buffer[1:] = x
        buffer.sum().backward()
    assert [one["data"] for one in values_of(story, "buffer")] == [[None, None, None], [1.0, None, None], [1.0, 5.0, 6.0]]
    assert "buffer·1 = [1 ? ?]" in story.form(".txt") and "还没有写入" in story.form(".html")


WRITES: dict[str, Callable[[Any], object]] = {
    "fill_": lambda made: made.fill_(0.0),
    "a view": lambda made: made.view(-1)[:].zero_(),
    "copy_": lambda made: made.copy_(torch.zeros(2, 2)),
    "out=": lambda made: torch.mul(torch.zeros(2, 2), 1, out=made),
    "random numbers": lambda made: made.random_(0, 1),
    "init": lambda made: torch.nn.init.zeros_(made),
    "NumPy": lambda made: made.numpy().__setitem__(..., 7.0),
}


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize(
    "make", [lambda: torch.empty(2, 2), lambda: torch.ones(2, 2).new_empty(2, 2), lambda: torch.empty_like(torch.ones(2, 2))]
)
def test_what_is_written_is_a_value_also_where_the_memory_held_the_same(how, make):
    with torch.explain() as story:
        made = make()
        made.detach().numpy().fill(0.0) if how == "NumPy" else None
        x = torch.ones(2, 2, requires_grad=True)
        WRITES[how](made)
        (x * made).sum().backward()
    assert None not in [one for row in values_of(story, "made")[-1]["data"] for one in row]


def test_parameters_that_a_module_fills_are_written():
    with torch.explain() as story:
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2), torch.nn.LSTM(2, 1))
        net(torch.ones(2, 2))[0].sum().backward()
    held = [one["value"] for one in story.recording["tensors"] if one["value"] is not None]
    assert held and not any(has_holes(one) for one in held)


def test_of_large_ones_it_is_said_how_many_are_unwritten():
    with torch.explain() as story:
        large = torch.empty(50, 2)
        large[:49] = 3.0
        large * 1
    assert values_of(story, "large")[-1]["stats"]["unwritten"] == 2
    assert "large·1 = 50×2: all 3, 2 not written yet" in story.form(".txt")
