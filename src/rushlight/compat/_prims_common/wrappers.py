"""torch._prims_common.wrappers: what PyTorch wraps its operators in Python with."""

from typing import TypeVar

F = TypeVar("F")


def _maybe_remove_out_wrapper(fn: F) -> F:
    """The operator behind what gives it an ``out``; operators here have their own."""
    return getattr(fn, "__wrapped__", fn)
