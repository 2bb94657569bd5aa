"""The chi-squared distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from . import constraints
from .gamma import Gamma

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of ``df`` squares of standard normal numbers.

    >>> import rushlight as torch
    >>> torch.distributions.Chi2(3.0).mean
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        return self.concentration * 2
