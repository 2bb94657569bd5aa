"""The class of masked tensors.

A masked tensor has no memory of its own: it holds a plain tensor and a mask of its shape, True where elements count. Ops on it go
to ``kernels.py``, below autograd, so that its gradients are masked tensors too; reductions and ``where``, whose masks are other
than those of their inputs, to ``reductions.py``, above it.
"""

from __future__ import annotations

import warnings
from typing import NoReturn

import rushlight
from rushlight.autograd.function import Function
from rushlight.autograd.interpreters import Answer, Args, Named
from rushlight.base import dtypes
from rushlight.overrides import torch_dispatch
from rushlight.overrides.torch_function import DisableTorchFunctionSubclass
from rushlight.tensor import Tensor

from . import kernels, printing, reductions

DTYPES = frozenset(
    (dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)
)
PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github issue for "
    "features requests and see our documentation on the torch.masked module for further information about the project."
)


def is_masked_tensor(obj: object, /) -> bool:
    """Whether something is a :class:`MaskedTensor`.

    >>> import rushlight as torch
    >>> torch.masked.is_masked_tensor(torch.ones(2))
    False
    """
    return isinstance(obj, MaskedTensor)


def check(data: Answer, mask: Answer) -> None:
    """TypeError for what is no plain tensor, for a mask that is not boolean, for dtypes that PyTorch's class does not take;
    ValueError where data and mask differ in shape."""
    for name, value in (("data", data), ("mask", mask)):
        if not isinstance(value, Tensor) or is_masked_tensor(value):
            raise TypeError(f"{name} must be a Tensor")
    if mask.dtype is not dtypes.bool_:
        raise TypeError("mask must have dtype bool.")
    if data.dtype not in DTYPES:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if not (data._strided and mask._strided):
        raise NotImplementedError("rushlight has no masked tensors in sparse layouts")
    if data.ndim != mask.ndim:
        raise ValueError("data.dim() must equal mask.dim()")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


class MaskedTensor(Tensor):
    """A tensor and a mask of its shape: True where elements count.

    ``data``: a strided tensor of bool, signed integers, or floating point but bfloat16; ``mask``: a boolean tensor of its shape.
    Both are copied. TypeError or ValueError for other ones.

    >>> import warnings
    >>> import rushlight as torch
    >>> warnings.simplefilter("ignore")  # it says that it is a prototype
    >>> x = torch.masked.masked_tensor(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([True, False, True]))
    >>> x.exp().sum()
    MaskedTensor( 22.8038, True)
    >>> x.to_tensor(0)
    tensor([1., 0., 3.])
    """

    _masked_data: Tensor
    _masked_mask: Tensor

    @staticmethod
    def __new__(cls: type[MaskedTensor], data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
        check(data, mask)
        if requires_grad and not data.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        warnings.warn(PROTOTYPE, UserWarning, stacklevel=2)
        made: MaskedTensor = torch_dispatch.make_wrapper(
            cls, data.shape, data.stride(), dtype=data.dtype, requires_grad=requires_grad
        )
        return made

    def __init__(self, data: Tensor, mask: Tensor, requires_grad: bool = False) -> None:
        self._masked_data, self._masked_mask = data.detach().clone(), mask.clone()

    def __len__(self) -> int:
        return len(self._masked_data)

    def __contains__(self, element: object) -> bool:
        raise TypeError("a masked tensor does not say what it contains: to_tensor(value) gives one that does")

    def __repr__(self, *, tensor_contents: object = None) -> str:  # type: ignore[override]
        return printing.text_of(self._masked_data, self._masked_mask)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def get_data(self) -> Tensor:
        """The plain tensor, with what is masked out in it; its gradient gets this one's mask."""
        with DisableTorchFunctionSubclass():
            return GetData.apply(self)

    def _filled(self, mask: Tensor, fill: Tensor) -> Tensor:
        """The plain tensor with ``fill`` where the mask is False: what reductions begin with."""
        return Combine.apply(self.get_data(), mask, fill)

    def get_mask(self) -> Tensor:
        """The mask, True where elements count."""
        return self._masked_mask

    def to_tensor(self, value: float) -> Tensor:
        """A plain tensor that has ``value`` where elements are masked out."""
        return self.get_data().masked_fill(~self._masked_mask, value)

    def to_dense(self, *args: object, **kwargs: object) -> MaskedTensor:
        """Itself: rushlight has no masked tensors in sparse layouts."""
        return self

    def numpy(self, *, force: bool = False) -> NoReturn:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NoReturn:
        self.numpy()

    def tolist(self) -> NoReturn:
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")

    def is_sparse_coo(self) -> bool:
        return False

    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        return False

    @classmethod
    def __torch_function__(cls, func: Answer, types: object, args: Args = (), kwargs: Named | None = None) -> Answer:
        answer = reductions.answer(wrapped, _MaskedWhere.apply, func, args, kwargs or {})
        if answer is not NotImplemented:
            return answer
        with DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, func: Answer, types: object, args: Args = (), kwargs: Named | None = None) -> Answer:
        return kernels.answer(cls, func, args, kwargs or {})


class GetData(Function):
    """From a masked tensor to the plain one."""

    @staticmethod
    def forward(ctx: Answer, masked: MaskedTensor) -> Tensor:  # type: ignore[override]
        ctx.mask = masked._masked_mask
        return masked._masked_data.detach()

    @staticmethod
    def backward(ctx: Answer, grad: Tensor) -> Answer:  # type: ignore[override]
        return grad if is_masked_tensor(grad) else Constructor.apply(grad, ctx.mask)


class Constructor(Function):
    """From a plain tensor and a mask to the masked one; ``plain``: gradients stay plain, of what was computed from plain tensors."""

    @staticmethod
    def forward(ctx: Answer, data: Tensor, mask: Tensor, plain: bool = False) -> MaskedTensor:  # type: ignore[override]
        ctx.plain = plain
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx: Answer, grad: Tensor) -> Answer:  # type: ignore[override]
        return grad.to_tensor(0) if ctx.plain and isinstance(grad, MaskedTensor) else grad, None, None


class Combine(Function):
    """A plain tensor with a value that does not count where a mask is False."""

    @staticmethod
    def forward(ctx: Answer, data: Tensor, mask: Tensor, fill: Tensor) -> Tensor:  # type: ignore[override]
        ctx.mask = mask
        return rushlight.where(mask, data, fill)

    @staticmethod
    def backward(ctx: Answer, grad: Tensor) -> Answer:  # type: ignore[override]
        plain = grad.get_data() if isinstance(grad, MaskedTensor) else grad
        return plain.masked_fill(~ctx.mask, 0), None, None


class _MaskedWhere(Function):
    """Elements of two masked tensors with their masks; those that are not chosen are masked out in the gradients."""

    @staticmethod
    def forward(ctx: Answer, condition: Tensor, input: MaskedTensor, other: MaskedTensor) -> MaskedTensor:  # type: ignore[override]
        ctx.condition = condition
        data = rushlight.where(condition, input._masked_data, other._masked_data)
        return MaskedTensor(data, rushlight.where(condition, input._masked_mask, other._masked_mask))

    @staticmethod
    def backward(ctx: Answer, grad: MaskedTensor) -> Answer:  # type: ignore[override]
        parts = (grad._masked_mask & chosen for chosen in (ctx.condition, ~ctx.condition))
        return None, *(Constructor.apply(grad.get_data(), part) for part in parts)


def wrapped(data: Tensor, mask: Tensor) -> Answer:
    """A masked tensor of what was computed from plain tensors, or is one."""
    return Constructor.apply(data, mask, True)
