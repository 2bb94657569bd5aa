"""Datasets: what has samples, by number or one after another; and datasets made of others."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar, cast

from ...random import Generator, default_generator
from ...tensor import Tensor
from ...tensors.creation.random_tensors import randperm

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class Dataset(Generic[_T_co]):
    """Samples by number. A subclass gives ``__getitem__``, most also ``__len__``, which samplers ask for.

    With ``__getitems__(indices)``, which returns a list of samples, a :class:`DataLoader` asks for a batch at once.
    ``a + b`` is the :class:`ConcatDataset` of both.

    >>> from rushlight.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 5
    ...     def __getitem__(self, index):
    ...         return index * index
    >>> data = Squares()
    >>> data[3], len(data + data)
    (9, 10)
    """

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[_T_co]) -> ConcatDataset[_T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Samples one after another: a subclass gives ``__iter__``.

    Every worker process of a :class:`DataLoader` has a copy and goes through all of it, unless ``__iter__`` asks
    :func:`get_worker_info` for its share. ``a + b`` is the :class:`ChainDataset` of both.

    >>> from rushlight.utils.data import DataLoader, IterableDataset
    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([3, 2, 1])
    >>> list(DataLoader(Countdown(), batch_size=2))
    [tensor([3, 2]), tensor([1])]
    """

    def __add__(self, other: Dataset[_T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of the same size in the first dimension: sample ``i`` is the tuple of their rows ``i``.

    AssertionError where the sizes differ, IndexError for a tensor without dimensions.

    >>> import rushlight as torch
    >>> from rushlight.utils.data import TensorDataset
    >>> data = TensorDataset(torch.arange(6.0).reshape(3, 2), torch.tensor([7, 8, 9]))
    >>> len(data), data[1]
    (3, (tensor([2., 3.]), tensor(8)))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != one.size(0) for one in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([one[index] for one in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Datasets side by side: a sample is the tuple of their samples, or a dict if they are given by name.

    ValueError where there are none, their lengths differ, or some have names and some have not.

    >>> from rushlight.utils.data import StackDataset
    >>> StackDataset([1, 2], ["a", "b"])[1], StackDataset(image=[1, 2], text=["a", "b"])[0]
    ((2, 'b'), {'image': 1, 'text': 'a'})
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types "
                "are given."
            )
        self.datasets = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        members = list(self._members())
        self._length = len(members[0])
        if any(len(one) != self._length for one in members):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        return self._sample([one[index] for one in self._members()])

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        places = [_samples(one, indices) for one in self._members()]
        return [self._sample(values) for values in zip(*places, strict=True)]

    def __len__(self) -> int:
        return self._length

    def _members(self) -> Iterable[Any]:
        return self.datasets.values() if isinstance(self.datasets, dict) else self.datasets

    def _sample(self, values: Iterable[Any]) -> Any:
        return dict(zip(self.datasets, values, strict=True)) if isinstance(self.datasets, dict) else tuple(values)


def _samples(dataset: Any, indices: list[Any]) -> Sequence[Any]:
    together = getattr(dataset, "__getitems__", None)
    if not callable(together):
        return [dataset[index] for index in indices]
    samples: Sequence[Any] = together(indices)
    if len(samples) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}")
    return samples


class ConcatDataset(Dataset[_T_co]):
    """Datasets one after another, numbered through. AssertionError for none, or for one without numbers.

    Negative numbers count from the end: ValueError where they go beyond the beginning.

    >>> from rushlight.utils.data import ConcatDataset
    >>> data = ConcatDataset([[10, 11], [20]])
    >>> [data[i] for i in range(len(data))], data[-1]
    ([10, 11, 20], 20)
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The lengths of all, summed from the first on."""
        return list(itertools.accumulate(map(len, sequence)))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(one, IterableDataset) for one in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        member = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[member - 1] if member else 0
        return self.datasets[member][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """An older spelling of ``cumulative_sizes``."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """Iterable datasets one after another. AssertionError, when gone through, for one that is no IterableDataset.

    >>> from rushlight.utils.data import ChainDataset, IterableDataset
    >>> class Letters(IterableDataset):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(Letters() + Letters())
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for one in self._checked():
            yield from one

    def __len__(self) -> int:
        return sum(len(one) for one in self._checked())

    def _checked(self) -> Iterator[Any]:
        for one in self.datasets:
            if not isinstance(one, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield one


class Subset(Dataset[_T_co]):
    """The samples of a dataset that ``indices`` names, in that order: sample ``i`` is ``dataset[indices[i]]``.

    >>> from rushlight.utils.data import Subset
    >>> list(Subset("abcd", [3, 0]))
    ['d', 'a']
    """

    dataset: Dataset[_T_co] | Sequence[_T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[_T_co] | Sequence[_T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> _T_co:
        chosen: Any = [self.indices[i] for i in idx] if isinstance(idx, list) else self.indices[idx]
        return self.dataset[chosen]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        chosen = [self.indices[i] for i in indices]
        together = getattr(self.dataset, "__getitems__", None)
        return together(chosen) if callable(together) else [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[_T] | Sequence[_T], lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[_T]]:
    """Parts of a dataset with the given lengths, or fractions that add up to 1, by one random permutation.

    Fractions are rounded down and what is left over goes to the parts in turn, one sample each. ValueError where the lengths
    do not add up or a fraction is not between 0 and 1; a warning for a part that a fraction leaves empty.

    >>> import rushlight as torch
    >>> from rushlight.utils.data import random_split
    >>> train, test = random_split(range(10), [0.8, 0.2], generator=torch.Generator().manual_seed(0))
    >>> len(train), list(test)
    (8, [6, 2])
    """
    counts, total = list(lengths), len(cast(Sized, dataset))
    if math.isclose(sum(counts), 1) and sum(counts) <= 1:
        counts = _counts_of_fractions(counts, total)
    if sum(counts) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = iter(randperm(sum(counts), generator=generator).tolist())
    return [Subset(dataset, list(itertools.islice(order, int(count)))) for count in counts]


def _counts_of_fractions(fractions: Sequence[float], total: int) -> list[int | float]:
    counts: list[int | float] = []
    for place, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {place} is not between 0 and 1")
        counts.append(math.floor(total * fraction))
    for place in range(int(total - sum(counts))):
        counts[place % len(counts)] += 1
    for place, count in enumerate(counts):
        if count == 0:
            warnings.warn(f"Length of split at index {place} is 0. This might result in an empty dataset.", stacklevel=3)
    return counts
