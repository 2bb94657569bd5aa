"""torch.jit: scripts and traces are not compiled here, so functions and modules come back as they are.

Saved TorchScript cannot be loaded: it is a program in another language.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, Final, NoReturn, TypeVar, get_args, get_origin

from rushlight.base.missing_names import lazy_names
from rushlight.nn.modules.module import Module

from ..futures import Future

__all__ = [
    "Attribute",
    "Final",
    "Future",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "optimize_for_inference",
    "optimized_execution",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "trace",
    "trace_module",
    "unused",
    "wait",
]
T = TypeVar("T")
Traced = TypeVar("Traced", bound=Callable[..., Any])


class ScriptModule(Module):
    """A module, as any other: ``script_method`` marks nothing here."""


class RecursiveScriptModule(ScriptModule):
    """What PyTorch's ``script`` makes of a module; here modules stay what they are, so nothing is one."""


class ScriptFunction:
    """What PyTorch's ``script`` makes of a function; here functions stay what they are, so nothing is one."""

    def __init__(self) -> None:
        raise TypeError("ScriptFunction: No constructor defined!")


class Attribute:
    """A value and its type, for modules that are scripted."""

    def __init__(self, value: Any, type: Any) -> None:
        self.value, self.type = value, type


class TracerWarning(Warning):
    """Never given: nothing is traced."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """There are none to ignore."""


def script(obj: T, *args: Any, **kwargs: Any) -> T:
    """The function, class or module itself.

    >>> import rushlight as torch
    >>> @torch.jit.script
    ... def double(x):
    ...     return x + x
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    return obj


def trace(func: Traced, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Traced:
    """The function or module itself, after it ran once on the examples, as PyTorch's does (where it can fail)."""
    examples = example_inputs if example_inputs is not None else kwargs.get("example_kwarg_inputs")
    if type(examples) is dict:
        func(**examples)
    elif examples is not None:
        func(*(examples if type(examples) in (tuple, list) else (examples,)))
    return func


def trace_module(mod: T, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> T:
    """The module itself, after each of its methods that ``inputs`` names ran once."""
    for name, examples in inputs.items():
        getattr(mod, name)(*(examples if type(examples) is tuple else (examples,)))
    return mod


def freeze(mod: T, *args: Any, **kwargs: Any) -> T:
    """The module itself."""
    return mod


optimize_for_inference = run_frozen_optimizations = freeze


def _mark(fn: Any = None, **kwargs: Any) -> Any:
    """A mark for PyTorch's compiler: the function itself, with or without options."""
    return _mark if fn is None or fn.__class__ is bool else fn


ignore = unused = export = script_method = script_if_tracing = _script_if_tracing = interface = _overload = _overload_method = (
    _mark
)


def annotate(the_type: Any, the_value: T) -> T:
    """The value."""
    return the_value


def is_scripting() -> bool:
    """False: nothing is ever scripted."""
    return False


def is_tracing() -> bool:
    """False: nothing is ever traced."""
    return False


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, with what its containers hold looked at: ``list[int]``, ``dict[str, torch.Tensor]``.

    >>> import rushlight as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
    (True, False)
    """
    if type(target_type) is tuple:
        return any(isinstance(obj, one) for one in target_type)
    origin, inner = get_origin(target_type), get_args(target_type)
    check = builtins.isinstance
    if origin is None:
        return check(obj, target_type)
    if not check(origin, type):  # a union
        return any(isinstance(obj, one if one is not None else type(None)) for one in inner)
    if not check(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(key, inner[0]) and isinstance(value, inner[1]) for key, value in obj.items())
    if origin is tuple and Ellipsis not in inner:
        return len(obj) == len(inner) and all(isinstance(one, kind) for one, kind in zip(obj, inner, strict=True))
    return all(isinstance(one, inner[0]) for one in obj)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """A future that holds what the function gives: it runs at once."""
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future[T]) -> T:
    """What a future holds."""
    return future.wait()


_fork, _wait = fork, wait


def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """RuntimeError: a module cannot be saved as TorchScript here."""
    raise RuntimeError("rushlight does not write TorchScript; save the module's state_dict() with torch.save instead")


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> NoReturn:
    """RuntimeError: TorchScript is a program in another language, which does not run here."""
    raise RuntimeError(
        "rushlight does not read TorchScript; in PyTorch, save the module's state_dict() with torch.save instead"
    )


def optimized_execution(should_optimize: bool) -> AbstractContextManager[None]:
    """A context in which nothing is different."""
    return nullcontext()


def set_fusion_strategy(strategy: Any) -> None:
    """Nothing is fused."""


__getattr__, __dir__ = lazy_names(__name__)
import_module(f"{__name__}.annotations")  # PyTorch has the module where `from __future__` has left a name
