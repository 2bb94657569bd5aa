"""Tensors that count: arange, linspace, logspace and the older range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...backend import creation as backend
from ...backend.numpy import is_float8
from ...base import dtypes
from ...ops.publishing import published
from ...tensor import Tensor
from ..arguments import integer, number, options, type_name, warn
from .allocation import finished, into, refuse_leaves

_NUMBERS = frozenset((int, float))
_FAR = 2**62  # sums of two such integers fit int64


@published
def arange(
    *bounds: Any,
    start: Any = None,
    end: Any = None,
    step: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``: from start (0) up to, without, end.

    int64 if all are integers, else the default dtype. RuntimeError for a step of zero or away from the end.

    >>> import rushlight as torch
    >>> torch.arange(3), torch.arange(1, 2.5, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000, 2.0000]))
    """
    if start is end is step is None and 0 < len(bounds) < 4 and _NUMBERS.issuperset(map(type, bounds)):
        first, last, width = (0, bounds[0], 1) if len(bounds) == 1 else bounds if len(bounds) == 3 else (*bounds, 1)
        whole = first.__class__ is last.__class__ is width.__class__ is int
        if whole and dtype is out is None and -_FAR < first <= last < _FAR and 0 < width < _FAR and not requires_grad:
            options("arange", dtypes.int64, layout, device, requires_grad, pin_memory)
            return finished(np.arange(first, last, width))
    else:
        first, last, width = _bounds(bounds, start, end, step)
        whole = not any(isinstance(value, (float, complex)) for value in (first, last, width))
    natural = out.dtype if out is not None else dtypes.int64 if whole else None
    numpy_type = options("arange", dtype, layout, device, requires_grad, pin_memory, natural)
    chosen = dtypes.of(numpy_type)
    if chosen is dtypes.bool_ or chosen.is_complex or (chosen.is_floating_point and chosen.itemsize == 1):
        if out is not None:
            refuse_leaves(out, "arange")
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{chosen.scalar_name}'")
    if chosen.kind_rank == dtypes.INTEGRAL and not whole and width and not int(width):
        raise ValueError("step must be nonzero")
    if chosen is dtypes.int64 and not whole:
        first, last, width, whole = int(first), int(last), int(width), True
    count = _count("arange", first, last, width, whole)
    if chosen.kind_rank == dtypes.INTEGRAL and not whole:
        first, width = int(first), int(width)
    array = backend.arange(first, width, count, numpy_type)
    if out is None:
        return finished(array, requires_grad)
    if out.numel() not in (0, count):
        warn(
            f"The number of elements in the out tensor of shape {list(out.shape)} is {out.numel()} which does not "
            f"match the computed number of elements {count}. Note that this may occur as a result of rounding error. "
            f"The out tensor will be resized to a tensor of shape ({count},)."
        )
    return _filled(out, "arange", array, dtype, requires_grad)


def _filled(out: Any, name: str, array: np.ndarray[Any, Any], dtype: object, requires_grad: bool) -> Tensor:
    """``out`` with these numbers: in its own shape if there are as many."""
    fits = isinstance(out, Tensor) and out._array.size == array.size
    return into(out, name, array.reshape(out._array.shape) if fits else array, dtype, requires_grad)


def _bounds(given: tuple[Any, ...], start: Any, end: Any, step: Any) -> tuple[Any, Any, Any]:
    if len(given) == 1 and end is None:
        names: tuple[str, ...] = ("end",)
        values: tuple[Any, ...] = (given[0],)
    elif len(given) == 1 and start is None:
        names, values = ("start", "end"), (given[0], end)
    else:
        names, values = ("start", "end", "step")[: len(given)], given
    if len(given) > 3 or len(values) > 3 or (not given and end is None):
        got = ", ".join(type_name(value) for value in given)
        raise TypeError(
            f"arange() received an invalid combination of arguments - got ({got}), but expected one of:\n"
            " * (Number end, *, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device "
            "device = "
            "None, bool pin_memory = False, bool requires_grad = False)\n"
            " * (Number start, Number end, Number step = 1, *, Tensor out = None, torch.dtype dtype = None, "
            "torch.layout layout "
            "= None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)\n"
        )
    found = {"start": start, "end": end, "step": step}
    found.update(zip(names, values, strict=True))
    checked = {
        name: number("arange", name, place + 1, value) for place, (name, value) in enumerate(zip(names, values, strict=True))
    }
    for name, value in found.items():
        if name not in checked:
            fallback = 1 if name == "step" else 0
            checked[name] = fallback if value is None else number("arange", name, 1, value)
    return checked["start"], checked["end"], checked["step"]


def _count(name: str, first: Any, last: Any, width: Any, whole: bool) -> int:
    for value in (first, last, width):
        if isinstance(value, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
    if any(isinstance(value, int) and value >= 2**64 for value in (first, last, width)):
        raise OverflowError("int too big to convert")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if not width:
        raise RuntimeError("step must be nonzero")
    if (width > 0 and last < first) or (width < 0 and last > first):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if whole and not all(-(2**63) <= value < 2**63 for value in (first, last, width)):
        if first < -(2**63) or last < -(2**63):
            raise OverflowError("can't convert negative int to unsigned")
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    count = backend.steps_between(first, last, width, False)
    if not count < 2**63 or (whole and not -(2**63) <= last - first < 2**63):
        raise RuntimeError("invalid size, possible overflow?")
    return backend.steps_between(first, last, width, whole)


@published
def range(
    start: Any,
    end: Any,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """From ``start`` to ``end``, which is included. Deprecated: use :func:`arange`."""
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    first, last = number("range", "start", 1, start), number("range", "end", 2, end)
    width = number("range", "step", 3, step)
    numpy_type = options("range", dtype, layout, device, requires_grad, pin_memory, None if out is None else out.dtype)
    _count("range", first, last, width, False)
    array = backend.arange(first, width, int((last - first) / width) + 1, numpy_type)  # type: ignore
    return finished(array, requires_grad) if out is None else _filled(out, "range", array, dtype, requires_grad)


@published
def linspace(
    start: Any,
    end: Any,
    steps: Any,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``steps`` values from ``start`` to ``end``, both included, at equal distances.

    >>> import rushlight as torch
    >>> torch.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    first, last, count, numpy_type = _ends("linspace", start, end, steps, out, dtype, layout, device, requires_grad, pin_memory)
    if is_float8(numpy_type):
        raise NotImplementedError(f"\"linspace_cpu\" not implemented for '{dtypes.of(numpy_type).scalar_name}'")
    array = backend.linspace(first, last, count, numpy_type)
    return finished(array, requires_grad) if out is None else _filled(out, "linspace", array, dtype, requires_grad)


@published
def logspace(
    start: Any,
    end: Any,
    steps: Any,
    base: Any = 10.0,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``base`` to the power of ``steps`` exponents from ``start`` to ``end``.

    >>> import rushlight as torch
    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    first, last, count, numpy_type = _ends("logspace", start, end, steps, out, dtype, layout, device, requires_grad, pin_memory)
    array = backend.logspace(first, last, count, number("logspace", "base", 4, base), numpy_type)
    return finished(array, requires_grad) if out is None else _filled(out, "logspace", array, dtype, requires_grad)


def _ends(
    name: str,
    start: Any,
    end: Any,
    steps: Any,
    out: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    requires_grad: Any,
    pin_memory: Any,
) -> tuple[Any, Any, int, np.dtype[Any]]:
    for value in (start, end):
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got "
                f"{'start' if value is start else 'end'} with {value.ndim} dimension(s)."
            )
    first = start.item() if isinstance(start, Tensor) else number(name, "start", 1, start)
    last = end.item() if isinstance(end, Tensor) else number(name, "end", 2, end)
    if not hasattr(steps, "__index__") or isinstance(steps, bool):
        given = ", ".join(type_name(value) for value in (start, end, steps))
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({given}), but expected one of:\n"
            " * (Tensor start, Tensor end, int steps, ...)\n * (Number start, Number end, int steps, ...)\n"
        )
    count = integer(name, "steps", 3, steps)
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    if count >= 2**60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{count}]")
    natural = out.dtype if out is not None else None
    if natural is None and (isinstance(first, complex) or isinstance(last, complex)):
        natural = dtypes.default_complex_dtype()
    numpy_type = options(name, dtype, layout, device, requires_grad, pin_memory, natural)
    if numpy_type.kind != "c" and (isinstance(first, complex) or isinstance(last, complex)):
        if dtype is None:
            raise RuntimeError(f"value cannot be converted to type {dtypes.of(numpy_type).c_name} without overflow")
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {dtypes.default_complex_dtype().c_name} can't be safely cast to passed dtype "
            f"{dtypes.of(numpy_type).scalar_name}"
        )
    if numpy_type.kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    if numpy_type.kind in "iu" and not (name == "logspace" and count == 1):
        first, last = (int(value.real) for value in (first, last))
    return first, last, count, numpy_type
