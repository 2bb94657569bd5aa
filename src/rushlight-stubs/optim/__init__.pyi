# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor
from rushlight.optim.by_rule import RuleOptimizer
from typing import Any
from . import adadelta as adadelta
from . import adagrad as adagrad
from . import adam as adam
from . import adamax as adamax
from . import adamw as adamw
from . import asgd as asgd
from . import blocks as blocks
from . import by_rule as by_rule
from . import lbfgs as lbfgs
from . import lr_scheduler as lr_scheduler
from . import nadam as nadam
from . import optimizer as optimizer
from . import radam as radam
from . import rmsprop as rmsprop
from . import rprop as rprop
from . import sgd as sgd
from . import sparse_adam as sparse_adam
from . import swa_utils as swa_utils
from rushlight.optim.adadelta import Adadelta as Adadelta
from rushlight.optim.adagrad import Adagrad as Adagrad
from rushlight.optim.adam import Adam as Adam
from rushlight.optim.adamax import Adamax as Adamax
from rushlight.optim.adamw import AdamW as AdamW
from rushlight.optim.asgd import ASGD as ASGD
from rushlight.optim.lbfgs import LBFGS as LBFGS
from rushlight.optim.nadam import NAdam as NAdam
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.radam import RAdam as RAdam
from rushlight.optim.rmsprop import RMSprop as RMSprop
from rushlight.optim.rprop import Rprop as Rprop
from rushlight.optim.sgd import SGD as SGD
from rushlight.optim.sparse_adam import SparseAdam as SparseAdam

class Adafactor(RuleOptimizer):
    """Scales as Adagrad and Adam do, but of a matrix keeps only the mean squares of its rows and columns."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 0.01, beta2_decay: float = -0.8, eps: tuple[float | None, float] = ..., d: float = 1.0, weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False) -> None: ...
class Muon(RuleOptimizer):
    """For matrices only: steps by the momentum with all its singular values brought near 1, by Newton and Schulz's iteration."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 0.001, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True, ns_coefficients: tuple[float, float, float] = ..., eps: float = 1e-07, ns_steps: int = 5, adjust_lr_fn: str | None = None) -> None: ...
