"""The checks of attention with several heads, and what its masks come to; code in the wild calls these by their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arguments import warn
from .public import module, ops
from .table import op

F = "torch.nn.functional"


def _added_mask(mask: Any, dtype: Any, seen: bool) -> Any:
    """What is added to scores: 0 where the mask is ``seen``, minus infinity elsewhere."""
    return np.where(mask, *((0.0, -np.inf) if seen else (-np.inf, 0.0))).astype(dtype)


op("added_mask", _added_mask, inputs="mask")


def check_shapes(query: Any, key: Any, value: Any, key_padding_mask: Any, attn_mask: Any, num_heads: int) -> bool:
    """Whether there is a batch; AssertionError where the numbers of dimensions do not go together."""
    ndim = query.dim()
    if ndim not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor")
    kind = f"For {'batched' if ndim == 3 else 'unbatched'} ({ndim}-D) `query`, expected"
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(
            f"{kind} `key` and `value` to be {ndim}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != ndim - 1:
        raise AssertionError(
            f"{kind} `key_padding_mask` to be `None` or {ndim - 1}-D but found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"{kind} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead")
        wanted = (num_heads, query.shape[0], key.shape[0])
        if ndim == 2 and attn_mask.dim() == 3 and tuple(attn_mask.shape) != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")
    return bool(ndim == 3)


def added(mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True) -> Any:
    """A mask as one that is added: minus infinity where a bool mask is True; AssertionError for masks of integers."""
    if mask is None:
        return None
    if mask._array.dtype.kind != "b":
        if not mask.is_floating_point():
            raise AssertionError(f"only bool and floating types of {mask_name} are supported")
        if check_other and other_type is not None and mask.dtype is not other_type:
            _warn_of_two_kinds(mask_name, other_name)
        return mask
    if check_other and other_type is not None and mask.dtype is not other_type:
        _warn_of_two_kinds(mask_name, other_name)
    return ops.added_mask(mask, target_type.numpy, False)


def _warn_of_two_kinds(mask_name: str, other_name: str) -> None:
    warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.")


def dtype_or_none(input: Any) -> Any:
    """A tensor's dtype, None for None."""
    if input is None:
        return None
    if not hasattr(input, "_array"):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return input.dtype


def projected_packed(q: Any, k: Any, v: Any, w: Any, b: Any = None) -> Any:
    """Query, key and value through weights that stand below each other in one matrix."""
    linear = module(F)["linear"]
    size = q._array.shape[-1]
    if k is v:
        if q is k:
            packed = linear(q, w, b)
            parts = packed.unflatten(-1, (3, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return parts[0], parts[1], parts[2]
        own, other = w.split([size, size * 2])
        own_bias, other_bias = (None, None) if b is None else b.split([size, size * 2])
        query = linear(q, own, own_bias)
        packed = linear(k, other, other_bias)
        parts = packed.unflatten(-1, (2, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return query, parts[0], parts[1]
    biases = (None,) * 3 if b is None else b.chunk(3)
    return tuple(linear(x, weight, bias) for x, weight, bias in zip((q, k, v), w.chunk(3), biases, strict=True))


def projected(q: Any, k: Any, v: Any, w_q: Any, w_k: Any, w_v: Any, b_q: Any = None, b_k: Any = None, b_v: Any = None) -> Any:
    """Query, key and value, each through weights of its own; AssertionError for weights that do not fit."""
    size = q.size(-1)
    wanted = [("query", w_q, (size, size)), ("key", w_k, (size, k.size(-1))), ("value", w_v, (size, v.size(-1)))]
    for name, weight, shape in wanted:
        if tuple(weight.shape) != shape:
            raise AssertionError(f"expecting {name} weights shape of {shape}, but got {weight.shape}")
    for name, bias in (("query", b_q), ("key", b_k), ("value", b_v)):
        if bias is not None and tuple(bias.shape) != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {bias.shape}")
    linear = module(F)["linear"]
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


module(F).update(
    _mha_shape_check=check_shapes,
    _canonical_mask=added,
    _none_or_dtype=dtype_or_none,
    _in_projection_packed=projected_packed,
    _in_projection=projected,
)
