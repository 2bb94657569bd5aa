# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _Simplex
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class LogisticNormal(TransformedDistribution):
    """Points of a simplex: n normal numbers become n + 1 shares by :class:`StickBreakingTransform`."""
    base_dist: Any
    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    @property
    def loc(self) -> Tensor: ...
    @property
    def scale(self) -> Tensor: ...
    support: _Simplex
