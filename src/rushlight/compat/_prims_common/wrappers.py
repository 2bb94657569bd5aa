"""torch._prims_common.wrappers: what PyTorch wraps its operators in Python with."""

from collections.abc import Callable
from typing import Any


def _maybe_remove_out_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The operator behind what gives it an ``out``; operators here have their own."""
    return getattr(fn, "__wrapped__", fn)
