"""What PyTorch does not have for sparse tensors: its errors, and what it looks at before the layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import NUMBERS
from ..ops.argument_forms import refuse_misfits
from ..tensor import Tensor
from . import compressed_functions
from .tensors import SparseTensor, camel

TO_VALUES = frozenset(("fill_", "normal_"))  # what is written to the values of compressed layouts


def flat(value: object) -> list[Any]:
    """What is in lists and dicts of any depth, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for one in value for leaf in flat(one)] if isinstance(value, (list, tuple)) else [value]


def refuse_by_forms(func: Callable[..., object], name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """PyTorch's error for arguments that the function or method of that name does not take, which comes before the layout."""
    if getattr(Tensor, name, None) is func:
        refuse_misfits(name, True, args[1:], kwargs)
    elif "inplace" in kwargs:  # Python's, which hands the others on
        return
    space = str(getattr(func, "__module__", "")).rpartition(".")[2]
    refuse_misfits(f"{space}_{name}" if space in ("fft", "linalg", "special") else name, False, args, kwargs)


def refuse_without_memory(name: str, args: tuple[object, ...]) -> None:
    """PyTorch's error for what looks at the memory of a tensor, where that is a sparse one."""
    kinds = [one.implementation() for one in args if isinstance(one, SparseTensor)]
    if name in ("storage_type", "is_shared"):
        raise NotImplementedError(f"Cannot access storage of {kinds[0]}TensorImpl")
    if name in ("to_dlpack", "apply_"):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
    if name == "from_dlpack":
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if name == "__array__":
        raise TypeError(f"can't convert {kinds[0]} layout tensor to numpy. Use Tensor.to_dense() first.")
    if name == "__setitem__" and isinstance(args[0], SparseTensor):
        raise TypeError("Cannot assign to a sparse tensor")


def refuse_compressed(func: Callable[..., object], name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """PyTorch's error for a tensor in a compressed layout, where it has the function for other layouts alone."""
    is_left = (
        name[:2] == "__" and name != "__getitem__" and not all(isinstance(one, (Tensor, *NUMBERS)) for one in args)
    )  # the other side may take it
    if is_left or name in TO_VALUES:
        return
    name = f"{name}.decimals" if "decimals" in kwargs else name
    asked = args[:1] if name in compressed_functions.OF_THE_FIRST else flat((args, kwargs))
    for one in asked:
        if isinstance(one, SparseTensor) and not one.is_sparse:
            error = compressed_functions.refusal(name, camel(one._layout)) or _of_dimensions(name, args, kwargs)
            if error is not None:
                refuse_by_forms(func, name, args, kwargs)
                raise error
            return


def _of_dimensions(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> RuntimeError | None:
    """PyTorch's error for parts and sums of compressed layouts that it does not have: it has rows, and sums that keep dimensions."""
    if name == "__getitem__":
        places = args[1] if isinstance(args[1], tuple) else (args[1],)
        if all(isinstance(one, int) or one is Ellipsis or (isinstance(one, slice) and one == slice(None)) for one in places):
            return None
        return RuntimeError("Sparse CSR tensors do not have strides")
    if name == "sum" and (len(args) > 1 or kwargs.get("dim") is not None) and not (args[2:3] or (kwargs.get("keepdim"),))[0]:
        return RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    return None
