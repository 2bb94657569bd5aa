"""Arithmetic with a number inside composed functions, which PyTorch records as nodes with a single edge."""

from __future__ import annotations

from typing import Any

from ..backend.pointwise import meeting
from .reading import conj
from .table import op


def _fit(x: Any, number: Any) -> Any:
    """``x`` in the dtype in which it meets the number."""
    return x if x.dtype.kind in "fV" else x.astype(meeting(x, number), copy=False)


op("plus", lambda x, number: _fit(x, number) + number, node="AddBackward1", kind="elementwise", x=lambda g: g)
op("minus", lambda x, number: _fit(x, number) - number, node="SubBackward1", kind="elementwise", x=lambda g: g)
op(
    "times",
    lambda x, number: _fit(x, number) * number,
    node="MulBackward1",
    kind="linear",
    x=lambda g, number: g * conj(number),
)
