"""Families given by probabilities or by logits; the others are computed when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits

if TYPE_CHECKING:
    from ..base.size import Size
    from ..tensor import Tensor

__all__ = ["ProbsOrLogits"]


class ProbsOrLogits(Distribution):
    """``probs`` and ``logits``, of one event each (``_is_binary``) or along the last dimension."""

    _is_binary = True

    @staticmethod
    def _require_one(probs: Any, logits: Any) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    @property
    def _param(self) -> Any:
        """The one that was given."""
        return self.__dict__["probs" if "probs" in self.__dict__ else "logits"]

    @property
    def param_shape(self) -> Size:
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)
