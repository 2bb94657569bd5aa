"""Tensors in memory that several processes share: ``share_memory_``, and how they get to other processes."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..backend import shared
from ..backend.numpy import address, root
from ..base.public_names import methods
from ..tensor import PLAIN, Tensor, wrap


def is_shared(self: Tensor) -> bool:
    """Whether the memory is shared with other processes."""
    return shared.block_of(self._array) is not None


def share_memory_(self: Tensor) -> Tensor:
    """Moves the memory to where processes started later share it, and that of its base if it is a view: what one writes, all see.

    Other views of the same memory stay where they were.

    >>> import rushlight as torch
    >>> torch.zeros(2).share_memory_().is_shared()
    True
    """
    _send_by_descriptor()
    array = self._array
    if shared.block_of(array) is not None:
        return self
    base = self._base
    if base is None or not array.size:
        self._array = shared.moved(array)
        return self
    offset = address(array) - address(base._array)
    base._array = shared.moved(base._array)
    whole = root(base._array)
    offset += address(base._array) - address(whole)
    self._array = shared.view(whole, array.dtype, array.shape, array.strides, offset)
    return self


def _reduced(handed_on: Any, tensor: Tensor) -> Any:
    """A shared tensor as its file's descriptor; any other as pickles have it."""
    array = tensor._array
    block = shared.block_of(array)
    if block is None or handed_on is None or tensor.grad_fn is not None:
        return tensor.__reduce_ex__(4)
    offset = address(array) - address(root(array)) if array.size else 0
    layout = tensor.dtype, array.shape, array.strides, offset
    return _rebuilt, (type(tensor), tensor.requires_grad, handed_on(block.descriptor), len(block), layout)


def _rebuilt(kind: Any, requires_grad: bool, descriptor: Any, size: int, layout: Any) -> Tensor:
    _send_by_descriptor()
    dtype, shape, strides, offset = layout
    made = wrap(shared.view(shared.mapped(descriptor.detach(), size), dtype.numpy, shape, strides, offset))
    if kind is not Tensor:
        return kind(made, requires_grad)
    made.requires_grad = requires_grad
    return made


def _send_by_descriptor() -> None:
    """What multiprocessing pickles with sends shared tensors as such from now on."""
    from multiprocessing import reduction

    handed_on = getattr(reduction, "DupFd", None)  # which Windows lacks
    for kind in PLAIN:
        reduction.ForkingPickler.register(kind, partial(_reduced, handed_on))


methods.update(is_shared=is_shared, share_memory_=share_memory_)
