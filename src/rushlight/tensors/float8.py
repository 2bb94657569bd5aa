"""Tensors of eight-bit floating types: they are made, converted, moved, printed and saved; what would compute with them is refused.

PyTorch computes almost nothing with them on the CPU either. Once a program has made use of such a type, all ops are looked at,
which then take their general path.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..autograd import modes
from ..autograd.interpreters import LOOKS_ON, Answer, Args, Interpreter, stack
from ..backend.numpy import is_float8
from ..base import dtypes
from ..tensor import Tensor

if TYPE_CHECKING:
    from ..ops.table import Op

# Ops of the table that are no views, by the beginnings of their names, and functions that are not in it.
_MOVING = (
    "clone", "concat", "stack", "copy", "to_", "index", "where", "fill", "repeat", "roll", "eq", "ne_", "put_at", "take_at",
    "constant_pad", "detach", "alias", "split", "unsafe_split", "narrow", "select_scatter", "slice_scatter", "diagonal_scatter",
    "reshape", "contiguous", "zero", "isnan", "any", "all", "embedding",
)  # fmt: skip
_COMPUTING = frozenset({"index_add", "index_reduce"})
_KERNELS = {
    "add": "add_stub", "sub": "add_stub", "mul": "mul_cpu_reduced_float", "isclose": "mul_cpu_reduced_float", "pow": "pow",
    "pow_number": "pow", "dot": "dot", "sum_all": "sum_cpu", "mean_all": "sum_cpu", "max_all": "max_all", "min_all": "min_all",
    "prod_all": "prod_out_cpu", "cumsum": "cumsum_out_cpu", "median_all": "median_cpu", "argtopk": "topk_cpu",
    "argsort": "sorting_kernel_method_name", "unique": "unique", "vector_norm": "norm_cpu", "gather": "gather_expanded_index",
    "scatter": "scatter_gather_tensor_cpu", "masked_fill": "masked_fill", "tril": "tril", "triu": "triu", "isinf": "isinf",
    "isfinite": "isfinite", "relu": "clamp_min_scalar_cpu", "clamp": "clamp_scalar_cpu", "sigmoid": "sigmoid_cpu_reduced_float",
    "softmax": "softmax_lastdim_kernel_impl",
    **{name: f"{name}_vml_cpu" for name in ("exp", "sqrt", "floor", "ceil", "tanh", "log", "sin", "cos", "erf")},
}  # fmt: skip


def _is_float8(value: object) -> bool:
    if not isinstance(value, Tensor):
        return isinstance(value, (list, tuple)) and any(map(_is_float8, value))
    return is_float8(value._array.dtype)


class _Watch(Interpreter):
    """Refuses ops that would compute with such numbers: NumPy's and the kernels' code for small types is bfloat16's."""

    place = LOOKS_ON

    def op(self, op: Op, args: Args) -> Answer:
        moves = op.view or op.name == "ne" or op.name.endswith("_copy") or op.name.startswith(_MOVING)
        if not moves or op.name in _COMPUTING:
            inputs = args[: len(op.inputs)]
            if any(map(_is_float8, inputs)):
                self._refuse(op, inputs)
        return NotImplemented

    def _refuse(self, op: Op, inputs: Args) -> None:
        tensors = _tensors(inputs)
        kinds = [value.dtype for value in tensors if value._array.ndim] or [value.dtype for value in tensors]
        for other in kinds[1:] if op.promote is not None else []:
            dtypes.promote_types(kinds[0], other)  # refuses them together
        rare = next(value.dtype for value in tensors if _is_float8(value))
        kernel = _KERNELS.get(op.name, f"{op.name}_cpu")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{rare.scalar_name}'")


def _tensors(values: Iterable[object]) -> list[Tensor]:
    flat = [one for value in values for one in (value if isinstance(value, (list, tuple)) else [value])]
    return [one for one in flat if isinstance(one, Tensor)]


_marks: list[modes.Mark] = []


def _watch(dtype: dtypes.dtype, of_array: bool) -> None:
    if dtype.itemsize == 1 and not _marks:
        _marks.append(modes.Mark(hidden=True))
        stack.put(_Watch())


dtypes.on_loading.append(_watch)
