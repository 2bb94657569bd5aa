"""Tensors in memory that several processes share: ``share_memory_``, and how they get to other processes."""

from __future__ import annotations

from multiprocessing import reduction
from typing import Any

from ..backend import shared
from ..backend.numpy import address, root
from ..tensor import Tensor, wrap


def share(tensor: Tensor) -> Tensor:
    """Moves a tensor's memory to where processes share it, and that of its base if it is a view.

    Other views of the same memory stay where they were.
    """
    _send_by_descriptor()
    array = tensor._array
    if shared.block_of(array) is not None:
        return tensor
    base = tensor._base
    if base is None or not array.size:
        tensor._array = shared.moved(array)
        return tensor
    offset = address(array) - address(base._array)
    base._array = shared.moved(base._array)
    whole = root(base._array)
    offset += address(base._array) - address(whole)
    tensor._array = shared.view(whole, array.dtype, array.shape, array.strides, offset)
    return tensor


def _reduced(tensor: Tensor) -> Any:
    """A shared tensor as its file's descriptor; any other as pickles have it."""
    array = tensor._array
    block = shared.block_of(array)
    handed_on = getattr(reduction, "DupFd", None)  # which Windows lacks
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
    from ..nn import Parameter

    for kind in (Tensor, Parameter):
        reduction.ForkingPickler.register(kind, _reduced)
