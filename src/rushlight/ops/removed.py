"""Functions that PyTorch has removed and keeps only to say so."""

from __future__ import annotations

from typing import Any

from .public import methods, module

_INSTEAD = {
    "eig": "Use torch.linalg.eigvals(A) or torch.linalg.eig(A), whose results are complex.",
    "symeig": (
        "Use torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L') or torch.linalg.eigh, which look at the lower "
        "triangle unless told otherwise."
    ),
    "matrix_rank": (
        "Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
        "`torch.linalg.matrix_rank()` to 'hermitian'."
    ),
    "solve": (
        "`torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed "
        "and does not return the LU factorization."
    ),
    "lstsq": "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.",
}


def _removed(name: str, instead: str) -> None:
    def call(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"This function was deprecated since version 1.9 and is now removed. {instead}")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Removed from PyTorch: raises RuntimeError. {instead}"
    module("torch")[name] = call
    if name != "matrix_rank":
        methods[name] = call


for _name, _instead in _INSTEAD.items():
    _removed(_name, _instead)
