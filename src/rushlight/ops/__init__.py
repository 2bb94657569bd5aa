"""The op table by family. Importing this package fills the table and the registry of public functions."""

from importlib import import_module

FAMILIES = (
    "index",
    "choice",
    "comparison",
    "complex_numbers",
    "cumulative",
    "extremes",
    "matmul",
    "pointwise",
    "norms",
    "operators",
    "rearrange",
    "reduce",
    "shape",
    "softmax",
    "sort",
    "special",
    "statistics",
    "writing",
)

for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")
