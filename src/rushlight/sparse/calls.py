"""What functions do with sparse tensors: they run on dense ones, and some give their results a sparse layout again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.arguments import NUMBERS
from ..base.device import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from ..ops.public import axis_of
from ..overrides.torch_function import DisableTorchFunctionSubclass, property_read
from ..tensor import Methods, Tensor, wrap
from . import rows
from .creation import converted, laid_out, refuse_dimensions, sparse_mask
from .lacking_functions import LACKING, REFUSED, SAID
from .masked_reductions import reduced
from .products import PRODUCTS, product
from .refused_calls import TO_VALUES, flat, refuse_by_forms, refuse_compressed, refuse_without_memory
from .tensors import Array, SparseTensor, camel, lacking, made

# The value of zero is zero: what is not stored stays so.
_AT_THE_INDICES = frozenset(
    "abs absolute neg negative frac nan_to_num signbit detach "
    "sin sinh asin asinh tan tanh atan atanh sqrt sign sgn ceil floor round trunc relu expm1 log1p erf erfinv "
    "deg2rad rad2deg square isnan isinf positive conj conj_physical pow mul multiply div divide true_divide floor_divide __floordiv__ to "
    "float double half bfloat16 int long short char byte bool cfloat cdouble real imag angle resolve_conj contiguous".split()
)
# Of sums of values they are the sums: values of one index may stay apart.
_OF_EACH_VALUE = frozenset("neg negative mul multiply div divide true_divide to float double half bfloat16 int long".split())
# Results with indices of their own.
_SPARSE_AGAIN = frozenset(
    "permute movedim unsqueeze squeeze add sub subtract mm matmul cat concat concatenate stack index_select "
    "select narrow __getitem__ sum".split()
)
_ONLY_IF_ALL_ARE = frozenset("mm matmul add sub subtract".split())
_OF_SUMS = frozenset(
    "abs absolute sqrt floor ceil trunc fix round sign sgn sin sinh asin arcsin asinh arcsinh tan tanh atan arctan atanh arctanh "
    "relu expm1 log1p erf erfinv deg2rad rad2deg frac nan_to_num".split()
)
_WRITES = {
    name + "_": name
    for name in [
        *_OF_SUMS,
        *"mul multiply div divide true_divide floor_divide add sub subtract neg negative pow conj_physical".split(),
    ]
}
_SAID_AS = {"absolute": "abs", "fix": "trunc"} | {f"arc{name}": f"a{name}" for name in "sin sinh tan tanh".split()}


_DIVISIONS = {
    form: kind
    for kind, names in (("division", "div divide true_divide"), ("floor division", "floor_divide"))
    for name in names.split()
    for form in (name, name + "_")
} | {"__truediv__": "division", "__itruediv__": "division", "__floordiv__": "floor division"}


def _check_divisor(name: str, dividend: Any, divisor: Any) -> None:
    """RuntimeError where something sparse, or something by it, is divided by more than a number."""
    pair = [one for one in (dividend, divisor) if isinstance(one, SparseTensor)]
    if not isinstance(divisor, Tensor) or any(not one.is_sparse for one in pair):
        return
    if divisor.ndim or isinstance(divisor, SparseTensor):
        got = f"shape {list(divisor.shape)} for divisor" if divisor.ndim else "a sparse divisor"
        wanted = "requires a scalar or zero-dim dense tensor divisor"
        raise RuntimeError(f"Sparse {_DIVISIONS[name]} {wanted} (got {got})")


def run(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call that a sparse tensor takes part in."""
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):  # a property: of the tensor itself, but for views of its values
        name = property_read(func)
        if name not in ("T", "mT", "H", "mH", "real", "imag"):
            with DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
    if isinstance(kwargs.get("out"), SparseTensor):
        return _into(func, name, args, kwargs)
    if name in _TENSORS_THEMSELVES or (name in _REMOVED and "linalg" not in func.__module__):
        with DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    room = str(getattr(func, "__module__", "")).rpartition(".")[2]
    if room in _BY_ROOM:
        return _BY_ROOM[room](func, args, kwargs)
    refuse_without_memory(name, args)
    refuse_compressed(func, name, args, kwargs)
    own = _OWN.get(name) or (name in _PARTS and vars(SparseTensor)[name])
    if own:
        if name.startswith("to_sparse_"):
            refuse_by_forms(func, name, args, kwargs)
        try:
            return own(*args, **kwargs)
        except Exception:
            refuse_by_forms(func, name, args, kwargs)
            raise
    written = args[0] if args else None
    if name in _WRITES and isinstance(written, SparseTensor):
        if len(args) + len(kwargs) > 1:
            refuse_by_forms(func, name, args, kwargs)
        plain = _WRITES[name]
        if plain in _OF_SUMS and written.is_sparse and not written.is_coalesced():
            raise RuntimeError(f"{_SAID_AS.get(plain, plain)}_ requires coalesced input")
        return written.become(_of_dtype(written.dtype, getattr(_functions(), plain)(*args, **kwargs), plain))
    if isinstance(written, SparseTensor) and (name == "__setitem__" or name[-1:] == "_" != name[-2:-1]):
        refuse_by_forms(func, name, args, kwargs)
        if name in _DIVISIONS:
            _check_divisor(name, written, kwargs.get("other", args[-1]))
        raise lacking(name, "Sparse" if written.is_sparse else "SparseCsr")
    if name in _DIVISIONS and len(args) + ("other" in kwargs) > 1:
        refuse_by_forms(func, name, args, kwargs)
        _check_divisor(name, args[0], kwargs.get("other", args[-1]))
    if name in PRODUCTS and len(args) == 2 and not kwargs:
        result = product(name, *args)
        if result is not NotImplemented:
            return result
    is_fourier = room == "fft" and "freq" not in name
    if (_is_refused(name, args) or is_fourier or "decimals" in kwargs) and any(
        isinstance(one, SparseTensor) and one.is_sparse for one in flat((args, kwargs))
    ):
        refuse_by_forms(func, name, args, kwargs)
        raise lacking(name, "Sparse")
    first = next(iter((*args, *kwargs.values())), None)
    if name in SAID and isinstance(first, SparseTensor) and first.is_sparse:
        refuse_by_forms(func, name, args, kwargs)
        raise RuntimeError(SAID[name])
    result = _of_dense_ones(func, name, args, kwargs)
    tensors = [one for one in flat((args, kwargs)) if isinstance(one, Tensor)]
    if (
        name in _OF_EACH_VALUE
        and len(tensors) == 1
        and written is tensors[0]
        and written.is_sparse
        and not written.is_coalesced()
    ):
        with DisableTorchFunctionSubclass():
            values = func(wrap(written._held), *args[1:], **kwargs)
        return written.with_values(values._array, result._edge)
    return _in_layout(name, result, tensors)


def _into(func: Callable[..., object], name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> SparseTensor:
    """A call with ``out``, which becomes the result: it takes any size, but in a compressed layout no other number of values."""
    out = kwargs["out"]
    assert isinstance(out, SparseTensor)
    result = func(*args, **{key: value for key, value in kwargs.items() if key != "out"})
    if not isinstance(result, SparseTensor) or result._layout is not out._layout:
        raise lacking(f"{name}.out", "Sparse" if out.is_sparse else "SparseCsr")
    dtypes.check_cast(result.dtype.numpy, out.dtype.numpy)
    if not out.is_sparse and result._nnz() != out._nnz():
        message = "only sparse compressed tensors with the same number of specified elements are supported."
        raise RuntimeError(f"torch.copy_: {message}")
    out._array = result._array
    return out.become(result.to(out.dtype))  # type: ignore[no-any-return]


def _of_dense_ones(func: Callable[..., object], name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
    try:
        with DisableTorchFunctionSubclass():
            return func(*_dense(args), **_dense(kwargs))
    except (RuntimeError, IndexError, ValueError) as error:
        if (name if name[:2] == "__" else name.rstrip("_")) not in LACKING | REFUSED or isinstance(error, NotImplementedError):
            raise
        refuse_by_forms(func, name, args, kwargs)
        raise lacking(name, "Sparse") from None


def _is_refused(name: str, args: tuple[object, ...]) -> bool:
    """Whether PyTorch has this for other layouts alone; beside what is no number operators leave the matter to the other side."""
    if name == "pow" and len(args) == 2:
        return isinstance(args[1], Tensor)
    if name == "rsub":
        return len(args) > 1 and isinstance(args[1], Tensor)
    is_copy = name.endswith("_copy") and name not in ("index_copy", "narrow_copy")
    return (is_copy or name.removesuffix("_copy") in REFUSED) and (
        name[:2] != "__" or all(isinstance(one, (Tensor, *NUMBERS)) for one in args)
    )


_SUMS = frozenset("add sub subtract".split())


def _of_dtype(own: dtypes.dtype, result: SparseTensor, name: str) -> SparseTensor:
    """The result of an op that writes to a tensor of dtype ``own``. RuntimeError where that dtype cannot hold it."""
    if result.dtype is own:
        return result
    if name in _SUMS or name in ("mul", "multiply"):
        if not dtypes.can_cast(result.dtype, own):
            verb = "add" if name in _SUMS else "mul"
            raise RuntimeError(
                f"Can't convert result type {result.dtype.scalar_name} to output {own.scalar_name} in {verb} operation"
            )
    else:
        dtypes.check_cast(result.dtype.numpy, own.numpy)
    return result.to(own)


class TakesCallsOver(Methods, of=SparseTensor):
    smm, sspaddmm = rows.smm, rows.sspaddmm

    def __iter__(self) -> Iterator[Tensor]:
        return iter([self[place] for place in range(len(self))])

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return run(func, args, kwargs or {})


def _functions() -> Any:
    return import_module(__name__.rpartition(".sparse")[0])


# About the tensor, not about its values.
_TENSORS_THEMSELVES = frozenset(
    "grad requires_grad_ backward retain_grad register_hook register_post_accumulate_grad_hook dim ndimension numel nelement size "
    "element_size is_floating_point is_complex is_signed is_conj is_neg get_device __hash__ _is_view is_inference is_same_size "
    "result_type is_tensor __len__ cpu const_data_ptr detach_".split()
)

# PyTorch's Python functions that are no more, whatever they are given.
_REMOVED = frozenset("eig lstsq solve symeig".split())

# Tensor.values(sparse): methods of tensors that sparse ones have of their own.
_PARTS = frozenset(
    "indices values crow_indices col_indices ccol_indices row_indices _indices _values _nnz is_coalesced".split()
)


def _dense(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        return value.stand_in()
    if isinstance(value, (list, tuple)):
        return type(value)(_dense(one) for one in value)
    if isinstance(value, dict):
        return {key: _dense(one) for key, one in value.items()}
    return value


def _in_layout(name: str, result: Any, tensors: Sequence[Tensor]) -> Any:
    """A dense result as PyTorch would give it: at the indices of the first sparse argument, in its layout, or dense."""
    if not isinstance(result, Tensor):
        return result
    like = next(one for one in tensors if isinstance(one, SparseTensor))
    if name in _AT_THE_INDICES and result._array.shape == like._array.shape:
        like = like.coalesce() if like.is_sparse else like
        return like.with_values(result._array[like.coordinates()], result._edge)
    if name not in _SPARSE_AGAIN or not result._array.ndim:
        return result
    if name in _ONLY_IF_ALL_ARE and not all(isinstance(one, SparseTensor) for one in tensors):
        return result
    if name in ("__getitem__", "select") and not like.is_sparse and result._array.ndim == 1:
        return laid_out(result._array, sparse_coo, None, None, result._edge)
    if result._array.ndim != 2 and not like.is_sparse:
        return result
    block = like._held.shape[1:] if like._layout.name.startswith("sparse_bs") else None
    kind = sparse_csr if name in ("mm", "matmul") and like._layout is sparse_csc else like._layout
    return laid_out(result._array, kind, None, block, result._edge)


def _mul(input: Tensor, other: Any) -> Tensor:
    """Of two sparse tensors the places that both have. Values of one index stay apart where the other tensor has one number there."""
    with DisableTorchFunctionSubclass():
        result = _functions().mul(_dense(input), _dense(other))
    sparse = [one for one in (input, other) if isinstance(one, SparseTensor)]
    if not all(isinstance(one, Tensor) and one._array.shape == result._array.shape for one in (input, other)):
        if isinstance(input, SparseTensor) and input.is_sparse and not isinstance(other, SparseTensor):
            factor = other._array if isinstance(other, Tensor) else other
            if np.ndim(factor) == 0:
                kind = result._array.dtype  # to which a number that is too large is cut, as among dense ones
                return input.with_values(input._held.astype(kind) * np.asarray(factor).astype(kind), result._edge)
        return _in_layout("mul", result, sparse)
    apart = next((one for one in reversed(sparse) if one.is_sparse and not one.is_coalesced()), None)
    if apart is not None and sparse[0].is_sparse:
        rest = other if apart is input else input
        whole = rest.dense_array() if isinstance(rest, SparseTensor) else rest._array
        values = (apart._held * whole[apart.coordinates()]).astype(result._array.dtype)
        return apart.with_values(values, result._edge)
    if len(sparse) == 2:
        first, second = (one.coalesce() if one.is_sparse else one for one in sparse)
        plain = first._held.ndim == second._held.ndim == 1 and first._array.ndim == 2
        if plain or (first.is_sparse and second.is_sparse and first.sparse_dim() == second.sparse_dim()):
            return _where_both(first, second, result)
    return _in_layout("mul", result, sparse)


def _where_both(first: SparseTensor, second: SparseTensor, result: Tensor) -> SparseTensor:
    shape = first._array.shape[: len(first.coordinates())]
    places = [np.ravel_multi_index(one.coordinates(), shape) for one in (first, second)]
    kept = np.isin(places[0], places[1])
    where = tuple(part[kept] for part in first.coordinates())
    if first.is_sparse:
        indices: tuple[Array, ...] = (first._index_arrays[0][:, kept],)
    else:
        by_rows = first._layout.name.endswith("sr")
        lines = np.bincount(where[0 if by_rows else 1], minlength=shape[0 if by_rows else 1])
        indices = (np.concatenate([[0], np.cumsum(lines)]), first._index_arrays[1][kept])
    return made(first._layout, indices, result._array[where], first._array.shape, True, result._edge)


def _zeros_like(input: Any, *, dtype: Any = None, **unused: Any) -> Any:
    kind = input._array.dtype if dtype is None else dtype.numpy
    return laid_out(np.zeros(input._array.shape, kind), input._layout, input.sparse_dim(), input._held.shape[1:3])


def _ones_like(input: SparseTensor, **options: object) -> Tensor:
    """Of a compressed layout ones where it has values; else dense."""
    if not input.is_sparse and not options:
        return input.with_values(np.ones_like(input._held))
    return _functions().ones(input._array.shape, **{"dtype": input.dtype, **options})


def _zero_(self: Any) -> Any:
    return self.become(_zeros_like(self))


def _writes_values(name: str) -> Callable[..., SparseTensor]:
    """What a method writes to the values of a compressed layout; PyTorch has it for no other sparse one."""

    def write(self: SparseTensor, *args: object, **kwargs: object) -> SparseTensor:
        if self.is_sparse:
            raise lacking(name, "Sparse")
        with DisableTorchFunctionSubclass():
            values = getattr(wrap(self._held.copy()), name)(*args, **kwargs)
        return self.become(self.with_values(values._array))

    return write


def _initialised(func: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, Any]) -> object:
    """What a function of torch.nn.init writes to a sparse tensor, by a method that most layouts do not have."""
    tensor, *given = kwargs.values()
    if func.__name__ == "constant_":
        return tensor.fill_(*given)
    if func.__name__ == "normal_":
        return tensor.normal_(*given[:2], generator=given[2])
    raise lacking("uniform_", "Sparse" if tensor.is_sparse else "SparseCsr")


_BY_ROOM = {"masked": reduced, "init": _initialised}


def _copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if isinstance(self, SparseTensor) and isinstance(src, SparseTensor):
        return self.become(src)
    words = [f"torch.{'sparse.' if isinstance(one, SparseTensor) else ''}{one.dtype.scalar_name}Tensor" for one in (self, src)]
    raise RuntimeError(
        f"copy_() between dense and sparse Tensors is not implemented! Found self type = {words[0]} and src type = {words[1]}"
    )


def _add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Sparse and sparse by their indices, and dense and sparse; sparse and dense is refused as in PyTorch."""
    both = isinstance(input, SparseTensor) and isinstance(other, SparseTensor)
    if isinstance(input, SparseTensor) and input.is_sparse and not both:
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    with DisableTorchFunctionSubclass():
        result = _functions().add(_dense(input), _dense(other), alpha=alpha)
    if not both:
        return result
    if input.is_sparse and other.is_sparse and input.sparse_dim() == other.sparse_dim():
        marks = made(
            sparse_coo,
            (np.concatenate([input._index_arrays[0], other._index_arrays[0]], 1),),
            np.concatenate([input._held, other._held]),
            input._array.shape,
            False,
        ).coalesce()
        return marks.with_values(result._array[marks.coordinates()], result._edge)
    return _in_layout("add", result, [input, other])


def _sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return _add(input, other, alpha=-alpha)


def _dim_order(self: SparseTensor, **unused: object) -> tuple[int, ...]:
    raise AttributeError(
        f"Can't get dim order on sparse type: {self.type()} Use Tensor.to_dense() to convert to a dense tensor first."
    )


def _requires_plain(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{name} is not implemented for sparse tensors")

    return refuse


_TURNED = {sparse_csr: sparse_csc, sparse_csc: sparse_csr, sparse_bsr: sparse_bsc, sparse_bsc: sparse_bsr}


def _rearranged(input: Any, axes: list[int], name: str, *args: Any) -> Any:
    """The same values with the rows of the indices in another order; ``name`` is the dense function that does as much."""
    with DisableTorchFunctionSubclass():
        result = getattr(_functions(), name)(input.stand_in(), *args)
    if input.layout in _TURNED and axes == [1, 0] and input._array.ndim == 2:
        values = input._held if input._held.ndim == 1 else input._held.swapaxes(1, 2)
        return made(_TURNED[input.layout], input._index_arrays, values, result._array.shape, True, result._edge)
    if not input.is_sparse or input.dense_dim():
        return _in_layout("permute", result, [input])
    return made(sparse_coo, (input._index_arrays[0][axes],), input._held, result._array.shape, False, result._edge)


def _permute(input: Any, *dims: Any) -> Any:
    axes = [axis_of(axis, input._array.ndim) for axis in (dims[0] if dims and isinstance(dims[0], (tuple, list)) else dims)]
    return _rearranged(input, axes, "permute", axes)


def _transpose(input: Any, dim0: int, dim1: int) -> Any:
    axes = list(range(input._array.ndim))
    first, second = axis_of(dim0, len(axes)), axis_of(dim1, len(axes))
    if first == second:
        return input
    axes[first], axes[second] = second, first
    return _rearranged(input, axes, "transpose", first, second)


def _swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    return _transpose(input, axis0, axis1)


def _t(input: Any) -> Any:
    if input.is_sparse and (input.sparse_dim() > 2 or input.dense_dim()):
        raise RuntimeError(
            "t() expects a tensor with <= 2 sparse and 0 dense dimensions, "
            f"but got {input.sparse_dim()} sparse and {input.dense_dim()} dense dimensions"
        )
    return _rearranged(input, list(reversed(range(input._array.ndim))), "t")


def _converter(kind: Any) -> Callable[..., Any]:
    def convert(self: Any, blocksize: Any = None, dense_dim: Any = None) -> Any:
        if not kind.name.startswith("sparse_bs"):
            dense_dim, blocksize = (blocksize if dense_dim is None else dense_dim), None
        refuse_dimensions(self, kind, f"to_{kind.name}", None, dense_dim)
        return converted(self, kind, None, (blocksize, blocksize) if isinstance(blocksize, int) else blocksize)

    return convert


def _empty_like(input: Any, *, dtype: Any = None, **unused: Any) -> Any:
    return _zeros_like(input, dtype=dtype)


def _to_sparse(self: Any, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: Any = None) -> Any:
    kind = sparse_coo if layout is None else layout
    if kind is not strided:
        refuse_dimensions(self, kind, "to_sparse", sparse_dim, dense_dim)
    return converted(self, kind, sparse_dim, blocksize)


def _type_as(input: Tensor, other: Tensor) -> Tensor:
    if input.layout is not other.layout:
        have, wanted = camel(input.layout), camel(other.layout)
        raise RuntimeError(
            "to(options) doesn't support converting to a different layout, but got self.layout being "
            f"{have} and options.layout set as {wanted}"
        )
    return input if input.dtype is other.dtype else input.to(other.dtype)


_OWN: dict[str, Callable[..., Any]] = {
    "type_as": _type_as,
    "add": _add,
    "copy_": _copy_,
    "dim_order": _dim_order,
    "empty_like": _empty_like,
    "mul": _mul,
    "multiply": _mul,
    "reshape": _requires_plain("reshape"),
    "ones_like": _ones_like,
    "permute": _permute,
    "sparse_mask": sparse_mask,
    "sub": _sub,
    "subtract": _sub,
    "swapaxes": _swapaxes,
    "swapdims": _transpose,
    "t": _t,
    "to_sparse": _to_sparse,
    "to_sparse_bsc": _converter(sparse_bsc),
    "to_sparse_coo": lambda self: converted(self, sparse_coo, None, None),
    "to_sparse_bsr": _converter(sparse_bsr),
    "to_sparse_csc": _converter(sparse_csc),
    "to_sparse_csr": _converter(sparse_csr),
    "transpose": _transpose,
    "view": _requires_plain("view"),
    "zero_": _zero_,
    "zeros_like": _zeros_like,
    **{name: _writes_values(name) for name in TO_VALUES},
}
