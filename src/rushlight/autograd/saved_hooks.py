"""What happens to the values that the graph keeps between forward and backward: hooks, and other places to keep them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..backend import numpy as backend
from . import grad_mode, modes

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = [
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class saved_tensors_hooks:
    """Within it, ``pack_hook(tensor)`` decides what the graph keeps of each tensor it would save, and ``unpack_hook`` gives
    a tensor of the same values back when backward needs it.

    RuntimeError where :func:`disable_saved_tensors_hooks` is on, and where ``pack_hook`` writes into its argument.

    >>> import rushlight as torch
    >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    ...     y = (a * a).sum()
    >>> y.backward()
    >>> a.grad
    tensor([2., 4.])
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        for hook in (self.pack_hook, self.unpack_hook):
            if not callable(hook):
                raise TypeError(
                    "_push_saved_tensors_default_hooks(): incompatible function arguments. The hooks must be functions, not "
                    f"{type(hook).__name__}"
                )
        state = modes.state
        if state.saved_hooks_refusal is not None:
            raise RuntimeError(state.saved_hooks_refusal)
        mark = modes.marked(state.saved_hooks_mark, True)
        hooks = [*(state.saved_hooks or ()), (self.pack_hook, self.unpack_hook)]
        state.saved_hooks, state.saved_hooks_mark = hooks, mark

    def __exit__(self, *error: object) -> None:
        state = modes.state
        hooks = state.saved_hooks and state.saved_hooks[:-1]
        state.saved_hooks, state.saved_hooks_mark = (hooks, state.saved_hooks_mark) if hooks else (None, None)


class save_on_cpu(saved_tensors_hooks):
    """Keeps what the graph saves in memory of the CPU: the tensors themselves, which are there already, and no copies.

    >>> import rushlight as torch
    >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = a.exp().log().sum()
    >>> y.backward()
    >>> a.grad
    tensor([1., 1.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        if not isinstance(device_type, str):
            raise TypeError(f"attribute name must be string, not '{type(device_type).__name__}'")

        super().__init__(lambda tensor: tensor, lambda kept: kept)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within it, :class:`saved_tensors_hooks` is a RuntimeError with this message; so is entering it under such hooks.

    >>> import rushlight as torch
    >>> with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    ...         pass
    Traceback (most recent call last):
    RuntimeError: not here
    """
    state = modes.state
    if state.saved_hooks:
        raise RuntimeError(error_message)
    previous, state.saved_hooks_refusal = state.saved_hooks_refusal, error_message
    try:
        yield
    finally:
        state.saved_hooks_refusal = previous


class _Handle:
    """What the graph keeps in a block of :func:`allow_mutation_on_saved_tensors` in place of a tensor."""


class _Block:
    """The tensors saved in one block of :func:`allow_mutation_on_saved_tensors`, by handle; a copy is made when one of them is
    about to be written to, and all goes with the nodes that hold the handles."""

    def __init__(self) -> None:
        self.open = True
        self.original: weakref.WeakKeyDictionary[_Handle, Tensor] = weakref.WeakKeyDictionary()
        self.cloned: weakref.WeakKeyDictionary[_Handle, Tensor] = weakref.WeakKeyDictionary()
        # The same memory, at the same version and lying in the same way, has one handle.
        self.tid_to_weakhandle: weakref.WeakValueDictionary[Any, _Handle] = weakref.WeakValueDictionary()
        self._sharing: dict[int, weakref.WeakSet[_Handle]] = {}  # by version counter

    def pack(self, tensor: Tensor) -> _Handle:
        array = tensor._array
        key = (id(tensor._counter), tensor._counter[0], backend.address(array), array.shape, array.strides, array.dtype)
        handle = self.tid_to_weakhandle.get(key)
        if handle is None:
            handle = self.tid_to_weakhandle[key] = _Handle()
            self.original[handle] = tensor.detach()
            self._sharing.setdefault(id(tensor._counter), weakref.WeakSet()).add(handle)
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        if not self.open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        found = self.cloned.get(handle)
        return self.original[handle] if found is None else found

    def before_write(self, tensor: Tensor) -> None:
        """Copies what the graph saved of the memory that is about to be written to."""
        for handle in list(self._sharing.pop(id(tensor._counter), ())):
            kept = self.original.pop(handle, None)
            if kept is not None:
                with grad_mode.no_grad():
                    self.cloned[handle] = kept.clone()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Block]:
    """Within it, a tensor that the graph saved may be changed in place; backward uses the values of before.

    A saved tensor is copied when it is first written to. Backward must run within the block too: AssertionError.

    >>> import rushlight as torch
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     a = torch.ones(2, requires_grad=True)
    ...     b = a.clone()
    ...     y = (b**2).sum()
    ...     _ = b.sin_()
    ...     y.backward()
    >>> a.grad
    tensor([2., 2.])
    """
    if modes.state.mutation_allowed is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    modes.state.mutation_allowed = block = _Block()
    try:
        with saved_tensors_hooks(block.pack, block.unpack):
            yield block
    finally:
        modes.state.mutation_allowed = None
        block.open = False
        for kept in (block.original, block.cloned, block.tid_to_weakhandle):
            kept.clear()
