# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator

def flags(enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = 'none') -> Iterator[None]:
    """The switches for a ``with`` block."""
    ...
def is_available() -> bool: ...
def version() -> None:
    """None: there is no cuDNN."""
    ...
