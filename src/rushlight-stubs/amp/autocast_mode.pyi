# Written by tools/stubs.py; `make stubs` writes it anew.

from _thread import _local
from collections.abc import Callable
from rushlight import dtype
from typing import Any

class _State(_local):
    """What is switched on, and in which dtype, by the type of device."""
    enabled: dict[str, bool]
    dtypes: dict[str, dtype]
    cache: bool
    def __init__(self) -> None: ...
class autocast:
    """A block, or a decorator of a function, in which functions choose the dtype they compute in."""
    device: Any
    fast_dtype: Any
    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]: ...
    def __enter__(self) -> autocast: ...
    def __exit__(self, *exc: object) -> None: ...
    def __init__(self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None) -> None: ...
def clear_autocast_cache() -> None:
    """Nothing is kept."""
    ...
def custom_bwd(bwd: Any = None, *, device_type: str = 'cuda') -> Any:
    """A decorator of the backward of a Function: it runs under the autocast that forward ran under."""
    ...
def custom_fwd(fwd: Any = None, *, device_type: str = 'cuda', cast_inputs: dtype | None = None) -> Any:
    """A decorator of the forward of a Function: with ``cast_inputs`` it gets its tensors in that dtype, autocast off."""
    ...
def get_autocast_cpu_dtype() -> dtype:
    """:func:`get_autocast_dtype` of the CPU."""
    ...
def get_autocast_dtype(device_type: str) -> dtype:
    """The dtype that products are computed in under autocast."""
    ...
def get_autocast_gpu_dtype() -> dtype:
    """:func:`get_autocast_dtype` of CUDA."""
    ...
def is_autocast_available(device_type: str) -> bool:
    """Whether a device of the type could be autocast for."""
    ...
def is_autocast_cache_enabled() -> bool:
    """What autocast was told about keeping cast weights; they are cast anew."""
    ...
def is_autocast_cpu_enabled() -> bool:
    """Whether autocast is on for the CPU."""
    ...
def is_autocast_enabled(device_type: str = 'cuda') -> bool:
    """Whether autocast is on for a type of device."""
    ...
def set_autocast_cache_enabled(enabled: bool) -> None:
    """Kept for :func:`is_autocast_cache_enabled`."""
    ...
def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Sets what :func:`get_autocast_dtype` answers."""
    ...
def set_autocast_enabled(*args: Any) -> None:
    """``set_autocast_enabled(device_type, enabled)`` switches autocast."""
    ...
