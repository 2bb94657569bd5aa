"""Activation functions. Those that PyTorch composes of others are composed here of the same."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import views
from ..autograd.interpreters import stack as interpreters
from ..autograd.modes import state
from ..backend import activations as k
from ..backend.checked_convert import checked_convert, checked_number
from ..backend.numpy import in_single
from ..base.arguments import NUMBERS, refuse_too_large
from ..base.dtypes import float16
from ..base.type_limits import finfo
from ..kernels import register, sweeps
from ..tensor import Tensor, new_tensor
from . import dropout
from .activation_backward import mish_backward, prelu_backward, silu_backward
from .argument_forms import refuse_misfits
from .inplace import named, read_by_result, record_as
from .operands import require_kind
from .parameters import is_number
from .public import axis_of, function_of, module, ops, public
from .signatures import INPLACE, PublicSignature
from .table import arrays, op

DOUBLE = np.dtype(np.float64)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@register(sweeps.gelu)
def _gelu_erf(x: Any) -> Any:
    if k.by_quotient(x):
        return k.gelu(x)
    wide = in_single(x)
    return (wide * 0.5 * (1 + arrays.erf(wide * wide.dtype.type(math.sqrt(0.5))))).astype(x.dtype)


op("leaky_relu", k.leaky_relu, kind="elementwise", x=lambda g, xp, x, slope: xp.leaky_relu_backward(g, x, slope))
op("elu", k.elu, kind="elementwise", x=lambda g, xp, x, alpha, scale, input_scale: xp.elu_backward(
    g, x, alpha, scale, input_scale))  # fmt: skip
op("celu", k.elu, kind="elementwise", x=lambda g, xp, x, alpha: xp.elu_backward(g, x, alpha, 1.0, _inverse(alpha)))
op("gelu_tanh", k.gelu_tanh, kind="elementwise", node="GeluBackward0", x=lambda g, xp, x: xp.gelu_tanh_backward(g, x))
op("gelu_erf", lambda x: _gelu_erf(x), kind="elementwise", node="GeluBackward0", x=lambda g, xp, x: xp.gelu_erf_backward(g, x))
op("silu", k.silu, kind="elementwise", x=lambda g, xp, x: silu_backward(g, xp, x))
op("mish", k.mish, kind="elementwise", x=lambda g, xp, x: mish_backward(g, xp, x))
op("softplus", k.softplus, kind="elementwise", x=lambda g, xp, x, beta, threshold: xp.softplus_backward(g, x, beta, threshold))
op("hardtanh", k.hardtanh, kind="elementwise", x=lambda g, xp, x, low, high: xp.hardtanh_backward(g, x, low, high))
op("hardsigmoid", k.hardsigmoid, kind="elementwise", x=lambda g, xp, x: xp.hardsigmoid_backward(g, x))
op("hardswish", k.hardswish, kind="elementwise", x=lambda g, xp, x: xp.hardswish_backward(g, x))
op("log_sigmoid", k.log_sigmoid, kind="elementwise", x=lambda g, xp, x: xp.log_sigmoid_backward(g, x))
op("glu", k.glu, x=lambda g, xp, x, axis: xp.glu_backward(g, x, axis))
op("threshold", k.threshold, kind="elementwise", x=lambda g, xp, x, limit: xp.threshold_backward(g, x, limit))
op("prelu", k.prelu, node="PreluKernelBackward0", inputs="x weight",
   joint=lambda g, xp, x, weight, needs: prelu_backward(g, xp, x, weight, needs))  # fmt: skip
op("softshrink", k.softshrink, kind="elementwise", x=lambda g, xp, x, limit: xp.softshrink_backward(g, x, limit))
op("hardshrink", k.hardshrink, kind="elementwise", x=lambda g, xp, x, limit: xp.hardshrink_backward(g, x, limit))
op("rrelu_noise", lambda x, noise: x * noise, node="RreluWithNoiseBackward0", inputs="noise",
   x=lambda g, xp, x, noise: xp.rrelu_noise_backward(g, x, noise))  # fmt: skip


def _check_real(number: object, kind: str) -> None:
    if isinstance(number, complex):
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    refuse_too_large(number)


def _computed_in(x: Tensor) -> str:
    """What C++ calls the numbers that a kernel computes with."""
    return "double" if x._array.dtype == np.float64 else "float"


def _inverse(alpha: float) -> float:
    """Of celu's slope: in PyTorch alpha is rounded to single precision for it."""
    return 1.0 / float(np.float32(alpha))


_BY_RESULT = {  # of the result the sign of the input is read, which a negative slope turns round
    "leaky_relu": "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is "
    "caused by calling in-place forward function with a negative slope, please call out-of-place version instead. File an issue "
    "at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation with negative slope",
    **dict.fromkeys(
        ("elu", "celu"),
        "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by calling "
        "in-place forward function with a negative slope, please call out-of-place version instead.",
    ),
}


def _by_result(result: Tensor, name: str, slope: float) -> Tensor:
    """What an in-place form gives: PyTorch does not differentiate those with a negative slope."""
    if result._edge is not None:
        node = result._edge[0]
        record_as(node, type(node).__name__[:-1] + "1", _BY_RESULT[name] if slope < 0 else None)
    return result


def _written(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """The function for its in-place form."""
    if name not in (*_BY_RESULT, "selu", "_threshold"):
        return function
    parameter = function.__code__.co_varnames[1] if name in _BY_RESULT else ""

    @functools.wraps(function)
    def written(input: Tensor, *args: float, **kwargs: float) -> Tensor:
        slope = args[0] if args and parameter else kwargs.get(parameter, 1.0)
        return _by_result(function(input, *args, **kwargs), name, slope)

    return written


def _with_inplace(name: str, function: Any) -> Any:
    """Adds what nn.functional has: ``inplace=True`` and the function whose name ends in ``_``."""
    count, written = function.__code__.co_argcount, _written(function, function.__name__)
    least = count - len(function.__defaults__ or ()) - 1

    def call(input: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        if len(args) == count:  # ``inplace`` by position, behind all others
            *args, inplace = args  # type: ignore[assignment]
        if inplace and len(args) + len(kwargs) >= least:
            return read_by_result(views.inplace(written, name + "_", input, *args, **kwargs))
        return function(input, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    call.__signature__ = PublicSignature(function, INPLACE)  # type: ignore[attr-defined]
    call.__module__ = __name__.replace("ops.activations", "nn.functional")  # where pickles find it
    return call


def _activation(function: Any, *, in_torch: bool = False, builtin: Any = None) -> Any:
    """``builtin``: what PyTorch has behind the name that ends in ``_``, where that is not the function."""
    name = function.__name__.removeprefix("_")
    public(space="torch.nn.functional", out=False)(_with_inplace(name, function))
    written = _written(builtin or function, function.__name__)

    def inplace(input: Any, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            refuse_misfits(name + "_", False, (input, *args), kwargs)
        try:
            return read_by_result(views.inplace(written, name + "_", input, *args, **kwargs))
        except RuntimeError:
            if getattr(input, "is_sparse", False):
                raise NotImplementedError(
                    f"Could not run 'aten::{name}_' with arguments from the 'SparseCPU' backend."
                ) from None
            raise

    inplace.__signature__ = PublicSignature(builtin or function)  # type: ignore[attr-defined]
    module("torch.nn.functional")[name + "_"] = function_of(named(inplace, name + "_"))
    if in_torch:
        public(method=False, out=name != "selu")(function)
        module("torch")[name + "_"] = module("torch.nn.functional")[name + "_"]
    return function


@_activation
def relu(input: Any) -> Any:
    """``max(x, 0)``."""
    return ops.relu(input)


@_activation
def relu6(input: Any) -> Any:
    """``min(max(x, 0), 6)``."""
    _check_limits(input, 0)
    return ops.hardtanh(input, 0, 6)


@_activation
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """``x`` where positive, else ``negative_slope * x``."""
    require_kind(input, "leaky_relu_cpu", "f")
    _check_real(negative_slope, _computed_in(input))
    return ops.leaky_relu(input, negative_slope)


def elu(input: Any, alpha: float = 1.0) -> Any:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    return _scaled_elu(input, alpha)


def _scaled_elu(input: Any, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Tensor:
    require_kind(input, "elu_cpu", "f")
    for factor in (alpha, scale, input_scale):
        _check_real(factor, _computed_in(input))
    return ops.elu(input, alpha, scale, input_scale)


_activation(elu, builtin=_scaled_elu)


def selu(input: Any) -> Tensor:
    """A scaled elu that keeps mean and variance of a layer."""
    require_kind(input, "elu_cpu", "f")
    return ops.elu(input, SELU_ALPHA, SELU_SCALE, 1)


_activation(selu, in_torch=True)


def celu(input: Any, alpha: float = 1.0) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    _check_real(alpha, "double")
    require_kind(input, "elu_cpu", "f")
    return ops.celu(input, alpha, 1.0, 1.0 / alpha)


_activation(celu, in_torch=True)


@public(space="torch.nn.functional")
def gelu(input: Any, approximate: str = "none") -> Tensor:
    """``x`` times the normal distribution function of ``x`` (by erf, or by tanh as an approximation)."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    require_kind(input, "GeluKernelImpl", "f")
    return ops.gelu_erf(input) if approximate == "none" else ops.gelu_tanh(input)


@_activation
def silu(input: Any) -> Any:
    """``x * sigmoid(x)``."""
    require_kind(input, "silu_cpu")
    return ops.silu(input)


@_activation
def mish(input: Any) -> Any:
    """``x * tanh(softplus(x))``."""
    require_kind(input, "mish_cpu", "f")
    return ops.mish(input)


@public(space="torch.nn.functional")
def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``; ``x`` itself above the threshold."""
    require_kind(input, "softplus_cpu", "f")
    for number in (beta, threshold):
        _check_real(number, _computed_in(input))
    return ops.softplus(input, beta, threshold)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """``x`` between two limits."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _between(input, min_val, max_val)


def _between(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    _check_limits(input, min_val)
    return ops.hardtanh(input, checked_number(min_val, input._array), checked_number(max_val, input._array))


_activation(hardtanh, builtin=_between)


def _check_limits(input: Any, low: float) -> None:
    if low.__class__ is not float and not is_number(low):
        raise TypeError  # which is then said in PyTorch's words
    kind = input._array.dtype.kind
    if kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind == "u" and low < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    if kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


@_activation
def hardsigmoid(input: Any) -> Any:
    """A sigmoid of straight lines: ``x / 6 + 1 / 2`` between -3 and 3."""
    require_kind(input, "hardsigmoid_cpu", "f")
    return ops.hardsigmoid(input)


@_activation
def hardswish(input: Any) -> Any:
    """``x * hardsigmoid(x)``."""
    require_kind(input, "hardswish_cpu", "f")
    return ops.hardswish(input)


@public(space="torch.nn.functional")
def logsigmoid(input: Any) -> Tensor:
    """``log(sigmoid(x))``, without overflow."""
    require_kind(input, "log_sigmoid_cpu", "f")
    return ops.log_sigmoid(input)


@public(space="torch.nn.functional", out=False)
def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half along ``dim`` times the sigmoid of the second."""
    if not input._array.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {size}")
    require_kind(input, "glu_cpu", "f")
    return ops.glu(input, axis)


@_activation
def _threshold(input: Tensor, threshold: float | Tensor, value: float | Tensor) -> Tensor:
    """``x`` above the threshold, else ``value``."""
    require_kind(input, "threshold_cpu", "fiu")
    limit, value = (one.item() if isinstance(one, Tensor) else one for one in (threshold, value))
    if input._array.dtype.kind in "iu":
        limit, value = (checked_convert(one, input.dtype) for one in (limit, value))
    return ops.threshold(input, limit, value)


@public(method=False)
def threshold(input: Tensor, threshold: float | Tensor, value: float | Tensor) -> Tensor:
    """``x`` above the threshold, else ``value``."""
    return _threshold(input, threshold, value)


module("torch")["threshold_"] = module("torch.nn.functional")["threshold_"]


@public(space="torch.nn.functional", method="prelu", out=False)
def prelu(input: Any, weight: Any) -> Tensor:
    """As leaky_relu, with a slope that is learnt: one, or one for each channel (dimension 1)."""
    x, w = input._array, weight._array
    if w.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}")
    if w.dtype != x.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.scalar_name} and {weight.dtype.scalar_name}")
    if w.size != 1 and x.ndim == 0:
        raise RuntimeError("Not allow zero-dim input tensor.")
    require_kind(input, "prelu_cpu", "f")
    if w.size != 1:
        channels = x.shape[1] if x.ndim > 1 else 1
        if channels != w.size:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {w.size} and channel size = "
                f"{channels}."
            )
    if w.ndim != x.ndim:
        weight = weight.reshape(tuple([w.size if axis == 1 else 1 for axis in range(x.ndim)]))
    return ops.prelu(input, weight)


module("torch")["prelu"] = module("torch.nn.functional")["prelu"]


@public(space="torch.nn.functional")
def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """``x`` moved towards zero by ``lambd``, zero within it."""
    require_kind(input, "softshrink_check", "f")
    _check_real(lambd, "double")
    largest = float(finfo(input.dtype).max)
    if not 0 <= lambd <= largest:
        raise RuntimeError(
            f"lambda must be in range [0, {largest:g}] for input dtype {input.dtype.scalar_name}, but found {lambd:g}"
        )
    return ops.softshrink(input, lambd)


@public(space="torch.nn.functional", method="hardshrink")
def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """``x``, but zero within ``lambd`` of zero."""
    if not isinstance(lambd, (Tensor, *NUMBERS)):
        raise TypeError  # which is then said in PyTorch's words
    require_kind(input, "hardshrink_cpu", "f")
    _check_real(lambd, _computed_in(input))
    return ops.hardshrink(input, lambd)


module("torch")["hardshrink"] = module("torch.nn.functional")["hardshrink"]


@public(space="torch.nn.functional", out=False)
def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``."""
    return input - input.tanh()


@public(space="torch.nn.functional", out=False)
def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


@public(space="torch.nn.functional", out=False)
def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """As leaky_relu with a slope drawn between two limits in training, and their mean otherwise."""
    return _rrelu(input, lower, upper, training, inplace, None)


def _rrelu(input: Tensor, lower: float, upper: float, training: bool, inplace: bool, generator: object) -> Tensor:
    if state.transforms:
        interpreters.refuse("draw", "rrelu")
    for side, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {side} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    require_kind(input, "leaky_relu_cpu", "f")
    if training and input.dtype is float16:
        raise NotImplementedError("\"rrelu_with_noise_out_cpu\" not implemented for 'Half'")

    refused = not training and lower + upper < 0

    def draw(x: Any) -> Any:
        result = ops.rrelu_noise(x, _slopes(x, lower, upper, training, generator))
        return _by_result(result, "leaky_relu", -1.0 if refused else 1.0) if inplace else result

    return read_by_result(views.inplace(draw, "rrelu_", input)) if inplace else draw(input)


def _slopes(x: Tensor, lower: float, upper: float, training: bool, generator: object) -> Tensor:
    """1 where ``x`` is positive, slopes elsewhere."""
    array = x._array
    noise, negative = np.ones(array.shape, array.dtype), array <= 0 if training else ~(array > 0)
    count = int(np.count_nonzero(negative))
    stream = getattr(generator, "_stream", None) or dropout.default_stream()
    noise[negative] = stream.uniform((count,), DOUBLE, lower, upper) if training else (lower + upper) / 2
    return new_tensor(noise)


@public(method=False, out=False)
def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: object = None
) -> Tensor:
    """In-place version of :func:`rrelu`."""
    if not isinstance(training, bool):
        raise TypeError  # which is then said in PyTorch's words
    return _rrelu(input, lower, upper, training, True, generator)


@public("rrelu", method=False, out=False)
def _torch_rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: object = None
) -> Tensor:
    """:func:`torch.nn.functional.rrelu` with a generator of its own."""
    return _rrelu(input, lower, upper, training, False, generator)


module("torch.nn.functional")["rrelu_"] = module("torch")["rrelu_"]
module("torch.nn.functional")["relu_"] = module("torch")["relu_"]


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``: the method of that name."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent: the method of that name."""
    return input.tanh()


for _function in (sigmoid, tanh):
    module("torch.nn.functional")[_function.__name__] = _function
