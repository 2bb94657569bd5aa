"""torch._functorch.pyfunctorch: the running transforms as objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.transforms import dynamic_layers

from .._C._functorch import CInterpreter, TransformType, get_interpreter_stack, peek_interpreter_stack

__all__ = [
    "CInterpreter",
    "TransformType",
    "retrieve_all_functorch_interpreters",
    "retrieve_current_functorch_interpreter",
    "temporarily_clear_interpreter_stack",
]


@contextmanager
def temporarily_clear_interpreter_stack() -> Iterator[list[CInterpreter]]:
    """As if no function transform were running; gives those that are.

    >>> import rushlight as torch
    >>> from rushlight._functorch.pyfunctorch import temporarily_clear_interpreter_stack
    >>> def outside(x):
    ...     with temporarily_clear_interpreter_stack() as running:
    ...         return x * len(running)
    >>> torch.vmap(lambda x: x * outside(torch.ones(())))(torch.ones(2))
    tensor([1., 1.])
    """
    running = get_interpreter_stack() or []
    if not running:
        yield []
        return
    with dynamic_layers.without(dynamic_layers.state.stack[0]):
        yield running


def retrieve_current_functorch_interpreter() -> CInterpreter:
    """The innermost running transform. RuntimeError if there is none."""
    found = peek_interpreter_stack()
    if found is None:
        raise RuntimeError("no function transform is running")
    return found


def retrieve_all_functorch_interpreters() -> list[CInterpreter]:
    """All running transforms, the outermost first."""
    return get_interpreter_stack() or []
