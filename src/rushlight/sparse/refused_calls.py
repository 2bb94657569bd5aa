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
    space = str(getattr(func, "__module__", "")).rpartition(".")[2]
    refuse_misfits(f"{space}_{name}" if space in ("fft", "linalg", "special") else name, False, args, kwargs)


def lacking(name: str, layout: str) -> NotImplementedError:
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{layout}CPU' backend. This could be because the operator doesn't "
        "exist for this backend."
    )


def refuse_compressed(func: Callable[..., object], name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """PyTorch's error for a tensor in a compressed layout, where it has the function for other layouts alone."""
    is_left = name[:2] == "__" and not all(isinstance(one, (Tensor, *NUMBERS)) for one in args)  # the other side may take it
    if is_left or name in TO_VALUES:
        return
    asked = args[:1] if name in compressed_functions.OF_THE_FIRST else flat((args, kwargs))
    for one in asked:
        if isinstance(one, SparseTensor) and not one.is_sparse:
            error = compressed_functions.refusal(name, camel(one._layout))
            if error is not None:
                refuse_by_forms(func, name, args, kwargs)
                raise error
            return
