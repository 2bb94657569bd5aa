# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Sequence
from rushlight import Tensor
from rushlight import dtype
from rushlight import memory_format
from rushlight._inner import device
from typing import Any

def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str = '') -> None:
    """The older :func:`assert_close`, whose tolerances are wider and which does not look at dtypes; it warns that it is old."""
    ...
def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False, msg: str | Callable[[str], str] | None = None) -> None:
    """AssertionError, saying where, unless tensors, numbers, or sequences and mappings of them are close."""
    ...
def make_tensor(*shape: int | Sequence[int], dtype: dtype, device: device | str | int | None, low: float | None = None, high: float | None = None, requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: memory_format | None = None) -> Tensor:
    """A tensor of random numbers in [low, high)."""
    ...
