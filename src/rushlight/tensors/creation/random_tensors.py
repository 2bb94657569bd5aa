"""New tensors of random numbers: rand, randn, randint, randperm, normal of a size, and the ``*_like`` forms."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from ... import random as generators
from ...backend.checked_convert import checked_convert
from ...base import dtypes
from ...ops.publishing import published
from ...tensor import Tensor
from ..arguments import checked_shape, integer, options, refuse, shape_of, type_name
from .allocation import finished, into, refuse_resizing
from .like import unset_like

Shape = tuple[int, ...]
_TOO_MANY = 2**60  # numbers, whose bytes no address reaches


def is_drawn_in(numpy_type: np.dtype[Any]) -> bool:
    """Whether random numbers come in a type: whole numbers, truth values and floats of eight bits have no draws."""
    return numpy_type.kind not in "iub" and numpy_type.itemsize > 1


def no_kernel(kernel: str, numpy_type: np.dtype[Any]) -> NoReturn:
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of(numpy_type).scalar_name}'")


def without_normals(shape: tuple[int, ...], numpy_type: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of a type that normal numbers do not fit: PyTorch only minds where it has elements."""
    if 0 not in shape:
        no_kernel("normal_kernel_cpu", numpy_type)
    return np.zeros(shape, numpy_type)


_SIZE_FORM = (
    "tuple of ints size, *, torch.Generator generator, Tensor out = None, torch.dtype dtype = None, torch.layout "
    "layout = "
    "None, torch.device device = None, bool pin_memory = False, bool requires_grad = False"
)


def _shape(name: str, sizes: tuple[Any, ...], size: Any, generator: Any) -> Shape:
    if generator is not None and not isinstance(generator, generators.Generator):
        refuse(name, sizes, {"generator": generator}, _SIZE_FORM)
    if not sizes and size is None:
        refuse(name, (), {}, _SIZE_FORM)
    wanted = shape_of(name, sizes, size)
    shape = checked_shape(name, wanted, one=wanted is sizes)
    if math.prod(shape) >= _TOO_MANY:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    return shape


@published
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Uniform numbers from [0, 1); the same for a seed as PyTorch's.

    >>> import rushlight as torch
    >>> generator = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    natural = None if out is None else out.dtype
    numpy_type = options("rand", dtype, layout, device, requires_grad, pin_memory, natural)
    shape = _shape("rand", sizes, size, generator)
    if not is_drawn_in(numpy_type):
        no_kernel("check_uniform_bounds", numpy_type)
    array = generators.stream_of(generator).uniform(shape, numpy_type)
    return finished(array, requires_grad) if out is None else into(out, "rand", array, dtype, requires_grad)


@published
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers from the standard normal distribution.

    >>> import rushlight as torch
    >>> generator = torch.manual_seed(0)
    >>> torch.randn(2)
    tensor([ 1.5410, -0.2934])
    """
    refuse_resizing(out)
    natural = None if out is None else out.dtype
    numpy_type = options("randn", dtype, layout, device, requires_grad, pin_memory, natural)
    shape = _shape("randn", sizes, size, generator)
    if numpy_type.kind not in "iub" and numpy_type.itemsize > 1:
        array = generators.stream_of(generator).normal(shape, numpy_type)
    else:
        array = without_normals(shape, numpy_type)
    return finished(array, requires_grad) if out is None else into(out, "randn", array, dtype, requires_grad)


_RANDINT_FORMS = (
    "int high, tuple of ints size, *, torch.Generator generator = None, Tensor out = None, torch.dtype dtype = None, "
    "torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False",
    "int low, int high, tuple of ints size, *, torch.Generator generator = None, Tensor out = None, torch.dtype dtype "
    "= None, "
    "torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False",
)


@published
def randint(
    *bounds: Any,
    low: Any = None,
    high: Any = None,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``randint(high, size)`` or ``randint(low, high, size)``: whole numbers from low (0) up to, without, high; int64.

    >>> import rushlight as torch
    >>> generator = torch.manual_seed(0)
    >>> torch.randint(10, (3,))
    tensor([4, 9, 3])
    """
    given = list(bounds)
    if size is None and given and (isinstance(given[-1], (tuple, list)) or high is not None or len(given) == 3):
        size = given.pop()
    named = {"low": low, "high": high, "size": size}
    if high is None and given:
        high = given.pop()
    if low is None and given:
        low = given.pop()
    if given or high is None or (size is None and not bounds):
        refuse("randint", bounds, {key: value for key, value in named.items() if value is not None}, *_RANDINT_FORMS)
    if size is None:
        if len(bounds) == 1:
            refuse("randint", bounds, {}, *_RANDINT_FORMS)
        raise TypeError(f"randint(): argument 'size' (position 2) must be tuple of ints, not {type_name(bounds[-1])}")
    natural = dtypes.int64 if out is None else out.dtype
    numpy_type = options("randint", dtype, layout, device, requires_grad, pin_memory, natural)
    first = 0 if low is None else integer("randint", "low", 1, low)
    last = integer("randint", "high", 1 if low is None else 2, high)
    array = generators.stream_of(generator).integers(checked_shape("randint", size), numpy_type, first, last)
    return finished(array, requires_grad) if out is None else into(out, "randint", array, dtype, requires_grad)


@published
def randperm(
    n: Any,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The numbers from 0 to ``n - 1`` in random order; int64.

    >>> import rushlight as torch
    >>> generator = torch.manual_seed(0)
    >>> torch.randperm(4)
    tensor([0, 1, 3, 2])
    """
    length = integer("randperm", "n", 1, n)
    natural = dtypes.int64 if out is None else out.dtype
    numpy_type = options("randperm", dtype, layout, device, requires_grad, pin_memory, natural)
    checked_shape("randperm", (length,))
    chosen = dtypes.of(numpy_type)
    checked_convert(max(length - 1, 0), chosen)  # the largest element
    array = generators.stream_of(generator).permutation(length, numpy_type)
    return finished(array, requires_grad) if out is None else into(out, "randperm", array, dtype, requires_grad)


# Like another tensor.


@published
def rand_like(
    input: Any,
    *,
    generator: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Uniform numbers from [0, 1) in the shape and dtype of ``input``."""
    array = unset_like("rand_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    if not is_drawn_in(array.dtype):
        no_kernel("check_uniform_bounds", array.dtype)
    fill_as_laid_out(array, lambda shape, _: generators.stream_of(generator).uniform(shape, array.dtype))
    return finished(array, requires_grad)


@published
def randn_like(
    input: Any,
    *,
    generator: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Standard normal numbers in the shape and dtype of ``input``."""
    array = unset_like("randn_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    if not is_drawn_in(array.dtype):
        return finished(without_normals(array.shape, array.dtype), requires_grad)
    stream = generators.stream_of(generator)
    fill_as_laid_out(array, lambda shape, whole: stream.normal(shape, array.dtype, contiguous=whole))
    return finished(array, requires_grad)


@published
def randint_like(
    input: Any,
    *bounds: Any,
    low: Any = None,
    high: Any = None,
    generator: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """``randint_like(input, high)`` or ``(input, low, high)``: whole numbers in the shape and dtype of ``input``."""
    given = list(bounds)
    if high is None and given:
        high = given.pop()
    if low is None and given:
        low = given.pop()
    if given or high is None:
        refuse(
            "randint_like",
            (input, *bounds),
            {},
            "Tensor input, int high, *, ...",
            "Tensor input, int low, int high, *, ...",
        )
    if isinstance(high, Tensor) and low is None:
        if high._array.ndim:
            raise RuntimeError("high must be a scalar tensor and on CPU")
        high = int(high.item())
    array = unset_like("randint_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    first, last = (
        integer("randint_like", "low", 2, low or 0),
        integer("randint_like", "high", 2 if low is None else 3, high),
    )
    stream = generators.stream_of(generator)
    fill_as_laid_out(array, lambda shape, _: stream.integers(shape, array.dtype, first, last))
    return finished(array, requires_grad)


def fill_as_laid_out(array: np.ndarray[Any, Any], draw: Any) -> None:
    """Fills an array in the order in which it lies in memory; ``draw(shape, contiguous)`` gives the numbers."""
    if array.flags.c_contiguous:
        array[...] = draw(array.shape, True)
        return
    ordered = array.transpose(generators.memory_axes(array))
    ordered[...] = draw(ordered.shape, False)
