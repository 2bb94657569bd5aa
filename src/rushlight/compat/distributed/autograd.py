"""torch.distributed.autograd of a build without it: backward passes over several processes, of which there is one."""

from __future__ import annotations

from typing import NoReturn

from rushlight.base.missing_names import lazy_names

from . import _no_group, is_available

__all__ = ["context", "is_available"]


class context:
    """The passes that belong together. ValueError: there is no group of processes."""

    def __enter__(self) -> NoReturn:
        _no_group()

    def __exit__(self, *error: object) -> None:
        """Nothing was entered."""


__getattr__, __dir__ = lazy_names(__name__)
