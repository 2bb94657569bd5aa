# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import dtype
from rushlight.amp.autocast_mode import autocast as _autocast
from rushlight.amp.grad_scaler import GradScaler as _GradScaler
from typing import Any
from typing import TypeVar
from typing import overload

_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])

class GradScaler(_GradScaler):
    """``torch.amp.GradScaler('cuda', ...)``, which does nothing without a GPU."""
    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None: ...
class autocast(_autocast):
    """``torch.amp.autocast('cuda', ...)``, which does nothing without a GPU."""
    def __init__(self, enabled: bool = True, dtype: dtype | None = None, cache_enabled: bool = True) -> None: ...
def custom_bwd(bwd: _Wrapped) -> _Wrapped:
    """``torch.amp.custom_bwd`` for 'cuda'."""
    ...
@overload
def custom_fwd(fwd: None = None, *, cast_inputs: dtype | None = None) -> Callable[[_Wrapped], _Wrapped]: ...
@overload
def custom_fwd(fwd: _Wrapped, *, cast_inputs: dtype | None = None) -> _Wrapped:
    """``torch.amp.custom_fwd`` for 'cuda'."""
    ...
