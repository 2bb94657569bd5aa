"""Writing into tensors: fill_, zero_, copy_, and what the graph remembers of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import grad_mode, modes, overlaps, views
from ..autograd.interpreters import asks_itself
from ..autograd.mirrors import in_one_memory, mirrors_by_counter
from ..autograd.nodes import Node
from ..autograd.write_errors import check_output
from ..backend import pointwise as k
from ..backend.checked_convert import checked_fill
from ..base.arguments import NUMBERS, type_name
from ..base.strides import is_stretched
from ..tensor import Methods, Tensor, new_tensor
from .argument_forms import check_form
from .asking import asked
from .inplace import count, in_graph, plain_write
from .integer_arguments import switch
from .operands import foreign_method, refuse_history, sizes_in_front
from .public import function_of, methods, module, ops, public, warn
from .table import op

op("zero", k.zeroed, kind="linear", x=lambda g, xp: xp.zeroed(g))
op("fill", k.filled, node="FillBackward0", kind="elementwise", x=lambda g, xp: xp.zeroed(g))
op("fill_tensor", k.copied, node="FillBackward1", kind="linear", x=lambda g, xp: xp.zeroed(g), source=lambda g: g)
op("filled", k.filled, node="FillBackward2", kind="elementwise", x=lambda g, xp: xp.zeroed(g))
op("filled_tensor", k.copied, node="FillBackward3", kind="linear", x=lambda g, xp: xp.zeroed(g), source=lambda g: g)
op("copy", k.copied, node="CopyBackwards", kind="linear", x=lambda g, xp: xp.zeroed(g), source=lambda g: g)


def _recording(self: Any, *others: Any) -> bool:
    """Whether a write into ``self`` is more than a matter of memory."""
    if not modes.state.grad_enabled:
        return bool(modes.special.active)
    base = self._base
    return bool(
        modes.special.active
        or self._needs_grad
        or (base is not None and (base._needs_grad or self._seen != self._counter[0]))
        or any(other.requires_grad for other in others)
    )


def zero_(input: Any) -> Tensor:
    """Puts zeros into the tensor."""
    if modes.special.active:
        result = asked(zero_, (input,), {})
        if result is not NotImplemented:
            return result
    if not modes.special.active and plain_write(input):
        input._array.fill(0)
        count(input, "zero_")
        return input
    views.check_writable(input)
    overlaps.check_turned(input)
    if _recording(input):
        return views.inplace(ops.zero, "zero_", input)
    views.write(input, 0, "zero_")
    return input


# What holds any number of this size: the others are looked at.
_WIDE = "fd"  # float32 and float64
_LARGE = 1e38


def fill_(input: Any, value: Any) -> Tensor:
    """Puts a number, or the one element of a tensor, into every place.

    >>> import rushlight as torch
    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.])
    """
    if modes.special.active:
        result = asked(fill_, (input, value), {})
        if result is not NotImplemented:
            return result
    kind = value.__class__
    if (
        (kind is float or (kind is int and -(1 << 63) <= value < 1 << 63))
        and input._array.dtype.char in _WIDE
        and -_LARGE < value < _LARGE
        and not modes.special.active
        and plain_write(input)
    ):
        input._array[...] = value
        count(input, "fill_")
        return input
    if isinstance(value, Tensor):
        _check_is_number(value)
        views.check_writable(input, value.requires_grad)
        overlaps.check_memory(input)
        if _recording(input, value):
            return views.inplace(ops.filled_tensor, "fill_", input, value)
        if value._array.dtype.kind == "c" and input._array.dtype.kind not in "cWb":
            warn("Casting complex values to real discards the imaginary part", once=True)
        value = k.real_if(value._array, input._array.dtype)
    else:
        if not isinstance(value, NUMBERS):
            check_form("fill_", (value,))
        views.check_writable(input)
        overlaps.check_turned(input)
        value = checked_fill(value, input._array)
        if _recording(input):
            return views.inplace(ops.filled, "fill_", input, value)
    views.write(input, value, "fill_")
    return input


@public(method=False, out=False)
def fill(input: Any, value: Any) -> Tensor:
    """A tensor like ``input`` with ``value`` in every place."""
    if isinstance(value, Tensor):
        _check_is_number(value)
        refuse_history(input.dtype, value)
        return ops.fill_tensor(input, value)
    return ops.fill(input, checked_fill(value, input._array))


def _check_is_number(value: Tensor) -> None:
    if value._array.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions.")


def copy_(self: Any, other: Any, non_blocking: bool = False) -> Any:
    """Puts the elements of ``other``, broadcast and cast, into the tensor; gradients flow to ``other``."""
    if modes.special.active:
        result = asked(copy_, (self, other), {"non_blocking": non_blocking} if non_blocking is not False else {})
        if result is not NotImplemented:
            return result
    if non_blocking is not False:
        switch("copy_", "non_blocking", 2, non_blocking)
    if (
        other.__class__ is self.__class__
        and other._array.dtype is self._array.dtype
        and other._array.shape == self._array.shape
        and not in_one_memory(self, other)
        and not mirrors_by_counter
        and not modes.special.active
        and plain_write(self, in_graph(other))
    ):
        self._array[...] = other._array
        count(self, "copy_")
        return self
    if isinstance(other, NUMBERS):
        other = new_tensor(np.asarray(other))
    if not isinstance(other, Tensor):
        result = foreign_method("copy_", (self, other))
        if result is not NotImplemented:
            return result
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    target, source = self._array, other._array
    if self._inference is not None:  # of those PyTorch sees only what it has written
        overlaps.check_memory(self, (other,))
        _check_shapes(self, other)
    views.check_writable(self, other.requires_grad and target.dtype.kind in "fcVW")
    if is_stretched(target):
        if not overlaps.same_elements(target, source):
            raise overlaps.overlap_error()
        if _recording(self, other) or self._tangents or other._tangents:
            return views.inplace(ops.copy, "copy_", self, other)
        views.bump(self, "copy_")
        return self
    if target.shape != source.shape:
        overlaps.check_memory(self, (other,))
        _check_shapes(self, other)
    if self is other and not _recording(self, other):
        views.bump(self, "copy_")
        return self
    overlaps.check_memory(self, (other,))
    overlaps.check_copied(self, other)
    if source.dtype.kind == "c" and target.dtype.kind not in "cWb":
        warn("Casting complex values to real discards the imaginary part", once=True)
    if (_recording(self, other) and target.dtype.kind in "fcVW") or overlaps.overlaps_itself(target):
        return views.inplace(ops.copy, "copy_", self, other)
    views.write(self, k.real_if(source, target.dtype), "copy_")
    return self


def _check_shapes(self: Tensor, other: Tensor) -> None:
    """PyTorch's error unless ``other`` can be copied into ``self``; of examples in terms of their batches."""
    shape, given = self._array.shape, other._array.shape
    if self._of_batch:
        front, ndim = sizes_in_front((self, other)), max(len(shape), len(given))
        shape, given = ((*front, *(1,) * (ndim - len(one)), *one) for one in (shape, given))
    check_output(shape, given)


for _method in (zero_, fill_, copy_):
    methods[_method.__name__] = asks_itself(_method)
for _method in (zero_, fill_):
    module("torch")[_method.__name__] = function_of(_method)


class Copied(Methods):
    def _copy_node(self, result: Tensor) -> Node:
        """The node of ``self.copy_(result)``."""
        with grad_mode.enable_grad():
            edge = ops.copy(self, result)._edge
        return edge[0]
