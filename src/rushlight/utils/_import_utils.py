"""Whether other packages are there."""

from __future__ import annotations

import importlib.util


def _check_module_exists(name: str) -> bool:
    """Whether a module could be imported; it is not.

    >>> from rushlight.utils._import_utils import _check_module_exists
    >>> _check_module_exists("numpy"), _check_module_exists("no_such_module")
    (True, False)
    """
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def dill_available() -> bool:
    """Whether dill can be imported."""
    return _check_module_exists("dill")
