"""Switches of the process: threads, determinism, precision. What has no meaning over NumPy is kept and answered."""

from __future__ import annotations

from typing import Any

from .. import overrides
from ..backend import threads
from ..base.arguments import check_switch
from ..base.public_names import module
from ..base.switches import switches
from ..ops.publishing import published
from ..tensor import Tensor
from .arguments import type_name, warn


class AcceleratorError(RuntimeError):
    """What PyTorch raises where a device beside the CPU fails: never raised here."""


class OutOfMemoryError(RuntimeError):
    """What PyTorch raises where the memory of such a device is full: never raised here."""


for _error in (AcceleratorError, OutOfMemoryError):
    _error.__module__ = __name__.partition(".")[0]  # where pickles find it
    module("torch")[_error.__name__] = _error


def _positive(name: str, count: Any) -> int:
    if not isinstance(count, int) or isinstance(count, bool):
        raise RuntimeError(f"{name} expects an int, but got {type_name(count)}")
    if not -(2**63) <= count < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if not -(2**31) <= count < 2**31:
        raise ValueError("Overflow when unpacking long")
    if count <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return count


@published
def _assert(condition: Any, message: Any) -> None:
    """AssertionError with a message unless a number, or a tensor of one element, is true.

    >>> import rushlight as torch
    >>> torch._assert(torch.tensor(3) > 2, "three is more than two")
    """
    if type(condition) is not Tensor and overrides.has_torch_function((condition,)):
        overrides.handle_torch_function(_assert, (condition,), condition, message)
    elif not condition:
        raise AssertionError(message)


@published
def get_num_threads() -> int:
    """How many threads a kernel may use."""
    return threads.limit()


@published
def set_num_threads(int: Any) -> None:
    """Lets a kernel use at most so many threads. RuntimeError unless it is a positive integer."""
    threads.set_limit(_positive("set_num_threads", int))


@published
def get_num_interop_threads() -> int:
    """What :func:`set_num_interop_threads` was told; nothing runs on such threads here."""
    return threads.limit() if switches.interop_threads is None else switches.interop_threads


@published
def set_num_interop_threads(int: Any) -> None:
    """Kept for :func:`get_num_interop_threads`."""
    switches.interop_threads = _positive("set_num_interop_threads", int)


@published
def use_deterministic_algorithms(mode: Any, *, warn_only: Any = False) -> None:
    """Everything here is deterministic; what this changes is that unset memory is filled (see ``utils.deterministic``)."""
    check_switch("_set_deterministic_algorithms", "mode", 1, mode)
    if warn_only.__class__ is not bool:
        raise TypeError(f"_set_deterministic_algorithms(): argument 'warn_only' must be bool, not {type_name(warn_only)}")
    switches.deterministic, switches.warn_only = mode, warn_only


def set_fill_uninitialized(value: Any) -> None:
    """Whether use_deterministic_algorithms fills memory that nobody has set."""
    if not isinstance(value, bool):
        raise RuntimeError(f"expected a bool, but got {type_name(value)}")
    switches.fill_uninitialized = value


def fills_uninitialized() -> bool:
    """What :func:`set_fill_uninitialized` was told."""
    return switches.fill_uninitialized


@published
def are_deterministic_algorithms_enabled() -> bool:
    """What :func:`use_deterministic_algorithms` was told."""
    return switches.deterministic


@published
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether :func:`use_deterministic_algorithms` was told to warn only."""
    return switches.warn_only


_DEBUG_MODES = ("default", "warn", "error")


@published
def get_deterministic_debug_mode() -> int:
    """0 by default, 1 to warn, 2 to raise where an algorithm is not deterministic: none is."""
    return (1 if switches.warn_only else 2) if switches.deterministic else 0


@published
def set_deterministic_debug_mode(debug_mode: Any) -> None:
    """Takes 'default', 'warn', 'error' or 0, 1, 2."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


@published
def get_float32_matmul_precision() -> str:
    """What :func:`set_float32_matmul_precision` was told; products are always computed in full."""
    return switches.matmul_precision


@published
def set_float32_matmul_precision(precision: str) -> None:
    """Takes 'highest', 'high' or 'medium'; warns of anything else."""
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type_name(precision)}")
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect."
        )
        return
    switches.matmul_precision = precision


@published
def set_flush_denormal(mode: bool, /) -> bool:
    """Whether numbers near zero can be made zero: NumPy cannot, so only ``set_flush_denormal(False)`` succeeds."""
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type_name(mode)}")
    return not mode


@published
def set_warn_always(b: bool, /) -> None:
    """Whether warnings that come once in a process come every time."""
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type_name(b)}")
    switches.warn_always = b


@published
def is_warn_always_enabled() -> bool:
    """What :func:`set_warn_always` was told."""
    return switches.warn_always
