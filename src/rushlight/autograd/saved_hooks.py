"""What happens to the values that the graph keeps between forward and backward: hooks, and other places to keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import modes

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
        state.saved_hooks = [*(state.saved_hooks or ()), (self.pack_hook, self.unpack_hook)]
        modes.special.enter()

    def __exit__(self, *error: object) -> None:
        hooks = modes.state.saved_hooks
        if hooks:
            modes.state.saved_hooks = hooks[:-1] or None
            modes.special.leave()


class save_on_cpu(saved_tensors_hooks):
    """Keeps what the graph saves in memory of the CPU: as copies, for all tensors are there already.

    >>> import rushlight as torch
    >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = a.exp().log().sum()
    >>> y.backward()
    >>> a.grad
    tensor([1., 1.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> Any:
            return tensor.detach().clone()  # type: ignore[attr-defined]

        super().__init__(pack, lambda kept: kept)


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


class _Block:
    """Whether a block of :func:`allow_mutation_on_saved_tensors` is still open."""

    open = True


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Block]:
    """Within it, a tensor that the graph saved may be changed in place; backward uses the values of before.

    Saved tensors are copied when they are saved, so a forward pass takes more memory. Backward must run within the block too.

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
    if modes.state.mutation_allowed:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    block = _Block()

    def pack(tensor: Tensor) -> Any:
        return tensor.detach().clone()  # type: ignore[attr-defined]

    def unpack(kept: Tensor) -> Tensor:
        if not block.open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return kept

    modes.state.mutation_allowed = True
    try:
        with saved_tensors_hooks(pack, unpack):
            yield block
    finally:
        block.open = False
        modes.state.mutation_allowed = False
