# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from typing import Any
from typing import TypeVar
from typing import overload

_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])

def allow_in_graph(fn: _Wrapped) -> _Wrapped:
    """The function itself; also as a decorator with options."""
    ...
assume_constant_result = allow_in_graph
@overload
def compile(model: _Wrapped, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = None, mode: str | None = None, options: dict[str, Any] | None = None, name: str | None = None, disable: bool = False, recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None) -> _Wrapped: ...
@overload
def compile(model: None = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = None, mode: str | None = None, options: dict[str, Any] | None = None, name: str | None = None, disable: bool = False, recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None) -> Callable[[_Wrapped], _Wrapped]:
    """A function that gives what ``model`` gives, sooner: captured as it runs, and replayed while nothing that it looks at has changed. A module becomes an OptimizedModule. Also a decorator, with or without options."""
    ...
def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""
    ...
disable = allow_in_graph
def is_compiling() -> bool:
    """False: nothing is ever compiled."""
    ...
is_dynamo_compiling = is_compiling
is_exporting = is_compiling
def list_backends(exclude_tags: Any = ()) -> list[str]:
    """The names of compilers."""
    ...
def reset() -> None:
    """Forgets all that was captured: compiled functions begin anew."""
    ...
def set_stance(*args: Any, **kwargs: Any) -> Any:
    """A context in which nothing is different."""
    ...
def substitute_in_graph(original_fn: Callable[..., Any], **options: Any) -> Callable[[Any], Any]:
    """A decorator that changes nothing: no graph is compiled in which a function could be replaced."""
    ...
