"""What the random streams refuse, in PyTorch's words: dtypes a distribution has no kernel for, parameters out of range.

Each function looks at one distribution's arguments and returns nothing, or raises.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.arguments import warn
from ..base.type_limits import finfo
from .array_dtypes import refuse
from .numpy import Array

DType = np.dtype[Any]


@cache
def last_integer(dtype: DType) -> int:
    """The greatest integer of `dtype`; of a float dtype, the last before integers are left out."""
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max)
    return 1 if dtype.kind == "b" else 2 ** _digits(dtype)


def uniform(dtype: DType, low: float, high: float) -> None:
    if -3e4 <= low <= high <= 3e4 and dtype.kind in "fcVW":  # within every type's range: nothing to find
        return
    if dtype.kind not in "fcVW":
        refuse("check_uniform_bounds", dtype)
    kind = dtypes.of(dtype).to_real()
    limit = finfo(kind).max
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(f"{name} is out of bounds for {kind.c_name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{kind.scalar_name}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )


def normal(dtype: DType, std: float) -> None:
    if not std >= 0.0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if dtype.kind not in "fcVW":
        refuse("normal_kernel_cpu", dtype)


def normal_around(std: Array) -> None:
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


def exponential(dtype: DType, rate: float) -> None:
    if not rate > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    _require_float("Exponential", dtype, dtypes.of(dtype).scalar_name)


def cauchy(dtype: DType, sigma: float) -> None:
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    _require_float("Cauchy", dtype, dtypes.of(dtype).c_name)


def log_normal(dtype: DType, std: float) -> None:
    if not std > 0.0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if dtype.kind not in "fV":
        refuse("log_normal_cpu", dtype)


def integers(dtype: DType, low: int, high: int) -> tuple[int, int]:
    """The bounds to draw from: those given, as far as rounding does not lead out of them."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.kind == "c":
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if dtype.kind in "fV" and (low < -(2**8) or high > 2**8):
        low, high = _rounded_into(dtype, low, high)
    _require_room(dtype, "from", low)
    _require_room(dtype, "to - 1", high - 1)
    return low, high


def _rounded_into(dtype: DType, low: int, high: int) -> tuple[int, int]:
    """Bounds that stay bounds when the numbers between them are rounded to a float dtype."""
    digits = _digits(dtype)
    limit = float(finfo(dtypes.of(dtype)).max)
    first, last = low, high
    for number, outwards in ((low + 1, -1), (high - 1, 1)):
        if not -limit <= number <= limit:
            continue  # is refused below
        rounded = int(dtype.type(number))
        spacing = 2 ** max(abs(number).bit_length() - digits, 0)
        if outwards < 0 and rounded < low:
            first = rounded + spacing
        elif outwards > 0 and rounded >= high:
            last = rounded - spacing
    if first >= last:
        raise RuntimeError(
            f"random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={first} >= to={last}"
        )
    return first, last


def integers_of_dtype(dtype: DType, low: int | None) -> None:
    if low is not None:
        if dtype.kind == "c":
            raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
        last = last_integer(dtype)
        if dtype.kind in "fV" and low >= last:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
                f"from={low} > to_inc={last}"
            )
        _require_room(dtype, "from", low)
        if dtype.name == "uint64":  # whose last integer PyTorch cannot count to
            raise RuntimeError("to - 1 is out of bounds for long unsigned int")
    elif dtype.kind == "c" or (dtype.kind == "u" and dtype.itemsize > 1):
        refuse("random_kernel_cpu", dtype)


def permutation(dtype: DType, length: int) -> None:
    if length < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {length}: [{length}]")
    if dtype.kind not in "iu" and dtype.name in ("float16", "float32", "float64"):
        if length - 1 > last_integer(dtype):
            digits = _digits(dtype)
            most = "2049" if digits == 11 else f"2^{digits}+1"
            raise RuntimeError(f"n cannot be greater than {most} for {dtypes.of(dtype).scalar_name} type.")
    elif dtype.kind in "iu" and length - 1 > last_integer(dtype):
        c_type = "int" if dtype.name == "int32" else f"{dtype.name}_t"
        raise RuntimeError(f"value cannot be converted to type {c_type} without overflow")
    if dtype.kind in "bc" or (dtype.kind == "u" and dtype.itemsize > 1):
        refuse("randperm", dtype)


def bernoulli(dtype: DType, chance: float | Array) -> None:
    array = isinstance(chance, np.ndarray)
    if not array and not 0.0 <= chance <= 1.0:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={chance:g}")
    if dtype.kind == "c" or (dtype.kind == "u" and dtype.itemsize > 1):
        refuse("bernoulli_tensor_cpu_self_" if array else "bernoulli_scalar_cpu_", dtype)
    if isinstance(chance, np.ndarray):
        if chance.dtype.kind not in "fV":
            refuse("bernoulli_tensor_cpu_p_", chance.dtype)
        if not ((chance >= 0) & (chance <= 1)).all():
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  "
                "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
            )


def geometric(dtype: DType, chance: float) -> None:
    if not 0.0 < chance < 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={chance:g}")
    if dtype.kind in "bc" or (dtype.kind == "u" and dtype.itemsize > 1):
        refuse("geometric_cpu", dtype)


def poisson(rate: Array) -> None:
    if rate.dtype.kind not in "fV":
        refuse("poisson_cpu", rate.dtype)
    if not (rate >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")


def binomial(trials: Array, chance: Array) -> None:
    for name, array in (("count", trials), ("prob", chance)):
        if array.dtype.kind not in "fV":
            found = dtypes.of(array.dtype).scalar_name
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {found}")
    if trials.dtype != chance.dtype:
        found, expected = dtypes.of(chance.dtype).scalar_name, dtypes.of(trials.dtype).scalar_name
        raise RuntimeError(f"Found dtype {found} but expected {expected}")
    if trials.dtype.itemsize == 2:
        refuse("binomial_cpu", trials.dtype)


def gamma(dtype: DType, kernel: str = "gamma_cpu") -> None:
    if dtype.char not in "fd":
        refuse(kernel, dtype)


def multinomial(weights: Array, count: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind not in "fV":
        found = dtypes.of(weights.dtype).scalar_name
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {found}")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if weights.shape[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    wrong = "invalid multinomial distribution"
    if not replacement or count == 1:
        if not ((weights >= 0) & (weights < np.inf)).all():
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    elif not (weights >= 0).all():
        raise RuntimeError(f"{wrong} (encountering probability entry < 0)")
    elif not (weights < np.inf).all():
        raise RuntimeError(f"{wrong} (encountering probability entry = infinity or NaN)")
    if weights.size and not (weights > 0).any(-1).all():
        raise RuntimeError(f"{wrong} (sum of probabilities <= 0)")


def _require_float(distribution: str, dtype: DType, name: str) -> None:
    if dtype.kind not in "fV":
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {name}"
        )


def _require_room(dtype: DType, name: str, value: int) -> None:
    last = last_integer(dtype)
    if -last <= value <= last and (value >= 0 or dtype.kind not in "ub"):
        return
    kind = dtypes.of(dtype)
    if dtype.kind in "iub":
        if value != -last - 1 or dtype.kind != "i":
            raise RuntimeError(f"{name} is out of bounds for {kind.c_name}")
        return
    if abs(value) > finfo(kind).max:
        raise RuntimeError(f"{name} is out of bounds for {kind.c_name}")
    digits = _digits(dtype)
    warn(
        f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {kind.c_name} can support "
        "discrete uniform distribution only within this range. This warning will become an error in version 1.7 "
        "release, please fix the code in advance"
    )


def _digits(dtype: DType) -> int:
    """The bits of a float dtype's significand."""
    if dtype.itemsize == 1:
        refuse("random_update_from_to", dtype)
    return {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name]
