"""Pointwise ops that choose between values: where, clamp, the larger of two, filling masks; and weighted mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import pointwise as k
from . import dispatch
from .public import ops, public
from .table import op

op("where", k.where, inputs="condition", kind="linear",
   a=lambda g, xp, condition: xp.only(g, condition), b=lambda g, xp, condition: xp.masked_fill(g, condition, 0))  # fmt: skip
op("masked_fill", k.masked_fill, inputs="mask", kind="linear", x=lambda g, xp, mask: xp.masked_fill(g, mask, 0))


def _branch(value: Any) -> Any:
    """A branch of where: numbers become 0-dim tensors."""
    return value if isinstance(value, dispatch.Tensor_) else dispatch.new_tensor(np.asarray(value))


@public()
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """``input`` where the condition holds, ``other`` elsewhere; with the condition alone, the indices where it holds.

    >>> import rushlight as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    return ops.where(condition, _branch(input), _branch(other))
