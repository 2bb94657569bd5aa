# Written by tools/stubs.py; `make stubs` writes it anew.

from _thread import _local
from collections import OrderedDict
from collections.abc import Callable
from collections.abc import Iterator
from rushlight import Tensor
from rushlight.autograd.function import Function
from rushlight.autograd.graph import RemovableHandle
from rushlight.nn.modules.module import Module
from typing import Any
from typing import NamedTuple
from typing import TypeVar

_H = TypeVar('_H')

class BackwardHookFunction(Function):
    """Hands its tensors through: a place in the graph to watch."""
    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any: ...
    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]: ...
class BackwardWatch:
    """Runs a module's backward hooks: around it stand two nodes that hand gradients through."""
    module: Module
    hooks: list[Any]
    pre_hooks: list[Any]
    grad_outputs: Any
    input_count: Any
    output_count: Any
    input_places: Any
    output_places: Any
    def __init__(self, module: Module, hooks: list[Any], pre_hooks: list[Any]) -> None: ...
    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a node behind them that knows when all their gradients are there."""
        ...
    def outputs(self, result: Any) -> Any:
        """The result, with a node on top that sees the gradients come in."""
        ...
class Trace(NamedTuple):
    """Who takes over the calls of modules in a thread, and what is read of their parameters, buffers and submodules."""
    call: Callable[[Module, tuple[Any, ...], dict[str, Any]], Any]
    read: Callable[[str, Any], Any]
class _Call:
    """How far a call has come: what a hook to be called in any case is told."""
    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None: ...
    args: Any
    called: Any
    kwargs: Any
    result: Any
class _State(_local):
    trace: Trace | None
def add(hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False, marks: tuple[tuple[OrderedDict[int, bool], bool], ...] = ()) -> RemovableHandle:
    """Registers a hook behind the others, or before them; ``marks`` are what else is to be noted of it, and whether."""
    ...
def check_kind(is_full: bool | None, wanted: bool, where: str) -> None:
    """RuntimeError where hooks of the other kind are registered."""
    ...
def hooks_for(module: Module, kind: type[_H], name: str, label: str = 'name') -> list[tuple[int, _H]]:
    """The hooks of a class before forward that are for the parameter of that name, which they have as ``label``; and their keys."""
    ...
def read(name: str, value: Any) -> Any:
    """What a module's parameter, buffer or submodule is read as while there are traces."""
    ...
def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """The old form: ``hook`` sees the gradients of the last operation of every module's forward only."""
    ...
def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, name, buffer)`` whenever a buffer is registered."""
    ...
def register_module_forward_hook(hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:
    """``hook(module, args, output)`` after the forward of every module."""
    ...
def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, args)`` before the forward of every module."""
    ...
def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, grad_input, grad_output)`` after the backward of every module."""
    ...
def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, grad_output)`` before the backward of every module."""
    ...
def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, name, submodule)`` whenever a submodule is registered."""
    ...
def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, name, param)`` whenever a parameter is registered."""
    ...
def replace(name: str, hooks: object) -> None:
    """Puts other hooks of all modules in the place of those called ``name`` here: programs assign them, and assign them back."""
    ...
def traced(call: Callable[[Module, tuple[Any, ...], dict[str, Any]], Any], read: Callable[[str, Any], Any]) -> Iterator[None]:
    """Within the block, in this thread, ``call(module, args, kwargs)`` stands for calls of modules, and ``read(name, value)`` for what is read of them. :func:`untraced` makes the call itself."""
    ...
def untraced(module: Module, *args: Any, **kwargs: Any) -> Any:
    """A call of a module within :func:`traced` that nobody takes over; the calls that it makes in turn are taken over."""
    ...
def with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module.forward`` between its hooks, or what a trace makes of the call."""
    ...
