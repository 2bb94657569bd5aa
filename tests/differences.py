"""Derivatives by differences, which the tests of ops hold the rules of the table against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as torch


def weighted(value: Any) -> Any:
    """One real number that depends on every element of a result (or of several) in its own way."""
    if isinstance(value, tuple):
        return sum(weighted(item) for item in value if item.is_floating_point())
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    weights = torch.arange(1, value.numel() + 1, dtype=torch.float64).cos().reshape(value.shape)
    return (value * weights).sum()


def slopes(f: Callable[..., Any], *inputs: Any, step: float = 1e-6) -> list[np.ndarray[Any, Any]]:
    """The gradients of ``f(*inputs)``, one number, in all inputs; of complex ones along both parts."""
    found = []
    for number, x in enumerate(inputs):
        values = x.detach().numpy()
        out = np.zeros_like(values)
        for place in np.ndindex(values.shape):
            for direction in (1, 1j) if x.is_complex() else (1,):
                ends = []
                for sign in (1, -1):
                    moved = values.copy()
                    moved[place] += sign * step * direction
                    ends.append(f(*inputs[:number], torch.tensor(moved), *inputs[number + 1 :]).item())
                out[place] += direction * (ends[0] - ends[1]) / (2 * step)
        found.append(out)
    return found
