# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight._inner import ContextDecorator
from rushlight._inner import Inference
from rushlight._inner import _GradMode
from rushlight._inner import _Switch
from typing import Any
from typing import TypeVar

_F = TypeVar('_F', bound=Callable[..., Any])

class enable_grad(_GradMode):
    """Operations inside are recorded, also within :class:`no_grad`."""
class enforce_grad_layout_policy(_Switch):
    """Whether a leaf's gradient is laid out as the leaf is; where not, one that only this pass holds is kept as it came."""
    def __call__(self, function: _F) -> _F: ...
    def __init__(self, enable: bool = True) -> None: ...
    @property
    def enable(self) -> bool: ...
class inference_mode(ContextDecorator):
    """Like :class:`no_grad`, and what is made inside can never take part in a recorded operation that saves it."""
    mode: bool
    previous: list[tuple[Inference | None, bool, bool]]
    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: object, tb: object) -> None: ...
    def __init__(self, mode: bool = True) -> None: ...
    def clone(self) -> inference_mode: ...
class no_grad(_GradMode):
    """Operations inside are not recorded: their results need no gradient."""
class set_grad_enabled(ContextDecorator):
    """Switches recording on or off: at once when called, and back at the end of a ``with`` block."""
    prev: Any
    mode: bool
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: object, tb: object) -> None: ...
    def __init__(self, mode: bool) -> None: ...
    def clone(self) -> set_grad_enabled: ...
class set_multithreading_enabled(_Switch):
    """Kept and answered: a backward pass runs in the thread that started it."""
