"""What ops of the table are to XLA: a line each, over ``jax.numpy``. NumPy's ufuncs have the same names there; an op without a
line stays NumPy's, between what XLA computes.

A line takes what the op's kernel takes. That it gives the same is held at each function's second call, against the program itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.table import table

Lower = Callable[..., Any]


def lowered(jnp: Any, lax: Any, nn: Any) -> dict[str, Lower]:
    """Functions of JAX's arrays by the names of ops."""

    def starts(sizes: Any) -> list[int]:
        return [sum(sizes[: index + 1]) for index in range(len(sizes) - 1)]

    def put(g: Any, shape: Any, axis: int, index: int) -> Any:
        return jnp.zeros(shape, g.dtype).at[(slice(None),) * axis + (index,)].set(g)

    def averaged(losses: Any, reduction: str) -> Any:
        return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()

    def layer_norm(x: Any, weight: Any, bias: Any, axes: Any, eps: float) -> Any:
        wide = (x - x.mean(axes, keepdims=True)) * lax.rsqrt(x.var(axes, keepdims=True) + eps)
        wide = wide if weight is None else wide * weight
        return wide if bias is None else wide + bias

    lines: dict[str, Lower] = {
        "addmm": lambda bias, a, b, beta, alpha: beta * bias + alpha * (a @ b),
        "bmm": lambda a, b: a @ b,
        "concat": lambda xs, axis: jnp.concatenate(xs, axis),
        "contiguous": lambda x: x,
        "divide_by": lambda x, divisor: x / divisor,
        "embed_select": put,
        "expand": lambda x, shape: jnp.broadcast_to(x, shape),
        "expand_dims": jnp.expand_dims,
        "expand_number": lambda g, shape: jnp.broadcast_to(g, shape),
        "layer_norm": layer_norm,
        "log_softmax": lambda x, axis: nn.log_softmax(x, axis),
        "log_softmax_grad": lambda v, y, axis: v - jnp.exp(y) * v.sum(axis, keepdims=True),
        "mean_all": lambda x, dtype: x.mean(dtype=dtype),
        "mm": lambda a, b: a @ b,
        "mse_loss": lambda a, b, reduction: averaged((a - b) ** 2, reduction),
        "mse_loss_backward": lambda h, a, b, reduction: 2 * h * (a - b) / (a.size if reduction == "mean" else 1),
        "mv": lambda a, b: a @ b,
        "permute_dims": jnp.transpose,
        "pow_number": lambda x, exponent: x**exponent,
        "relu": lambda x: jnp.maximum(x, 0),
        "relu_backward": lambda h, y: jnp.where(y > 0, h, 0),
        "rsub_number": lambda x, number, alpha: number - alpha * x,
        "safe_softmax": lambda x, axis: nn.softmax(x, axis),
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
        "transpose": lambda x, axis0, axis1: jnp.swapaxes(x, axis0, axis1),
        "unbind": lambda x, axis: tuple(lax.index_in_dim(x, i, axis, False) for i in range(x.shape[axis])),
        "unsafe_view": jnp.reshape,
        "view": jnp.reshape,
    }
    for name, op in table.items():
        if op.is_ufunc and op.promote in ("same", "float") and hasattr(jnp, op.kernel.__name__):
            lines.setdefault(name, getattr(jnp, op.kernel.__name__))
    return lines
