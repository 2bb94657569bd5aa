# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.gamma import Gamma
from typing import Any
from typing import Self

class Chi2(Gamma):
    """The sum of ``df`` squares of standard normal numbers."""
    def __init__(self, df: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    @property
    def df(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
