"""Tensors of half-precision complex numbers: kept in four bytes each, computed with in single precision.

While there are any, functions are looked at: they get such tensors as ``complex64``, and what they give is rounded to halves, as
PyTorch's kernels do. Views and whatever only moves numbers take them as they are; what PyTorch has no kernel for on the CPU is
refused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import modes
from ..autograd.interpreters import CASTS, Answer, Args, Function, Interpreter, Named, stack
from ..backend.numpy import is_complex_half
from ..backend.ownership import references
from ..base import dtypes
from ..ops.table import Op
from ..overrides.overridable_methods import watch
from ..overrides.torch_function import DisableTorchFunction
from ..tensor import Tensor
from .complex_half_nodes import Casts

_HALF = dtypes.named("complex32")
_DEEPEST = 4  # of lists in lists: a list that holds itself has no end, and is refused by whoever reads it
# What takes the numbers as they are; and so do the views of the table.
_AS_THEY_ARE = frozenset(
    "to type half float double bfloat16 chalf cfloat cdouble bool int long short byte char type_as clone contiguous detach detach_ "
    "copy_ zero_ fill_ set_ resize_ requires_grad_ retain_grad backward register_hook __get__ __set__ __delete__ __setitem__ "
    "__getitem__ __deepcopy__ __copy__ __reduce_ex__ __reduce__ __len__ __hash__ __repr__ __str__ __format__ numpy tolist item size "
    "stride dim ndimension numel nelement element_size storage untyped_storage storage_offset data_ptr is_contiguous is_complex "
    "is_floating_point is_signed is_conj is_neg is_tensor is_storage is_same_size result_type can_cast is_inference cpu "
    "get_device real imag view_as_real view_as_complex conj resolve_conj resolve_neg _neg_view reshape reshape_as view view_as "
    "flatten ravel expand expand_as permute transpose transpose_ t t_ squeeze squeeze_ unsqueeze unsqueeze_ movedim moveaxis "
    "swapaxes swapdims select narrow unbind split chunk tensor_split unfold diagonal as_strided as_strided_ broadcast_to adjoint "
    "empty_like zeros_like ones_like full_like new_empty new_zeros new_ones new_full new_tensor new_empty_strided empty zeros ones full "
    "empty_strided scalar_tensor as_tensor asarray from_numpy complex share_memory_ is_shared pin_memory is_pinned save load "
    "named_parameters __dlpack__ __dlpack_device__ rename names hsplit vsplit dsplit atleast_1d atleast_2d atleast_3d "
    "broadcast_tensors unflatten rand randn rand_like randn_like normal data is_set_to _is_view as_subclass shape detach_copy".split()
)


_VML = "acos asin atan cos erf erfc erfinv exp expm1 i0 lgamma log log10 log1p log2 round sin sqrt tan tanh"
_CPU = (
    "acosh addr aminmax angle asinh atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor cholesky cholesky_solve copysign cosh "
    "cummax cummin div elu entr flip fmod frac gcd ge geqrf glu gt hardshrink hardsigmoid hardswish hypot i0e i1 i1e igamma "
    "igammac kthvalue lcm le leaky_relu linalg_svd linalg_eigh logaddexp logaddexp2 logical_and logical_not logical_or logical_xor "
    "logit lt lu median mish mode nextafter poisson reciprocal remainder rsqrt sigmoid silu sinc sinh softplus sum "
    "threshold triangular_solve xlogy"
)
_LACKING = {
    **{name: f"{name}_vml_cpu" for name in _VML.split()},
    **{name: f"{name}_cpu" for name in _CPU.split()},
    **{name: name for name in "digamma dot exp2 nan_to_num pow trace unique vdot".split()},
    **{name: f"{name}_out_cpu" for name in "cholesky_inverse cumprod cumsum logcumsumexp prod".split()},
    "addmm": "addmm_impl_cpu_", "mm": "addmm_impl_cpu_",
    "mv": "addmv_impl_cpu", "bmm": "bmm", "amax": "max_values_cpu", "amin": "min_values_cpu", "gelu": "GeluKernelImpl",
    "floor_divide": "div_floor_cpu", "gather": "scatter_gather_tensor_cpu", "scatter": "scatter_gather_tensor_cpu",
    "lerp": "lerp_kernel_tensor", "log_softmax": "log_softmax_lastdim_kernel_impl", "softmax": "softmax_lastdim_kernel_impl",
    "logsumexp": "exp_vml_cpu", "max": "max_all", "min": "min_all", "mean": "sum_cpu", "mse_loss": "mse_cpu", "square": "pow",
    "linspace": "linspace_cpu", "eye": "eye", "bernoulli": "bernoulli_tensor_cpu_self_", "clamp_min": "maximum_cpu",
    "clamp_max": "minimum_cpu", "inner": "dot", "addcdiv": "addcdiv_cpu_out",
    "take": "take_cpu", "put": "take_put_cpu", "masked_scatter": "masked_scatter", "cross": "cross", "linalg_cross": "cross",
    "equal": "equal_notnan_cpu", "ldexp": "pow", "scatter_add": "scatter_gather_tensor_cpu", "linalg_det": "lu_cpu", "det": "lu_cpu",
    "scatter_reduce": "scatter_gather_tensor_cpu", "addmv": "addmv_impl_cpu", "chain_matmul": "addmm_impl_cpu_",
    "vander": "cumprod_out_cpu", "trapz": "sum_cpu", "trapezoid": "sum_cpu", "gradient": "div_cpu", "cov": "sum_cpu",
    "corrcoef": "sum_cpu", "logspace": "logspace_cpu",
}  # fmt: skip
_SPECTRA = frozenset("fft fft2 fftn ifft ifft2 ifftn irfft irfft2 irfftn hfft hfft2 hfftn ihfft".split())
_SPELLED = {f"arc{name}": f"a{name}" for name in "cos cosh sin sinh tan tan2 tanh".split()} | {
    "divide": "div", "true_divide": "div", "truediv": "div", "rtruediv": "reciprocal", "rdiv": "reciprocal",
    "itruediv": "div", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "expit": "sigmoid", "gammaln": "lgamma", "ipow": "pow", "rpow": "pow", "fliplr": "flip",
    "flipud": "flip", "unique_consecutive": "unique",
}  # fmt: skip


def _refuse(name: str, args: Args) -> None:
    """PyTorch's error where it has no kernel."""
    plain = name.strip("_")
    plain = _SPELLED.get(plain, plain)
    if plain in ("matmul", "linear", "rmatmul") and len(args) > 1 and all(isinstance(one, Tensor) for one in args[:2]):
        sizes = (2, 2) if plain == "linear" and args[0].ndim == 1 else (args[0].ndim, args[1].ndim)
        plain = {(1, 1): "dot", (1, 2): "mv", (2, 1): "mv", (2, 2): "mm"}.get(sizes, "bmm")
    if plain == "repeat_interleave" and len(args) > 1 and isinstance(args[1], Tensor):
        raise NotImplementedError("\"repeat_interleave_cpu\" not implemented for 'ComplexHalf'")
    if plain in _SPECTRA:
        raise RuntimeError("MKL FFT doesn't support tensors of type: Half")
    if plain in _LACKING:
        raise NotImplementedError(f"\"{_LACKING[plain]}\" not implemented for 'ComplexHalf'")


def _is_half(value: object, depth: int = 0) -> bool:
    if isinstance(value, Tensor):
        return is_complex_half(value._array.dtype)
    if isinstance(value, (list, tuple)):
        return depth < _DEEPEST and any(_is_half(one, depth + 1) for one in value)
    return value is _HALF


def _replaced(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        parts = [_replaced(one, change) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return dtypes.complex64 if value is _HALF else value


def _decides_otherwise(value: object) -> bool:
    """Whether a result is not of halves, for a tensor of more than half precision that takes part."""
    if isinstance(value, (list, tuple)):
        return any(map(_decides_otherwise, value))
    wide = (dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64, dtypes.complex128)
    return isinstance(value, Tensor) and value._array.ndim > 0 and value.dtype in wide


class _InSingle(Interpreter):
    """Has functions called with wider tensors, in whatever thread."""

    place = CASTS

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        name = getattr(func, "__name__", "")
        given = (*args, *kwargs.values())
        if not _marks or name in _AS_THEY_ARE:
            return NotImplemented
        if not any(map(_is_half, given)):
            _end_of_use()
            return NotImplemented
        out = kwargs.get("out")
        if out is not None and not any(_is_half(one) for one in (*args, *(kwargs[key] for key in kwargs if key != "out"))):
            return NotImplemented  # computed in another dtype, and cast as it is written
        written = args[0] if name[-1:] == "_" != name[-2:-1] and args and _is_half(args[0]) else None
        wider = _decides_otherwise(given)
        casts = Casts(wider)
        with DisableTorchFunction():
            if out is not None:
                kwargs = {key: value for key, value in kwargs.items() if key != "out"}
            wide = _replaced(args, casts.widened)
            named = {key: _replaced(value, casts.widened) for key, value in kwargs.items()}
            try:
                result = stack.go_on(CASTS, func, wide, named)
            except (RuntimeError, TypeError) as error:
                if not wider:
                    error.args = tuple(str(one).replace("ComplexFloat", "ComplexHalf") for one in error.args)
                raise
            _refuse(name, args)  # what is wrong with the arguments comes first
            if written is not None:
                return casts.written(written, wide[0])
            result = _replaced(result, casts.left if wider else casts.narrowed)
            return result if out is None else _into(out, result)

    def creation(self, function: Function, args: Args, kwargs: Named) -> Answer:
        return self.call(function, args, kwargs)

    def op(self, op: Op, args: Args) -> Answer:
        if op.view or op.name in _AS_THEY_ARE or op.name in _MOVING or not _marks:
            return NotImplemented
        if any(isinstance(one, np.dtype) and is_complex_half(one) for one in args):  # the type of its result
            _refuse(op.name.removesuffix("_all"), args)
        if not any(map(_is_half, args)):
            return NotImplemented
        wider = _decides_otherwise(args)
        casts = Casts(wider)
        result = op.call(*_replaced(args, casts.widened))
        _refuse(op.name.removesuffix("_all"), args)
        return _replaced(result, casts.left if wider else casts.narrowed)


_MOVING = frozenset("to_copy to_integers conj neg_view copy".split())


def _into(out: Any, result: Any) -> Any:
    if isinstance(out, (list, tuple)):
        return type(result)(*map(_into, out, result)) if hasattr(result, "_fields") else list(map(_into, out, result))
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


_in_single = _InSingle()
_marks: list[modes.Mark] = []  # the one that there is while the type is in use
_lock = threading.Lock()
_at_rest: list[int] = []  # the references to NumPy's type while there are no arrays of it, where that is known


def _watch(dtype: dtypes.dtype, of_array: bool) -> None:
    if dtype is _HALF:
        with _lock:
            if not _marks:
                numpy_type = dtype.numpy
                count = None if of_array else references(numpy_type)
                _at_rest[:] = [] if count is None else [count - 2]  # but for those that `unload` takes away
                _marks.append(modes.Mark(hidden=True))
                watch(_in_single)


def _end_of_use() -> None:
    """Nobody looks at functions any more, once no array holds the type: each does."""
    with _lock:
        if _marks and _at_rest:
            numpy_type = dtypes.unload(_HALF)  # first: whoever asks for it from here on has it watched anew
            if references(numpy_type) == _at_rest[0]:
                _marks.clear()
            else:
                _HALF.numpy, dtypes.BY_NUMPY[numpy_type] = numpy_type, _HALF


dtypes.on_loading.append(_watch)
