# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from typing import Any

class SobolEngine:
    """Points of a Sobol sequence in ``dimension`` (up to 21201) dimensions, PyTorch's for a seed."""
    seed: int | None
    scramble: bool
    dimension: int
    sobolstate: Any
    shift: Any
    quasi: Any
    num_generated: int
    MAXBIT: int
    MAXDIM: int
    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None: ...
    def draw(self, n: int = 1, out: Any = None, dtype: dtype | None = None) -> Tensor:
        """The next ``n`` points, of shape (n, dimension)."""
        ...
    def draw_base2(self, m: int, out: Any = None, dtype: dtype | None = None) -> Tensor:
        """The next ``2**m`` points. ValueError unless as many as there are then in all are a power of 2."""
        ...
    def fast_forward(self, n: int) -> SobolEngine:
        """Past the next ``n`` points."""
        ...
    def reset(self) -> SobolEngine:
        """Back to the first point."""
        ...
