"""torch.optim.lr_scheduler: learning rates that change as training goes on."""

from ...base.missing_names import lazy_names
from .composed import ChainedScheduler, SequentialLR
from .cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from .decay import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .plateau import ReduceLROnPlateau
from .scheduler import EPOCH_DEPRECATION_WARNING, LRScheduler, Optimizer


class _LRScheduler(LRScheduler):
    """The base class under the name that older code has."""


__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
for _name in __all__:  # pickles and messages name this module
    globals()[_name].__module__ = __name__
__getattr__, __dir__ = lazy_names(__name__)
