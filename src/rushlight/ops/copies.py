"""View ops that copy: ``view_copy`` and so on, whose results share no memory with their input.

Each is its view op with a copy at the end; arguments are checked, and completed, by the view itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd.modes import state
from ..backend import shape as k
from ..backend import strided
from ..base import dtypes
from ..base.arguments import type_name
from .argument_forms import held_to_forms, respelled, spellings_of
from .asking import asked, taken_over
from .operands import refuse_history
from .out import write_out
from .public import axis_of, function_of, methods, module, ops, parameter_names, public
from .rule_functions import underivable
from .shape import expand
from .slicing import split, split_with_sizes
from .table import op, table

if TYPE_CHECKING:
    from ..tensor import Tensor


def _copy(name: str, kernel: Callable[..., Any], node: str | None = None) -> None:
    """The copying form of the view op ``name``: its rule, and its node's name with ``_copy`` behind it."""
    view = table[name]
    node = f"{view.node_name if node is None else node}_copy"
    op(f"{name}_copy", kernel, node=node, outputs=" ".join(view.outputs), kind="linear", x=view.rules["x"])


_copy("alias", lambda x: x.copy())
_copy("view", lambda x, shape: x.reshape(shape).copy())
_copy("expand", lambda x, shape: k.expand(x, shape).copy())
_copy("permute_dims", lambda x, axes: k.permute_dims(x, axes).copy())
_copy("transpose", lambda x, axis0, axis1: k.transpose(x, axis0, axis1).copy())
_copy("t", lambda x: x.T.copy())
_copy("squeeze_all", lambda x: x.squeeze().copy())
_copy("squeeze", lambda x, axes: k.squeeze(x, axes).copy())
_copy("squeeze_several", lambda x, axes: k.squeeze(x, axes).copy())
_copy("expand_dims", lambda x, axis: k.expand_dims(x, axis).copy())
_copy("select", lambda x, axis, index: k.select(x, axis, index).copy())
_copy("slice", lambda x, axis, start, stop, step: k.slice_(x, axis, start, stop, step).copy())
_copy("diagonal", lambda x, offset, axis1, axis2: k.diagonal(x, offset, axis1, axis2).copy())
_copy("unfold", lambda x, axis, size, step: k.unfold(x, axis, size, step).copy())
_copy(
    "as_strided",
    lambda x, shape, strides, offset, x_strides, x_offset: strided.as_strided(x, shape, strides, offset).copy(),
)
_copy("unbind", lambda x, axis: [part.copy() for part in k.unbind(x, axis)])
_copy("split", lambda x, sizes, axis: [part.copy() for part in k.split(x, sizes, axis)])
_copy("split_with_sizes", lambda x, sizes, axis: [part.copy() for part in k.split(x, sizes, axis)])
_copy("view_as_real", lambda x: x.view(x.real.dtype).reshape(*x.shape, 2).copy())
# Parts of the same memory that are not views as far as the graph is concerned.
op("unsafe_split_with_sizes", k.split, outputs="*", kind="linear", x=table["split_with_sizes"].rules["x"])
op("detach_copy", lambda x: x.copy(), node="NotImplemented", x=lambda g: underivable("detach_copy"))
op("view_as_complex_copy", lambda x: table["view_as_complex"].kernel(x).copy(), inputs="x")
op(
    "as_strided_scatter", strided.strided_scatter, kind="linear",
    x=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset, src_shape: xp.as_strided_scatter(
        g, xp.full_like_shape(g, src_shape), shape, strides, offset, x_strides, x_offset),
    src=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.gather_strided(
        g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip


def _published(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of torch whose ``out=`` must have its result's dtype."""
    name, spellings = f.__name__, spellings_of(parameter_names(f))

    def into(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        kwargs = respelled(kwargs, spellings)
        given = kwargs if out is None else {**kwargs, "out": out}
        result = asked(shown, args, given)
        if result is not NotImplemented:
            return result
        if out is None:
            try:
                return f(*args, **kwargs)
            except (AttributeError, TypeError) as error:
                wrong: Exception = error
                if isinstance(error, AttributeError) and args and error.obj is args[0]:
                    wrong = TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(args[0])}")
                return taken_over(shown, args, given, wrong)
        found = f(*args, **kwargs)
        pairs = zip(out, found, strict=True) if isinstance(found, tuple) else [(out, found)]
        for target, value in pairs:
            have, got = (dtypes.of(one._array.dtype) for one in (target, value))
            if have is not got:
                raise RuntimeError(f"Expected out tensor to have dtype {got.c_name}, but got {have.c_name} instead")
        written = write_out(f, name, out, args, kwargs)
        return None if isinstance(found, tuple) else written

    into.__name__ = into.__qualname__ = name
    into.__doc__ = f.__doc__
    shown = module("torch")[name] = held_to_forms(name)(into)
    return f


@_published
def alias_copy(input: Any) -> Any:
    """A copy of all of ``input``."""
    return ops.alias_copy(input)


@_published
def detach_copy(input: Any) -> Any:
    """A copy without a derivative."""
    return ops.detach_copy(input)


@_published
def view_copy(input: Any, size: Any = None, *, dtype: Any = None) -> Any:
    """A copy in another shape, or of the memory seen as another dtype.

    >>> import rushlight as torch
    >>> torch.view_copy(torch.arange(4), (2, -1))
    tensor([[0, 1],
            [2, 3]])
    """
    wanted = size if dtype is None else dtype
    if isinstance(wanted, dtypes.dtype):
        return ops.clone(input.detach().view(wanted))
    return ops.view_copy(input, input.detach().contiguous().view(wanted)._array.shape)


@_published
def expand_copy(input: Any, size: Any, *, implicit: bool = False) -> Any:
    """A copy with dimensions of size 1 repeated."""
    return ops.expand_copy(input, expand(input.detach(), size)._array.shape)


@_published
def permute_copy(input: Any, dims: Any) -> Any:
    """A copy with the dimensions in another order."""
    input.detach().permute(dims)
    ndim = input._array.ndim
    return ops.permute_dims_copy(input, tuple(axis_of(one, ndim) for one in dims))


@_published
def transpose_copy(input: Any, dim0: int, dim1: int) -> Any:
    """A copy with two dimensions swapped."""
    ndim = input._array.ndim
    return ops.transpose_copy(input, axis_of(dim0, ndim), axis_of(dim1, ndim))


@_published
def t_copy(input: Any) -> Any:
    """A copy of a matrix, transposed."""
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return ops.t_copy(input)


@_published
def squeeze_copy(input: Any, dim: Any = None) -> Any:
    """A copy without the dimensions of size 1, or without those of them that are named."""
    if dim is None:
        return ops.squeeze_all_copy(input)
    shape = input._array.shape
    several = isinstance(dim, (tuple, list))
    axes = {axis_of(one, len(shape)) for one in (dim if several else (dim,))}
    single = tuple(sorted(axis for axis in axes if shape and shape[axis] == 1))
    return ops.squeeze_several_copy(input, single) if several else ops.squeeze_copy(input, single)


@_published
def unsqueeze_copy(input: Any, dim: int) -> Any:
    """A copy with a new dimension of size 1."""
    return ops.expand_dims_copy(input, axis_of(dim, input._array.ndim + 1))


@_published
def select_copy(input: Any, dim: int, index: int) -> Any:
    """A copy of the slice at ``index``."""
    input.detach().select(dim, index)
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    return ops.select_copy(input, axis, index if index >= 0 else index + input._array.shape[axis])


@_published
def slice_copy(input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """A copy of every ``step``-th entry of a range along a dimension."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    first, last, _ = slice(start, end).indices(input._array.shape[axis])
    return ops.slice_copy(input, axis, first, max(first, last), step)


@_published
def diagonal_copy(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy of the diagonal of two dimensions."""
    input.detach().diagonal(offset, dim1, dim2)
    ndim = input._array.ndim
    return ops.diagonal_copy(input, offset, axis_of(dim1, ndim), axis_of(dim2, ndim))


@_published
def unfold_copy(input: Any, dimension: int, size: int, step: int) -> Any:
    """A copy of all windows of ``size`` along a dimension, ``step`` apart."""
    input.detach().unfold(dimension, size, step)  # raises what is wrong
    return ops.unfold_copy(input, axis_of(dimension, input._array.ndim), size, step)


@_published
def as_strided_copy(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """A copy of what :func:`as_strided` sees."""
    view = input.detach().as_strided(size, stride, storage_offset)
    return ops.as_strided_copy(input, *_geometry(input, view._array.shape, stride, storage_offset))


def _geometry(input: Any, shape: tuple[int, ...], stride: Any, storage_offset: int | None) -> tuple[Any, ...]:
    start = input.storage_offset()
    own = tuple(step // input._array.itemsize for step in input._array.strides)
    return shape, tuple(int(n) for n in stride), start if storage_offset is None else storage_offset, own, start


@_published
def unbind_copy(input: Any, dim: int = 0) -> Any:
    """Copies of all slices along a dimension."""
    return ops.unbind_copy(input, axis_of(dim, input._array.ndim, wrap_scalar=False))


@_published
def split_copy(input: Any, split_size: int, dim: int = 0) -> Any:
    """Copies of parts of equal size (the last may be smaller) along a dimension."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    sizes = tuple(part._array.shape[axis] for part in split(input.detach(), split_size, dim))
    return ops.split_copy(input, sizes, axis)


@_published
def split_with_sizes_copy(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Copies of parts of the given sizes along a dimension."""
    split_with_sizes(input.detach(), split_sizes, dim)
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    return ops.split_with_sizes_copy(input, tuple(int(size) for size in split_sizes), axis)


@public()
def unsafe_split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes along a dimension, which may be written to without the others' history changing."""
    split_with_sizes(input.detach(), split_sizes, dim)
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    return ops.unsafe_split_with_sizes(input, tuple(int(size) for size in split_sizes), axis)


@_published
def view_as_real_copy(input: Any) -> Any:
    """A copy of complex numbers as pairs of real ones."""
    module("torch")["view_as_real"](input.detach())
    return ops.view_as_real_copy(input)


@_published
def view_as_complex_copy(input: Any) -> Any:
    """A copy of pairs of real numbers as complex ones; no derivative, as in PyTorch."""
    module("torch")["view_as_complex"](input.detach())
    if input._needs_grad and state.grad_enabled:
        raise RuntimeError("view_as_complex_copy does not support automatic differentiation for outputs with complex dtype.")
    return ops.view_as_complex_copy(input)


@public()
def as_strided_scatter(input: Any, src: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A copy of ``input`` with ``src`` in the place that :func:`as_strided` would see."""
    shape = input.detach().as_strided(size, stride, storage_offset)._array.shape
    if src._array.shape != shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._array.shape)}, "
            f"slice size = {list(shape)}"
        )
    refuse_history(input.dtype, src)
    return ops.as_strided_scatter(input, src, *_geometry(input, shape, stride, storage_offset))


module("torch")["as_strided_"] = function_of(methods["as_strided_"])
