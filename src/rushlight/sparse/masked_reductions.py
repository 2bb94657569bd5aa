"""Functions of ``torch.masked`` with sparse tensors and masks.

Of a sparse tensor and a mask, what counts is where the mask is True, whether the tensor has a value there or 0. A sum needs no mask:
then what the tensor has values for counts. The result has the tensor's layout, and values where anything counted.
"""

from __future__ import annotations

import numpy as np

from ..autograd.interpreters import Answer, Args, Function, Named
from ..base import dtypes
from ..ops.masked import any_of
from ..tensor import Tensor, wrap
from .creation import sparse_coo_tensor
from .tensors import SparseTensor

_SPARSE = dict.fromkeys(("sum", "prod", "amax", "amin"), ("sparse_coo", "sparse_csr")) | {"mean": ("sparse_csr",)}


def dense(value: Answer) -> Answer:
    return value.to_dense() if isinstance(value, SparseTensor) else value


def reduced(func: Function, args: Args, kwargs: Named) -> Answer:
    """The call, on tensors and masks of which one is sparse.

    ValueError where the function takes no tensor of that layout, or asks for a mask; CSR results keep their dimensions.
    """
    name, (input, *rest) = func.__name__, args
    if name[0] == "_" or not isinstance(input, SparseTensor):
        return func(*map(dense, args), **{key: dense(one) for key, one in kwargs.items()})
    layout, taken = str(input.layout).rpartition(".")[2], _SPARSE.get(name, ())
    if layout not in taken:
        wanted = " or ".join(("strided", *taken))
        name = "std/var" if name in ("std", "var") else name
        raise ValueError(f"masked {name} expects {wanted} tensor (got torch.{layout} tensor)")
    mask, keepdim = kwargs.get("mask"), kwargs.get("keepdim", False)
    if mask is None and name != "sum":
        raise ValueError(f"masked {name} expects explicit mask for {layout} tensor input")
    if layout == "sparse_csr" and not keepdim:
        text = "reduction operations on CSR tensors with keepdim=False is unsupported"
        raise RuntimeError(text) if name in ("sum", "prod") else AssertionError(text)
    kept = _places(input) if mask is None else dense(mask).expand(input.shape).to(dtypes.bool_)
    result = func(input.to_dense(), *rest, **{**kwargs, "mask": kept})
    found = any_of(kept, rest[0] if rest else kwargs.get("dim"), keepdim)
    if name == "prod" and layout == "sparse_coo" and found.numel() == 1:
        found = found & (result != 0)  # so PyTorch leaves out a product of everything that is 0
    whole = sparse_coo_tensor(found.nonzero().t(), result[found], result.shape, is_coalesced=True)
    return whole if layout == "sparse_coo" else whole.to_sparse_csr()


def _places(x: SparseTensor) -> Tensor:
    """Where a sparse tensor has values."""
    places = np.zeros(x.shape, np.bool_)
    places[x.coordinates()] = True
    return wrap(places)
