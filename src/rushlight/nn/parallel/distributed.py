"""torch.nn.parallel.distributed: where PyTorch keeps its module for several processes."""

from . import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
