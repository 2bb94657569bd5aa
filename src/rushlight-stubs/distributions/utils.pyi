# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from typing import Any
from typing import Generic
from typing import Self
from typing import TypeVar
from typing import overload

_Value = TypeVar('_Value')

def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """The values as tensors of one shape; numbers become tensors like the given ones, or of the default dtype."""
    ...
def clamp_probs(probs: Any) -> Tensor:
    """Away from 0 and 1 by the least step that the dtype knows at 1."""
    ...
class lazy_property(Generic[_Value]):
    """An attribute computed when it is first asked for, and kept; with gradients, whatever the mode then."""
    wrapped: Callable[[Any], _Value]
    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> _Value: ...
    def __init__(self, wrapped: Callable[[Any], _Value]) -> None: ...
def logits_to_probs(logits: Any, is_binary: bool = False) -> Tensor:
    """Probabilities: of one event each (``is_binary``), or along the last dimension."""
    ...
def probs_to_logits(probs: Any, is_binary: bool = False) -> Tensor:
    """Logits, finite also where a probability is 0 or 1: log odds (``is_binary``), or log probabilities."""
    ...
def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The entries on and below a diagonal, row by row: from (..., n, n) to (..., count)."""
    ...
def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of :func:`tril_matrix_to_vec`: zeros stand above the diagonal."""
    ...
