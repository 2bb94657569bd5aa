"""Normalization over groups of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import normalization as k
from ..backend.memory_formats import keeping
from ..tensor import Tensor
from .normalization import F, check_floating, check_parameter_dtype, column, over_channels
from .public import ops, public
from .rule_functions import expand
from .slopes import slopes
from .table import arrays, op

op("group_norm", keeping(k.group_norm), node="NativeGroupNormBackward0", inputs="x weight bias",
   joint=lambda g, xp, x, weight, groups, eps, needs: _group_norm_backward(g, xp, x, weight, groups, eps, needs))  # fmt: skip


op("group_norm_with_moments", k.group_norm_with_moments, outputs="out mean rstd", node="NativeGroupNormBackward0",
   inputs="x weight bias",
   joint=lambda g, xp, x, weight, groups, eps, needs: _group_moments_backward(g, xp, x, weight, groups, eps, needs))  # fmt: skip


def _group_rows(x: Any, groups: int) -> Any:
    count = x.shape[0] * groups
    size = int(np.prod(x.shape)) // count if count else 0
    return x.reshape((x.shape[0], groups, size))


def _group_norm_backward(g: Any, xp: Any, x: Any, weight: Any, groups: int, eps: float, needs: tuple[bool, ...]) -> Any:
    found: tuple[object, ...] | None
    if xp is arrays:
        found = k.group_norm_backward(g, x, weight, groups, eps, needs)
    else:
        found = slopes("group_norm_slopes", g, x, weight, groups, eps, needs)
    if found is not None:
        return found
    rows = _group_rows(x, groups)
    for_x = for_weight = None
    if needs[0]:
        scaled = _group_rows(g if weight is None else g * column(weight, x), groups)
        for_x = xp.normalized_backward(scaled, rows, (2,), eps).reshape(x.shape)
    if needs[1]:
        for_weight = over_channels(xp, g * xp.normalized(rows, (2,), eps).reshape(x.shape))
    return for_x, for_weight, over_channels(xp, g) if needs[2] else None


def _group_moments_backward(g: Any, xp: Any, x: Any, weight: Any, groups: int, eps: float, needs: tuple[bool, ...]) -> Any:
    out, mean, rstd = g
    found: list[Any] = [None, None, None]
    if out is not None:
        found = list(_group_norm_backward(out, xp, x, weight, groups, eps, needs))
    if needs[0]:
        rows = _group_rows(x, groups)
        size = max(rows.shape[2], 1)
        if mean is not None:
            part = xp.expand(expand(mean, (2,), False, 3) / size, rows.shape).reshape(x.shape)
            found[0] = part if found[0] is None else found[0] + part
        if rstd is not None:
            off = rows - xp.mean(rows, (2,), True)
            scale = xp.rsqrt(xp.mean(off * off, (2,), True) + eps)
            part = (off * scale * scale * scale * expand(rstd, (2,), False, 3) * (-1 / size)).reshape(x.shape)
            found[0] = part if found[0] is None else found[0] + part
    return tuple(found)


def _check_groups(input: Any, groups: int, weight: Any, bias: Any) -> None:
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(shape)} and "
            f"num_groups={groups}"
        )
    for label, value in (("weight", weight), ("bias", bias)):
        if value is not None and value._array.shape != (shape[1],):
            have = [0] if label == "bias" and weight is None else list(value._array.shape)
            raise RuntimeError(
                f"Expected {label} to be a vector of size equal to the number of channels in input, but got {label} of shape "
                f"{have} and input of shape {list(shape)}"
            )
    check_floating(input, "GroupNormKernelImpl")
    check_parameter_dtype(input, weight, bias)


@public(space=F, out=False)
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 of groups of channels of each sample; then times weight plus bias, per channel."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    count = shape[0] * shape[1] // num_groups
    for size in shape[2:]:
        count *= size
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(shape)}")
    _check_groups(input, num_groups, weight, bias)
    return ops.group_norm(input, weight, bias, num_groups, eps)


@public("group_norm", method=False, out=False)
def _torch_group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, cudnn_enabled: bool = True
) -> Tensor:
    """:func:`torch.nn.functional.group_norm`."""
    _check_groups(input, num_groups, weight, bias)
    return ops.group_norm(input, weight, bias, num_groups, eps)


@public(method=False, out=False)
def native_group_norm(
    input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Group norm with the means and the reciprocal standard deviations, (N, groups) each."""
    _check_groups(input, group, weight, bias)
    return ops.group_norm_with_moments(input, weight, bias, group, eps)
