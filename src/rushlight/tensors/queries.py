"""Questions about tensors, as functions: is_tensor, is_floating_point, numel and the like."""

from __future__ import annotations

from typing import Any

from ..backend.random_streams import memory_axes
from ..base import dtypes
from ..base.device import memory_format
from ..ops import promotion
from ..ops.argument_forms import refusal
from ..ops.public import methods, module
from ..ops.publishing import method, published
from ..tensor import Tensor
from .arguments import type_name


def _tensor(name: str, input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return input


def is_tensor(obj: Any, /) -> bool:
    """Whether an object is a tensor. Nobody takes this call over."""
    return isinstance(obj, Tensor)


module("torch")["is_tensor"] = is_tensor


@published
def is_floating_point(input: Any) -> bool:
    """Whether the tensor's dtype is a floating one."""
    return _tensor("is_floating_point", input).is_floating_point()


@published
def is_complex(input: Any) -> bool:
    """Whether the tensor's dtype is complex."""
    return _tensor("is_complex", input).is_complex()


@published
def is_signed(input: Any) -> bool:
    """Whether the tensor's dtype holds negative numbers."""
    return _tensor("is_signed", input).is_signed()


@published
def is_conj(input: Any) -> bool:
    """Whether the tensor is a conjugate that is computed when its values are read."""
    return _tensor("is_conj", input).is_conj()


@published
def is_neg(input: Any) -> bool:
    """Whether the tensor is a negative that is computed when its values are read: never, here."""
    return _tensor("is_neg", input).is_neg()


@published
def is_inference(input: Any) -> bool:
    """Whether the tensor was made in inference mode."""
    return _tensor("is_inference", input).is_inference()


@published
def is_same_size(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape."""
    _tensor("is_same_size", input)
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size(): argument 'other' (position 2) must be Tensor, not {type_name(other)}")
    return input.is_same_size(other)  # type: ignore[no-any-return]


@published
def numel(input: Any) -> int:
    """How many elements the tensor has."""
    return _tensor("numel", input).numel()


@published
def is_nonzero(input: Any) -> bool:
    """Whether the one element is not zero. RuntimeError unless there is exactly one."""
    return bool(_tensor("is_nonzero", input))


methods["is_nonzero"] = is_nonzero


@published
def typename(obj: Any, /) -> str:
    """The name of a tensor's type, 'torch.FloatTensor' say; of anything else its class with its module.

    >>> import rushlight as torch
    >>> torch.typename(torch.ones(1)), torch.typename(3)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    if isinstance(obj, dtypes.dtype):
        return "torch.dtype"
    named = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    prefix = "" if module in ("builtins", "__builtin__") else f"{module.replace('rushlight', 'torch', 1)}."
    return prefix + str(getattr(named, "__qualname__", named.__class__.__name__))


@published
def result_type(*operands: object, **named: object) -> dtypes.dtype:
    """The dtype that an operation on two operands, tensors or numbers, gives.

    >>> import rushlight as torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.5)
    torch.float32
    """
    wrong = refusal("result_type", False, operands, named)  # what the two are called depends on their kinds
    if wrong is not None:
        raise wrong
    return promotion.common_dtype((*operands, *named.values()))


@published
def get_device(input: Any) -> int:
    """-1: the tensor is on the CPU."""
    return _tensor("get_device", input).get_device()


@published
def is_distributed(input: Any) -> bool:
    """False: tensors are in one process."""
    _tensor("is_distributed", input)
    return False


@method
def dim_order(self: Tensor, *, ambiguity_check: bool | list[Any] = False) -> tuple[int, ...]:
    """The dimensions as they lie in memory, the outermost first.

    ``ambiguity_check``  True, or the memory formats among which it must be one: RuntimeError where the order is not unique
    """
    if not isinstance(ambiguity_check, (bool, list)):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    if isinstance(ambiguity_check, list) and not all(isinstance(one, memory_format) for one in ambiguity_check):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    order = memory_axes(self._array)
    if ambiguity_check is not False:
        steps = [step for step, size in zip(self.stride(), self._array.shape, strict=True) if size > 1]
        formats = ambiguity_check if isinstance(ambiguity_check, list) else []
        fitting = sum(self.is_contiguous(memory_format=one) for one in formats)
        unique = (
            fitting == 1
            if formats
            else 0 in self._array.shape or (len(steps) == self._array.ndim and len(set(steps)) == len(steps))
        )
        if not unique:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
            )
    return order


@method
def const_data_ptr(self: Tensor) -> int:
    """The address of the first element."""
    return self.data_ptr()


@method
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself, which is dense, or in another dtype."""
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"to_dense(): argument 'dtype' (position 1) must be torch.dtype, not {type_name(dtype)}")
    return self if dtype is None else self.to(dtype)


@published
def detach(input: Any) -> Tensor:
    """The same memory without history."""
    return _tensor("detach", input).detach()


@published
def detach_(input: Any) -> Tensor:
    """Forgets the tensor's history."""
    return _tensor("detach_", input).detach_()


methods["name"] = property(lambda self: None, doc="None: nothing names tensors.")
