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
import inspect
import math
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")
Function = Callable[..., Any]


class Kernel(NamedTuple):
    """A kernel of NumPy's, and the compiled one that stands beside it."""

    numpy: Callable[..., object]
    compiled: Callable[..., object]


registered: dict[str, Kernel] = {}


def _of_any(compiled: Function, numpy: Function) -> Function:
    @functools.wraps(numpy)
    def kernel(*args: object, **kwargs: object) -> object:
        out = compiled(*args, **kwargs)
        return numpy(*args, **kwargs) if out is None else out

    return kernel


# To pass on any arguments costs a tenth of a microsecond more than one or two.


def _of_one(compiled: Function, numpy: Function) -> Function:
    @functools.wraps(numpy)
    def kernel(x: object) -> object:
        out = compiled(x)
        return numpy(x) if out is None else out

    return kernel


def _of_two(compiled: Function, numpy: Function) -> Function:
    @functools.wraps(numpy)
    def kernel(a: object, b: object) -> object:
        out = compiled(a, b)
        return numpy(a, b) if out is None else out

    return kernel


_OF_FEW = {1: _of_one, 2: _of_two}


def _plain_count(numpy: Function) -> int:
    """How many arguments it takes, by their places; 0 where some may be left out."""
    parameters = inspect.signature(numpy).parameters.values()
    if any(each.kind is not each.POSITIONAL_OR_KEYWORD or each.default is not each.empty for each in parameters):
        return 0
    return len(parameters)


native: ModuleType | None = None  # the loops: native/module.cpp says what each takes
if os.environ.get("RUSHLIGHT_KERNELS") != "numpy":
    with contextlib.suppress(ImportError, SystemError):  # SystemError: built for one with a lock
        native = importlib.import_module("._native", __name__)


def register(compiled: Callable[P, object]) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """What makes of a NumPy kernel one that asks ``compiled`` first, where there are compiled kernels."""

    def beside(numpy: Callable[P, Result]) -> Callable[P, Result]:
        registered[f"{numpy.__module__.rpartition('.')[2]}.{numpy.__name__.lstrip('_')}"] = Kernel(numpy, compiled)
        if native is None:
            return numpy

        return _OF_FEW.get(_plain_count(numpy), _of_any)(compiled, numpy)

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
