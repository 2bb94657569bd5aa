# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _Real
from rushlight.distributions.distribution import Distribution
from typing import Any

class VonMises(Distribution):
    """An angle about ``loc``, in radians, the closer to it the greater ``concentration``: a normal distribution on a circle."""
    loc: Any
    concentration: Any
    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    has_rsample: bool
    def log_prob(self, value: Any) -> Tensor: ...
    @property
    def mean(self) -> Tensor:
        """Of the angle on the circle."""
        ...
    @property
    def mode(self) -> Tensor: ...
    def sample(self, sample_shape: Any = ()) -> Tensor:
        """By rejection, after Best and Fisher, "Efficient simulation of the von Mises distribution" (1979), in float64."""
        ...
    support: _Real
    @property
    def variance(self) -> Tensor:
        """Of the angle on the circle: between 0 and 1."""
        ...
