# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Sized
from rushlight.random import Generator
from typing import Any
from typing import Generic
from typing import TypeVar

_T_co = TypeVar('_T_co', covariant=True)

class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` numbers of another sampler (or of any iterable); the last may be shorter, or be dropped."""
    sampler: Sampler[int] | Iterable[int]
    batch_size: int
    drop_last: bool
    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None: ...
    def __iter__(self) -> Iterator[list[int]]: ...
    def __len__(self) -> int: ...
class RandomSampler(Sampler[int]):
    """The numbers of all samples shuffled, or drawn with replacement; ``num_samples`` of them, by default all."""
    data_source: Sized
    replacement: bool
    generator: Generator | None
    def __init__(self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Generator | None = None) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
    @property
    def num_samples(self) -> int:
        """How many numbers come; where it was not said, as many as there are samples now."""
        ...
class Sampler(Generic[_T_co]):
    """An order of samples: a subclass gives ``__iter__`` over numbers of samples, or over lists of them, and ``__len__``."""
    def __iter__(self) -> Iterator[_T_co]: ...
class SequentialSampler(Sampler[int]):
    """0, 1, 2, ...: as many as ``data_source`` has samples."""
    data_source: Sized
    def __init__(self, data_source: Sized) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
class SubsetRandomSampler(Sampler[int]):
    """The given numbers of samples, shuffled."""
    indices: Sequence[int]
    generator: Generator | None
    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` numbers 0, ..., ``len(weights) - 1``, each with a chance in proportion to its weight."""
    weights: Any
    num_samples: int
    replacement: bool
    generator: Generator | None
    def __init__(self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
