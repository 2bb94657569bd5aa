"""How ops and rules compute with many numbers: rules by the operators of backend/many.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernels.arithmetic import MANY

if TYPE_CHECKING:
    from .table import Op


_FEW = 255  # numbers, of two bytes: the size of fewer is all that is asked


def many(name: str) -> str:
    """The question whether an array has so many numbers that another way of computing pays."""
    return f"{name}.size > {_FEW} and ({name}.size > {MANY} or {name}.itemsize == 2)"


def with_many(entry: Op, lines: list[str]) -> list[str]:
    """The text of a function that runs rules (rules_text.py), of which the last line returns their results, with a way for those."""
    kept = [f"k_{name}" for kind, name, _ in entry.keep if kind in ("input", "output")]
    if not kept or entry.joint is not None or entry.kind not in ("elementwise", "bilinear") or entry.variadic in entry.sources:
        return lines
    results = lines[-1].removeprefix("    return ")
    return [
        *lines[:-1],
        f"    if {many('g')}:",
        *(f"        {name} = as_many({name})" for name in ("g", *kept)),
        f"        return plain_arrays({results})",
        lines[-1],
    ]
