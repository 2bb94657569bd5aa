"""torch.ops.aten: the ops below autograd by PyTorch's names for them, as ``__torch_dispatch__`` sees them.

``torch.ops.aten.mul`` is a packet of overloads, ``torch.ops.aten.mul.Tensor`` one of them. Each name gives one object, so that
programs can compare them, and calling it runs the op. An op of the table that PyTorch does not have goes by its own name.
What an operator is that is no function of torch's says ``functions``, where the rooms that own one put it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from ..autograd import forward_ad, grad_mode
from ..autograd.gradients import grad
from ..base.missing_names import is_in_torch, lacks
from ..base.public_names import operator_namespaces, registry
from ..ops.table import Op, table
from ..tensor import Tensor


class OpOverload:
    """One overload of an op; made by looking it up."""

    __module__ = "torch._ops"

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self._overloadpacket = self.overloadpacket = packet
        self.namespace, _, self._opname = packet._qualified_op_name.partition("::")
        self._overloadname = overload
        self.__name__ = f"{self._opname}.{overload}"
        self.__module__ = f"torch._ops.{self.namespace}"
        self.op: Op | None = None  # where an op of the table was seen under this name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.op is not None and not kwargs:
            count = len(self.op.inputs)
            params = [tuple(one) if isinstance(one, list) else one for one in args[count:]]
            return self.op.call(*args[:count], *params)
        return self._overloadpacket(*args, **kwargs)

    def name(self) -> str:
        return f"{self.namespace}::{self._opname}" + ("" if self._overloadname == "default" else f".{self._overloadname}")

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"

    def __hash__(self) -> int:
        return hash(self.name())


class OpOverloadPacket:
    """All overloads of an op; made by looking it up."""

    __module__ = "torch._ops"

    def __init__(self, name: str, namespace: str = "aten") -> None:
        self._qualified_op_name = f"{namespace}::{name}"
        self.__name__ = name
        self._found: dict[str, OpOverload] = {}

    def overload(self, name: str) -> OpOverload:
        if name not in self._found:
            self._found[name] = OpOverload(self, name)
        return self._found[name]

    def overloads(self) -> list[str]:
        return list(self._found) or ["default"]

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.overload(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _function(self.__name__)(*args, **kwargs)

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


def _to_copy(x: Tensor, *, dtype: Any = None, **options: Any) -> Any:
    return x.to(dtype, copy=True) if dtype is not None else x.clone()


def _convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Any,
) -> tuple[Any, ...]:
    """The gradients of a convolution's input, weight and bias; None for those that nobody asked for."""
    with grad_mode.enable_grad():
        inputs = [one if one.requires_grad else one.view_as(one).requires_grad_() for one in (input, weight)]
        out = table["convolution"].call(*inputs, None, stride, padding, dilation, transposed, output_padding, groups)
    wanted = [one for one, asked in zip(inputs, output_mask, strict=False) if asked]
    found = iter(grad(out, wanted, grad_output) if wanted else ())
    by_bias = grad_output.sum((0, *range(2, grad_output.ndim))) if output_mask[2] else None
    return *(next(found) if asked else None for asked in output_mask[:2]), by_bias


functions: dict[str, Callable[..., Any]] = {
    "_to_copy": _to_copy,
    "_local_scalar_dense": lambda x: x.item(),
    "_softmax": lambda x, dim, half_to_float=False: x.softmax(dim),
    "_log_softmax": lambda x, dim, half_to_float=False: x.log_softmax(dim),
    "lift_fresh": lambda x: x,
    "_new_zeros_with_same_feature_meta": lambda x, like, *, self_num_batch_dims=0: forward_ad.zeros_laid_like(
        like, like._array.dtype, tuple(x.shape[:self_num_batch_dims])
    ),
    "alias": lambda x: table["alias"].call(x),
    "convolution_backward": _convolution_backward,
    "sym_numel": lambda x: x.numel(),
    "sym_size": lambda x, dim=None: list(x.size()) if dim is None else x.size(dim),
    "sym_storage_offset": lambda x: x.storage_offset(),
    "sym_stride": lambda x, dim=None: list(x.stride()) if dim is None else x.stride(dim),
    "slice": lambda x, dim=0, start=None, end=None, step=1: x[(slice(None),) * dim + (slice(start, end, step),)],
}


def _lacking(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError(lacks(f"torch.ops.aten.{name}"))


def _function(name: str) -> Callable[..., Any]:
    """The public function that an op is, or one that says that rushlight lacks it."""
    found = functions.get(name) or registry["torch"].get(name) or getattr(Tensor, name, None)
    if found is None:
        found = next((space[name] for space in registry.values() if name in space), None)
    if found is None and name in table:
        found = table[name].call
    if found is None and is_in_torch(f"torch.ops.aten.{name}"):
        found = partial(_lacking, name)
    if found is None:
        raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
    return found


class _Namespace:
    """``torch.ops.aten``."""

    __name__ = "torch.ops.aten"

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if name.startswith("__"):
            raise AttributeError(name)
        _function(name)
        return self._packet(name)

    def _packet(self, name: str) -> OpOverloadPacket:
        found = self.__dict__.get(name)
        if found is None:
            found = self.__dict__[name] = OpOverloadPacket(name)
        return found

    def __repr__(self) -> str:
        return "<module 'torch.ops.aten'>"


aten = operator_namespaces["aten"] = _Namespace()

# PyTorch's names of ops of the table, where they are not the table's.
_NAMES = {
    "add_scaled": "add.Tensor", "sub_scaled": "sub.Tensor", "rsub_scaled": "rsub.Scalar", "rsub_number": "rsub.Scalar",
    "pow": "pow.Tensor_Tensor", "pow_number": "pow.Tensor_Scalar", "number_pow": "pow.Scalar", "plus": "add.Tensor",
    "minus": "sub.Tensor", "number_minus": "sub.Tensor", "times": "mul.Tensor", "divide_by": "div.Tensor", "div_floor": "div.Tensor_mode",
    "div_trunc": "div.Tensor_mode", "remainder_number": "remainder.Scalar", "number_remainder": "remainder.Scalar_Tensor",
    "fmod_number": "fmod.Scalar", "sum_all": "sum.default", "sum": "sum.dim_IntList", "mean_all": "mean.default",
    "mean": "mean.dim", "max_all": "max.default", "max": "max.dim", "min_all": "min.default", "min": "min.dim",
    "median_all": "median.default", "median": "median.dim", "prod_all": "prod.default", "prod": "prod.dim_int",
    "var": "var.correction", "std": "std.correction", "var_mean": "var_mean.correction", "std_mean": "std_mean.correction",
    "vector_norm": "linalg_vector_norm.default", "norm_of_all": "linalg_vector_norm.default",
    "norm_along": "linalg_vector_norm.default", "permute_dims": "permute.default", "transpose": "transpose.int",
    "select": "select.int", "slice": "slice.Tensor", "index": "index.Tensor", "expand_dims": "unsqueeze.default",
    "squeeze_all": "squeeze.default", "squeeze": "squeeze.dim", "squeeze_several": "squeeze.dims",
    "reshape_alias": "view.default", "unsafe_view": "_unsafe_view.default", "astype": "_to_copy.default",
    "to_copy": "_to_copy.default", "to_integers": "_to_copy.default", "concat": "cat.default", "unbind": "unbind.int", "split": "split.Tensor",
    "where": "where.self", "softmax": "_softmax.default", "log_softmax": "_log_softmax.default", "gelu_erf": "gelu.default",
    "gelu_tanh": "gelu.default", "masked_fill": "masked_fill.Scalar", "masked_fill_tensor": "masked_fill.Tensor",
    "clamp_between": "clamp.Tensor", "lerp": "lerp.Scalar", "lerp_tensor": "lerp.Tensor", "contiguous": "clone.default",
    "laid_out": "clone.default", "scatter": "scatter.src", "scatter_value": "scatter.value", "all": "all.dim", "any": "any.dim",
    "layer_norm": "native_layer_norm.default", "batch_norm": "native_batch_norm.default", "conv": "convolution.default",
    "max_pool2": "max_pool2d_with_indices.default", "avg_pool2": "avg_pool2d.default", "det": "_linalg_det.default",
    "inv": "linalg_inv_ex.default", "nll_loss": "nll_loss_forward.default", "full_like_shape": "expand.default",
    "expand_number": "expand.default", "divide_number": "div.Scalar",
}  # fmt: skip
_COMPARISONS = frozenset("eq ne lt le gt ge".split())
_WITH_NUMBERS = frozenset("add sub mul div".split())


def overload_of(op: Op, inputs: tuple[Any, ...]) -> OpOverload:
    """The overload that an op of the table is on these inputs."""
    known = _NAMES.get(op.name)
    if op.name == "adjoint" and inputs[0]._array.dtype.kind != "c":
        return aten._packet("t").overload("default")
    if op.name in ("all", "any") and (len(inputs) < 2 or inputs[1] is None):
        return aten._packet(op.name).overload("default")
    if known is not None:
        name, _, overload = known.partition(".")
    elif op.name in _COMPARISONS:
        name, overload = op.name, "Tensor" if isinstance(inputs[1], Tensor) else "Scalar"
    else:
        name, overload = op.name, "Tensor" if op.name in _WITH_NUMBERS else "default"
    found = aten._packet(name).overload(overload)
    found.op = op
    return found


def without_defaults(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """An op's arguments as PyTorch shows them: tuples of numbers as lists, and nothing behind the last that is no default."""
    count = len(op.inputs)
    params = list(args[count:])
    while params and params[-1] is op.params[len(params) - 1][1]:
        params.pop()
    return *args[:count], *(list(one) if isinstance(one, tuple) else one for one in params)


_SCALARS = frozenset("fill_ eq_ ne_ lt_ le_ gt_ ge_ masked_fill_ index_fill_ pow_ remainder_ fmod_ lerp_".split())


def inplace_overload(name: str, args: tuple[Any, ...]) -> OpOverload:
    """The overload that an in-place method is with these arguments."""
    if name.rstrip("_") in _WITH_NUMBERS:
        overload = "Tensor"
    elif name in _SCALARS:
        overload = "Tensor" if args and isinstance(args[-1], Tensor) else "Scalar"
    else:
        overload = "default"
    return aten._packet(name).overload(overload)
