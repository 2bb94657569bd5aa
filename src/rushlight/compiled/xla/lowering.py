"""What ops of the table are to XLA: a line each, over ``jax.numpy``. NumPy's ufuncs have the same names there; an op without a
line stays NumPy's, between what XLA computes.

A line takes what the op's kernel takes. That it gives the same is held at each function's second call, against the program itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.table import table
from .batch_norm import of_channels
from .convolution import windows
from .indices import by_indices

Array = Any  # one of JAX's
Lower = Callable[..., Array]


def lowered(jnp: Any, lax: Any, nn: Any, vjp: Any) -> dict[str, Lower]:
    """Functions of JAX's arrays by the names of ops."""

    def starts(sizes: Any) -> list[int]:
        return [sum(sizes[: index + 1]) for index in range(len(sizes) - 1)]

    def put(g: Any, shape: Any, axis: int, place: Any) -> Any:
        return jnp.zeros(shape, g.dtype).at[(slice(None),) * axis + (place,)].set(g)

    def along(axis: int, *places: Any) -> Any:
        return (slice(None),) * axis + (slice(*places),)

    def averaged(losses: Array, reduction: str) -> Array:
        return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()

    def layer_norm(x: Any, weight: Any, bias: Any, axes: Any, eps: float) -> Any:
        wide = (x - x.mean(axes, keepdims=True)) * lax.rsqrt(x.var(axes, keepdims=True) + eps)
        wide = wide if weight is None else wide * weight
        return wide if bias is None else wide + bias

    def normalized(x: Any, axes: Any, eps: float) -> Any:
        return (x - x.mean(axes, keepdims=True)) * lax.rsqrt(x.var(axes, keepdims=True) + eps)

    def normalized_backward(h: Any, x: Any, axes: Any, eps: float) -> Any:
        scale, hat = lax.rsqrt(x.var(axes, keepdims=True) + eps), normalized(x, axes, eps)
        return scale * (h - h.mean(axes, keepdims=True) - hat * (h * hat).mean(axes, keepdims=True))

    def with_logits(x: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
        rest = nn.softplus(-x)
        losses = (1 - target) * x + (rest if pos_weight is None else (1 + (pos_weight - 1) * target) * rest)
        return averaged(losses if weight is None else losses * weight, reduction)

    def safe_softmax(x: Array, axis: int) -> Array:
        """Zeros where all is hidden."""
        top = x.max(axis, keepdims=True)
        hidden = jnp.isneginf(top)
        shares = jnp.exp(x - jnp.where(hidden, 0, top))
        return shares / jnp.where(hidden, 1, shares.sum(axis, keepdims=True))

    def attention(query: Any, key: Any, value: Any, mask: Any, is_causal: bool, scale: float) -> Any:
        scores = query @ jnp.swapaxes(key, -1, -2) * scale
        if is_causal:
            scores = jnp.where(jnp.tri(*scores.shape[-2:], dtype=bool), scores, -jnp.inf)
        return (nn.softmax(scores, -1) if mask is None else safe_softmax(scores + mask, -1)) @ value

    def attention_slopes(g: Array, query: Array, key: Array, value: Array, mask: Array, is_causal: bool, scale: float) -> Array:
        return vjp(lambda q, k, v: attention(q, k, v, mask, is_causal, scale), query, key, value)[1](g)

    def layer_norm_slopes(
        g: Array, x: Array, weight: Array, axes: Sequence[int], eps: float, needs: Sequence[bool]
    ) -> list[Array]:
        rows = tuple(range(axes[0]))
        for_x = normalized_backward(g if weight is None else g * weight, x, axes, eps) if needs[0] else None
        for_weight = (g * normalized(x, axes, eps)).sum(rows) if needs[1] else None
        return [one for one in (for_x, for_weight, g.sum(rows) if needs[2] else None) if one is not None]

    def power(x: Array, exponent: float) -> Array:
        if exponent in (0.5, -0.5):  # nan of what is negative, infinities too
            return jnp.sqrt(x) if exponent > 0 else 1 / jnp.sqrt(x)
        return x**exponent

    lines: dict[str, Lower] = {
        "abs": jnp.abs,
        "attention": attention,
        "attention_slopes": attention_slopes,
        "beside": lambda x, other: x,
        "beside_kept": lambda x, other: x,
        "beside_zeros": lambda x, other: x,
        "binary_cross_entropy_with_logits": with_logits,
        "causal": lambda x: jnp.where(jnp.tri(*x.shape[-2:], dtype=bool), x, -jnp.inf),
        "clamp": lambda x, low, high: jnp.clip(x, low, high),
        "clone": jnp.copy,  # memory of its own, where the input is written to later
        "dot": lambda a, b: a @ b,
        "embed_slice": lambda g, shape, axis, *places: jnp.zeros(shape, g.dtype).at[along(axis, *places)].set(g),
        "gelu_erf": lambda x: nn.gelu(x, approximate=False),
        "gelu_erf_backward": lambda h, x: vjp(lambda x: nn.gelu(x, approximate=False), x)[1](h)[0],
        "gelu_tanh_backward": lambda h, x: vjp(lambda x: nn.gelu(x, approximate=True), x)[1](h)[0],
        "gelu_tanh": lambda x: nn.gelu(x, approximate=True),
        "logsumexp": lambda x, axis, keepdims: nn.logsumexp(x, axis, keepdims=keepdims),
        "masked_fill": lambda x, mask, value: jnp.where(mask, jnp.asarray(value, x.dtype), x),
        "mean": lambda x, axis, keepdims, dtype: x.mean(axis, dtype, keepdims=keepdims),
        "neg": jnp.negative,
        "normalized": normalized,
        "normalized_backward": normalized_backward,
        "only": lambda x, mask, *_: jnp.where(mask, x, 0),
        "reshape_alias": jnp.reshape,
        "silu": nn.silu,
        "slice": lambda x, axis, *places: x[along(axis, *places)],
        "softmax": nn.softmax,
        "squeeze_row": jnp.squeeze,
        "sub": jnp.subtract,
        "tanh": jnp.tanh,
        "where": jnp.where,
        "zeroed": jnp.zeros_like,
        "added_mask": lambda mask, dtype, seen: jnp.where(mask if seen else ~mask, 0, -jnp.inf).astype(dtype),
        "addmm": lambda bias, a, b, beta, alpha: beta * bias + alpha * (a @ b),
        "bmm": lambda a, b: a @ b,
        "concat": lambda xs, axis: jnp.concatenate(xs, axis),
        "contiguous": jnp.copy,
        "divide_by": lambda x, divisor: x / divisor,
        "embed_select": put,
        "expand": lambda x, shape: jnp.broadcast_to(x, shape),
        "expand_dims": jnp.expand_dims,
        "expand_number": lambda g, shape: jnp.broadcast_to(g, shape),
        "layer_norm": layer_norm,
        "layer_norm_slopes": layer_norm_slopes,
        "log_softmax": lambda x, axis: nn.log_softmax(x, axis),
        "log_softmax_grad": lambda v, y, axis: v - jnp.exp(y) * v.sum(axis, keepdims=True),
        "mean_all": lambda x, dtype: x.mean(dtype=dtype),
        "mm": lambda a, b: a @ b,
        "mse_loss": lambda a, b, reduction: averaged((a - b) ** 2, reduction),
        "mse_loss_backward": lambda h, a, b, reduction: 2 * h * (a - b) / (a.size if reduction == "mean" else 1),
        "mv": lambda a, b: a @ b,
        "permute_dims": jnp.transpose,
        "pow_number": power,
        "relu": lambda x: jnp.maximum(x, 0),
        "relu_backward": lambda h, y: jnp.where(y <= 0, 0, h),
        "rsub_number": lambda x, number, alpha: number - alpha * x,
        "safe_softmax": safe_softmax,
        "select": lambda x, axis, index: lax.index_in_dim(x, index, axis, False),
        "sigmoid": nn.sigmoid,
        "sigmoid_backward": lambda h, y: h * y * (1 - y),
        "softmax_grad": lambda v, y, axis: y * (v - (v * y).sum(axis, keepdims=True)),
        "split": lambda x, sizes, axis: tuple(jnp.split(x, starts(sizes), axis)),
        "squeeze": lambda x, axes: jnp.squeeze(x, axes),
        "stack": lambda xs, axis: jnp.stack(xs, axis),
        "sum": lambda x, axis, keepdims, dtype: x.sum(axis, dtype, keepdims=keepdims),
        "sum_all": lambda x, dtype: x.sum(dtype=dtype),
        "t": lambda x: x.T,
        "tanh_backward": lambda h, y: h * (1 - y * y),
        "times": lambda x, number: x * number,
        "transpose": lambda x, axis0, axis1: jnp.swapaxes(x, axis0, axis1) if x.ndim else x,
        "unbind": lambda x, axis: tuple(lax.index_in_dim(x, i, axis, False) for i in range(x.shape[axis])),
        "unsafe_split": lambda x, sizes, axis: tuple(jnp.split(x, starts(sizes), axis)),
        "unsafe_view": jnp.reshape,
        "view": jnp.reshape,
    }
    lines.update(windows(jnp, lax, vjp))
    lines.update(of_channels(lax, vjp))
    lines.update(by_indices(jnp, averaged))
    for name, op in table.items():
        if op.is_ufunc and op.promote in ("same", "float") and hasattr(jnp, op.kernel.__name__):
            lines.setdefault(name, getattr(jnp, op.kernel.__name__))
    return lines
