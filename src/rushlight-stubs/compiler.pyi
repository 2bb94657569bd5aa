# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from typing import Any
from typing import Self
from typing import TypeVar
from typing import overload

_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])

def allow_in_graph(fn: _Wrapped) -> _Wrapped:
    """The function itself, or the list of functions: all that can be captured is. AssertionError for what cannot be called."""
    ...
def assume_constant_result(fn: _Wrapped) -> _Wrapped:
    """The function itself; also as a decorator with options."""
    ...
@overload
def compile(model: _Wrapped, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = None, mode: str | None = None, options: dict[str, Any] | None = None, name: str | None = None, disable: bool = False, recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None) -> _Wrapped: ...
@overload
def compile(model: None = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = None, mode: str | None = None, options: dict[str, Any] | None = None, name: str | None = None, disable: bool = False, recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None) -> Callable[[_Wrapped], _Wrapped]:
    """A function that gives what ``model`` gives, sooner: captured as it runs, and replayed while nothing that it looks at has changed. A module becomes an OptimizedModule. Also a decorator, with or without options."""
    ...
def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""
    ...
@overload
def disable(fn: _Wrapped, recursive: bool = True, *, reason: str | None = None) -> _Wrapped: ...
@overload
def disable(fn: None = None, recursive: bool = True, *, reason: str | None = None) -> Callable[[_Wrapped], _Wrapped]:
    """The function itself, as it is; also as a decorator with options. Of a compiled function, what was compiled."""
    ...
def get_default_backend() -> object:
    """What is compiled with where no backend is named."""
    ...
def is_compiling() -> bool:
    """Whether a compiled function runs, and is not replayed: what it asks then holds for its replays too."""
    ...
is_dynamo_compiling = is_compiling
def is_exporting() -> bool:
    """False: nothing is exported."""
    ...
def list_backends(exclude_tags: Iterable[str] | None = ('debug', 'experimental')) -> list[str]:
    """The names of compilers; those for tests too, where none is to be left out."""
    ...
@overload
def nested_compile_region(fn: _Wrapped, **options: object) -> _Wrapped: ...
@overload
def nested_compile_region(fn: None = None, **options: object) -> Callable[[_Wrapped], _Wrapped]:
    """The function itself: what it does is captured with what calls it."""
    ...
def reset() -> None:
    """Forgets all that was captured: compiled functions begin anew."""
    ...
def set_default_backend(backend: object) -> None:
    """Sets what is compiled with where no backend is named: a name, or a function as ``compile`` takes them."""
    ...
class set_stance:
    """Sets what compiled functions do, from now on or for the length of a ``with`` block or of a decorated function."""
    stance: str
    before: Any
    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, stance: str = 'default', *, skip_guard_eval_unsafe: bool = False, force_backend: object | None = None) -> None: ...
def substitute_in_graph(original_fn: Callable[..., Any], **options: object) -> Callable[[Any], Any]:
    """A decorator that changes nothing: no graph is compiled in which a function could be replaced."""
    ...
