"""Sizes and dimensions that are given one by one or as one list, and the one size that is left to the number of elements."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

from .operands import left_open


def one_list(sizes: object) -> object:
    """Sizes or dimensions of a function, which takes them in a list alone; TypeError for others, which is then said in PyTorch's words."""
    if not isinstance(sizes, (tuple, list)) or (sizes and isinstance(sizes[0], bool)):
        raise TypeError
    return sizes


def sizes_of(args: tuple[Any, ...], name: str, label: str = "size") -> tuple[int, ...]:
    """Sizes given one by one or as one list; TypeError for what is none."""
    listed = len(args) == 1 and isinstance(args[0], (tuple, list))
    given = args[0] if listed else args
    for size in given:
        if size.__class__ is not int:
            break
    else:
        if args:
            return given if given.__class__ is tuple else tuple(given)
        raise TypeError(f'{name}() missing 1 required positional arguments: "{label}"')
    sizes = []
    for position, size in enumerate(given):
        try:
            sizes.append(operator.index(size))
        except TypeError:
            kind = type(size).__name__
            if name == "view" and not position:
                given = "tuple" if listed else ", ".join(type(one).__name__ for one in args)
                text = (
                    f"view() received an invalid combination of arguments - got ({given}), but expected one of:\n"
                    " * (torch.dtype dtype)\n * (tuple of ints size)\n"
                )
            elif position:
                text = (
                    f"{name}(): argument '{label}' failed to unpack the object at pos {position + 1} with error \"type must be "
                    f'tuple of ints,but got {kind}"'
                )
            elif listed:
                text = f"{name}(): argument '{label}' (position 1) must be tuple of ints, but found element of type {kind} at pos 0"
            elif len(args) > 1:
                text = f"{name}() takes 1 positional argument but {len(args)} were given"
            else:
                text = f"{name}(): argument '{label}' (position 1) must be tuple of ints, not {kind}"
            raise TypeError(text) from None
    return tuple(sizes)


@functools.lru_cache(1024)
def inferred(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """A shape with its -1 replaced by what the number of elements leaves."""
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for size in shape:
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {shape.index(size)} of shape {list(shape)}")
    known = abs(math.prod(shape))
    if -1 in shape:
        if known == 0:
            raise (
                left_open(shape) if numel == 0 else RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
            )
        if numel % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        place = shape.index(-1)
        return (*shape[:place], numel // known, *shape[place + 1 :])
    if known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape


def sizes_for(array: Any, sizes: tuple[Any, ...], name: str, label: str) -> tuple[int, ...]:
    """The new shape that ``sizes`` (one by one or as one list) mean for an array."""
    given = sizes[0] if len(sizes) == 1 and sizes[0].__class__ is tuple else sizes
    known = 1
    for size in given:
        if size.__class__ is not int or size < 0:
            break
        known *= size
    else:
        if known == array.size and sizes:
            return given  # type: ignore[no-any-return]
    for place, size in enumerate(given):
        if size.__class__ is int and not -(2**63) <= size < 2**63:
            failed = f"failed to unpack the object at pos {place + 1} with error"
            raise TypeError(f"{name}(): argument '{label}' {failed} \"Overflow when unpacking long long")
    return inferred(sizes_of(sizes, name, label), array.size)
