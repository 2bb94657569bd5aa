# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor

def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after another."""
    ...
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Gives each parameter its part of a vector, whose memory it then shares."""
    ...
