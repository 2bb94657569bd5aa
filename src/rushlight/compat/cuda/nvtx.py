"""torch.cuda.nvtx of a build without CUDA: marks for a profiler of GPUs, each an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.base.missing_names import lazy_names

__all__ = ["mark", "range", "range_pop", "range_push"]


def _not_installed(*args: Any, **kwargs: Any) -> NoReturn:
    """RuntimeError: there is no CUDA."""
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


mark = range_push = range_pop = _not_installed


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """RuntimeError on entering: there is no CUDA."""
    range_push(msg.format(*args, **kwargs))
    yield


__getattr__, __dir__ = lazy_names(__name__)
