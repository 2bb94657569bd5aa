"""Causes of differences between random programs on rushlight and on PyTorch that are known, each with its reason.

A pattern is searched for in the shortened program's report: `kind at line`, the detail, and its lines. A fresh program that
differs in value or gradient for none of them, and not by a last digit of its leaves, fails the tests.
"""

from __future__ import annotations

import re

KNOWN: list[tuple[str, str]] = [
    (r"masked_scatter_?\(", "too few values, or the tensor's own: PyTorch has written some elements by the time it refuses or reads"),
    (r"view_as_real[^#]*last dimension with stride 1", "PyTorch does not find nothing contiguous: its own accident"),
    (r"# \w+: \d+/\d+ differ, at \S+ (-?)([\d.infe+]+) for (?!\1)-?\2\b", "the sign of zero or nan, made visible by copysign, atan2 or 1 / x"),
    (r"(value|grad) at (?s:.*)(broadcast_to|expand\(|as_strided)", "elements share places, and the outcome is the order of writes"),
    (r"complex32", "there are no half-precision complex numbers"),
    (r"(?s)linalg\.det.*grad: |grad at .*linalg\.det", "the gradient of a determinant that is zero: PyTorch has none there"),
]  # fmt: skip


def known(report: str) -> str | None:
    """The reason for a difference, if it is one of those."""
    return next((reason for pattern, reason in KNOWN if re.search(pattern, report)), None)
