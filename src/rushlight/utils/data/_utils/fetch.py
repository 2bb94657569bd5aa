"""From numbers of samples to a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....tensor import Tensor, new_tensor
from ..dataset import Subset, TensorDataset
from .collate import collate_tensor_fn, default_collate, default_collate_fn_map, plain_arrays

_INTS = {int, np.int64}


class _BaseDatasetFetcher:
    """Gets batches from a dataset: ``fetch(numbers)`` with ``auto_collation``, else samples: ``fetch(number)``."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        raise NotImplementedError


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """From a dataset that has samples by number."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[possibly_batched_index])
        if self.collate_fn is default_collate:
            rows = _rows(dataset, possibly_batched_index)
            if rows is not None:
                return rows
        together = getattr(dataset, "__getitems__", None)
        if together:
            samples = together(possibly_batched_index)
        else:
            samples = [dataset[index] for index in possibly_batched_index]
        return self.collate_fn(samples)


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """From a dataset that has samples one after another: only how many numbers there are matters."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in possibly_batched_index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or (self.drop_last and len(samples) < len(possibly_batched_index)):
            raise StopIteration
        return self.collate_fn(samples)


def _rows(dataset: Any, indices: Any) -> list[Tensor] | None:
    """The default batch of a TensorDataset, or of a Subset of one: its rows, taken with one call for each tensor.

    None where it would differ from samples put together one by one: gradients, subclasses, indices that are no ints.
    """
    while type(dataset) is Subset:
        if type(indices) is not list:
            return None
        try:
            indices = [dataset.indices[index] for index in indices]
        except (IndexError, TypeError):
            return None
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or type(indices) is not list or not {*map(type, indices)} <= _INTS:
        return None
    arrays = plain_arrays(dataset.tensors)
    if arrays is None or default_collate_fn_map.get(Tensor) is not collate_tensor_fn:
        return None
    try:
        numbers = np.array(indices)
        return [new_tensor(array.take(numbers, 0)) for array in arrays]
    except (IndexError, TypeError):  # a number that is out of range: the samples say it best
        return None
