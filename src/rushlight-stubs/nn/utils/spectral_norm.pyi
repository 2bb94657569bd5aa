# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any
from typing import TypeVar

_M = TypeVar('_M', bound=Module)

class SpectralNorm:
    """The hook that divides the weight before every forward."""
    _version: int
    name: str
    dim: int
    n_power_iterations: int
    eps: float
    def __call__(self, module: Module, inputs: Any) -> None: ...
    def __init__(self, name: str = 'weight', n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None: ...
    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Registers the hook; RuntimeError where there is one for that name already."""
        ...
    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The divided weight; the singular vectors are improved first if ``do_power_iteration``."""
        ...
    def remove(self, module: Module) -> None:
        """Makes the weight, as it is now, a parameter again."""
        ...
    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight with dimension ``dim`` as rows and all others as columns."""
        ...
class SpectralNormLoadStateDictPreHook:
    """Works out ``weight_v`` where an old state dict has the divided weight in its place."""
    fn: SpectralNorm
    def __call__(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None: ...
    def __init__(self, fn: SpectralNorm) -> None: ...
class SpectralNormStateDictHook:
    """Notes in a state dict's metadata that it has ``weight_v``."""
    fn: SpectralNorm
    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: Any) -> None: ...
    def __init__(self, fn: SpectralNorm) -> None: ...
def remove_spectral_norm(module: _M, name: str = 'weight') -> _M:
    """Makes a weight an ordinary parameter again; ValueError where it has no spectral norm."""
    ...
def spectral_norm(module: _M, name: str = 'weight', n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> _M:
    """Divides a weight by its greatest singular value before every forward; ``weight_orig`` is learned."""
    ...
