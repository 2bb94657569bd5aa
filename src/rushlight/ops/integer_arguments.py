"""Arguments that are whole numbers, one or several, or switches; PyTorch's errors for what is none."""

from __future__ import annotations

import operator
from typing import Any

from ..base.arguments import check_switch, type_name

Shape = tuple[int, ...]


def whole_number(name: str, label: str, position: int, value: Any) -> int:
    """An argument as an int; PyTorch's TypeError for what is none."""
    found = _index(value)
    if found is None:
        raise TypeError(f"{name}(): argument '{label}' (position {position}) must be int, not {type_name(value)}")
    return found


def whole_numbers(name: str, label: str, position: int, value: Any, single: bool = True) -> Shape:
    """An argument as a tuple of ints, from a list of them or, where ``single``, from one; PyTorch's TypeError for what is none."""
    if not isinstance(value, (tuple, list)):
        found = _index(value) if single else None
        if found is None:
            raise TypeError(f"{name}(): argument '{label}' (position {position}) must be tuple of ints, not {type_name(value)}")
        if not -(2**63) <= found < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return (found,)
    numbers = []
    for place, one in enumerate(value):
        found = operator.index(one) if place and isinstance(one, bool) else _index(one)
        if found is None:
            wrong = f"{name}(): argument '{label}' "
            if not place:
                wrong += f"(position {position}) must be tuple of ints, but found element of type {type_name(one)} at pos 0"
            else:
                wrong += f'failed to unpack the object at pos {place + 1} with error "type must be tuple of ints,but got '
                wrong += type_name(one) + '"'
            raise TypeError(wrong)
        numbers.append(found)
    return tuple(numbers)


def switch(name: str, label: str, position: int, value: Any) -> bool:
    """An argument that is True or False; PyTorch's TypeError for what is neither."""
    check_switch(name, label, position, value)
    return bool(value)


def _index(value: Any) -> int | None:
    """What a whole number is as an int; None for a bool and for what is no whole number."""
    if value.__class__ is int:
        return int(value)
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except (TypeError, RuntimeError):
        return None
