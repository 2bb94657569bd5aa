"""A process in which torch means rushlight, and the processes that multiprocessing spawns from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from . import tracebacks
from .alias import install_as_torch


def prepare_process() -> None:
    """What ``python -m rushlight`` does before the program starts."""
    install_as_torch()
    tracebacks.install()
    spawn = sys.modules.get("multiprocessing.spawn")
    if spawn is None:
        sys.meta_path.insert(0, _SpawnFinder())
    else:
        _prepare_children(spawn)


class _SpawnFinder(MetaPathFinder):
    """Waits for ``multiprocessing.spawn``, so that a program that never spawns does not pay for its import."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != "multiprocessing.spawn":
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            setattr(spec.loader, "exec_module", _then_prepare_children(spec.loader.exec_module))  # noqa: B010
        return spec


def _then_prepare_children(execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    def exec_module(module: ModuleType) -> None:
        execute(module)
        _prepare_children(module)

    return exec_module


def _prepare_children(spawn: Any) -> None:
    """Send the preparation ahead of everything else that ``multiprocessing.spawn`` sends to a child.

    A fresh child imports the program again, to find what it is to call; by then torch must mean rushlight there.
    """
    describe = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        data = {"torch": _PrepareOnArrival(), **describe(name)}
        if sys._getframe(1).f_globals.get("__name__") == "multiprocessing.forkserver":
            # The server, which is told no more than the path, would import the program before it is prepared; its children do.
            data.pop("init_main_from_path", None)
        return data

    spawn.get_preparation_data = get_preparation_data


class _PrepareOnArrival:
    """Prepares the process in which it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return prepare_process, ()
