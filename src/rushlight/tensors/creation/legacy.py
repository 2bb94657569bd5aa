"""The older constructors: ``torch.Tensor(...)``, ``torch.FloatTensor(...)``, ``tensor.new(...)`` and their classes.

They take sizes, or a sequence, or another tensor or storage.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...backend.creation import unset
from ...base import dtypes
from ...base.device import as_device, strided
from ...base.public_names import methods
from ...base.size import Size
from ...ops.public import ops
from ...ops.publishing import method
from ...storage import TypedStorage, UntypedStorage
from ...tensor import Tensor
from ..arguments import type_name
from .allocation import allocated, finished
from .from_data import array_of, is_sequence

_FORMS = (
    "*, torch.device device = None",
    "torch.Storage storage",
    "Tensor other",
    "tuple of ints size, *, torch.device device = None",
    "object data, *, torch.device device = None",
)


def construct(
    dtype: dtypes.dtype, args: tuple[Any, ...], kwargs: dict[str, Any], exact: bool = False, by: str = "constructor"
) -> Tensor:
    """What ``Tensor(*args, **kwargs)`` makes, in ``dtype``; with ``exact`` a tensor passed must have it already."""
    options = dict(kwargs)
    device = options.pop("device", None)
    if device is not None and as_device(device, "new").type != "cpu":
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {as_device(device, 'new').type} was passed"
        )
    if "size" in options and not args:
        args = tuple(options.pop("size"))
    for name in ("data", "other", "storage"):
        if name in options and not args:
            args = (options.pop(name),)
    if options:
        _refuse(args, kwargs)
    if not args:
        return finished(np.empty(0, dtype.numpy))
    first = args[0]
    if device is not None and isinstance(first, Tensor):
        form, instead = ("torch.Tensor", "torch.tensor(...) or ") if by == "constructor" else ("tensor.new", "")
        raise RuntimeError(
            f"Legacy tensor {by} of the form {form}(tensor, device=device) is not supported.  Use "
            f"{instead}torch.as_tensor(...) instead."
        )
    if len(args) == 1 and not _is_size(first):
        return _from_one(dtype, first, exact)
    return finished(unset(allocated(np.empty, "new", args, False, dtype.numpy)))


def _is_size(value: Any) -> bool:
    if isinstance(value, (bool, Tensor)):
        return False
    return isinstance(value, (int, np.integer))


def _from_one(dtype: dtypes.dtype, value: Any, exact: bool) -> Tensor:
    if isinstance(value, Tensor):
        if exact and (value.dtype is not dtype or not value._strided):
            raise TypeError(f"expected {_options_text(dtype)} (got {_options_text(value.dtype)})")
        if not value._strided:
            value.untyped_storage()  # whose error it is
        return ops.alias(value)
    if isinstance(value, type) and issubclass(value, Tensor):  # which has what an array would be read by, and no memory
        raise RuntimeError(f"not a storage '{type_name(value)}'")
    if isinstance(value, TypedStorage):
        if value.dtype is not dtype:
            raise RuntimeError(
                f"Expected a Storage of type {dtype.scalar_name} or an UntypedStorage, but got type {value.dtype.scalar_name} "
                "for argument 1 'storage'"
            )
        return finished(value._memory)
    if isinstance(value, UntypedStorage):
        return finished(value._memory.view(dtype.numpy))
    if isinstance(value, Size):
        return finished(unset(allocated(np.empty, "new", value, False, dtype.numpy)))
    if isinstance(value, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(value, np.ndarray) or is_sequence(value):
        return finished(array_of(value, dtype.numpy, True))
    raise TypeError(f"new(): data must be a sequence (got {type_name(value)})")


def _options_text(dtype: dtypes.dtype) -> str:
    return (
        f"TensorOptions(dtype={dtype.c_name}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false "
        "(default), memory_format=(nullopt))"
    )


def _refuse(args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    got = ", ".join([type_name(each) for each in args] + [f"{name}={type_name(each)}" for name, each in kwargs.items()])
    raise TypeError(
        f"new() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        + "".join(f" * ({form})\n" for form in _FORMS)
    )


@method
def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """A new tensor of this one's dtype, of sizes or of a sequence.

    >>> import rushlight as torch
    >>> torch.tensor([1, 2]).new([3, 4])
    tensor([3, 4])
    """
    return construct(self.dtype, args, kwargs, exact=True, by="new")


class tensortype(type):
    """The type of ``torch.FloatTensor``: a tensor of that dtype is an instance of it."""

    dtype: dtypes.dtype

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> tensortype:
        if bases:
            raise TypeError(f"type 'torch.{bases[-1].__name__}' is not an acceptable base type")
        return super().__new__(cls, name, bases, body)

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        return construct(cls.dtype, args, kwargs, exact=True)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


tensortype.__module__ = "torch"


def _define(dtype: dtypes.dtype) -> type:
    name = f"{dtype.scalar_name}Tensor"
    body = {
        "__module__": "torch",
        "__doc__": f"Tensors of torch.{dtype.name}, made of sizes, a sequence or another tensor.",
        "dtype": dtype,
        "layout": strided,
        "is_cuda": False,
        "is_sparse": False,
    }
    return tensortype(name, (), body)


CLASSES: dict[str, type] = {
    f"{each.scalar_name}Tensor": _define(each) for each in dtypes.ALL if not each.is_complex and "UInt" not in each.scalar_name
}


def _new(cls: type, *args: Any, **kwargs: Any) -> Tensor:
    if cls is Tensor or not args or not isinstance(args[0], Tensor):
        made = construct(dtypes.get_default_dtype(), args, kwargs)
    else:
        made = args[0].detach()
    return made if cls is Tensor else made.as_subclass(cls)


methods["__new__"] = staticmethod(_new)
