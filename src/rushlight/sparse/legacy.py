"""The older constructors of sparse tensors: ``torch.sparse.FloatTensor(indices, values, size)`` and its kin."""

from __future__ import annotations

from typing import Any

from ..base import dtypes
from ..base.device import as_device, sparse_coo
from ..base.device import device as Device
from ..base.size import Size
from ..tensor import Tensor
from ..tensors.arguments import checked_shape, type_name, warn
from .creation import sparse_coo_tensor
from .tensors import SparseTensor

_FORMS = (
    "*, torch.device device = None",
    "Tensor indices, Tensor values, *, torch.device device = None",
    "Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None",
    "tuple of ints size, *, torch.device device = None",
)
_told: set[str] = set()


def _tell(old: str, new: str) -> None:
    if old not in _told:
        _told.add(old)
        warn(f"torch.sparse.SparseTensor({old}) is deprecated.  Please use torch.sparse_coo_tensor({new}).")


def _no_form(*args: object, **named: object) -> TypeError:
    got = ", ".join([*map(type_name, args), *(f"{label}={type_name(value)}" for label, value in named.items())])
    return TypeError(
        f"new() received an invalid combination of arguments - got ({got}{', ' if named and not args else ''}), but expected "
        "one of:\n" + "".join(f" * ({form})\n" for form in _FORMS)
    )


class _SparseType(type):
    """The type of ``torch.sparse.FloatTensor``: a sparse tensor of that dtype is an instance of it."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, device: Any = None) -> SparseTensor:
        if device is not None and (isinstance(device, bool) or not isinstance(device, (Device, str, int))):
            raise _no_form(*args, device=device)
        if device is not None and (where := as_device(device)).type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {where.type} was passed")
        if not args:
            _tell("", "(0,), dtype=")
            return sparse_coo_tensor((0,), dtype=cls.dtype)
        tensors = [isinstance(one, Tensor) for one in args]
        if tensors[:2] == [True, True] and len(args) < 4 and args[0].dim() == 2 and args[0].dtype is not dtypes.int64:
            raise RuntimeError(
                f"expected scalar type Long but found {args[0].dtype.scalar_name}"
                if len(args) == 2
                else "indices must be an int64 tensor"
            )
        if tensors == [True, True]:
            _tell("indices, values, *, device=", "indices, values, dtype=, device=")
            return sparse_coo_tensor(*args)
        if tensors == [True, True, False]:
            _tell("indices, values, shape, *, device=", "indices, values, shape, dtype=, device=")
            return sparse_coo_tensor(*args)
        if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], Size):
            raise TypeError(
                "torch.sparse.SparseTensor(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a "
                "strided tensor and convert it to sparse via to_sparse."
            )
        if len(args) == 1 and isinstance(args[0], Size):
            args = args[0]
        try:
            sizes = checked_shape("new", args)
        except TypeError as error:
            raise error if "Overflow" in str(error) else _no_form(*args) from None
        _tell("shape, *, device=", "shape, dtype=, device=")
        return sparse_coo_tensor(sizes, dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, SparseTensor) and instance.layout is sparse_coo and instance.dtype is cls.dtype


def _define(dtype: dtypes.dtype) -> type:
    name = f"{dtype.scalar_name}Tensor"
    doc = f"Sparse tensors of torch.{dtype.name}, made of indices and values, or of sizes: all zeros."
    body = {"__module__": "torch.sparse", "__doc__": doc, "dtype": dtype, "layout": sparse_coo, "is_sparse": True}
    return _SparseType(name, (), body)


CLASSES: dict[str, type] = {
    f"{each.scalar_name}Tensor": _define(each)
    for each in dtypes.ALL
    if not each.is_complex and "UInt" not in each.scalar_name and each is not dtypes.bool_
}
