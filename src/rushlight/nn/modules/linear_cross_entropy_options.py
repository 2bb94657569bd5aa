"""How PyTorch would save memory in :func:`torch.nn.functional.linear_cross_entropy`; here the loss is the same whatever is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...base.dtypes import dtype

_POLICIES = ("accurate", "balanced", "compact", "auto")


@dataclass(frozen=True, slots=True)
class LinearCrossEntropyOptions:
    """What ``linear_cross_entropy`` is asked for: how many rows at once, and in which dtype gradients are added up.

    ``batch_chunk_size``  rows at once, above 0, or None

    ValueError for what PyTorch does not know.

    >>> import rushlight as torch
    >>> torch.nn.LinearCrossEntropyOptions(batch_chunk_size=0)
    Traceback (most recent call last):
    ValueError: batch_chunk_size must be positive int or None, got 0
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        size, method = self.batch_chunk_size, self.chunking_method
        if method is not None:
            method.partition(":")  # what is no text has none
        if size is not None and (type(size) is not int or size < 1):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size}")
        if method not in (None, "auto") and re.fullmatch(r"aspect_ratio:\d+", str(method)) is None:
            raise ValueError(f"invalid chunking_method: {method!r}")
