"""torch._check, torch._assert_async and their kin: conditions that libraries hold their arguments to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import dtypes
from ..tensor import Tensor
from .arguments import type_name, warn

__all__ = [
    "_assert_async",
    "_assert_tensor_metadata",
    "_check",
    "_check_index",
    "_check_is_size",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_type",
    "_check_value",
    "_check_with",
]

Message = Callable[[], Any] | None


def _check_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raises ``error_type`` with what ``message()`` says, unless ``cond`` is True.

    TypeError for a condition that is no bool, or a message that cannot be called.
    """
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all "
            "elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(
            "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
            "enhancement request to PyTorch.)"
        )
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: Any, message: Message = None) -> None:
    """:func:`_check_with` a RuntimeError.

    >>> import rushlight as torch
    >>> torch._check(2 > 3, lambda: "two is no more than three")
    Traceback (most recent call last):
    RuntimeError: two is no more than three
    """
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """:func:`_check_with` an IndexError."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """:func:`_check_with` a ValueError."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """:func:`_check_with` a TypeError."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """:func:`_check_with` a NotImplementedError."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """Raises RuntimeError unless all elements of a tensor of bools are True. TypeError for anything else."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not dtypes.bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check(bool(cond.all().item()), message)


def _assert_async(input: Tensor, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Raises RuntimeError unless a tensor's one element is not zero."""
    if not bool(input):
        raise RuntimeError(assert_msg)


def _assert_tensor_metadata(
    a: Tensor, size: object = None, stride: object = None, dtype: dtypes.dtype | None = None, *, device: object = None,
    layout: object = None,
) -> None:  # fmt: skip
    """Raises RuntimeError unless a tensor is of the sizes, strides, dtype, device and layout that are named."""
    if not isinstance(a, Tensor):
        raise TypeError(f"_assert_tensor_metadata(): argument 'a' (position 1) must be Tensor, not {type_name(a)}")

    def expect(name: str, same: bool, expected: object, got: object) -> None:
        if not same:
            raise RuntimeError(f"Tensor {name} mismatch! Expected: {expected}, Got: {got}")

    for name, numbers, own in (("sizes", size, list(a.shape)), ("strides", stride, list(a.stride()))):
        if isinstance(numbers, (list, tuple)):
            expect(name, list(numbers) == own, list(numbers), own)
    if dtype is not None:
        expect("dtype", a.dtype is dtype, dtype.scalar_name, a.dtype.c_name)
    expect("device", device is None or str(a.device) == str(device), device, a.device)
    if layout is not None:
        kinds = ["".join(map(str.capitalize, str(one).removeprefix("torch.").split("_"))) for one in (layout, a.layout)]
        expect("layout", a.layout is layout, *[kind.removesuffix("Coo") for kind in kinds])


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """Raises RuntimeError unless a number is no less than 0 and no more than ``max``."""
    warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     "
        "Use _check(i >= 0) instead.",
        FutureWarning,
    )
    _check(i >= 0 and (max is None or i <= max), message)
