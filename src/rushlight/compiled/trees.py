"""Arguments and results taken apart: containers of Python's own, and what is in them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ..tensor import Tensor


def leaves_of(value: Any, found: list[Any]) -> Any:
    """The form of a value, with its leaves put into ``found``: two values of one form differ in their leaves alone."""
    kind = type(value)
    if kind is tuple or kind is list:
        return (kind, *[leaves_of(one, found) for one in value])
    if kind is dict:
        keys = tuple(value)
        kinds = {*map(type, keys)} <= _TEXT or tuple(map(_which, keys))  # others may be equal, and not the same
        return (kind, keys, kinds, *[leaves_of(one, found) for one in value.values()])
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return (kind, *[leaves_of(one, found) for one in value])
    found.append(value)
    return None


def _which(key: object) -> object:
    """Which key it is of those that are equal to it."""
    return type(key), repr(key) if type(key) in (str, bytes, bool, int, float, type(None)) else id(key)


def containers_in(value: object) -> Iterator[object]:
    """The lists and dicts in a value, which may be changed in place."""
    if isinstance(value, (list, dict)):
        yield value
    if isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from containers_in(one)


def which_containers(value: object, found: Collection[int]) -> list[int]:
    """Which lists and dicts in a value are one: of each the place of the first that it is, or its identity where that is among those
    ``found`` elsewhere."""
    first: dict[int, int] = {}
    every = enumerate(map(id, containers_in(value)))
    return [one if one in found else first.setdefault(one, place) for place, one in every]


def rebuilt(form: Any, leaves: Any) -> Any:
    """A value of a form, of leaves taken from an iterator."""
    if form is None:
        return next(leaves)
    kind, *rest = form
    if kind is dict:
        keys, _, *forms = rest
        return {key: rebuilt(one, leaves) for key, one in zip(keys, forms, strict=True)}
    values = [rebuilt(one, leaves) for one in rest]
    return values if kind is list else tuple(values) if kind is tuple else kind(*values)


_TEXT = {str}
NEAR = 1e-5  # what rounding in another order may change of the largest of several numbers


def equal(one: Any, other: Any, exact: bool, scale: float = 0.0) -> bool:
    """Whether two arrays are the same to the last bit, or nearly so: as near as their numbers, or ``scale``, are large."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if exact or one.dtype.kind not in "fc" or one.tobytes() == other.tobytes():
        return bool(one.tobytes() == other.tobytes())
    most = max(scale, greatest(other))
    return bool(np.allclose(one, other, rtol=NEAR, atol=NEAR * most, equal_nan=True))


def greatest(array: Any) -> float:
    """The absolute value of an array's greatest finite number."""
    return float(np.abs(array).max(initial=0.0, where=np.isfinite(array)))


def tensor_form(tensor: Tensor) -> tuple[Any, ...]:
    """What of a tensor a program may depend on, its values apart."""
    array = tensor._array
    return (
        tensor.__class__, array.shape, array.dtype, array.strides, tensor._needs_grad, tensor._edge is None, tensor._base is None,
        tensor._hooks or None, tensor._post_accumulate_hooks or None, tensor._grad is None, tensor._inference is None,
        tensor._tangents or None, tensor._conjugate, tensor._negated, tensor._grad_dtype, tensor._retains,
    )  # fmt: skip
