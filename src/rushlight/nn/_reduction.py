"""What losses make of their elements, by name and by number, and the old pair of flags for it."""

from __future__ import annotations

import warnings

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction; ValueError where there is none of that name.

    >>> from rushlight.nn import _reduction
    >>> _reduction.get_enum("sum")
    2
    """
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        return 1
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the old flags mean: none without ``reduce``, else the mean, or the sum without ``size_average``."""
    averages = size_average is None or size_average
    name = "none" if not (reduce is None or reduce) else "mean" if averages else "sum"
    if emit_warning:
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.", stacklevel=2)
    return name


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of the reduction that the old flags mean."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
