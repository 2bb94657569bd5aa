"""torch._prims_common: what PyTorch's operators in Python ask about dtypes and dimensions, and libraries with them.

>>> import rushlight as torch
>>> from rushlight._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
>>> elementwise_dtypes(torch.ones(2).half(), type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)
(torch.float32, torch.float16)
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

from rushlight.base import dtypes
from rushlight.base.arguments import axis_of
from rushlight.base.dtypes import dtype
from rushlight.tensor import Tensor

ELEMENTWISE_TYPE_PROMOTION_KIND = Enum(
    "ELEMENTWISE_TYPE_PROMOTION_KIND", "DEFAULT NO_OPMATH INT_TO_FLOAT ALWAYS_BOOL COMPLEX_TO_FLOAT BOOL_TO_LONG", start=0
)
REDUCTION_OUTPUT_TYPE_KIND = Enum("REDUCTION_OUTPUT_TYPE_KIND", "SAME COMPLEX_TO_FLOAT KEEP_PROMOTED_TYPE ALWAYS_BOOL", start=0)


def is_boolean_dtype(dtype: dtype) -> bool:
    """Whether it is ``torch.bool``."""
    return dtype is dtypes.bool_


def is_integer_dtype(dtype: dtype) -> bool:
    """Whether it is an integer type; ``torch.bool`` is none."""
    return dtype.kind_rank == dtypes.INTEGRAL


def is_float_dtype(dtype: dtype) -> bool:
    """Whether it is a real floating type."""
    return dtype.is_floating_point


def is_complex_dtype(dtype: dtype) -> bool:
    """Whether it is a complex type."""
    return dtype.is_complex


def is_low_precision_dtype(dtype: dtype) -> bool:
    """Whether PyTorch computes with it in single precision."""
    return get_computation_dtype(dtype) is not dtype


def dtype_to_type(dtype: dtype) -> type:
    """The Python type of its numbers."""
    return (bool, int, float, complex)[dtype.kind_rank]


def type_to_dtype(typ: type) -> dtype:
    """The dtype that numbers of a Python type get."""
    return dtypes.of_number(typ)


def corresponding_real_dtype(dtype: dtype) -> dtype:
    """The dtype of the parts of a complex one."""
    return dtype.to_real()


def corresponding_complex_dtype(dtype: dtype) -> dtype:
    """The complex dtype with such parts."""
    return dtype.to_complex()


def get_computation_dtype(dtype: dtype) -> dtype:
    """The dtype that PyTorch computes in: of halves it is the single precision."""
    if dtype.is_complex:
        return dtypes.complex64 if dtype.itemsize == 4 else dtype
    return dtypes.float32 if dtype.is_floating_point and dtype.itemsize == 2 else dtype


def elementwise_dtypes(*_args: object, type_promotion_kind: ELEMENTWISE_TYPE_PROMOTION_KIND) -> tuple[dtype, dtype]:
    """The dtypes that an elementwise operator computes in and gives."""
    tensors = [one for one in _args if isinstance(one, Tensor)]
    wide, narrow = (tuple(one.dtype for one in tensors if (one.ndim > 0) is large) for large in (True, False))
    numbers = tuple(type(one) for one in _args if one is not None and not isinstance(one, Tensor))
    kinds, common = ELEMENTWISE_TYPE_PROMOTION_KIND, dtypes.result_dtype(wide, narrow, numbers)
    if type_promotion_kind is kinds.INT_TO_FLOAT and common.kind_rank < dtypes.FLOATING:
        common = dtypes.get_default_dtype()
    if type_promotion_kind is kinds.BOOL_TO_LONG and common is dtypes.bool_:
        common = dtypes.int64
    if type_promotion_kind is kinds.NO_OPMATH:
        return common, common
    given = {kinds.ALWAYS_BOOL: dtypes.bool_, kinds.COMPLEX_TO_FLOAT: common.to_real()}.get(type_promotion_kind, common)
    return get_computation_dtype(common), given


def canonicalize_dim(rank: int, idx: int, wrap_scalar: bool = True) -> int:
    """A dimension counted from the front. IndexError where there is none."""
    return axis_of(idx, rank, wrap_scalar=wrap_scalar)


def canonicalize_dims(rank: int, indices: int | Sequence[int], wrap_scalar: bool = True) -> int | tuple[int, ...]:
    """Several at once; of one number one."""
    if isinstance(indices, Sequence):
        return tuple(canonicalize_dim(rank, one, wrap_scalar) for one in indices)
    return canonicalize_dim(rank, indices, wrap_scalar)


def compare_tensor_meta(
    a: Tensor,
    b: Tensor,
    check_sizes: bool = True,
    check_strides: bool = False,
    *,
    allow_rhs_unbacked: bool = False,
    check_conj: bool = True,
) -> None:
    """AssertionError where two tensors differ in what they are, whatever their values."""
    for name, one in (("a", a), ("b", b)):
        if not isinstance(one, Tensor):
            raise AssertionError(f"{name} must be TensorLike, got {type(one)}")
    if check_sizes and a.shape != b.shape:
        raise AssertionError(f"Shapes {a.shape} and {b.shape} are not equal!")
    if a.dtype != b.dtype:
        raise AssertionError(f"Dtypes {a.dtype} and {b.dtype} are not equal!")
    if check_strides and a.stride() != b.stride():
        raise AssertionError(f"Stride mismatch! Strides are {a.stride()} and {b.stride()}")
    if check_conj and a.is_conj() != b.is_conj():
        raise AssertionError(f"Conj mismatch! is_conj is set to {a.is_conj()} and {b.is_conj()}")
