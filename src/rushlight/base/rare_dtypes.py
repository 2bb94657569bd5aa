"""Dtypes that programs name (in sets of types, mostly) and NumPy has no arrays of: they can be compared and printed."""

from __future__ import annotations

from .dtypes import COMPLEX, FLOATING, INTEGRAL, NAMES, _define, dtype

__all__ = ["RARE"]

_FLOATS = {
    "float8_e4m3fn": "Float8_e4m3fn",
    "float8_e4m3fnuz": "Float8_e4m3fnuz",
    "float8_e5m2": "Float8_e5m2",
    "float8_e5m2fnuz": "Float8_e5m2fnuz",
    "float8_e8m0fnu": "Float8_e8m0fnu",
    "float4_e2m1fn_x2": "Float4_e2m1fn_x2",
}
_QUANTIZED = {
    "qint8": ("QInt8", 1),
    "qint32": ("QInt32", 4),
    "quint8": ("QUInt8", 1),
    "quint2x4": ("QUInt2x4", 1),
    "quint4x2": ("QUInt4x2", 1),
}
_BITS = {"bits1x8": 1, "bits2x4": 1, "bits4x2": 1, "bits8": 1, "bits16": 2}


def _defined() -> dict[str, dtype]:
    rare = [_define("complex32", "ComplexHalf", "c10::complex<c10::Half>", COMPLEX, 4)]
    rare += [_define(name, spelling, f"c10::{spelling}", FLOATING, 1) for name, spelling in _FLOATS.items()]
    rare += [
        _define(name, spelling, f"c10::{spelling.lower()}", INTEGRAL, size) for name, (spelling, size) in _QUANTIZED.items()
    ]
    rare += [_define(name, name.capitalize(), f"c10::{name}", INTEGRAL, size) for name, size in _BITS.items()]
    for bits in range(1, 8):
        rare.append(_define(f"int{bits}", f"Int{bits}", f"c10::int{bits}", INTEGRAL, 1))
        rare.append(_define(f"uint{bits}", f"UInt{bits}", f"c10::uint{bits}", INTEGRAL, 1, signed=False))
    return {each.name: each for each in rare}


RARE = _defined()
RARE["chalf"] = RARE["complex32"]
NAMES.update(RARE)
