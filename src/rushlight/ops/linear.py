"""A linear layer: a matrix product with a weight that lies (out, in), plus a bias."""

from __future__ import annotations

import math
from typing import Any

from ..autograd import modes
from ..autograd.write_errors import check_output
from ..tensor import Tensor
from .matmul import FITTING, NO_FACTORS, check_addmm, matmul_of
from .plain_cases import Case, plain_cases
from .public import ops, public


@public(space="torch.nn.functional")
def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """``input @ weight.T + bias``: weight (out, in), input (..., in).

    >>> import rushlight as torch
    >>> import rushlight.nn.functional as F
    >>> F.linear(torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]]), torch.tensor([0.5]))
    tensor([11.5000])
    """
    x, w = input._array, weight._array
    if not x.ndim or not w.ndim:
        name = "matmul" if modes.state.transforms else "linear"  # of which it is composed there
        raise RuntimeError(f"both arguments to {name} need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    flat = x.ndim == 2
    in_rows = x.flags.c_contiguous and (x.ndim == 3 if modes.state.transforms else bias is None or _like_a_vector(bias._array))
    if bias is None or not (flat or in_rows):
        product = matmul_of(input, _columns_of(weight))
        if bias is None:
            return product
        out = product + _added(bias, product._array.shape)
        if out._array.dtype is not product._array.dtype:
            return product.add_(bias)
        out._counter[0] = product._counter[0] + 1  # PyTorch adds it in place
        return out
    *batch, inner = x.shape
    rows = input if flat else ops.view(input, (math.prod(batch), inner))
    columns = _columns_of(weight)  # after the view, as in PyTorch: backward runs the latest node first
    if w.ndim != 2 or inner != w.shape[1] or x.dtype is not w.dtype or bias._array.dtype is not x.dtype:
        check_addmm(bias, rows, columns)
    try:
        out = ops.addmm(bias, rows, columns, 1, 1)
    except (RuntimeError, ValueError):
        check_addmm(bias, rows, columns)
        raise
    return out if flat else ops.view(out, (*batch, len(w)))


def _columns_of(weight: Any) -> Any:
    return ops.t(weight) if weight._array.ndim <= 2 else weight.t()


def _like_a_vector(bias: Any) -> bool:
    return bool(bias.flags.c_contiguous) and (bias.ndim == 1 or sum(size != 1 for size in bias.shape) == 1)


def _added(bias: Any, shape: tuple[int, ...]) -> Any:
    """A bias that is added to a result, whose shape it must not change."""
    check_output(shape, bias._array.shape)
    return bias


_BEFORE = (
    "not (special.active and (watched() or unusual(input, weight))) and input.__class__ in plain and weight.__class__ in plain "
    "and input._array.ndim == 2 and weight._array.ndim == 2"
)


_FACTORS = {"a": "input", "b": "ops.t(weight)"}


plain_cases(
    "linear",
    Case("mm", "input weight", FITTING, names={"ops": ops}, inputs=_FACTORS, before=_BEFORE),
    Case(
        "addmm",
        "input weight bias",
        f"{FITTING} is x_bias.dtype",
        settings=NO_FACTORS,
        names={"ops": ops},
        inputs={"bias": "bias", **_FACTORS},
        before=f"{_BEFORE} and bias.__class__ in plain",
        last_may_be_none=True,
    ),
    space="torch.nn.functional",
)
