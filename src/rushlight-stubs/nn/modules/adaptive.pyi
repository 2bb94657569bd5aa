# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Sequence
from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.module import Module
from typing import Any

class AdaptiveLogSoftmaxWithLoss(Module):
    """Frequent classes in the head, others in clusters between ``cutoffs``, each with a smaller projection."""
    in_features: int
    n_classes: int
    cutoffs: Any
    div_value: float
    head_bias: bool
    shortlist_size: Any
    n_clusters: Any
    head_size: Any
    head: Any
    tail: Any
    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The log-probability of each target, and their mean with the sign turned."""
        ...
    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: (N, in_features) -> (N, n_classes)."""
        ...
    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row."""
        ...
    def reset_parameters(self) -> None:
        """Draws all weights again."""
        ...
class _ASMoutput(tuple[Any, ...]):
    """_ASMoutput(output, loss)"""
    loss: Any
    output: Any
