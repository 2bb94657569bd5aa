"""Functions that PyTorch has removed and keeps only to say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from .public import methods, module

_INSTEAD = {
    "eig": (
        " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex "
        "tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\n"
        "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)"
    ),
    "symeig": (
        " The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower "
        "triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
        "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n"
        "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
        "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
    ),
    "matrix_rank": (
        "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
        "`torch.linalg.matrix_rank()` to 'hermitian'."
    ),
    "solve": (
        " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does "
        "not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` "
        "or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"
    ),
    "lstsq": (
        " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments and does not "
        "return the QR decomposition in the returned tuple (although it returns other information about the problem).\n\n"
        "To get the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned solution in `torch.lstsq` stored the "
        "residuals of the solution in the last m - n columns of the returned value whenever m > n. In torch.linalg.lstsq, the "
        "residuals are in the field 'residuals' of the returned named tuple.\n\nThe unpacking of the solution, as in\n"
        "X, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\nX = torch.linalg.lstsq(A, B).solution"
    ),
}


def _say(name: str) -> NoReturn:
    raise RuntimeError(f"This function was deprecated since version 1.9 and is now removed.{_INSTEAD[name]}")


# They still count their arguments, which Python does.
_FUNCTIONS: dict[str, Callable[..., NoReturn]] = {
    "eig": lambda self, eigenvectors=False, *, e=None, v=None: _say("eig"),
    "symeig": lambda input, eigenvectors=False, upper=True, *, out=None: _say("symeig"),
    "matrix_rank": lambda input, tol=None, symmetric=False, *, out=None: _say("matrix_rank"),
    "solve": lambda input, A, *, out=None: _say("solve"),
    "lstsq": lambda input, A, *, out=None: _say("lstsq"),
}
_METHODS: dict[str, Callable[..., NoReturn]] = {
    "eig": lambda self, eigenvectors=False: _say("eig"),
    "symeig": lambda self, eigenvectors=False: _say("symeig"),
    "solve": lambda self, other: _say("solve"),
    "lstsq": lambda self, other: _say("lstsq"),
}


def _published(call: Callable[..., NoReturn], name: str, qualified: str) -> Callable[..., NoReturn]:
    call.__name__, call.__qualname__ = name, qualified
    call.__annotations__ = {"return": NoReturn}
    call.__doc__ = f"Removed from PyTorch: raises RuntimeError.{_INSTEAD[name]}"
    return call


for _name, _call in _FUNCTIONS.items():
    module("torch")[_name] = _published(_call, _name, "_symeig" if _name == "symeig" else _name)
for _name, _call in _METHODS.items():
    methods[_name] = _published(_call, _name, f"Tensor.{_name}")
