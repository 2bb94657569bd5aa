# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from rushlight.distributions.distribution import Distribution
from typing import Any
from typing import TypeVar

_F = TypeVar('_F', bound=Callable[[Any, Any], Any])

def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean under ``p`` of log p(x) - log q(x), of the shape of both batches broadcast."""
    ...
def register_kl(type_p: type, type_q: type) -> Callable[[_F], _F]:
    """A decorator for the function that :func:`kl_divergence` calls for these classes and what is derived from them."""
    ...
