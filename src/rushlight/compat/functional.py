"""torch.functional: the functions of torch that PyTorch has written in Python.

>>> import rushlight as torch
>>> torch.functional.einsum is torch.einsum
True
"""

from typing import Any

import rushlight as torch

__all__ = [  # noqa: F822  (found by __getattr__)
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "istft",
    "lu",
    "meshgrid",
    "norm",
    "pca_lowrank",
    "split",
    "stft",
    "svd_lowrank",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'torch.functional' has no attribute {name!r}")
    return getattr(torch, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
