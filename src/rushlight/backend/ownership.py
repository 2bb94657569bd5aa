"""Whether an array's memory may be written over, or kept, as far as its views go."""

from __future__ import annotations

import sys

import numpy as np

from .numpy import Array


def has_own_memory(array: Array) -> bool:
    """Whether no other array shows this one's memory: it owns it, or is the one view, all in order, of an array that nobody holds.

    Who holds ``array`` itself is for the caller to know.
    """
    base = array.base
    if base is None:
        return True
    if base.__class__ is not np.ndarray or base.base is not None or base.nbytes != array.nbytes:
        return False
    flags = array.flags
    return flags.c_contiguous and flags.writeable and sys.getrefcount(base) <= _OF_ONE_VIEW


def is_handed_over(g: Array) -> bool:
    """Whether a kernel that a node's rules call may write over their cotangent: nobody else can see it."""
    return sys.getrefcount(g) <= _OF_A_PASS and has_own_memory(g)


def _probe_rules() -> int:
    """What ``sys.getrefcount`` says in :func:`is_handed_over` of a cotangent that only the pass, rules and kernel refer to."""

    def rules(g: Array) -> int:
        return kernel(g)

    def kernel(g: Array) -> int:
        return asked(g)

    def asked(g: Array) -> int:
        return sys.getrefcount(g)

    g = np.empty(1)
    return rules(g)


def _probe_view() -> int:
    """What it says in :func:`has_own_memory` of an array that only its view refers to."""
    array = np.empty(1)[:]
    base = array.base
    return sys.getrefcount(base)


_OF_ONE_VIEW, _OF_A_PASS = _probe_view(), _probe_rules()
