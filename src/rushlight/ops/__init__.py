"""The op table by family. Importing this package fills the table and the registry of public functions."""

from importlib import import_module

FAMILIES = (
    "index",
    "choice",
    "comparison",
    "complex_numbers",
    "matmul",
    "pointwise",
    "operators",
    "rearrange",
    "reduce",
    "shape",
    "special",
    "writing",
)

for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")
