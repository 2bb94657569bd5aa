"""torch.optim: optimizers and schedules of their learning rates."""

from ..missing import module_getattr
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__getattr__ = module_getattr(__name__)
