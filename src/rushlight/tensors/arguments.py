"""Arguments as PyTorch takes them: dtypes, devices, sizes and numbers, and its errors for what they may not be."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..backend.notes import not_differentiable
from ..base import dtypes
from ..base.arguments import refuse as refuse
from ..base.arguments import type_name as type_name
from ..base.arguments import warn as warn
from ..base.device import changes, require_cpu, strided
from ..base.device import layout as Layout
from ..base.device import memory_format as MemoryFormat
from ..base.size import Size
from ..tensor import Tensor

Shape = tuple[int, ...]

_LISTS = frozenset[type]((tuple, list, Size))


# Options.


def options(
    name: str,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Any = False,
    pin_memory: Any = False,
    default: dtypes.dtype | None = None,
) -> np.dtype[Any]:
    """Checks the options of a function that makes a tensor; returns the NumPy type of its elements."""
    if dtype is None:
        chosen = dtypes.get_default_dtype() if default is None else default
    else:
        chosen = dtype if dtype.__class__ is dtypes.dtype else as_dtype(name, dtype)
    if device is not None or changes.count:
        require_cpu(device, name)
    if layout is not None:
        _check_layout(name, layout)
    if requires_grad is not False and (requires_grad is not None or name in ("tensor", "new_tensor")):
        check_bool(name, "requires_grad", requires_grad)
        if requires_grad and chosen.kind_rank < dtypes.FLOATING:
            raise not_differentiable("Only Tensors of floating point and complex dtype can require gradients")
    if pin_memory is not False and (pin_memory is not None or name in ("tensor", "new_tensor")):
        check_pin_memory(name, pin_memory)
    return chosen.numpy


def as_dtype(name: str, given: Any) -> dtypes.dtype:
    """The dtype that ``dtype=`` means: a dtype, or Python's float, int, bool or complex."""
    if given.__class__ is dtypes.dtype:
        return given
    found = dtypes.OF_PYTHON.get(given) if isinstance(given, type) else None
    if found is None:
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type_name(given)}")
    return found


def _check_layout(name: str, layout: object) -> None:
    if not isinstance(layout, Layout):
        raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type_name(layout)}")
    if layout is not strided:
        raise RuntimeError(f"{name}(): rushlight has strided tensors only, no {layout}")


def check_bool(name: str, argument: str, value: object) -> None:
    if value.__class__ is not bool:
        raise TypeError(f"{name}(): argument '{argument}' must be bool, not {type_name(value)}")


def check_pin_memory(name: str, pin_memory: object) -> None:
    check_bool(name, "pin_memory", pin_memory)
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system."
        )


def memory_format_name(name: str, memory_format: Any) -> str:
    """'preserve_format', 'contiguous_format', 'channels_last' or 'channels_last_3d'."""
    if memory_format is None:
        return "preserve_format"
    if not isinstance(memory_format, MemoryFormat):
        raise TypeError(f"{name}(): argument 'memory_format' must be torch.memory_format, not {type_name(memory_format)}")
    return str(memory_format.name)


# Sizes.


def shape_of(name: str, sizes: tuple[Any, ...], size: Any = None) -> Any:
    """Sizes given one by one, as one list, or by the keyword; not looked at yet."""
    if size is not None:
        if sizes:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        sizes = (size,)
    if len(sizes) == 1:
        first = sizes[0]
        if first.__class__ in _LISTS or isinstance(first, (tuple, list)):
            return first
    elif not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return sizes


def checked_shape(name: str, sizes: Any, *, one: bool = False, owner: str | None = None) -> Shape:
    """Sizes as a tuple of ints no less than zero; PyTorch's errors otherwise.

    ``one``: the sizes came as separate arguments, so an error counts those; ``owner`` names a negative size's error.
    """
    for size in sizes:
        if size.__class__ is not int or not 0 <= size < 2**63:
            break
    else:
        return tuple(sizes)
    if len(sizes) > 1 and isinstance(sizes[0], (tuple, list)):
        raise TypeError(f"{name}() takes 1 positional argument but {len(sizes)} were given")
    shape = []
    for position, size in enumerate(sizes):
        try:
            number = operator.index(size)
            if position == 0 and size.__class__ is bool:
                raise TypeError
        except (TypeError, RuntimeError):
            kind = type_name(size)
            if position == 0:
                text = f"{name}(): argument 'size' (position 1) must be tuple of ints, "
                if one and len(sizes) > 1:
                    text = f"{name}() takes 1 positional argument but {len(sizes)} were given"
                else:
                    text += f"not {kind}" if one else f"but found element of type {kind} at pos 0"
                raise TypeError(text) from None
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {position + 1} with error \"type must "
                "be tuple "
                f'of ints,but got {type_name(size)}"'
            ) from None
        if not -(2**63) <= number < 2**63:
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {position + 1} with error \"Overflow "
                "when unpacking long long"
            )
        shape.append(number)
    for size in shape:
        if size < 0:
            if owner is not None:
                raise RuntimeError(f"{owner}: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {shape}")
    return tuple(shape)


# Numbers.


def number(name: str, argument: str, position: int, value: Any) -> bool | int | float | complex:
    """A Python number from a number or a 0-dim tensor; PyTorch's TypeError otherwise."""
    kind = value.__class__
    if kind is int or kind is float or kind is bool or kind is complex:
        return value
    if isinstance(value, Tensor):
        if value._array.ndim == 0 and not value.requires_grad:
            return value.item()
    elif isinstance(value, (np.number, np.bool_)):
        return value.item()
    elif isinstance(value, (bool, int, float, complex)):
        return value
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {type_name(value)}")


def integer(name: str, argument: str, position: int, value: Any) -> int:
    """An int from an integer or an integer 0-dim tensor; PyTorch's TypeError otherwise."""
    if value.__class__ is int:
        return value
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except (TypeError, RuntimeError):
            pass
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not {type_name(value)}")
