"""torch.backends.mkldnn: tensors can be of the layout ``torch._mkldnn``; NumPy's own libraries compute with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

enabled = True
deterministic = False
allow_tf32 = True
matmul, conv, rnn = (SimpleNamespace(fp32_precision="none") for _ in range(3))
VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2


def is_available() -> bool:
    """Whether ``Tensor.to_mkldnn`` works."""
    return True


def set_flags(
    _enabled: bool | None = None, _deterministic: bool | None = None, _allow_tf32: bool | None = None
) -> tuple[bool, ...]:
    """Sets the switches, which change nothing; returns what they were."""
    global enabled, deterministic, allow_tf32
    before = enabled, deterministic, allow_tf32
    enabled = enabled if _enabled is None else _enabled
    deterministic = deterministic if _deterministic is None else _deterministic
    allow_tf32 = allow_tf32 if _allow_tf32 is None else _allow_tf32
    return before


@contextmanager
def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True) -> Iterator[None]:
    """The switches within a ``with`` block."""
    before = set_flags(enabled, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before)


class verbose:
    """A block in which the library would say what it does."""

    def __init__(self, level: int) -> None:
        self.level = level

    def __enter__(self) -> verbose:
        return self

    def __exit__(self, *error: object) -> None:
        pass
