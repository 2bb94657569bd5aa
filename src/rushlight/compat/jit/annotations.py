"""torch.jit.annotations: marks of types for PyTorch's compiler, which programs write in annotations."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035 - the names that libraries import from here

__all__ = ["BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "List", "Optional", "Tuple", "Union"]


class BroadcastingListCls:
    """``BroadcastingList2[int]``: one number, or two."""

    def __getitem__(self, types: Any) -> None:
        """None: an annotation is only read by compilers."""


BroadcastingList1, BroadcastingList2, BroadcastingList3 = (BroadcastingListCls() for _ in range(3))
