# Written by tools/stubs.py; `make stubs` writes it anew.

from _thread import _local
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from rushlight import Tensor
from rushlight._inner import Interpreter
from rushlight.autograd.function import Function
from rushlight.utils.checkpoint import GraphExecGroup
from typing import Any
from weakref import ReferenceType
from weakref import WeakKeyDictionary

class Recomputation:
    """One call of a checkpointed function."""
    function: Callable[..., Any]
    kwargs: dict[str, Any]
    context: AbstractContextManager[Any]
    compare: bool
    early_stop: Any
    completed: bool
    debug: Any
    random: Any
    autocast: Any
    in_graph: Any
    places: list[ReferenceType[_Place]]
    metas: list[dict[str, Any]]
    first_ops: list[str]
    made: Any
    inputs: Any
    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], preserve: bool, context: AbstractContextManager[Any], compare: bool, early_stop: bool, debug: bool) -> None: ...
    def advice(self, ops: list[str]) -> str: ...
    def check(self, metas: list[dict[str, Any]], ops: list[str]) -> None: ...
    def leave_out(self, tensor: Tensor) -> _Place:
        """The pack hook of the first run."""
        ...
    def listening(self, names: list[str]) -> Iterator[None]:
        """With ``debug``, notes the ops that run."""
        ...
    def make_up(self, place: _Place) -> Tensor:
        """The unpack hook of the first run: in each backward pass the first use runs the function again. What it made is given out once, so that it is freed as backward goes."""
        ...
    def run_again(self) -> WeakKeyDictionary[_Place, Tensor]:
        """Runs the function and returns what its nodes save, by place."""
        ...
class Settings:
    early_stop: bool | None
    debug: bool | None
class _Group(_local):
    current: GraphExecGroup | None
class _KeepInputs(Function):
    """Keeps the arguments of a checkpointed function as a node keeps tensors: hooks apply, writes are noticed."""
    positions: Any
    others: Any
    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any: ...
    @staticmethod
    def forward(*args: Any) -> Any: ...
    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None: ...
class _Listener(Interpreter):
    """Notes the names of the ops that run."""
    names: list[str]
    def __init__(self, names: list[str]) -> None: ...
    def op(self, op: Any, args: tuple[Any, ...]) -> Any: ...
class _Place:
    """What a node keeps instead of a tensor."""
class _Stop(BaseException):
    """All that backward needs has been computed: no error, which somebody on the way may catch to try otherwise."""
def random_numbers(state: Any) -> Iterator[None]:
    """Draws random numbers from ``state`` on, and then goes on where it was."""
    ...
def same_autocast() -> Callable[[], AbstractContextManager[Any]]:
    """Makes contexts in which autocast is what it is now."""
    ...
