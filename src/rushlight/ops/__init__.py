"""The op table by family. Importing this package fills the table and the registry of public functions."""

from importlib import import_module

FAMILIES = (
    "index",
    "choice",
    "comparison",
    "complex_numbers",
    "cumulative",
    "decompositions",
    "einsum",
    "extremes",
    "least_squares",
    "lu",
    "matmul",
    "matrix_functions",
    "matrix_norms",
    "pointwise",
    "norms",
    "operators",
    "products",
    "rearrange",
    "reduce",
    "reflectors",
    "removed",
    "shape",
    "softmax",
    "solve",
    "sort",
    "special",
    "statistics",
    "writing",
    "activations",
    "dropout",
    "numbers",
    "losses",
    "normalization",
    "padding",
    "embedding",
    "distances",
    "fourier",
    "short_time",
)

for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")
