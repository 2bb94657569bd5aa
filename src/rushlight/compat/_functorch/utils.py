"""torch._functorch.utils: small things that rules of higher-order operators need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.tensor import Tensor

from .._C import _functorch as layers

__all__ = ["argnums_t", "enable_single_level_autograd_function", "exposed_in", "unwrap_dead_wrappers"]

argnums_t = int | tuple[int, ...]


def exposed_in(module: str) -> Callable[[Any], Any]:
    """A decorator: the function says that it is of ``module``.

    >>> from rushlight._functorch.utils import exposed_in
    >>> exposed_in("torch.func")(lambda: None).__module__
    'torch.func'
    """

    def moved(function: Any) -> Any:
        function.__module__ = module
        return function

    return moved


@contextmanager
def enable_single_level_autograd_function() -> Iterator[None]:
    """Within it, Functions that see one layer only may be called; here they may be called anywhere."""
    previous = layers.get_single_level_autograd_function_allowed()
    layers.set_single_level_autograd_function_allowed(True)
    try:
        yield
    finally:
        layers.set_single_level_autograd_function_allowed(previous)


def unwrap_dead_wrappers(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, without the history of layers that have ended; the very same tuple if there is none.

    >>> from rushlight._functorch.utils import unwrap_dead_wrappers
    >>> unwrap_dead_wrappers((1, None))
    (1, None)
    """
    if not any(isinstance(one, Tensor) and layers.is_dead_tensor_wrapper(one) for one in args):
        return args
    return tuple(layers.unwrap_if_dead(one) if isinstance(one, Tensor) else one for one in args)
