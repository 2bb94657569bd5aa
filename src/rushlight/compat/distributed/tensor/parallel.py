"""torch.distributed.tensor.parallel: plans for layers over processes. There is one process, so none is carried out."""

from __future__ import annotations

from .. import get_rank

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
]


class ParallelStyle:
    """How a layer is to lie over processes; a plan keeps what it was made with."""

    def __init__(self, **options: object) -> None:
        self.options = options


class ColwiseParallel(ParallelStyle):
    """A layer cut up by its outputs."""


class RowwiseParallel(ParallelStyle):
    """A layer cut up by its inputs."""


class SequenceParallel(ParallelStyle):
    """A layer whose inputs are cut up along the sequence."""


class PrepareModuleInput(ParallelStyle):
    """Inputs brought from one placement to another."""


class PrepareModuleOutput(ParallelStyle):
    """Outputs brought from one placement to another."""


parallelize_module = loss_parallel = get_rank
