# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import dtype
from rushlight.amp.autocast_mode import autocast as _autocast
from rushlight.amp.grad_scaler import GradScaler as _GradScaler

class GradScaler(_GradScaler):
    """``torch.amp.GradScaler('cpu', ...)``."""
    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None: ...
class autocast(_autocast):
    """``torch.amp.autocast('cpu', ...)``."""
    def __init__(self, enabled: bool = True, dtype: dtype = ..., cache_enabled: bool = True) -> None: ...
