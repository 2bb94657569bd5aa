"""torch.__config__: what rushlight runs on."""

from __future__ import annotations

import platform

import numpy as np

from rushlight.base.version import rushlight
from rushlight.tensors.runtime import get_num_threads

__all__ = ["parallel_info", "show"]


def show() -> str:
    """The versions of rushlight, Python and NumPy, and NumPy's BLAS.

    >>> import rushlight as torch
    >>> "NumPy" in torch.__config__.show()
    True
    """
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return (
        f"rushlight {rushlight} built with:\n  - Python {platform.python_version()}\n  - NumPy {np.__version__}\n"
        f"  - BLAS {blas['name']} {blas['version']}\n"
    )


def parallel_info() -> str:
    """How many threads the products of matrices may use."""
    return f"threads: {get_num_threads()}\n"
