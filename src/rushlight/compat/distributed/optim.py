"""torch.distributed.optim: optimizers over several processes, by name; there is one process, so none can be made."""

from __future__ import annotations

from typing import Any

from rushlight.base.missing_names import lazy_names
from rushlight.optim import Optimizer

from . import get_rank


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer whose state is shared out among processes. Libraries ask whether theirs is one: none is.

    ValueError: there is one process.

    >>> import rushlight as torch
    >>> from rushlight.distributed.optim import ZeroRedundancyOptimizer
    >>> isinstance(torch.optim.SGD([torch.zeros(2)], lr=0.1), ZeroRedundancyOptimizer)
    False
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        get_rank(process_group)


__getattr__, __dir__ = lazy_names(__name__)
