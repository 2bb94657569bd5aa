"""The limits of types of numbers: ``finfo`` and ``iinfo``."""

from __future__ import annotations

from . import dtypes
from .dtypes import check_argument

HELD_BY_FLOATS = 65504  # and its negative: what any of NumPy's floating types holds


def _short(value: float) -> str:
    return f"{value:g}"


class finfo:
    """The limits of a floating type, or of the parts of a complex one; of the default type when none is given.

    >>> import rushlight as torch
    >>> torch.finfo(torch.float64).eps
    2.220446049250313e-16
    """

    __module__ = "rushlight"  # where pickles find it
    bits: int
    dtype: str
    eps: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    tiny: float
    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        given = dtypes.get_default_dtype() if type is None else type
        check_argument("finfo", "type", 1, given)
        if given.kind_rank < dtypes.FLOATING:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        real = given.to_real()
        self.dtype = real.name
        self.bits = real.itemsize * 8
        if real not in _FLOAT_LAYOUT:
            if real.name not in _LIMITS_OF_EIGHT_BITS:
                raise NotImplementedError(f"\"min\" not implemented for '{real.scalar_name}'")
            self.eps, self.max, self.min, self.tiny = _LIMITS_OF_EIGHT_BITS[real.name]
            self.smallest_normal, self.resolution = self.tiny, 1.0
            return
        mantissa, exponents = _FLOAT_LAYOUT[real]
        self.eps = 2.0**-mantissa
        self.max = (2.0 - self.eps) * 2.0 ** (2 ** (exponents - 1) - 1)
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (2 - 2 ** (exponents - 1))
        # As many decimal digits as the type keeps for certain.
        self.resolution = float(f"1e-{int(mantissa * 0.30102999566398120):d}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={_short(getattr(self, name))}' for name in fields)}, dtype={self.dtype})"


_FLOAT_LAYOUT = {
    dtypes.float16: (10, 5),
    dtypes.bfloat16: (7, 8),
    dtypes.float32: (23, 8),
    dtypes.float64: (52, 11),
}  # bits: mantissa, exponent
# eps, max, min, tiny
_LIMITS_OF_EIGHT_BITS = {
    "float8_e4m3fn": (0.125, 448.0, -448.0, 2.0**-6),
    "float8_e4m3fnuz": (0.125, 240.0, -240.0, 2.0**-7),
    "float8_e5m2": (0.25, 57344.0, -57344.0, 2.0**-14),
    "float8_e5m2fnuz": (0.125, 57344.0, -57344.0, 2.0**-15),
    "float8_e8m0fnu": (1.0, 2.0**127, 2.0**-127, 2.0**-127),
}


class iinfo:
    """The limits of an integer type.

    >>> import rushlight as torch
    >>> torch.iinfo(torch.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    __module__ = "rushlight"  # where pickles find it
    bits: int
    dtype: str
    max: int
    min: int
    __slots__ = ("bits", "dtype", "max", "min")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, type: dtypes.dtype) -> None:
        check_argument("iinfo", "type", 1, type)
        if type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.kind_rank != dtypes.INTEGRAL:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.dtype = type.name
        self.bits = type.itemsize * 8
        self.max = 2 ** (self.bits - type.is_signed) - 1
        self.min = -self.max - 1 if type.is_signed else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __repr__(self) -> str:
        return f"iinfo(min={_short(self.min)}, max={_short(self.max)}, dtype={self.dtype})"
