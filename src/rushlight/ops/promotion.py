"""How the dtypes of an op's inputs meet: tensors of several dtypes, and Python numbers beside tensors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import numpy as backend
from ..backend.array_dtypes import as_array
from ..base import dtypes
from ..base.arguments import refuse_too_large
from ..tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from .table import Op


def common_dtype(values: Sequence[Any]) -> dtypes.dtype:
    """The dtype that tensors and numbers meet in: PyTorch's three categories."""
    dimensioned: list[Any] = []
    zero_dim: list[Any] = []
    numbers: list[Any] = []
    unsigned = False
    for value in values:
        if isinstance(value, Tensor):
            array = value._array
            (dimensioned if array.ndim else zero_dim).append(dtypes.of(array.dtype))
        else:
            numbers.append(number_type(value))
            unsigned = unsigned or (value.__class__ is int and value >= 1 << 63)
    if unsigned:
        _refuse_unsigned(values)
    return dtypes.result_dtype(tuple(dimensioned), tuple(zero_dim), tuple(numbers))


def _refuse_unsigned(values: Sequence[object]) -> None:
    """RuntimeError where a number of 64 bits without a sign meets no tensor but bools, or other whole numbers alone."""
    kinds = [dtypes.of(value._array.dtype) for value in values if isinstance(value, Tensor)]
    if all(kind is dtypes.bool_ for kind in kinds):
        for value in values:
            if not isinstance(value, Tensor):
                is_unsigned = value.__class__ is int and value >= 1 << 63  # type: ignore[operator]
                kinds.append(dtypes.uint64 if is_unsigned else tensor_of_number(value).dtype)
        functools.reduce(dtypes.promote_types, kinds)


def number_type(value: Any) -> type:
    """bool, int, float or complex, for Python's and NumPy's numbers.

    NumPy's bool is a float to PyTorch, and so is what is complex there but no complex of Python's: its real part.
    """
    for kind, families in ((bool, bool), (int, (int, np.integer)), (complex, complex)):
        if isinstance(value, families):
            return kind
    return float


def promoted(op: Op, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as arrays of one dtype; numbers become 0-dim arrays."""
    common = common_dtype(inputs)
    if op.promote == "float" and not (common.is_floating_point or common.is_complex):
        common = dtypes.get_default_dtype()
    dtype = common.numpy
    if common.is_complex and common.itemsize == 4 and op.name in _NOT_OF_HALVES:
        raise NotImplementedError(f"\"{_NOT_OF_HALVES[op.name]}\" not implemented for 'ComplexHalf'")
    arrays = []
    for value in inputs:
        if isinstance(value, Tensor):
            array = value._array
            arrays.append(array if array.dtype == dtype else backend.copied(array, dtype))
        else:
            arrays.append(number_array(value, dtype))
    return arrays


# Kernels that PyTorch lacks for half-precision complex numbers, in which halves meet complex numbers of no dimensions.
_NOT_OF_HALVES = {
    "div": "div_cpu", "pow": "pow", "lerp_tensor": "lerp_kernel_tensor", "addcdiv": "addcdiv_cpu_out", "floor_divide": "div_floor_cpu",
    "clamp_min_tensor": "maximum_cpu", "clamp_max_tensor": "minimum_cpu",
    **{name: f"{name}_cpu" for name in (
        "lt le gt ge atan2 logaddexp logaddexp2 fmod remainder div_floor div_trunc hypot copysign xlogy nextafter logical_and logical_or "
        "logical_xor igamma igammac"
    ).split()},
}  # fmt: skip


_meeting: dict[tuple[Any, ...], np.dtype[Any] | None] = {}


def together(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], floats: bool) -> tuple[Any, Any] | None:
    """Two arrays of different dtypes in the one they meet in, as :func:`promoted` gives them; ``floats``: if it is inexact.

    None where that takes a closer look: at the default dtype, or at how the arrays lie.
    """
    if not (a.flags.c_contiguous and b.flags.c_contiguous):
        return None
    key = (a.dtype, b.dtype, a.ndim > 0, b.ndim > 0)
    if key not in _meeting:
        found = common_dtype([new_tensor(a), new_tensor(b)])
        _meeting[key] = None if found.is_complex and found.itemsize == 4 else found.numpy
    dtype = _meeting[key]
    if dtype is None or (floats and dtype.kind in "bui") or dtype.itemsize == 2:
        return None
    return (a if a.dtype is dtype else a.astype(dtype)), (b if b.dtype is dtype else b.astype(dtype))


def beside_number(x: np.ndarray[Any, Any], value: float) -> tuple[Any, Any] | None:
    """Whole numbers and a Python number that their dtype does not hold, in the one they meet in; None for the general path."""
    if value.__class__ is float and x.dtype.kind in "bui":
        dtype = dtypes.get_default_dtype().numpy
    elif value.__class__ is int and x.dtype.kind in "bui" and value < 1 << 63:
        dtype = dtypes.int64.numpy if x.dtype.kind == "b" else x.dtype
    else:
        return None
    return (x.astype(dtype, copy=False), number_array(value, dtype)) if x.flags.c_contiguous else None


def number_array(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A Python number as a 0-dim array; integers wrap around as C casts do, and too large ones are PyTorch's error."""
    refuse_too_large(value)
    return as_array(value, dtype)


def tensor_of_number(number: Any) -> Tensor:
    """A Python number as a tensor of no dimensions."""
    kind = number_type(number)
    if kind is complex:
        dtype = dtypes.default_complex_dtype()
    else:
        dtype = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.get_default_dtype()}[kind]
    return new_tensor(number_array(number, dtype.numpy))


_OF_PRODUCTS = frozenset(("mul", "div", "div_floor", "div_trunc", "floor_divide", "floor_divide_"))


def is_in_single(op: Op, inputs: Sequence[object], dtype: np.dtype[Any]) -> bool:
    """Whether an op that computes in ``dtype`` computes in single precision, and is rounded once."""
    if op.name not in _OF_PRODUCTS or dtype.itemsize != 2 or dtype.kind not in "fV":
        return False
    kinds = [isinstance(value, Tensor) and value._array.dtype == dtype for value in inputs]
    return not all(kinds) and (op.name == "mul" or kinds[0])


def in_single(op: Op, inputs: Sequence[Any], arrays: Sequence[Any]) -> list[Any] | None:
    """For products and quotients of numbers of two bytes and one that has more digits, a Python number say, both in single
    precision: the result is rounded once. Of sums PyTorch rounds the number first."""
    if op.name not in _OF_PRODUCTS or not is_in_single(op, inputs, arrays[0].dtype):  # of others the first may be a list
        return None
    return [
        backend.converted(value._array, np.dtype(np.float32)) if isinstance(value, Tensor) else np.asarray(value, np.float32)
        for value in inputs
    ]
