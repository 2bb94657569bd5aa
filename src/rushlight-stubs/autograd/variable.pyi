# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from typing import Any
from rushlight.autograd import Variable as Variable

class ImperativeEngine:
    """What stands for the engine in old code: ``Variable._execution_engine.queue_callback(f)``."""
    def queue_callback(self, callback: Callable[[], None]) -> None:
        """Runs ``callback`` at the end of the backward pass that is under way; RuntimeError outside of one."""
        ...
class VariableMeta(type):
    """Makes ``isinstance(x, Variable)`` true of tensors."""
    def __instancecheck__(self, instance: Any) -> bool: ...
