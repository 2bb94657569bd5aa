"""torch.utils.tensorboard: runs written for TensorBoard, through its own package. ImportError without that.

``pip install tensorboard``; then ``tensorboard --logdir runs`` shows what :class:`SummaryWriter` writes.
"""

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
