"""torch.nn.attention: which kernel computes attention. There is one here, so that choosing changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from ...base.missing_names import lazy_names

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """PyTorch's kernels for scaled_dot_product_attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self) -> str:
        return f"<SDPBackend.{self.name}: {self.value}>"


# Which kernels a program has allowed; OVERRIDEABLE is no one's to switch.
allowed = dict.fromkeys(
    (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION), True
)


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """A block in which attention may use these kernels only: the one there is gives what any of them gives.

    TypeError for what is no SDPBackend or list of them.

    >>> import rushlight as torch
    >>> from rushlight.nn.attention import SDPBackend, sdpa_kernel
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 1, 2)] * 3)
    tensor([[[1., 1.]]])
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, (list, tuple)) or not all(isinstance(one, SDPBackend) for one in chosen):
        raise TypeError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    before = dict(allowed)
    allowed.update({kernel: kernel in chosen for kernel in allowed})
    try:
        yield
    finally:
        allowed.update(before)


__getattr__, __dir__ = lazy_names(__name__, frozenset({"flex_attention"}))
