"""Who takes a call of a function of torch over: modes and classes with ``__torch_function__``, and how they are asked."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd import modes
from ..autograd.interpreters import CALLS, Answer, Args, Function, Interpreter, Named
from ..autograd.interpreters import stack as interpreters
from ..base.thread_state import carried
from ..ops.einsum_arguments import one_by_one, with_equation
from ..ops.public import NATIVE_LAYERS, registry
from ..tensor import PLAIN, Tensor


class _State(threading.local):
    subclasses_off = False
    all_off = False


switches = carried(_State())
_SIMPLE = frozenset({int, float, bool, str, complex, type(None), slice, type(...)})


def _disabled_torch_function_impl(
    func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """As ``__torch_function__`` of a subclass: results are plain tensors."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


class DisableTorchFunctionSubclass:
    """Within it, subclasses are not asked by ``__torch_function__``; modes are."""

    def __enter__(self) -> None:
        self._before, switches.subclasses_off = switches.subclasses_off, True

    def __exit__(self, *error: object) -> None:
        switches.subclasses_off = self._before


class DisableTorchFunction:
    """Within it, neither subclasses nor modes are asked."""

    def __enter__(self) -> None:
        self._before, switches.all_off = switches.all_off, True

    def __exit__(self, *error: object) -> None:
        switches.all_off = self._before


# Who is asked.


def takes_over(value: Any) -> bool:
    kind = type(value)
    if kind in PLAIN or kind in _SIMPLE:
        return False
    handler = getattr(kind, "__torch_function__", None)
    return handler is not None and handler is not _disabled_torch_function_impl


def _overloaded(values: Iterable[Any], plain: bool = False) -> list[Any]:
    """The arguments that take over, one of each class: subclasses before their bases, else from left to right; ``plain`` tensors
    too, if wanted."""
    found: list[Any] = []
    for value in values:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if not (takes_over(one) or (plain and type(one) is Tensor)) or any(type(one) is type(other) for other in found):
                continue
            place = next((n for n, other in enumerate(found) if issubclass(type(one), type(other))), len(found))
            found.insert(place, one)
    return found


_NATIVE_REFUSAL = (
    "Multiple dispatch failed for {name!r}; all __torch_function__ handlers returned NotImplemented:\n\n{listed}\n\n"
    "For more information, try re-running with TORCH_LOGS=not_implemented"
)
_PYTHON_REFUSAL = "no implementation found for {name!r} on types that implement __torch_function__: {types}{mode}"


class Calls(Interpreter):
    """Modes and classes that take calls over, while there are any."""

    place = CALLS

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        no_mode = not modes.state.function_modes
        if no_mode and not kwargs:
            for value in args:
                if value.__class__ not in PLAIN and value.__class__ not in _SIMPLE:
                    break
            else:
                return NotImplemented
        if switches.all_off or (no_mode and switches.subclasses_off):
            return NotImplemented
        found = [] if switches.subclasses_off else _overloaded((*args, *kwargs.values()))
        if not found and no_mode:
            return NotImplemented
        python = _is_python(func)
        if python:
            args, kwargs = _handed_on(func, args, kwargs)
        if not switches.subclasses_off and (python or _of_one_tensor(func)):
            found = _overloaded(_relevant(func, args, kwargs), plain=True)
        given = kwargs if kwargs or python else None
        return _ask(func, found, args, given, _PYTHON_REFUSAL if python else _NATIVE_REFUSAL)


calls = Calls()


# Methods and functions that PyTorch has written in Python: they hand on an empty dict where none was given, the others
# nothing at all.
_PYTHON = frozenset(
    "__array__ __array_wrap__ __contains__ __deepcopy__ __dlpack__ __dlpack_device__ __floordiv__ __format__ __ipow__ __len__ "
    "__pow__ __reduce_ex__ __repr__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rpow__ __rrshift__ __rsub__ "
    "__rtruediv__ __rdiv__ __setstate__ backward dim_order is_shared istft lu module_load norm register_hook "
    "register_post_accumulate_grad_hook resize resize_as share_memory_ split stft storage storage_type unique "
    "unique_consecutive atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod cdist chain_matmul einsum "
    "meshgrid pca_lowrank svd_lowrank tensordot unravel_index".split()
)
_NATIVE_LAYERS = NATIVE_LAYERS | frozenset("celu_ elu_ hardtanh_ leaky_relu_ relu_ rrelu_ selu_ threshold_".split())


def _is_python(func: Callable[..., Any]) -> bool:
    name = getattr(func, "__name__", "")
    layer = registry["torch.nn.functional"].get(name)
    if name in _PYTHON:
        return registry["torch.linalg"].get(name) is not func
    return layer is func and name not in _NATIVE_LAYERS


@functools.cache
def _of_one_tensor(func: Callable[..., Any]) -> bool:
    """Whether a call is of a method that takes the tensor alone, or of a property: that it is a Tensor is said even where it is
    a plain one."""
    name = func.__name__
    if name in ("__get__", "__set__"):
        return True
    return Tensor.__dict__.get(name) is func and name != "nonzero" and len(inspect.signature(func).parameters) == 1


@functools.cache
def _signature(func: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function of torch.nn.functional or torch.functional, None for others and where it takes ``*args``."""
    if registry["torch.nn.functional"].get(func.__name__) is not func and registry["torch"].get(func.__name__) is not func:
        return None
    signature = inspect.signature(func)
    plain = all(one.kind is one.POSITIONAL_OR_KEYWORD for one in signature.parameters.values())
    return signature if plain else None


def _handed_on(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments as PyTorch's Python functions hand them on: required ones by position, all others by keyword.

    Those of einsum come with their equation; a mode sees operands in a list as they are, a class sees them one by one.
    """
    if func.__name__ == "einsum":
        args = with_equation(args)
        return args if modes.state.function_modes else one_by_one(args), kwargs
    signature = _signature(func)
    if signature is None:
        return args, kwargs
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return args, kwargs
    bound.apply_defaults()
    required = [name for name, one in signature.parameters.items() if one.default is one.empty]
    given = bound.arguments
    return tuple(given[name] for name in required), {name: value for name, value in given.items() if name not in required}


def _relevant(func: Function, args: Args, kwargs: Named) -> Args:
    """The arguments whose classes are told of: of einsum not those in a list, of tensordot its two factors."""
    if func.__name__ == "einsum":
        return tuple(one for one in args if not isinstance(one, (list, tuple)))
    return args if func.__name__ == "tensordot" else (*args, *kwargs.values())


def _ask(func: Callable[..., Any], found: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None, refusal: str) -> Any:
    """What the mode around, or the first class that does not decline, makes of a call; ``kwargs`` of None are not said."""
    types = tuple(type(one) for one in found)
    named = () if kwargs is None else (kwargs,)
    state = modes.state
    before, mark = state.function_modes, state.function_modes_mark
    if before:
        state.function_modes = before[:-1]
        try:
            result = before[-1].__torch_function__(func, types, args, *named)
        finally:
            state.function_modes, state.function_modes_mark = before, mark
        if result is not NotImplemented:
            return result
    for one in found:
        result = one.__torch_function__(func, types, args, *named)
        if result is not NotImplemented:
            return result
    asked = [f"  - mode object {mode}" for mode in before[-1:]] + [f"  - tensor subclass {kind}" for kind in types]
    name = resolve_name(func) or _qualified(func)
    mode = f" nor in mode {before[-1]}" if before else ""
    raise TypeError(refusal.format(name=name, listed="\n".join(asked), types=list(types), mode=mode))


def _qualified(func: Any) -> str:
    return f"{getattr(func, '__module__', 'torch')}.{getattr(func, '__name__', func)}"


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments, or a mode, takes calls over.

    >>> import rushlight as torch
    >>> from rushlight.overrides import has_torch_function
    >>> class Sub(torch.Tensor): pass
    >>> has_torch_function((torch.ones(1),)), has_torch_function((Sub([1.0]),))
    (False, True)
    """
    if switches.all_off or interpreters.has_been_asked(CALLS):
        return False
    return bool(modes.state.function_modes) or (not switches.subclasses_off and any(takes_over(one) for one in relevant_args))


def redispatch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
    """Calls ``func`` itself, from within the ``__torch_function__`` that it was given to: what it calls in turn is asked about
    again. A result is of no subclass.

    >>> import rushlight as torch
    >>> class Said(torch.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return torch.overrides.redispatch_function(func, types, args, kwargs)
    >>> torch.ones(2).as_subclass(Said).add(1)
    add
    tensor([2., 2.])
    """
    return interpreters.go_on(CALLS, func, args, kwargs or {})


def has_torch_function_unary(arg: Any) -> bool:
    """:func:`has_torch_function` of one argument."""
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: Any) -> bool:
    """:func:`has_torch_function` of arguments given one by one."""
    return has_torch_function(args)


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Leaves a call of ``public_api(*args, **kwargs)`` to those of ``relevant_args`` that take over.

    TypeError where all of them return NotImplemented.

    >>> import rushlight as torch
    >>> from rushlight.overrides import handle_torch_function, has_torch_function
    >>> class Seven:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return 7
    >>> def mine(x):
    ...     return handle_torch_function(mine, (x,), x) if has_torch_function((x,)) else x
    >>> mine(Seven()), mine(1)
    (7, 1)
    """
    return _ask(public_api, _overloaded(relevant_args, plain=True), args, kwargs, _PYTHON_REFUSAL)


def resolve_name(f: Callable[..., Any]) -> str | None:
    """``'torch.add'`` for a function of torch, None for others.

    >>> import rushlight as torch
    >>> torch.overrides.resolve_name(torch.sum)
    'torch.sum'
    """
    name = getattr(f, "__name__", None)
    if name is None:
        return None
    for space, functions in registry.items():
        if functions.get(name) is f:
            return f"{space}.functional.{name}" if space == "torch" and name in _PYTHON else f"{space}.{name}"
    if Tensor.__dict__.get(name) is f:
        return f"torch.Tensor.{name}"
    read = property_read(f)
    return f"torch.Tensor.{read}.{name}" if read else None


def property_read(f: Callable[..., Any]) -> str:
    """The name of the property of Tensor of which ``f`` is ``__get__`` or the like, '' for other functions."""
    getter = getattr(getattr(f, "__self__", None), "fget", None)
    return "" if getter is None else str(getter.__name__)
