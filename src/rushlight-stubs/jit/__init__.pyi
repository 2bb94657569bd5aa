# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from contextlib import AbstractContextManager
from rushlight.futures import Future as _Future
from rushlight.nn.modules.module import Module
from typing import Any
from typing import NoReturn
from typing import TypeVar
from . import annotations as annotations
from rushlight.futures import Future as Future

_T = TypeVar('_T')
_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])
_Traced = TypeVar('_Traced', bound=Callable[..., Any])

class Attribute:
    """A value and its type, for modules that are scripted."""
    value: Any
    type: Any
    def __init__(self, value: Any, type: Any) -> None: ...
Final: Any
class RecursiveScriptModule(ScriptModule):
    """What PyTorch's ``script`` makes of a module; here modules stay what they are, so nothing is one."""
class ScriptFunction:
    """What PyTorch's ``script`` makes of a function; here functions stay what they are, so nothing is one."""
    def __init__(self) -> None: ...
class ScriptModule(Module):
    """A module, as any other: ``script_method`` marks nothing here."""
class TracerWarning(Warning):
    """Never given: nothing is traced."""
    @staticmethod
    def ignore_lib_warnings() -> None:
        """There are none to ignore."""
        ...
def annotate(the_type: Any, the_value: _T) -> _T:
    """The value."""
    ...
def export(fn: _Wrapped) -> _Wrapped:
    """A mark for PyTorch's compiler: the function itself, with or without options."""
    ...
def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> _Future[Any]:
    """A future that holds what the function gives: it runs at once."""
    ...
def freeze(mod: _T, *args: Any, **kwargs: Any) -> _T:
    """The module itself."""
    ...
ignore = export
interface = export
def is_scripting() -> bool:
    """False: nothing is ever scripted."""
    ...
def is_tracing() -> bool:
    """False: nothing is ever traced."""
    ...
def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, with what its containers hold looked at: ``list[int]``, ``dict[str, torch.Tensor]``."""
    ...
def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> NoReturn:
    """RuntimeError: TorchScript is a program in another language, which does not run here."""
    ...
optimize_for_inference = freeze
def optimized_execution(should_optimize: bool) -> AbstractContextManager[None]:
    """A context in which nothing is different."""
    ...
run_frozen_optimizations = freeze
def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """RuntimeError: a module cannot be saved as TorchScript here."""
    ...
def script(obj: _T, *args: Any, **kwargs: Any) -> _T:
    """The function, class or module itself."""
    ...
script_if_tracing = export
script_method = export
def set_fusion_strategy(strategy: Any) -> None:
    """Nothing is fused."""
    ...
def trace(func: _Traced, example_inputs: Any = None, *args: Any, **kwargs: Any) -> _Traced:
    """The function or module itself, after it ran once on the examples, as PyTorch's does (where it can fail)."""
    ...
def trace_module(mod: _T, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> _T:
    """The module itself, after each of its methods that ``inputs`` names ran once."""
    ...
unused = export
def wait(future: _Future[_T]) -> _T:
    """What a future holds."""
    ...
