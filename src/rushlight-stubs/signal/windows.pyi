# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor
from rushlight import dtype
from rushlight import layout
from rushlight._inner import device
from typing import Any

def bartlett(M: Any, *, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """A triangle."""
    ...
def blackman(M: Any, *, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """The Blackman window."""
    ...
def cosine(M: Any, *, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """Half a period of a sine."""
    ...
def exponential(M: Any, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """``exp(-|n - center| / tau)``."""
    ...
def gaussian(M: Any, *, std: float = 1.0, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """``exp(-(n - middle)^2 / (2 std^2))``."""
    ...
def general_cosine(M: Any, *, a: Iterable[float], sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """A sum of cosines with coefficients ``a``, of alternating sign."""
    ...
def general_hamming(M: Any, *, alpha: float = 0.54, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """``alpha - (1 - alpha) cos``."""
    ...
def hamming(M: Any, *, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """The Hamming window."""
    ...
def hann(M: Any, *, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """The Hann window."""
    ...
def kaiser(M: Any, *, beta: float = 12.0, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """The Kaiser window."""
    ...
def nuttall(M: Any, *, sym: bool = True, dtype: dtype | None = None, layout: layout | None = ..., device: device | str | int | None = None, requires_grad: Any = False) -> Tensor:
    """Nuttall's minimum four-term window."""
    ...
