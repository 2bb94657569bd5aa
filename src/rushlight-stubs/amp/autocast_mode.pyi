# Written by tools/stubs.py; `make stubs` writes it anew.

from _thread import _local
from collections.abc import Callable
from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import Interpreter
from rushlight._inner import Mark
from typing import Any
from typing import TypeVar
from typing import overload
from weakref import ReferenceType

_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])

class _Casts(Interpreter):
    """Has functions called with their tensors cast, in the threads that autocast is on in."""
    def call(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    place: int
class _Kept(_local):
    """What leaves were cast to, by their ids, until the outermost block of the thread ends: a weight used twice is cast once."""
    blocks: int
    casts: dict[int, tuple[ReferenceType[Tensor], Tensor]]
    def __init__(self) -> None: ...
class _State(_local):
    """What is switched on, and in which dtype, by the type of device."""
    enabled: dict[str, bool]
    dtypes: dict[str, dtype]
    cache: bool
    told: tuple[object, ...]
    mark: Mark | None
    def __init__(self) -> None: ...
class autocast:
    """A block, or a decorator of a function, in which functions choose the dtype they compute in."""
    device: Any
    fast_dtype: Any
    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]: ...
    def __enter__(self) -> autocast: ...
    def __exit__(self, *exc: object) -> None: ...
    def __init__(self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None) -> None: ...
@overload
def custom_bwd(bwd: None = None, *, device_type: str) -> Callable[[_Wrapped], _Wrapped]: ...
@overload
def custom_bwd(bwd: _Wrapped, *, device_type: str) -> _Wrapped:
    """A decorator of the backward of a Function: it runs under the autocast that forward ran under."""
    ...
@overload
def custom_fwd(fwd: None = None, *, device_type: str, cast_inputs: dtype | None = None) -> Callable[[_Wrapped], _Wrapped]: ...
@overload
def custom_fwd(fwd: _Wrapped, *, device_type: str, cast_inputs: dtype | None = None) -> _Wrapped:
    """A decorator of the forward of a Function: with ``cast_inputs`` it gets its tensors in that dtype, autocast off."""
    ...
def is_autocast_available(device_type: str) -> bool:
    """Whether a device of the type could be autocast for."""
    ...
def settings() -> tuple[object, ...]:
    """What is switched on, and the dtypes that were chosen, in this thread: what a program depends on."""
    ...
