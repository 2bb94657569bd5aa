"""How a tensor is written: all its numbers in one notation and one width, summarised when long, as PyTorch does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..backend.nothing import Nothing
from ..base import dtypes


@dataclass(slots=True)
class PrintOptions:
    """What `set_printoptions` sets. `sci_mode` None lets the numbers choose the notation."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = PrintOptions()

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; None leaves an option alone, but `sci_mode` None gives the choice back to the numbers.

    precision: digits after the point. threshold: the number of elements above which a tensor is summarised.
    edgeitems: how many elements each dimension then shows at either end. linewidth: characters per line.
    profile: 'default', 'short' or 'full', set before the others. sci_mode: always or never scientific notation.

    >>> import rushlight as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1.23456])
    tensor([1.23])
    >>> torch.set_printoptions(profile="default")
    """
    chosen = dict(_PROFILES.get(profile, {})) if profile is not None else {}
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen.update({name: value for name, value in given.items() if value is not None})
    for name, value in chosen.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in use, as `set_printoptions` takes them."""
    return asdict(PRINT_OPTS)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """`set_printoptions` for the length of a `with` block."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


def tensor_text(
    array: np.ndarray[Any, Any],
    dtype: dtypes.dtype,
    *,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    tangent: str | None = None,
    name: str = "tensor",
) -> str:
    """The repr of a tensor, exactly as PyTorch gives it.

    array: of any shape. requires_grad: of a leaf. grad_fn_name: of a result, 'MulBackward0' say. tangent: the repr of
    its tangent in forward mode. name: what stands before the bracket, 'tensor' or a subclass's own name.

    >>> import numpy as np
    >>> from rushlight.base import dtypes
    >>> print(tensor_text(np.array([1.0, 0.25]), dtypes.float64, grad_fn_name="MulBackward0"))
    tensor([1.0000, 0.2500], dtype=torch.float64, grad_fn=<MulBackward0>)
    """
    opening = f"{name}("
    notes = []
    if isinstance(array, Nothing):
        body = "..."
        notes += ["device='meta'", f"size={array.shape}"]
        implied = dtype is dtypes.get_default_dtype()
    elif array.size == 0:
        body = "[]"
        if array.ndim != 1:
            notes.append(f"size={array.shape}")
        implied = dtype is dtypes.get_default_dtype()
    else:
        body = numbers_text(array, len(opening))
        if not PRINT_OPTS.edgeitems:
            notes.append(f"size={array.shape}")
        implied = dtype in dtypes.implied_in_print()
    if not implied:
        notes.append(f"dtype={dtype}")
    if grad_fn_name is not None:
        notes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    if tangent is not None:
        notes.append(f"tangent={tangent}")
    return _append(opening + body, notes, indent=len(opening)) + ")"


def _append(text: str, notes: list[str], indent: int) -> str:
    used = len(text) - text.rfind("\n") + 1  # the last line, and two more
    for note in notes:
        if used + 2 + len(note) > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + note
            used = indent + len(note)
        else:
            text += ", " + note
            used += 2 + len(note)
    return text


# The numbers.


def numbers_text(array: np.ndarray[Any, Any], indent: int) -> str:
    """The numbers between brackets; lines after the first begin ``indent`` spaces further in."""
    summarise = array.size > PRINT_OPTS.threshold
    shown = _edges(array) if summarise else array
    if shown.dtype.isbuiltin == 2:  # what ml_dtypes gave NumPy
        shown = shown.astype(np.complex64 if shown.dtype.itemsize == 4 else np.float32)  # NumPy's own functions know these
    if shown.dtype.kind == "c":
        real, imag = _Column(shown.real), _Column(shown.imag)
        width = real.width + imag.width + 1
        texts = [_complex_text(real, imag, value) for value in shown.ravel().tolist()]
    else:
        column = _Column(shown)
        width = column.width
        texts = [column.text(value).rjust(width) for value in shown.ravel().tolist()]
    cuts = [summarise and size > 2 * PRINT_OPTS.edgeitems for size in array.shape]
    return _nest(np.array(texts, dtype=object).reshape(shown.shape), cuts, indent, width)


def _edges(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The elements that a summary shows: of each long dimension the first few and the last few."""
    edge = PRINT_OPTS.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(size - edge, size)], axis=axis)
    return array


class _Column:
    """The notation and the width that all the numbers of a tensor share, chosen from the finite nonzero ones."""

    __slots__ = ("spec", "whole", "width")

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.whole = False
        if values.dtype.kind != "f":
            self.spec = ""
            extremes = [values.min().item(), values.max().item()] if values.size else []
        else:
            finite = values[np.isfinite(values) & (values != 0)].astype(np.float64)
            self.whole = bool((finite == np.ceil(finite)).all())
            extremes = _extremes(finite)
            self.spec = self._float_spec([abs(value) for value in extremes])
        self.width = max((len(self.text(value)) for value in extremes), default=1)

    def _float_spec(self, sizes: list[float]) -> str:
        scientific = PRINT_OPTS.sci_mode
        if scientific is None and sizes:
            low, high = min(sizes), max(sizes)
            scientific = high / low > 1000.0 or high > 1.0e8 or (not self.whole and low < 1.0e-4)
        if scientific and sizes:
            self.whole = False
            return f".{PRINT_OPTS.precision}e"
        return ".0f" if self.whole else f".{PRINT_OPTS.precision}f"

    def text(self, value: Any) -> str:
        text = format(value, self.spec)
        return text + "." if self.whole and math.isfinite(value) else text


def _extremes(values: np.ndarray[Any, Any]) -> list[float]:
    """The numbers nearest to and furthest from zero, on either side of it: the longest text is one of theirs."""
    sides = (values[values > 0], values[values < 0])
    return [float(pick()) for side in sides if side.size for pick in (side.min, side.max)]


def _complex_text(real: _Column, imag: _Column, value: complex) -> str:
    right = imag.text(value.imag)
    sign = "" if right.startswith("-") else "+"
    return f"{real.text(value.real).rjust(real.width)}{sign}{right}j"


def _nest(texts: np.ndarray[Any, Any], cuts: list[bool], indent: int, width: int) -> str:
    """The texts in brackets, one per dimension, with dots where a dimension is cut."""
    if texts.ndim == 0:
        return str(texts.item())
    half = len(texts) // 2
    if texts.ndim == 1:
        items = texts.tolist()
        if cuts[0]:
            items[half:half] = [" ..." if half else "..."]
        per_line = max(1, (PRINT_OPTS.linewidth - indent) // (width + 2))
        lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    items = [_nest(part, cuts[1:], indent + 1, width) for part in texts]
    if cuts[0]:
        items[half:half] = ["..."]
    return "[" + ("," + "\n" * (texts.ndim - 1) + " " * (indent + 1)).join(items) + "]"
