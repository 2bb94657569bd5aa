"""torch.utils._import_utils: whether a module could be imported."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["_check_module_exists"]


def _check_module_exists(name: str) -> bool:
    """Whether a top-level module is there; it is not imported.

    >>> from rushlight.utils._import_utils import _check_module_exists
    >>> _check_module_exists("numpy"), _check_module_exists("no_such_module")
    (True, False)
    """
    try:
        return find_spec(name) is not None
    except ImportError:
        return False
