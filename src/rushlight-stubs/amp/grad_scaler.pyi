# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from typing import Any
from typing import TypeVar

_Wide = TypeVar('_Wide', Tensor, list[Tensor], tuple[Tensor, ...])

class GradScaler:
    """Scales a loss, and its gradients back; steps that would bring inf or nan are left out and the scale is halved."""
    def __init__(self, device: str = 'cuda', init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None: ...
    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by after a step with inf or nan."""
        ...
    def get_growth_factor(self) -> float:
        """What the scale is multiplied by after steps without inf or nan."""
        ...
    def get_growth_interval(self) -> int:
        """How many steps without inf or nan make the scale grow."""
        ...
    def get_scale(self) -> float:
        """The factor by which losses are scaled now."""
        ...
    def is_enabled(self) -> bool:
        """Whether it scales at all."""
        ...
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the state of another scaler. RuntimeError for an empty one."""
        ...
    def scale(self, outputs: _Wide) -> _Wide:
        """A loss, or a list of them, times the scale."""
        ...
    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets what :meth:`get_backoff_factor` gives."""
        ...
    def set_growth_factor(self, new_factor: float) -> None:
        """Sets what :meth:`get_growth_factor` gives."""
        ...
    def set_growth_interval(self, new_interval: int) -> None:
        """Sets what :meth:`get_growth_interval` gives."""
        ...
    def state_dict(self) -> dict[str, Any]:
        """What :meth:`load_state_dict` takes; empty where the scaler is disabled."""
        ...
    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> float | None:
        """Lets the optimizer step, unless a gradient is inf or nan."""
        ...
    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale. RuntimeError the second time before an update."""
        ...
    def update(self, new_scale: Any = None) -> None:
        """A smaller scale where a step was left out, a larger one after many good steps, or the one that is given."""
        ...
