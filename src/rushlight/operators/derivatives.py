"""The operators of torch.ops.aten that are derivatives of others: ``silu_backward`` and its like.

Each is worked out from the function whose derivative it is: the names are there for those who call them, here passes read the
table. They can be differentiated, and run inside of function transforms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import linalg
from ..ops.lu import check_pivots
from ..ops.public import module, ops
from ..ops.rule_functions import all_numbers
from ..ops.table import table
from ..overrides import overloads
from ..tensor import Tensor, wrap
from ..transforms.derivatives import vjp

F = module("torch.nn.functional")
_REDUCTIONS = ("none", "mean", "sum")


def _pulled(function: Callable[..., Any], grad_output: Tensor, *inputs: Tensor) -> Any:
    """The gradients of the inputs, of the only one itself."""
    g = grad_output.view_as(grad_output)  # type: ignore[attr-defined]
    out, pull = vjp(function, *inputs)
    found = pull(g if g.shape == out.shape else g.expand(out.shape))
    return found if len(inputs) > 1 else found[0]


def _of(name: str, *more: str) -> Callable[..., Any]:
    """``(grad_output, self, ...)`` for a function of torch.nn.functional, whose further arguments go by these names."""

    def backward(grad_output: Tensor, self: Tensor, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(more, args, strict=False)), **kwargs}
        return _pulled(lambda x: F[name](x, **given), grad_output, self)

    return backward


def _of_loss(name: str, *more: str) -> Callable[..., Any]:
    """``(grad_output, self, target, ..., reduction, ...)`` for a loss; a reduction is a number here."""

    def backward(grad_output: Tensor, self: Tensor, target: Tensor, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(more, args, strict=False)), **kwargs}
        given["reduction"] = _REDUCTIONS[given.get("reduction", 1)]
        return _pulled(lambda x: F[name](x, target, **given), grad_output, self)

    return backward


def _of_pads(mode: str) -> Callable[..., Any]:
    return lambda grad_output, self, padding: _pulled(lambda x: F["pad"](x, tuple(padding), mode), grad_output, self)


def _elu_backward(
    grad_output: Any, alpha: float, scale: float, input_scale: float, is_result: bool, self_or_result: Any
) -> Any:
    x = self_or_result
    slope = (x + alpha * scale) * input_scale if is_result else (x * input_scale).exp() * (input_scale * alpha * scale)
    return grad_output * ops.where(x <= 0, slope, ops.plus(ops.times(slope, 0), scale))


def _picked(x: Any, indices: Any) -> Any:
    """The elements of planes at the indices that a pool has chosen."""
    flat = ops.gather(x.flatten(-2), indices.flatten(-2), x._array.ndim - 2)
    return flat.reshape(indices.shape)


def _double_convolution(
    ggI: Any, ggW: Any, ggb: Any, gO: Any, weight: Any, self: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int, output_mask: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The derivatives of a convolution's derivatives: by the cotangent, the input and the weight."""

    def convolved(x: Any, w: Any, bias: Any = None) -> Any:
        call = table["convolution"].call
        return call(x, w, bias, tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups)

    def slope(x: Any, w: Any) -> Any:
        parts = [convolved(*pair) for pair in ((ggI, w), (x, ggW)) if pair[0] is not None and pair[1] is not None]
        return sum(parts[1:], parts[0])

    by_grad = slope(self, weight)
    if ggb is not None:
        by_grad = by_grad + ggb.reshape((-1, *(1,) * (by_grad.dim() - 2)))
    return tuple(
        one if asked else None for one, asked in zip((by_grad, *_pulled(slope, gO, self, weight)), output_mask, strict=True)
    )


def _unfold_backward(grad_in: Any, input_sizes: Any, dim: int, size: int, step: int) -> Any:
    if step <= 0:
        raise ValueError(f"step is {step} but must be > 0")
    return _pulled(lambda x: x.unfold(dim, size, step), grad_in, grad_in.new_zeros(tuple(input_sizes)))


_CHECKS = {"inv": linalg.check_inverted, "solve": linalg.check_solved, "cholesky": linalg.check_positive}


def _check_errors(info: Tensor, api_name: str, *, is_matrix: bool) -> None:
    """LinAlgError where a decomposition's info is not zero."""
    found = all_numbers(info.detach())
    if not found.any():
        return
    kind = api_name.removeprefix("torch.").removeprefix("linalg.").removesuffix("_ex")
    if kind in _CHECKS:
        _CHECKS[kind](found, api_name)
    if kind == "lu_factor":
        check_pivots(info, api_name)
    values = "singular values" if kind == "svd" else "eigenvalues"
    sentence = (
        f"The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated {values} "
    )
    raise linalg.LinAlgError(linalg.with_batch_element(found, sentence + "(error code: {}).", api_name))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_adaptive_avg_pool2d_backward": lambda g, x: _pulled(lambda x: F["adaptive_avg_pool2d"](x, g.shape[-2:]), g, x),
    "_convolution_double_backward": _double_convolution,
    "_is_all_true": lambda x: wrap(all_numbers(x).all(keepdims=True).reshape(())),
    "_is_any_true": lambda x: wrap(all_numbers(x).any(keepdims=True).reshape(())),
    "_linalg_check_errors": _check_errors,
    "_log_softmax_backward_data": lambda g, out, dim, input_dtype: g - out.exp() * g.sum(dim, keepdim=True),
    "_softmax_backward_data": lambda g, out, dim, input_dtype: (g - (g * out).sum(dim, keepdim=True)) * out,
    "_unsafe_view": lambda x, size: ops.unsafe_view(x, tuple(size)),
    "adaptive_max_pool2d_backward": lambda g, x, indices: _pulled(lambda x: _picked(x, indices), g, x),
    "avg_pool2d_backward": _of(
        "avg_pool2d", "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"
    ),
    "avg_pool3d_backward": _of(
        "avg_pool3d", "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"
    ),
    "binary_cross_entropy_backward": _of_loss("binary_cross_entropy", "weight", "reduction"),
    "elu_backward": _elu_backward,
    "gelu_backward": _of("gelu", "approximate"),
    "glu_backward": _of("glu", "dim"),
    "hardshrink_backward": _of("hardshrink", "lambd"),
    "hardsigmoid_backward": _of("hardsigmoid"),
    "hardswish_backward": _of("hardswish"),
    "hardtanh_backward": _of("hardtanh", "min_val", "max_val"),
    "huber_loss_backward": _of_loss("huber_loss", "reduction", "delta"),
    "leaky_relu_backward": lambda g, x, negative_slope, self_is_result: _pulled(
        lambda x: F["leaky_relu"](x, negative_slope), g, x
    ),
    "log_sigmoid_backward": lambda g, x, buffer: _pulled(F["logsigmoid"], g, x),
    "max_pool2d_with_indices_backward": lambda g, x, kernel_size, stride, padding, dilation, ceil_mode, indices: _pulled(
        lambda x: _picked(x, indices), g, x
    ),
    "mish_backward": _of("mish"),
    "mse_loss_backward": _of_loss("mse_loss", "reduction"),
    "native_dropout_backward": lambda g, mask, scale: g * mask * scale,
    "reflection_pad1d_backward": _of_pads("reflect"),
    "reflection_pad2d_backward": _of_pads("reflect"),
    "replication_pad1d_backward": _of_pads("replicate"),
    "replication_pad2d_backward": _of_pads("replicate"),
    "sigmoid_backward": lambda g, out: g * (1 - out) * out,
    "silu_backward": _of("silu"),
    "smooth_l1_loss_backward": _of_loss("smooth_l1_loss", "reduction", "beta"),
    "soft_margin_loss_backward": _of_loss("soft_margin_loss", "reduction"),
    "softplus_backward": _of("softplus", "beta", "threshold"),
    "softshrink_backward": _of("softshrink", "lambd"),
    "tanh_backward": lambda g, out: g * (1 - out * out),
    "threshold_backward": lambda g, x, threshold: _pulled(lambda x: F["threshold"](x, threshold, 0.0), g, x),
    "unfold_backward": _unfold_backward,
}
overloads.functions.update(_FUNCTIONS)
