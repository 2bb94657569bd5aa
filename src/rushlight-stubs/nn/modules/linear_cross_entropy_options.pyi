# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import dtype

class LinearCrossEntropyOptions:
    """What ``linear_cross_entropy`` is asked for: how many rows at once, and in which dtype gradients are added up."""
    allow_retain_graph: bool
    batch_chunk_size: int | None
    chunking_method: str | None
    acc_policy: str
    acc_dtype: dtype | None
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(self, allow_retain_graph: bool = False, batch_chunk_size: int | None = None, chunking_method: str | None = 'auto', acc_policy: str = 'auto', acc_dtype: dtype | None = None) -> None: ...
