"""torch.distributed.device_mesh: processes in a grid, by name; there is one process, so none can be made."""

from __future__ import annotations

from typing import NoReturn

from . import get_rank

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """A grid of processes. Libraries ask whether something is one: nothing is. ValueError where one is to be made."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        get_rank()


def init_device_mesh(*args: object, **kwargs: object) -> NoReturn:
    """ValueError: there is no group of processes."""
    get_rank()
