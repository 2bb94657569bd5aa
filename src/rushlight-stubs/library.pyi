# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from typing import Any
from typing import TypeVar
from typing import overload

_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])

class CustomOpDef:
    """What :func:`custom_op` makes: call it, and register what else there is to know of it."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., object], tags: object | None = None) -> None: ...
    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        """See :func:`register_autograd`."""
        ...
    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """See :func:`register_fake`."""
        ...
    @overload
    def register_kernel(self, device_types: Any, fn: None = None, /) -> Callable[[_Wrapped], _Wrapped]: ...
    @overload
    def register_kernel(self, device_types: Any, fn: _Wrapped, /) -> _Wrapped:
        """The function for some kinds of devices; that for the CPU is used from now on."""
        ...
    @overload
    def register_vmap(self, func: None = None) -> Callable[[_Wrapped], _Wrapped]: ...
    @overload
    def register_vmap(self, func: _Wrapped) -> _Wrapped:
        """See :func:`register_vmap`."""
        ...
class Library:
    """Operators of a namespace, defined by schemas (``kind`` 'DEF' or 'FRAGMENT') or given functions ('IMPL')."""
    ns: str
    kind: str
    dispatch_key: str
    m: Any
    def __init__(self, ns: str, kind: str, dispatch_key: str = '') -> None: ...
    def define(self, schema: str, alias_analysis: str = '', *, tags: Any = ()) -> str:
        """Defines an operator: 'name(Tensor x) -> Tensor'; returns its name."""
        ...
    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = '', **options: Any) -> None:
        """Gives an operator its function."""
        ...
@overload
def custom_op(name: str, fn: None = None, /, *, mutates_args: str | Iterable[str], device_types: Any = None, schema: str | None = None, tags: Any = None) -> Callable[[Callable[..., Any]], CustomOpDef]: ...
@overload
def custom_op(name: str, fn: Callable[..., Any], /, *, mutates_args: str | Iterable[str], device_types: Any = None, schema: str | None = None, tags: Any = None) -> CustomOpDef:
    """Makes a function an operator ``namespace::name``, in ``torch.ops`` too; also a decorator."""
    ...
def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Defines an operator by its schema, '(Tensor x, int n=2) -> Tensor' say; :func:`impl` gives it a function."""
    ...
@overload
def impl(qualname: Any, types: Any, func: _Wrapped, *, lib: Any = None) -> _Wrapped: ...
@overload
def impl(qualname: Any, types: Any, func: str | None = None, *, lib: Any = None) -> Callable[[_Wrapped], _Wrapped]:
    """Gives an operator its function, for ``types`` of devices; a decorator where ``func`` is left out."""
    ...
impl_abstract = register_fake
def infer_schema(prototype: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None) -> str:
    """The schema that a function's annotations say."""
    ...
def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None, lib: Any = None) -> None:
    """The derivative of an operator: ``backward(ctx, *grads)`` gives one for each argument, from what ``setup_context(ctx, inputs, output)`` kept."""
    ...
@overload
def register_fake(op: Any, func: None = None, /, *, lib: Any = None, allow_override: bool = False) -> Callable[[_Wrapped], _Wrapped]: ...
@overload
def register_fake(op: Any, func: _Wrapped, /, *, lib: Any = None, allow_override: bool = False) -> _Wrapped:
    """What an operator's result looks like, for tracers: kept, nobody asks."""
    ...
@overload
def register_kernel(op: Any, device_types: Any, func: None = None, /, *, lib: Any = None) -> Callable[[_Wrapped], _Wrapped]: ...
@overload
def register_kernel(op: Any, device_types: Any, func: _Wrapped, /, *, lib: Any = None) -> _Wrapped:
    """The function of an operator for some kinds of devices; that for the CPU is used from now on."""
    ...
@overload
def register_vmap(op: Any, func: None = None, /, *, lib: Any = None) -> Callable[[_Wrapped], _Wrapped]: ...
@overload
def register_vmap(op: Any, func: _Wrapped, /, *, lib: Any = None) -> _Wrapped:
    """How an operator takes a batch: kept; ``vmap`` runs it example by example."""
    ...
@overload
def triton_op(name: str, fn: None = None, /, *, mutates_args: str | Iterable[str], schema: str | None = None) -> Callable[[Callable[..., Any]], CustomOpDef]: ...
@overload
def triton_op(name: str, fn: Callable[..., Any], /, *, mutates_args: str | Iterable[str], schema: str | None = None) -> CustomOpDef:
    """:func:`custom_op`: what sets a function of Triton's kernels apart matters to compilers only."""
    ...
