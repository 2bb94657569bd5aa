"""Going once through a DataLoader, in this process."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ....autograd.modes import state
from ....autograd.recorder import USER
from ....base import dtypes
from ....tensors.creation.from_sizes import empty
from .fetch import _IterableDatasetFetcher, _MapDatasetFetcher


class _BaseDataLoaderIter:
    """What a pass through a loader has, however it gets its batches. A subclass gives ``_next_data``."""

    def __init__(self, loader: Any) -> None:
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=4,
            )
        self._dataset = loader.dataset
        self._index_sampler = loader._index_sampler
        self._collate_fn = loader.collate_fn
        self._num_workers = loader.num_workers
        self._is_iterable = loader._dataset_kind != 0
        self._loader_length = loader._IterableDataset_len_called
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = int(empty((), dtype=dtypes.int64).random_(generator=loader.generator).item())
        self._num_yielded = 0

    def _fetcher_maker(self, loader: Any) -> Callable[[], Any]:
        fetcher = _IterableDatasetFetcher if self._is_iterable else _MapDatasetFetcher
        return functools.partial(fetcher, self._dataset, loader._auto_collation, self._collate_fn, loader.drop_last)

    def _reset(self, loader: Any) -> None:
        """Begins again from the first batch."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._loader_length = loader._IterableDataset_len_called

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def __next__(self) -> Any:
        if state.recorder is None:
            batch = self._next_data()
        else:
            with state.recorder.span(f"enumerate(DataLoader)#{type(self).__name__}.__next__", USER):
                batch = self._next_data()
        self._num_yielded += 1
        if self._loader_length is not None and self._is_iterable and self._num_yielded > self._loader_length:
            self._warn_of_length()
        return batch

    def _warn_of_length(self) -> None:
        text = (
            f"Length of IterableDataset {self._dataset} was reported to be {self._loader_length}(when accessing "
            f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            text += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
                "replica at each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset "
                "for examples."
            )
        warnings.warn(text, stacklevel=3)

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches are made when they are asked for."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._dataset_fetcher = self._fetcher_maker(loader)()

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(next(self._sampler_iter))
