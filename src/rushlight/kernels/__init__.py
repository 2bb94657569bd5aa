"""Kernels in C++ beside NumPy's, where a compiler was found when rushlight was installed.

A NumPy kernel that has one beside it says so where it is defined::

    @register(rows.softmax)
    def softmax(x, axis): ...

The compiled kernel has the same parameters. It gives the result, or None where it does not take the case (a dtype, a layout): then
NumPy's is asked. Who calls ``softmax`` does not know which it was. ``RUSHLIGHT_KERNELS=numpy`` in the environment leaves NumPy's alone.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, ParamSpec, TypeVar, cast

P = ParamSpec("P")
Result = TypeVar("Result")


class Kernel(NamedTuple):
    """A kernel of NumPy's, and the compiled one that stands beside it."""

    numpy: Callable[..., object]
    compiled: Callable[..., object]


registered: dict[str, Kernel] = {}

native: ModuleType | None = None  # the loops: native/module.cpp says what each takes
if os.environ.get("RUSHLIGHT_KERNELS") != "numpy":
    with contextlib.suppress(ImportError):
        native = importlib.import_module("._native", __name__)


def register(compiled: Callable[P, object]) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """What makes of a NumPy kernel one that asks ``compiled`` first, where there are compiled kernels."""

    def beside(numpy: Callable[P, Result]) -> Callable[P, Result]:
        registered[f"{numpy.__module__.rpartition('.')[2]}.{numpy.__name__.lstrip('_')}"] = Kernel(numpy, compiled)
        if native is None:
            return numpy

        @functools.wraps(numpy)
        def kernel(*args: P.args, **kwargs: P.kwargs) -> Result:
            out = compiled(*args, **kwargs)
            return numpy(*args, **kwargs) if out is None else cast("Result", out)

        return kernel

    return beside


def report() -> str:
    """Which kernels are in use, for which instruction set and on how many threads; that of optimizers once there are any.

    >>> import rushlight as torch
    >>> print(torch.kernels.report().partition(":")[0])
    kernels
    """
    if native is None:
        return "kernels: NumPy's"
    names = ", ".join(sorted(registered))
    return (
        f"kernels: compiled for {native.instruction_set()}, {native.threads()} threads at most: {names}; NumPy's for all else"
    )


def set_threads(count: int) -> None:
    """Lets a compiled kernel use at most ``count`` threads, and no more than the processors' time that the control group may use."""
    if native is not None:
        native.set_threads(min(count, _processors_of_group()))


@functools.cache
def _processors_of_group(file: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """How many processors' time a container may use; many where nothing says so."""
    try:
        quota, period = file.read_text().split()
        return max(1, math.ceil(int(quota) / int(period)))
    except (OSError, ValueError):
        return 1 << 16


__all__ = ["Kernel", "register", "registered", "report", "set_threads"]
