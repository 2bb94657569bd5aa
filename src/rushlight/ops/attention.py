"""Attention: scaled dot products, several heads, and products of three factors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import attention as k
from ..base import dtypes
from ..base.device import contiguous_format
from ..tensor import Tensor, new_tensor
from . import attention_masks
from .public import axis_of, module, ops, public
from .rule_functions import conj
from .slopes import at_once
from .table import arrays, op

F = "torch.nn.functional"

op("safe_softmax", k.safe_softmax, x=lambda g, xp, out, axis: xp.softmax_grad(g, out, axis))
op("causal", k.causal, node="MaskedFillBackward0", kind="elementwise", x=lambda g, xp: xp.tril(g, 0))
op("attention", k.attention, inputs="query key value", node="ScaledDotProductFlashAttentionForCpuBackward0",
   joint=lambda g, xp, query, key, value, mask, is_causal, scale, needs: _attention_backward(
       g, xp, query, key, value, mask, is_causal, scale))  # fmt: skip
op("trilinear", k.trilinear,
   a=lambda g, xp, weight, b: (
       k.half_trilinear_grad(g, weight, b) if xp is arrays and g.itemsize == 2 and g.size
       else xp.trilinear(g, xp.permute_dims(conj(weight), (1, 0, 2)), conj(b))),
   weight=lambda g, xp, a, b, weight_shape: xp.mm(xp.transpose(
       (g.reshape((*g.shape, 1)) * conj(a).reshape((a.shape[0], 1, a.shape[1]))).reshape((
           a.shape[0], g.shape[1] * a.shape[1])), 0, 1),
       conj(b)).reshape(weight_shape),
   b=lambda g, xp, a, weight: (
       k.half_trilinear_grad_of_last(g, a, weight) if xp is arrays and g.itemsize == 2 and g.size
       else xp.trilinear(g, xp.permute_dims(conj(weight), (2, 0, 1)), conj(a))))  # fmt: skip


def _attention_backward(g: Any, xp: Any, query: Any, key: Any, value: Any, mask: Any, is_causal: bool, scale: float) -> Any:
    if xp is arrays:
        return k.attention_backward(g, query, key, value, mask, is_causal, scale)
    if at_once(g, query, key, value):
        return xp.attention_slopes(g, query, key, value, mask, is_causal, scale)
    scores = xp.bmm(query, xp.adjoint(key)) * scale
    if is_causal:
        scores = xp.causal(scores)
    if mask is not None:
        scores = xp.plus(scores, mask)
    weights = xp.safe_softmax(scores, len(scores.shape) - 1)
    for_scores = xp.softmax_grad(xp.bmm(g, xp.adjoint(value)), weights, len(scores.shape) - 1)
    return (
        xp.bmm(for_scores, key) * scale,
        xp.bmm(xp.adjoint(for_scores), query) * scale,
        xp.bmm(xp.adjoint(weights), g),
    )


def _added(mask: Tensor, dtype: Any) -> Tensor:
    """A mask as one that is added: -inf where a bool mask is false."""
    return ops.added_mask(mask, dtype, True) if mask._array.dtype.kind == "b" else mask


def _check_attention(query: Any, key: Any, value: Any, mask: Any) -> None:
    dims = [tensor._array.ndim for tensor in (query, key, value)]
    if min(dims) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {dims[0]} "
            f"key.dim: {dims[1]} "
            f"and value.dim: {dims[2]} instead."
        )
    if not query._array.dtype == key._array.dtype == value._array.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype.c_name} key.dtype: {key.dtype.c_name} and value.dtype: {value.dtype.c_name} instead."
        )
    if mask is not None and mask._array.dtype.kind != "b" and mask._array.dtype not in (query._array.dtype, np.float32):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{mask.dtype.c_name} and  query.dtype: {query.dtype.c_name} instead."
        )
    if query._array.dtype.kind not in "fcVW":
        raise RuntimeError(f"expected scalar type Float but found {query.dtype.scalar_name}")


@public(space=F, out=False)
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value: (..., L, E), (..., S, E) and (..., S, D) give (..., L, D).

    ``scale`` is 1 / sqrt(E) if not given; a bool mask says what takes part, a float one is added.
    """
    _check_attention(query, key, value, attn_mask)
    q, kk, v = query._array, key._array, value._array
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None and q.shape[-1] else scale or 1.0
    if enable_gqa and q.ndim >= 3:
        key, value = (
            tensor if tensor._array.shape[-3] == q.shape[-3]
            else tensor.repeat_interleave(q.shape[-3] // tensor._array.shape[-3], -3)
            for tensor in (key, value)
        )  # fmt: skip
        kk, v = key._array, value._array
    fused = (
        q.ndim == kk.ndim == v.ndim == 4
        and q.shape[:2] == kk.shape[:2] == v.shape[:2]
        and q.shape[-1] == kk.shape[-1] == v.shape[-1]
        and dropout_p == 0
        and q.size
        and kk.size
        and q.dtype.kind in "fV"
        and (attn_mask is None or (attn_mask._array.ndim in (2, 4) and not attn_mask._needs_grad))
    )
    if fused:
        mask = None if attn_mask is None else _added(attn_mask, q.dtype)._array
        return ops.attention(query, key, value, mask, bool(is_causal), factor)
    return _composed(query, key, value, attn_mask, dropout_p, is_causal, factor)


def _composed(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool, scale: float
) -> Any:
    torch = module("torch")
    if is_causal:
        if mask is not None:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
        shape = (query._array.shape[-2], key._array.shape[-2])
        mask = torch["ones"](shape, dtype=dtypes.bool_).tril()
    dtype = query._array.dtype
    if dtype.itemsize == 2 and dtype.kind in "fV":  # in single precision, and rounded at the end
        query, key, value = (one.to(dtypes.float32) for one in (query, key, value))
        if mask is not None and mask._array.dtype.kind != "b":
            mask = mask.to(dtypes.float32)
        return _composed(query, key, value, mask, dropout_p, False, scale).to(dtypes.of(dtype))
    root = math.sqrt(scale) if scale >= 0 else math.nan
    scores = torch["matmul"](ops.times(query, root), ops.times(key.transpose(-2, -1), root))
    if mask is not None:
        scores = scores + _added(mask, query._array.dtype)
    weights = ops.safe_softmax(scores, scores._array.ndim - 1)
    if dropout_p > 0:
        weights = torch["dropout"](weights, dropout_p, True)
    return torch["matmul"](weights, value)


# Several heads.


@public(space=F, out=False)
def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads (Vaswani et al., 2017): (L, N, E), (S, N, E), (S, N, E) give (L, N, E) and the weights."""
    torch, functions = module("torch"), module(F)
    batched = attention_masks.check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        shared = key is value, query is key
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if shared[0]:
            value = key
            query = key if shared[1] else query
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, samples, size = query._array.shape
    dtype = query._array.dtype
    if key_padding_mask is not None:
        other = attention_masks.dtype_or_none(attn_mask)
        key_padding_mask = attention_masks.added(key_padding_mask, "key_padding_mask", other, "attn_mask", query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    head = size // num_heads
    if head * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    causal_only = is_causal and key_padding_mask is None and not need_weights
    attn_mask = None if causal_only else attention_masks.added(attn_mask, "attn_mask", None, "", query.dtype, False)
    if use_separate_proj_weight:
        biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, kk, v = (functions["linear"](x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    else:
        if key._array.shape != value._array.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        q, kk, v = attention_masks.projected_packed(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        attn_mask = _check_mask(attn_mask, length, key._array.shape[0], samples * num_heads)
    widen = functions["pad"]
    if bias_k is not None and bias_v is not None:
        kk = torch["cat"]([kk, bias_k.repeat(1, samples, 1)])
        v = torch["cat"]([v, bias_v.repeat(1, samples, 1)])
        attn_mask = None if attn_mask is None else widen(attn_mask, (0, 1))
        key_padding_mask = None if key_padding_mask is None else widen(key_padding_mask, (0, 1))
    q = q.view(length, samples * num_heads, head).transpose(0, 1)
    kk = _heads(kk, static_k, samples * num_heads, head)
    v = _heads(v, static_v, samples * num_heads, head)
    if add_zero_attn:
        zeros = new_tensor(np.zeros((samples * num_heads, 1, head), dtype))
        kk, v = torch["cat"]([kk, zeros], dim=1), torch["cat"]([v, zeros], dim=1)
        attn_mask = None if attn_mask is None else widen(attn_mask, (0, 1))
        key_padding_mask = None if key_padding_mask is None else widen(key_padding_mask, (0, 1))
    sources = kk._array.shape[1]
    if key_padding_mask is not None:
        rows = _padding_rows(key_padding_mask, samples, num_heads, sources)
        attn_mask = rows if attn_mask is None else attn_mask + rows
    if not training:
        dropout_p = 0.0
    if not need_weights:
        if attn_mask is not None:
            of_all = attn_mask._array.ndim == 3 and attn_mask._array.shape[0] == 1
            attn_mask = attn_mask.unsqueeze(0) if of_all else attn_mask.view(samples, num_heads, -1, sources)
        q = q.view(samples, num_heads, length, head)
        kk, v = (x.view(samples, num_heads, sources, head) for x in (kk, v))
        out = functions["scaled_dot_product_attention"](q, kk, v, attn_mask, dropout_p, causal_only)
        out = out.permute(2, 0, 1, 3).reshape(samples * length, size)
        out = functions["linear"](out, out_proj_weight, out_proj_bias).view(length, samples, out_proj_weight._array.shape[0])
        return (out if batched else out.squeeze(1)), None
    q = q * math.sqrt(1.0 / head)
    if attn_mask is not None:
        weights = torch["baddbmm"](attn_mask, q, kk.transpose(-2, -1))
    else:
        weights = torch["bmm"](q, kk.transpose(-2, -1))
    weights = torch["softmax"](weights, -1)
    if dropout_p > 0:
        weights = torch["dropout"](weights, dropout_p, True)
    out = torch["bmm"](weights, v).transpose(0, 1).reshape(length * samples, size)
    out = functions["linear"](out, out_proj_weight, out_proj_bias)
    out = out.view(length, samples, out._array.shape[1])
    weights = weights.view(samples, num_heads, length, sources)
    if average_attn_weights:
        weights = weights.mean(1)
    return (out, weights) if batched else (out.squeeze(1), weights.squeeze(0))


def _padding_rows(mask: Tensor, samples: int, num_heads: int, sources: int) -> Tensor:
    """What a mask of padded keys adds to the scores of each sample's heads: (samples * num_heads, 1, sources)."""
    for axis, size in enumerate((samples, sources)):
        if (found := mask._array.shape[axis]) != size:
            raise AssertionError(f"Expected key_padded_mask.shape[{axis}] to be {size}, but got {found}")
    rows = mask.view(samples, 1, 1, sources).expand(-1, num_heads, -1, -1)
    return rows.reshape(samples * num_heads, 1, sources)


def _check_mask(mask: Any, length: int, sources: int, rows: int) -> Any:
    shape = mask._array.shape
    if len(shape) == 2:
        if shape != (length, sources):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(length, sources)}.")
        return mask.unsqueeze(0)
    if len(shape) == 3:
        if shape != (rows, length, sources):
            raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {(rows, length, sources)}.")
        return mask
    raise RuntimeError(f"attn_mask's dimension {len(shape)} is not supported")


def _heads(value: Tensor, fixed: Tensor | None, rows: int, head: int) -> Tensor:
    if fixed is not None:
        if fixed._array.shape[0] != rows:
            raise AssertionError(f"expecting static_k.size(0) of {rows}, but got {fixed._array.shape[0]}")
        return fixed
    return value.view(value._array.shape[0], rows, head).transpose(0, 1)


# What PyTorch's messages call dtypes where they are C++'s.
_IN_C = {
    "Float": "float", "Double": "double", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Long": "long int", "Int": "int",
    "Short": "short int", "Char": "signed char", "Byte": "unsigned char", "Bool": "bool",
    "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>",
}  # fmt: skip


@public(space=F, out=False)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """``input1 @ weight[o] @ input2`` for each o, plus bias: (..., I), (..., J) and (O, I, J) give (..., O)."""
    a, b, w = input1._array, input2._array, weight._array
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({one._array.dtype for one in given.values()}) > 1:
        shown = ", ".join(f"{name}: {_IN_C.get(one.dtype.scalar_name, one.dtype.scalar_name)}" for name, one in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {shown}")
    if a.ndim != b.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {a.ndim} and {b.ndim}")
    for axis in range(a.ndim - 1):
        if a.shape[axis] != b.shape[axis]:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {axis}: got {a.shape[axis]} and {b.shape[axis]}"
            )
    axis_of(-1, a.ndim, wrap_scalar=False)
    for label, array, axis in (("input1", a, 1), ("input2", b, 2)):
        if array.shape[-1] != w.shape[axis_of(axis, w.ndim, wrap_scalar=False)]:
            raise RuntimeError(
                f"bilinear(): {label} size does not match weight size: got {array.shape[-1]} but expected {w.shape[axis]}"
            )
    if bias is not None and bias._array.shape[axis_of(0, bias._array.ndim, wrap_scalar=False)] != w.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected {w.shape[0]}"
        )
    rows = math.prod(a.shape[:-1])
    out = ops.trilinear(input1.reshape(rows, a.shape[-1]), weight, input2.reshape(rows, b.shape[-1]))
    out = out.reshape(*a.shape[:-1], w.shape[0])
    return out if bias is None else out + bias


module("torch")["bilinear"] = module(F)["bilinear"]


@public(space=F, out=False)
def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Samples from the Gumbel-softmax distribution (Jang et al., 2017); ``hard`` makes them one-hot, with soft gradients."""
    torch = module("torch")
    noise = torch["empty_like"](logits, memory_format=contiguous_format).exponential_().log()  # however the logits lie
    soft = torch["softmax"]((logits + ops.neg(noise)) / tau, dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    hard_zeros = torch["zeros_like"](logits.detach(), memory_format=contiguous_format)
    return hard_zeros.scatter_(dim, index, 1.0) - soft.detach() + soft


@public(space=F, out=False)
def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Cross entropy of ``linear(input, linear_weight)``; ``options`` only says how PyTorch would save memory."""
    rows = linear_weight
    x, shape = input._array.shape, linear_weight._array.shape
    if len(x) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(x)}")
    if len(shape) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(shape)}")
    if x[-1] != shape[-1]:
        raise RuntimeError(
            f"expected equal input and linear_weight last dimensions (in_features), got {x[-1]} and {shape[-1]}, respectively"
        )
    if len(shape) > 2 and len(x) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {shape} requires batched input, (N, {x[0]}), got "
            "unbatched input "
            f"with shape {x}"
        )
    if linear_bias is not None and linear_bias._array.shape != shape[:-1]:
        raise RuntimeError(f"expected linear_bias shape {shape[:-1]}, got {linear_bias._array.shape}")
    if ignore_index is not None and target._array.dtype.kind in "fV":
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if len(shape) > 2:
        rows = linear_weight.reshape(-1, shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = module(F)["linear"](input, rows, linear_bias)
    logits = logits.view(*x[:-1], *shape[:-1])
    return module(F)["cross_entropy"](
        logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
        label_smoothing=label_smoothing,
    )  # fmt: skip
