# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from multiprocessing.context import BaseContext
from rushlight.random import Generator
from rushlight.utils.data.dataset import Dataset
from typing import Any
from typing import Generic
from typing import TypeVar
from rushlight.utils.data import default_collate as default_collate
from rushlight.utils.data import default_convert as default_convert
from rushlight.utils.data import get_worker_info as get_worker_info

_T_co = TypeVar('_T_co', covariant=True)

class DataLoader(Generic[_T_co]):
    """Batches of a dataset, each time it is gone through; ``len()`` of it is how many."""
    dataset: Any
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Any
    pin_memory_device: str
    prefetch_factor: int | None
    worker_init_fn: Callable[[int], Any] | None
    in_order: bool
    batch_sampler: Any
    generator: Generator | None
    collate_fn: Callable[[list[Any]], Any] | None
    persistent_workers: bool
    def __init__(self, dataset: Dataset[_T_co] | Sequence[_T_co], batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None, batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable[[int], Any] | None = None, multiprocessing_context: str | BaseContext | None = None, generator: Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False, pin_memory_device: str = '', in_order: bool = True) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __setattr__(self, attr: str, val: Any) -> None: ...
    def check_worker_number_rationality(self) -> None:
        """Warns where there are more workers than processors that this process may use."""
        ...
    @property
    def multiprocessing_context(self) -> BaseContext | None:
        """How workers are started, as a context of :mod:`multiprocessing`; None for Python's own way."""
        ...
    @multiprocessing_context.setter
    def multiprocessing_context(self, value: str | BaseContext | None) -> None: ...
