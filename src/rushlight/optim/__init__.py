"""torch.optim: optimizers and schedules of their learning rates."""

from ..missing import module_getattr
from . import lr_scheduler
from .adam import Adam, AdamW
from .adaptive import ASGD, Adadelta, Adagrad, Adamax, NAdam, RAdam, RMSprop, Rprop
from .optimizer import Optimizer
from .sgd import SGD

__getattr__ = module_getattr(__name__)
