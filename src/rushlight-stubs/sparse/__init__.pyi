# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor as _Tensor
from rushlight import dtype
from rushlight import dtype as _dtype
from rushlight import layout
from rushlight import layout as _layout
from typing import Any
from rushlight import Tensor as Tensor

class BFloat16Tensor:
    """Sparse tensors of torch.bfloat16, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class ByteTensor:
    """Sparse tensors of torch.uint8, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class CharTensor:
    """Sparse tensors of torch.int8, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class DoubleTensor:
    """Sparse tensors of torch.float64, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class FloatTensor:
    """Sparse tensors of torch.float32, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class HalfTensor:
    """Sparse tensors of torch.float16, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class IntTensor:
    """Sparse tensors of torch.int32, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class LongTensor:
    """Sparse tensors of torch.int64, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
class ShortTensor:
    """Sparse tensors of torch.int16, made of indices and values, or of sizes: all zeros."""
    dtype: _dtype
    is_sparse: bool
    layout: _layout
def addmm(mat: _Tensor, mat1: _Tensor, mat2: _Tensor, *, beta: Any = 1, alpha: Any = 1) -> _Tensor:
    """``beta * mat + alpha * mm(mat1, mat2)``."""
    ...
class check_sparse_tensor_invariants:
    """``enable()``, ``disable()`` and ``is_enabled()``; as a ``with`` block or a decorator it holds within. Kept and answered: indices out of range are refused in either case."""
    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, enable: bool = True) -> None: ...
    @staticmethod
    def disable() -> None:
        """Sets it back."""
        ...
    @staticmethod
    def enable() -> None:
        """Sets it."""
        ...
    @staticmethod
    def is_enabled() -> bool:
        """What was set last."""
        ...
def log_softmax(input: _Tensor, dim: int, *, dtype: dtype | None = None) -> _Tensor:
    """The logarithm of :func:`softmax`."""
    ...
def mm(mat1: _Tensor, mat2: _Tensor, reduce: str = 'sum') -> _Tensor:
    """The product of two matrices, the first sparse; its gradient is that of the first's own indices."""
    ...
def sampled_addmm(input: _Tensor, mat1: _Tensor, mat2: _Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> _Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` at the places of ``input``, a matrix of layout ``sparse_csr``."""
    ...
def softmax(input: _Tensor, dim: int, *, dtype: dtype | None = None) -> _Tensor:
    """Softmax along a dimension of what is stored; what is not stored counts as minus infinity and stays so."""
    ...
def spdiags(diagonals: _Tensor, offsets: _Tensor, shape: tuple[int, int], layout: layout | None = None) -> _Tensor:
    """The matrix of ``shape`` with the rows of ``diagonals`` on its diagonals ``offsets``: 0 is the main one, those above it count up."""
    ...
def sum(input: _Tensor, dim: Any = None, dtype: dtype | None = None) -> _Tensor:
    """The sum of the values, or sums over dimensions: sparse in the sparse dimensions that are left, dense where none is."""
    ...
