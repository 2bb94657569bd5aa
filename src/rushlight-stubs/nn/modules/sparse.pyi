# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.module import Module
from typing import Any

class Embedding(_Table):
    """A row of the table for each number: (...) -> (..., embedding_dim)."""
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Embedding:
        """An Embedding over a given table, which is not learned unless ``freeze`` is False."""
        ...
class EmbeddingBag(_Table):
    """The sum, mean or maximum of the rows of bags of numbers, without the rows themselves."""
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    mode: str
    sparse: bool
    include_last_offset: bool
    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, include_last_offset: bool = False, padding_idx: int | None = None) -> EmbeddingBag:
        """An EmbeddingBag over a given table, which is not learned unless ``freeze`` is False."""
        ...
class _Table(Module):
    """What both embeddings share: the table and the row that stands for nothing."""
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    weight: Tensor
    def reset_parameters(self) -> None: ...
