"""Samplers: in which order the samples of a dataset come."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Generic, TypeVar

from ...base import dtypes
from ...random import Generator
from ...tensors.creation.from_data import as_tensor
from ...tensors.creation.from_sizes import empty
from ...tensors.creation.random_tensors import randint, randperm
from ...tensors.creation.sampling import multinomial

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)

_DRAWN_AT_ONCE = 32  # with replacement; decides how many numbers a generator has given after each sample


class Sampler(Generic[_T_co]):
    """An order of samples: a subclass gives ``__iter__`` over numbers of samples, or over lists of them, and ``__len__``.

    >>> from rushlight.utils.data import DataLoader, Sampler
    >>> class Backwards(Sampler):
    ...     def __init__(self, data):
    ...         self.data = data
    ...     def __iter__(self):
    ...         return reversed(range(len(self.data)))
    >>> list(DataLoader("abc", sampler=Backwards("abc"), batch_size=2))
    [['c', 'b'], ['a']]
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ...: as many as ``data_source`` has samples.

    >>> from rushlight.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The numbers of all samples shuffled, or drawn with replacement; ``num_samples`` of them, by default all.

    Without replacement, more than all are one permutation after another. They come from ``generator``; without one from a new
    generator, which the default one seeds when the first is asked for. TypeError for a ``replacement`` that is no bool,
    ValueError for a ``num_samples`` below 1.

    >>> import rushlight as torch
    >>> from rushlight.utils.data import RandomSampler
    >>> list(RandomSampler("abcde", generator=torch.Generator().manual_seed(0)))
    [4, 0, 1, 3, 2]
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many numbers come; where it was not said, as many as there are samples now."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, count = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(int(empty((), dtype=dtypes.int64).random_().item()))
        if self.replacement:
            for start in range(0, count, _DRAWN_AT_ONCE):
                some = min(_DRAWN_AT_ONCE, count - start)
                yield from randint(high=size, size=(some,), dtype=dtypes.int64, generator=generator).tolist()
            return
        for _ in range(count // size):
            yield from randperm(size, generator=generator).tolist()
        if self.generator is not None or count % size:  # else nobody sees what the last permutation would draw
            yield from randperm(size, generator=generator).tolist()[: count % size]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given numbers of samples, shuffled.

    >>> import rushlight as torch
    >>> from rushlight.utils.data import SubsetRandomSampler
    >>> list(SubsetRandomSampler([10, 20, 30], generator=torch.Generator().manual_seed(0)))
    [30, 10, 20]
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for place in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` numbers 0, ..., ``len(weights) - 1``, each with a chance in proportion to its weight.

    Weights are any numbers, not all 0. ValueError for a ``num_samples`` below 1, a ``replacement`` that is no bool, weights of
    more than one dimension; RuntimeError, when drawn, for negative weights or too few of them to draw without replacement.

    >>> import rushlight as torch
    >>> from rushlight.utils.data import WeightedRandomSampler
    >>> list(WeightedRandomSampler([0.0, 3.0, 1.0], 5, generator=torch.Generator().manual_seed(0)))
    [2, 1, 1, 2, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.dim() != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` numbers of another sampler (or of any iterable); the last may be shorter, or be dropped.

    ValueError for a ``batch_size`` that is no positive integer or a ``drop_last`` that is no bool.

    >>> from rushlight.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=True))
    [[0, 1], [2, 3]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        size = len(self.sampler)  # type: ignore[arg-type]
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)
