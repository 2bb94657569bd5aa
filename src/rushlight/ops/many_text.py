"""How rules compute with many numbers of two bytes: by the operators of backend/many.py, as NumPy's take ten times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Op


def with_many(entry: Op, lines: list[str]) -> list[str]:
    """The text of a function that runs rules (rules_text.py), of which the last line returns their results, with a way for those."""
    kept = [f"k_{name}" for kind, name, _ in entry.keep if kind in ("input", "output")]
    if not kept or entry.joint is not None or entry.kind not in ("elementwise", "bilinear") or entry.variadic in entry.sources:
        return lines
    results = lines[-1].removeprefix("    return ")
    return [
        *lines[:-1],
        "    if g.itemsize == 2 and g.size > 255:",
        *(f"        {name} = as_many({name})" for name in ("g", *kept)),
        f"        return plain_arrays({results})",
        lines[-1],
    ]
