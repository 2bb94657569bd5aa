"""Dropout: in training, elements or whole channels are set to zero by chance."""

from __future__ import annotations

from typing import ClassVar

from ...tensor import Tensor
from .. import functional as F
from .module import Module


class _DropoutNd(Module):
    _function: ClassVar[str]
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, self._function)(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Drops elements with probability ``p``; the others grow so that the mean stays.

    >>> import rushlight as torch
    >>> torch.nn.Dropout(0.5).eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    _function = "dropout"


class Dropout1d(_DropoutNd):
    """Drops channels of (N, C, L)."""

    _function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Drops channels of (N, C, H, W)."""

    _function = "dropout2d"


class Dropout3d(_DropoutNd):
    """Drops channels of (N, C, D, H, W)."""

    _function = "dropout3d"


class AlphaDropout(_DropoutNd):
    """Dropout for SELU networks: keeps mean and variance."""

    _function = "alpha_dropout"

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """The same for whole channels."""

    _function = "feature_alpha_dropout"

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
