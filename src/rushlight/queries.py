"""Questions about tensors, as functions: is_tensor, is_floating_point, numel and the like."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .arguments import type_name
from .factory import creation
from .ops.public import methods
from .tensor import Tensor


def _tensor(name: str, input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return input


@creation
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


@creation
def is_floating_point(input: Any) -> bool:
    """Whether the tensor's dtype is a floating one."""
    return _tensor("is_floating_point", input).is_floating_point()


@creation
def is_complex(input: Any) -> bool:
    """Whether the tensor's dtype is complex."""
    return _tensor("is_complex", input).is_complex()


@creation
def is_signed(input: Any) -> bool:
    """Whether the tensor's dtype holds negative numbers."""
    return _tensor("is_signed", input).is_signed()


@creation
def is_conj(input: Any) -> bool:
    """Whether the tensor is a conjugate that is computed when its values are read."""
    return _tensor("is_conj", input).is_conj()


@creation
def is_neg(input: Any) -> bool:
    """Whether the tensor is a negative that is computed when its values are read: never, here."""
    return _tensor("is_neg", input).is_neg()


@creation
def is_inference(input: Any) -> bool:
    """Whether the tensor was made in inference mode."""
    return _tensor("is_inference", input).is_inference()


@creation
def is_same_size(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape."""
    return _tensor("is_same_size", input).is_same_size(other)


@creation
def numel(input: Any) -> int:
    """How many elements the tensor has."""
    return _tensor("numel", input).numel()


@creation
def is_nonzero(input: Any) -> bool:
    """Whether the one element is not zero. RuntimeError unless there is exactly one."""
    return bool(_tensor("is_nonzero", input))


methods["is_nonzero"] = is_nonzero


@creation
def typename(obj: Any) -> str:
    """The name of a tensor's type, 'torch.FloatTensor' say; of anything else its class with its module.

    >>> import rushlight as torch
    >>> torch.typename(torch.ones(1)), torch.typename(3)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[no-any-return]
    if isinstance(obj, dtypes.dtype):
        return "torch.dtype"
    named = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    prefix = "" if module in ("builtins", "__builtin__") else f"{module.replace('rushlight', 'torch', 1)}."
    return prefix + str(getattr(named, "__qualname__", named.__class__.__name__))
