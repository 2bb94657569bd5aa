"""Dtypes of the Python Array API: which there are, and which two meet in."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

import rushlight as torch
from rushlight import (
    Tensor,
    complex64,
    complex128,
    device,
    dtype,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from rushlight import bool as bool

Number: TypeAlias = builtins.bool | int | float | complex
Kind: TypeAlias = str | dtype | tuple[str | dtype, ...]

_SIGNED, _UNSIGNED = (int8, int16, int32, int64), (uint8, uint16, uint32, uint64)
_REAL, _COMPLEX = (float32, float64), (complex64, complex128)
KINDS: dict[str, tuple[dtype, ...]] = {
    "bool": (bool,),
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": _SIGNED + _UNSIGNED,
    "real floating": _REAL,
    "complex floating": _COMPLEX,
    "numeric": _SIGNED + _UNSIGNED + _REAL + _COMPLEX,
}


def isdtype(dtype: dtype, kind: Kind) -> builtins.bool:
    """Whether a dtype is, or is one of a kind: 'real floating' say, or a tuple of kinds.

    >>> from rushlight.array_api import float32, int8, isdtype
    >>> isdtype(float32, ("integral", "real floating")), isdtype(float32, int8)
    (True, False)
    """
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"Unrecognized data type kind: {kind!r}")
        return dtype in KINDS[kind]
    return dtype == kind


def _promoted(one: dtype, other: dtype) -> dtype:
    integral = KINDS["integral"]
    if one in integral and other in integral:  # PyTorch promotes none of the wide unsigned ones
        return getattr(torch, np.promote_types(str(one)[6:], str(other)[6:]).name)
    return torch.promote_types(one, other)


def result_type(*arrays_and_dtypes: Tensor | Number | dtype | str) -> dtype:
    """The dtype in which tensors, dtypes and numbers meet, whatever the tensors' dimensions.

    >>> import rushlight as torch
    >>> from rushlight.array_api import result_type
    >>> result_type(torch.tensor([1], dtype=torch.int32), torch.tensor(1)), torch.result_type(torch.ones(1).int(), torch.tensor(1))
    (torch.int64, torch.int32)
    """
    found: list[dtype] = []
    for one in arrays_and_dtypes:
        if isinstance(one, Tensor):
            found.append(one.dtype)
        elif not isinstance(one, int | float | complex):
            found.append(getattr(torch, one) if isinstance(one, str) else one)  # xarray names them, as NumPy allows
    if not found:
        raise ValueError("at least one array or dtype is required")
    common: dtype = found[0]
    for other in found[1:]:
        common = _promoted(common, other)
    for one in arrays_and_dtypes:
        if not isinstance(one, Tensor | torch.dtype | str):
            common = torch.result_type(torch.empty(1, dtype=common), one)
    return common


def together(*values: Tensor | Number) -> list[Tensor]:
    """Tensors and numbers as tensors of the dtype in which they meet."""
    common = result_type(*values)
    return [one.to(common) if isinstance(one, Tensor) else torch.tensor(one, dtype=common) for one in values]


def can_cast(from_: dtype | Tensor, to: dtype, /) -> builtins.bool:
    """Whether promotion allows a cast."""
    source = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return _promoted(source, to) == to
    except RuntimeError:  # PyTorch promotes these two to nothing
        return False


def astype(x: Tensor, dtype: dtype, /, *, copy: builtins.bool = True, device: device | None = None) -> Tensor:
    """A tensor in another dtype: itself if it has that and no copy is wanted."""
    if x.dtype.is_complex and not dtype.is_complex:
        x = x.real
    return x.to(device=device, dtype=dtype, copy=copy)


def finfo(type: dtype | Tensor, /) -> torch.finfo:
    """The limits of a floating dtype."""
    return torch.finfo(type.dtype if isinstance(type, Tensor) else type)


def iinfo(type: dtype | Tensor, /) -> torch.iinfo:
    """The limits of an integer dtype."""
    return torch.iinfo(type.dtype if isinstance(type, Tensor) else type)


class Info:
    """What :func:`__array_namespace_info__` gives."""

    def capabilities(self) -> dict[str, builtins.bool | int | None]:
        """Masks select, shapes may depend on data, and tensors have any number of dimensions up to 64."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> device:
        """Where tensors are made."""
        return torch.get_default_device()

    def default_dtypes(self, *, device: device | None = None) -> dict[str, dtype]:
        """What numbers become that come without a dtype."""
        real = torch.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": torch.promote_types(real, complex64),
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: device | None = None, kind: str | Sequence[str] | None = None) -> dict[str, dtype]:
        """The dtypes by name, of a kind or of several. PyTorch computes little in unsigned integers wider than a byte."""
        kinds = ["bool", "numeric"] if kind is None else [kind] if isinstance(kind, str) else kind
        found = [one for each in kinds for one in KINDS[each] if one not in _UNSIGNED[1:]]
        return {str(one).removeprefix("torch."): one for one in found}

    def devices(self) -> list[device]:
        """The one device there is."""
        return [torch.device("cpu")]


def __array_namespace_info__() -> Info:
    """What this namespace offers.

    >>> from rushlight.array_api import __array_namespace_info__
    >>> __array_namespace_info__().dtypes(kind="complex floating")
    {'complex64': torch.complex64, 'complex128': torch.complex128}
    """
    return Info()
