# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any
from typing import TypeVar

_M = TypeVar('_M', bound=Module)

class WeightNorm:
    """The hook that puts the weight together before every forward."""
    name: str
    dim: int
    def __call__(self, module: Module, inputs: Any) -> None: ...
    def __init__(self, name: str, dim: int | None) -> None: ...
    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Registers the hook; RuntimeError where there is one for that name already."""
        ...
    def compute_weight(self, module: Module) -> Tensor:
        """The weight of its direction and length."""
        ...
    def remove(self, module: Module) -> None:
        """Makes the weight, as it is now, a parameter again."""
        ...
def remove_weight_norm(module: _M, name: str = 'weight') -> _M:
    """Makes a weight an ordinary parameter again; ValueError where it has no weight norm."""
    ...
def weight_norm(module: _M, name: str = 'weight', dim: int | None = 0) -> _M:
    """Learns a weight as its direction ``weight_v`` and its lengths ``weight_g``, one per slice along ``dim``."""
    ...
