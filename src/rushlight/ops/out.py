"""``out=``: results written into tensors that the caller gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import modes, overlaps, views
from ..autograd.grad_mode import no_grad
from ..autograd.interpreters import Args, Function, Named
from ..autograd.mirrors import Mirror
from ..autograd.write_errors import output_error, refuse_inference
from ..backend.linalg import LinAlgError
from ..backend.resizing import resized, seen_before
from ..base import dtypes, return_types
from ..base.arguments import type_name, warn
from ..base.public_names import module
from ..tensor import Tensor
from .operands import tensors_among
from .out_dtypes import ASKED_FIRST, EXACT_OUT, NOT_SAME, SAFELY, casts_too, check_safe, check_same, key_of, refuse_first
from .table import table

_SECOND_FIRST = frozenset(("median", "nanmedian", "eigh"))  # the second of two is looked at first
# Functions that give each ``out=`` its size before they look at the next, or at whether the result can be cast.
_SIZED_FIRST = frozenset("min max sort topk kthvalue aminmax qr slogdet eigh stack diag kron std var mean".split())

# Functions that join tensors, with the number of dimensions from which on they pass on the very tensor that they were given.
_JOINS = {
    "cat": 0,
    "concat": 0,
    "concatenate": 0,
    "hstack": 1,
    "vstack": 2,
    "row_stack": 2,
    "column_stack": 2,
    "dstack": 3,
    "stack": 64,
}
# Functions that read their inputs while they write: their ``out=`` must be memory of its own.
UNSHARED_OUT = frozenset("gather take take_along_dim index_select masked_select".split()) | _JOINS.keys()

# These say it in other words.
_SCALAR_TYPE_OUT = frozenset(("cummax", "cummin", "logcumsumexp"))

# Functions whose ``out=`` is to have the dtype of their input, whatever could be cast to what.
_OF_INPUTS_DTYPE = frozenset(
    "abs absolute bitwise_not ceil conj_physical fix floor frac nan_to_num neg negative round sgn sign trunc".split()
)
_TELLS = frozenset(("isneginf", "isposinf", "signbit"))
# Elementwise functions that are not of one op that promotes its inputs.
_ELEMENTWISE = frozenset(
    "addcdiv addcmul angle clamp clamp_max clamp_min clip conj_physical heaviside ldexp lerp logit nan_to_num square where".split()
)
_SUMS = frozenset("sum nansum prod mean cumsum cumprod".split())  # whose ``dtype=`` is that of their ``out=`` too
_IN_OUTS_DTYPE = frozenset("sum prod cumsum cumprod".split())  # their ``out=`` says in what they are computed
_REAL_ONLY = frozenset(("ceil", "fix", "floor", "sign", "trunc"))  # complex numbers are what they refuse first
# As those do; and comparisons, whose results are truths.
_KIND_FIRST = _REAL_ONLY | frozenset("clamp clamp_max clamp_min clip ge greater greater_equal gt le less less_equal lt".split())
_OUT_BESIDE_DIM = frozenset("sum prod median nanmedian".split())  # their forms without ``dim`` have no ``out=``
# What is no function that could be differentiated, so that nobody asks whether somebody wants to.
_WITHOUT_DERIVATIVE = frozenset(
    "airy_ai all any argmax argmin bessel_j0 bessel_j1 bessel_y0 bessel_y1 bitwise_and bitwise_left_shift bitwise_not bitwise_or "
    "bitwise_right_shift bitwise_xor bucketize chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v "
    "chebyshev_polynomial_w eq gcd ge greater greater_equal gt hermite_polynomial_h hermite_polynomial_he histc isin isneginf isposinf "
    "laguerre_polynomial_l lcm le legendre_polynomial_p less less_equal logical_and logical_not logical_or logical_xor lt matrix_rank "
    "modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 ne nonzero not_equal scaled_modified_bessel_k0 "
    "scaled_modified_bessel_k1 searchsorted shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
    "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w signbit spherical_bessel_j0".split()
)
# Their second ``out=`` is of places, which nobody differentiates by.
_PLACES_BESIDE = frozenset("sort min max topk kthvalue mode median nanmedian cummax cummin".split())
# Functions that PyTorch composes: what refuses to be recorded is the last of what they call, behind what asks for shapes.
_RECORDED_AS = {
    "cross": "linalg_cross", "inv": "linalg_inv_ex", "inverse": "linalg_inv_ex", "kron": "mul", "outer": "mul", "qr": "linalg_qr",
}  # fmt: skip
_INTO_OTHERS = frozenset(("all", "any", "bucketize", "searchsorted"))

# What a kernel refuses, once it is clear where its results go.
_KERNELS_OWN = re.compile(r'(_cpu|lerp_kernel_tensor)" not implemented for |^ZeroDivisionError$')


def write_out(f: Function, name: str, target: Any, args: Args, kwargs: Named, said: str = "") -> Any:
    """Runs ``f`` and puts its result (or results) into ``target``: resized where empty or, with a warning, of other shape.

    ``said``  its name in PyTorch's schemas, where that is another
    """
    args, kwargs = _begun(name, args, kwargs)
    _refuse_derivatives(f, name, target, args, kwargs)
    everything = [*args, *kwargs.values()]
    sized: list[_Sized] = []
    looked_at = name in _OF_INPUTS_DTYPE or name in _TELLS
    if not isinstance(target, Tensor if looked_at or name in _JOINS else (Tensor, tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(target)}")
    if looked_at and isinstance(args[0], Tensor):
        _check_dtype(name, target, args[0])
    if name in _IN_OUTS_DTYPE and kwargs.get("dtype") is None and isinstance(target, Tensor):
        if args[0]._array.dtype.kind == "c" != target._array.dtype.kind:
            args = (args[0].real, *args[1:])
        kwargs = {**kwargs, "dtype": target.dtype}
    if name in ("dot", "vdot") and len(args) > 1 and isinstance(args[1], Tensor) and isinstance(target, Tensor):
        if target._array.ndim:
            sized.append(_size(target, np.empty(())))
        check_same(name, target, args[0])
    key = key_of(name, said, args)
    result = _computed(f, name, key, target, args, kwargs)
    if name == "mean" and isinstance(target, Tensor) and target._array.dtype.kind in "bui" and kwargs.get("dtype") is None:
        _refuse_to_divide(target, args, kwargs)
    _refuse_spread(name, target, args, result)
    casts = casts_too(name, result, args, kwargs)
    if isinstance(target, Tensor):
        inputs = list(tensors_among(everything))
        _check_shared(name, target, inputs, result)
        if _reads_what_it_writes(name, target, inputs, result):
            dtypes.check_cast(result._array.dtype, target._array.dtype)
            overlaps.write_rows(f, target, args, kwargs)
            views.bump(target, name)
            return target
        sized_first = name in _SIZED_FIRST and not (
            name == "stack" and result._array.ndim == 1
        )  # numbers are joined as cat does
        if sized_first and not casts and kwargs.get("dtype") is None and target._array.shape != result._array.shape:
            sized.append(_size(target, result._array))
    if name in _JOINS and not dtypes.can_cast(result.dtype, target.dtype):
        word = target.dtype.scalar_name
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {word}")
    if not casts and any(key in names for names in (EXACT_OUT, _SCALAR_TYPE_OUT, NOT_SAME, SAFELY)):
        sized += _check_dtypes(key, target, result)
    result = _of_kind(name, target, result, args)
    if kwargs.get("dtype") is not None and name in _SUMS and isinstance(target, Tensor):
        check_same(name, target, result)
    if isinstance(result, tuple):
        if not isinstance(target, (tuple, list)) or len(target) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(target).__name__}")
        for one, value in zip(target, result, strict=True):
            store(one, value._array, name)
        _let_see(sized)
        return tuple(target) if type(result) is tuple else return_types.of_out(type(result))(*target)
    if not isinstance(target, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(target).__name__}")
    store(target, result._array, name)
    _let_see(sized)
    return target


def _begun(name: str, args: Args, kwargs: Named) -> tuple[Args, Named]:
    """The arguments with the input by position."""
    if not args and "input" in kwargs:
        args, kwargs = (kwargs["input"],), {label: value for label, value in kwargs.items() if label != "input"}
    if name in _OUT_BESIDE_DIM and len(args) == 1 and "dim" not in kwargs:
        raise TypeError  # which is then said in PyTorch's words
    return args, kwargs


def _refuse_derivatives(f: Function, name: str, target: object, args: Args, kwargs: Named) -> None:
    """PyTorch's errors for an ``out=`` that would have to be recorded, or to pass a tangent on."""
    everything = [*args, *kwargs.values()]
    asked = [*everything, target[0] if name in _PLACES_BESIDE and isinstance(target, (tuple, list)) and target else target]
    if would_record(name, asked) and (
        name == "outer" or (name == "matmul" and any(not one.ndim for one in tensors_among(args)))
    ):
        with no_grad():
            f(*args, **kwargs)  # whose own errors come first
    refuse_recording(_RECORDED_AS.get(name, name), *asked)
    if modes.state.forward_levels and any(value._tangents for value in tensors_among([*everything, target])):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )


def would_record(name: str, values: Sequence[object]) -> bool:
    """Whether a function with ``out=`` would have to be recorded, which none is."""
    is_asked = modes.state.grad_enabled and name not in _WITHOUT_DERIVATIVE
    return is_asked and any(one._needs_grad for one in tensors_among(values))


def refuse_recording(name: str, *values: object) -> None:
    """PyTorch's error for an ``out=`` that would have to be recorded."""
    if would_record(name, values):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad."
        )


def _refuse_to_divide(target: Tensor, args: Args, kwargs: Named) -> None:
    """Whole numbers hold no mean: they hold the sum by the time that it would be divided."""
    version = target._counter[0]
    write_out(module("torch")["sum"], "sum", target, args, kwargs)
    target._counter[0] = version  # which the function that would divide counts
    dtypes.check_cast(dtypes.get_default_dtype().numpy, target._array.dtype)


def _refuse_spread(name: str, target: object, args: Args, result: Any) -> None:
    """What PyTorch's kernels of variances do not do, which go by the dtype of ``out=`` but where there is one result."""
    if name not in ("std", "var") or not isinstance(target, Tensor) or not args or not isinstance(args[0], Tensor):
        return
    if not args[0]._array.size:
        return
    have, given, size = target._array.dtype, args[0].dtype, result._array.size
    if size == 1 and given.itemsize == 2 and have.itemsize > 2 and have.kind in "fc":
        raise RuntimeError(f"std_var_all: Unsupported dtype {given.scalar_name}")
    if size > 1 and have.kind == "c" and not given.is_complex:
        raise NotImplementedError(f"\"std_cpu\" not implemented for '{dtypes.of(have).scalar_name}'")


def _of_kind(name: str, target: Tensor, result: Tensor, args: Args) -> Tensor:
    """Truths or places as ``out=`` holds them; the errors where it holds neither."""
    if name == "matrix_power" and args[1:2] not in ((), (0,), (1,)):
        check_same(name, target, result)
    if name == "logsumexp" and isinstance(target, Tensor) and not (target.is_floating_point() or target.is_complex()):
        word = target.dtype.scalar_name
        raise RuntimeError(f"logsumexp(): Expected floating point type for result tensor, but got: {word}")
    if name not in _INTO_OTHERS or not isinstance(target, Tensor):
        return result
    if name in ("all", "any"):
        if target.dtype not in (dtypes.bool, dtypes.uint8):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {target.dtype.scalar_name}")
        return result.bool()
    if target.dtype is not result.dtype:
        raise RuntimeError(
            "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
            f"out_int32 flag is True, but we got output tensor's dtype {target.dtype.scalar_name} and out_int32 flag is "
            f"{result.dtype is dtypes.int32}"
        )
    return result


def _check_dtypes(name: str, target: Any, result: Any) -> list[_Sized]:
    """The errors for ``out=`` of other dtypes than the results, of functions that cast nothing; what has got another size by then."""
    sized: list[_Sized] = []
    if isinstance(result, tuple) and not (isinstance(target, (tuple, list)) and len(target) == len(result)):
        return sized  # which is told of later
    pairs = list(enumerate(zip(target, result, strict=False) if isinstance(result, tuple) else ((target, result),)))
    for place, (one, value) in reversed(pairs) if name in _SECOND_FIRST else pairs:
        if one.dtype != value.dtype and name in _SCALAR_TYPE_OUT:
            raise RuntimeError(f"expected scalar_type {value.dtype.scalar_name} but found {one.dtype.scalar_name}")
        (check_safe if name in SAFELY else check_same)(name, one, value, place)
        if name in _SIZED_FIRST and len(pairs) > 1 and one._array.shape != value._array.shape:
            sized.append(_size(one, value._array))
    return sized


_Sized = tuple[Tensor, Any]  # a tensor, and the array that it had before it got another size


def _size(target: Any, value: np.ndarray[Any, Any]) -> _Sized:
    """Gives an ``out=`` the shape of a result, before anything is written."""
    have = target._array
    warn_of_resizing(have.shape, value.shape)
    # What mirrors other memory takes the elements of a copy that is complete: they lie row by row.
    steps = [0] * value.ndim if isinstance(target._counter, Mirror) else value.strides
    target._array = resized(have, value.shape, sorted(range(value.ndim), key=lambda axis: -steps[axis]))
    return target, have


def _let_see(sized: list[_Sized]) -> None:
    """Has others that lie in the memory of what got another size see what has been written to it."""
    for target, have in sized:
        seen_before(have, target._array)


def _check_dtype(name: str, target: Any, input: Any) -> None:
    """The errors for an ``out=`` of a dtype that its function does not write."""
    have, wanted = target._array.dtype, input._array.dtype
    if name in _TELLS:
        if have.kind != "b":
            raise RuntimeError(f"{name} does not support non-boolean outputs.")
        return
    if have == wanted or (wanted.kind == "c" and (name in _REAL_ONLY or (name[:3] == "abs" and have.kind != "c"))):
        return
    overlaps.check_memory(target, [input])
    if name == "nan_to_num":
        raise RuntimeError(
            f"nan_to_num: dtype of out: {dtypes.of(have).scalar_name} should be same as input: {dtypes.of(wanted).scalar_name}"
        )
    raise RuntimeError(f"Found dtype {dtypes.of(have).scalar_name} but expected {dtypes.of(wanted).scalar_name}")


def _reads_what_it_writes(name: str, target: Tensor, inputs: list[Any], result: Tensor) -> bool:
    """Whether elements of ``out=`` meet, and are read as well: one after another then."""
    alike = result._array.shape == target._array.shape and any(value is target for value in inputs)
    return alike and _elementwise(name) and overlaps.overlaps_itself(target._array)


def _elementwise(name: str) -> bool:
    return name in _ELEMENTWISE or (name in table and table[name].promote is not None)


def _computed(f: Function, name: str, key: str, target: object, args: Args, kwargs: Named) -> Any:
    """The result; what is wrong with an ``out=`` is told before what a kernel does not do."""
    if name == "heaviside" and isinstance(target, Tensor) and target.is_complex():
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    try:
        return f(*args, **kwargs)
    except (NotImplementedError, RuntimeError) as error:
        if isinstance(error, LinAlgError) or key in ASKED_FIRST or " is zero" in str(error):
            refuse_first(key, target, args[0])
        if _elementwise(name) and isinstance(target, Tensor) and name not in _KIND_FIRST and _KERNELS_OWN.search(str(error)):
            inputs = list(tensors_among([*args, *kwargs.values()]))
            overlaps.check_memory(target, inputs)
            common = inputs[0].dtype if len(inputs) == 1 else module("torch")["result_type"](*inputs[:2])
            if name == "lerp":
                check_same(name, target, inputs[0])
            dtypes.check_cast(common.numpy, target.dtype.numpy)
        raise


def _check_shared(name: str, target: Any, inputs: list[Any], result: Any) -> None:
    if name in UNSHARED_OUT:
        same = target._array.ndim >= _JOINS.get(name, 0) and any(value is target for value in inputs)
        if same and name in _JOINS and all(value._array.shape == (0,) for value in inputs):
            return  # such join anything, and are left out
        if name == "index_select":  # which asks before it gives ``out=`` another shape
            overlaps.check_memory(target)
        if same or any(np.may_share_memory(target._array, value._array) for value in inputs):
            raise overlaps.shared_error()
    elif _elementwise(name):
        overlaps.check_memory(target, inputs)
        if any(value is target for value in inputs) and result._array.shape != target._array.shape:
            raise output_error(target._array.shape, result._array.shape)


def warn_of_resizing(have: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """PyTorch's warning before an ``out=`` that holds something gets another shape."""
    if have != shape and 0 not in have:
        warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(have)}, which does not match the required output shape {list(shape)}. This behavior is "
            "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. You "
            "can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
        )


def store(target: Any, value: np.ndarray[Any, Any], name: str) -> None:
    """Writes a result into an ``out=`` tensor."""
    refuse_inference(target)
    have = target._array
    if not have.flags.c_contiguous and have.shape == value.shape:
        overlaps.check_memory(target)
    dtypes.check_cast(value.dtype, have.dtype)
    if have.shape != value.shape:
        sized = _size(target, value)
        views.write(target, value, name)
        _let_see([sized])
        return
    if overlaps.overlaps_itself(have):
        if not _elementwise(name):  # in PyTorch such read what they have written
            raise overlaps.overlap_error()
        for index in overlaps.rows(have):
            have[index] = value[index]
        views.bump(target, name)
        return
    views.write(target, value, name)
