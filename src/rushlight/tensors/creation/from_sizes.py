"""Tensors from sizes: zeros, ones, full, empty and eye.

Every function takes PyTorch's options ``dtype, layout, device, requires_grad, pin_memory`` (``out`` too where
PyTorch does). The plain call is short on purpose: a small tensor should cost little more than the array it is made of.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd import modes
from ...autograd.modes import special
from ...backend import creation as backend
from ...backend.checked_convert import checked_fill
from ...backend.numpy import is_complex_half
from ...base import dtypes
from ...base.strides import reach
from ...ops.publishing import published
from ...tensor import Tensor, new_tensor
from ..arguments import checked_shape, integer, memory_format_name, number, options, shape_of, type_name
from .allocation import allocated, check_out, finished, into, refuse_resizing, second_try


def _filled_function(name: str, make: Callable[..., np.ndarray[Any, Any]], owner: str | None, doc: str) -> Any:
    """``zeros`` or ``ones``: a tensor out of ``make(shape, numpy_type)``. Written for speed: small tensors are many."""

    def function(
        *sizes: Any,
        size: Any = None,
        out: Any = None,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
    ) -> Tensor:
        numpy_type = options(name, dtype, layout, device, requires_grad, pin_memory)
        wanted = sizes if size is None and len(sizes) > 1 else shape_of(name, sizes, size)
        try:
            array = make(wanted, numpy_type)
        except Exception as error:
            array = second_try(make, name, wanted, wanted is sizes, numpy_type, owner, error)
        if out is not None:
            return into(out, name, array, dtype, requires_grad)
        result = new_tensor(array)
        if requires_grad:
            result._needs_grad = True
        if special.active and modes.state.inference:
            result._inference = modes.state.inference
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return published(function)


def _ones(shape: Any, numpy_type: np.dtype[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(shape, numpy_type)
    array.fill(1)
    return array


zeros = _filled_function(
    "zeros",
    np.zeros,
    "zeros",
    """A tensor of zeros. RuntimeError for a negative size.

    >>> import rushlight as torch
    >>> torch.zeros(2, 3, dtype=torch.int64)
    tensor([[0, 0, 0],
            [0, 0, 0]])
    """,
)
ones = _filled_function(
    "ones",
    _ones,
    None,
    """A tensor of ones. RuntimeError for a negative size.

    >>> import rushlight as torch
    >>> torch.ones(2)
    tensor([1., 1.])
    """,
)


@published
def empty(
    *sizes: Any,
    size: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor whose values nobody has set. RuntimeError for a negative size.

    >>> import rushlight as torch
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    wanted = shape_of("empty", sizes, size)
    try:
        numpy_type = options("empty", dtype, layout, device, requires_grad, pin_memory)
    except (RuntimeError, AssertionError):  # of a device, which comes behind the kind of the first size
        checked_shape("empty", wanted[:1], one=wanted is sizes)
        raise
    array = allocated(np.empty, "empty", wanted, wanted is sizes, numpy_type)
    if memory_format is not None:
        array = backend.empty_in_format(array.shape, numpy_type, memory_format_name("empty", memory_format))
    if out is None:
        return finished(backend.unset(array), requires_grad)
    check_out(out, "empty", dtype)
    refuse_resizing(out)
    if out._array.shape != array.shape:
        out._array = np.empty(array.shape, out._array.dtype)
    backend.unset(out._array)
    return out.requires_grad_() if requires_grad else out


@published
def empty_strided(
    size: Sequence[Any],
    stride: Sequence[Any],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """An unset tensor with given strides, counted in elements."""
    numpy_type = options("empty_strided", dtype, layout, device, requires_grad, pin_memory)
    shape = checked_shape("empty_strided", size)
    steps = tuple(operator.index(step) for step in stride)
    if len(shape) != len(steps):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})")
    if any(step < 0 for step in steps):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}")
    if reach(shape, steps) * numpy_type.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}")
    return finished(backend.unset(backend.empty_strided(shape, steps, numpy_type)), requires_grad)


@published
def empty_permuted(
    size: Sequence[Any],
    physical_layout: Sequence[int],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """An unset tensor whose dimensions lie in memory in the given order, the first one outermost."""
    numpy_type = options("empty_permuted", dtype, layout, device, requires_grad, pin_memory)
    shape = checked_shape("empty_permuted", size)
    if len(shape) != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for index, axis in enumerate(physical_layout):
        if not 0 <= axis < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {axis} at index {index}).  "
                "NB: negative dims not currently supported; file an issue if you want it."
            )
    if len(set(physical_layout)) < len(shape):
        raise RuntimeError("Duplicate dim not allowed")
    return finished(backend.unset(backend.in_order(shape, numpy_type, tuple(physical_layout))), requires_grad)


@published
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of one value, whose dtype follows from the value unless given.

    >>> import rushlight as torch
    >>> torch.full((2,), 7), torch.full((2,), 0.5)
    (tensor([7, 7]), tensor([0.5000, 0.5000]))
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}")
    value = number("full", "fill_value", 2, fill_value)
    kind = value.__class__
    natural = dtypes.int64 if kind is int else None if kind is float else dtypes.of_number(kind)
    if out is not None:
        if not isinstance(out, Tensor):
            raise TypeError(f"full(): argument 'out' must be Tensor, not {type_name(out)}")
        natural = out.dtype
    numpy_type = options("full", dtype, layout, device, requires_grad, pin_memory, natural)
    array = allocated(np.empty, "full", size, False, numpy_type)
    array.fill(checked_fill(value, array))
    return finished(array, requires_grad) if out is None else into(out, "full", array, dtype, requires_grad)


@published
def eye(
    n: Any,
    m: Any = None,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``n`` rows and ``m`` (or n) columns with ones on the diagonal.

    >>> import rushlight as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    numpy_type = options("eye", dtype, layout, device, requires_grad, pin_memory, None if out is None else out.dtype)
    rows = integer("eye", "n", 1, n)
    columns = rows if m is None else integer("eye", "m", 2, m)
    for label, count in (("n", rows), ("m", columns)):
        if count < 0:
            raise RuntimeError(f"{label} must be greater or equal to 0, got {count}")
    if is_complex_half(numpy_type):
        raise NotImplementedError("\"eye\" not implemented for 'ComplexHalf'")
    array = np.eye(rows, columns, dtype=numpy_type)
    return finished(array, requires_grad) if out is None else into(out, "eye", array, dtype, requires_grad)


@published
def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor without dimensions, of the default dtype unless given."""
    value = number("scalar_tensor", "s", 1, s)
    numpy_type = options("scalar_tensor", dtype, layout, device, requires_grad, pin_memory)
    array = np.empty((), numpy_type)
    array.fill(checked_fill(value, array))
    return finished(array, requires_grad)
