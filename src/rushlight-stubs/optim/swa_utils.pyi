# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from rushlight import Tensor as _Tensor
from rushlight._inner import device
from rushlight.nn.modules.module import Module as _Module
from rushlight.optim.lr_scheduler import LRScheduler as _LRScheduler
from rushlight.optim.optimizer import Optimizer
from typing import Any
from rushlight import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.optim.lr_scheduler import LRScheduler as LRScheduler

class AveragedModel(_Module):
    """A copy of a model whose parameters are averages of those that :meth:`update_parameters` was shown."""
    n_averaged: _Tensor
    module: Any
    avg_fn: Callable[[_Tensor, _Tensor, Any], _Tensor] | None
    multi_avg_fn: Callable[[Any, Any, Any], None] | None
    use_buffers: bool
    def __init__(self, model: _Module, device: device | str | int | None = None, avg_fn: Callable[[_Tensor, _Tensor, Any], _Tensor] | None = None, multi_avg_fn: Callable[[Any, Any, Any], None] | None = None, use_buffers: bool = False) -> None: ...
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...
    def update_parameters(self, model: _Module) -> None:
        """Takes the parameters of a model into the averages."""
        ...
class SWALR(_LRScheduler):
    """From the learning rate there is to ``swa_lr`` within ``anneal_epochs``, along a cosine or a line; then it stays."""
    anneal_epochs: int
    def __init__(self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = 'cos', last_epoch: int = -1) -> None: ...
    def get_lr(self) -> list[Any]: ...
def get_ema_avg_fn(decay: float = 0.999) -> Callable[[_Tensor, _Tensor, Any], _Tensor]:
    """For ``avg_fn``: averages that forget, by ``decay`` a step."""
    ...
def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], None]:
    """For ``multi_avg_fn``: averages that forget, by ``decay`` a step."""
    ...
def get_swa_avg_fn() -> Callable[[_Tensor, _Tensor, Any], _Tensor]:
    """For ``avg_fn``: plain averages."""
    ...
def get_swa_multi_avg_fn() -> Callable[[Any, Any, Any], None]:
    """For ``multi_avg_fn``: plain averages."""
    ...
def update_bn(loader: Iterable[Any], model: _Module, device: device | str | int | None = None) -> None:
    """Computes the running statistics of a model's batch norms anew, over all that a loader gives."""
    ...
