# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight._inner import OpOverloadPacket
from typing import Any

class FlopCounterMode:
    """Within it, counts the operations of matrix products and convolutions, forward and backward."""
    display: bool
    depth: int
    flop_counts: dict[str, dict[Any, int]]
    flop_registry: Any
    def __enter__(self) -> FlopCounterMode: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None) -> None: ...
    def get_flop_counts(self) -> dict[str, dict[OpOverloadPacket, int]]:
        """By op."""
        ...
    def get_table(self, depth: int | None = None) -> str:
        """The counts by op, as text."""
        ...
    def get_total_flops(self) -> int:
        """All of them."""
        ...
flop_registry: dict[Any, Callable[..., int]]
def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the function says how many operations an op of ``torch.ops.aten`` takes."""
    ...
