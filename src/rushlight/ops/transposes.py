"""Ops that order the dimensions of a tensor anew, as views."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..backend import shape as k
from .plain_cases import Case, one_axis, plain_cases
from .public import alias, axis_of, methods, ops, public, warn
from .sizes import one_list, sizes_of
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op(
    "permute_dims", k.permute_dims, kind="linear", view=True, node="PermuteBackward0",
    x=lambda g, xp, axes: xp.permute_dims(g, tuple(sorted(range(len(axes)), key=axes.__getitem__))),
)  # fmt: skip
op(
    "transpose", k.transpose, kind="linear", view=True,
    x=lambda g, xp, axis0, axis1: xp.transpose(g, axis0, axis1),
)  # fmt: skip
op("t", k.t, kind="linear", view=True, x=lambda g, xp: xp.t(g))


@public()
def t(input: Any) -> Tensor:
    """A matrix transposed; vectors and numbers as they are."""
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return ops.t(input)


plain_cases("t", Case("t", "input", "x_x.ndim <= 2", "x_x.T"))


@public()
def adjoint(input: Any) -> Tensor:
    """The last two dimensions swapped, conjugated if complex."""
    if not input._array.ndim:
        warn("adjoint() is deprecated on 0-D tensors. Consider using x.conj().", once=True)
        return input.conj()
    if input._array.ndim < 2:
        raise RuntimeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {input._array.ndim}-D tensor."
        )
    swapped = ops.transpose(input, input._array.ndim - 2, input._array.ndim - 1)
    return swapped.conj() if input._array.dtype.kind in "cW" else swapped


def _reversed(self: Any) -> Any:
    """The dimensions in reverse order (a view): the transpose of a matrix."""
    ndim = self._array.ndim
    if not ndim:
        warn("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.", once=True)
    elif ndim != 2:
        warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
            "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
            "1, -1, -1))` to reverse the dimensions of a tensor.",
            once=True,
        )
    return ops.permute_dims(self, tuple(range(ndim - 1, -1, -1)))


def _matrix_transpose(self: Any) -> Any:
    """The last two dimensions swapped (a view): the transposes of matrices."""
    ndim = self._array.ndim
    if not ndim:
        warn("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.", once=True)
        return self
    if ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {ndim}-D tensor.")
    return ops.transpose(self, ndim - 2, ndim - 1)


def _matrix_h(self: Any) -> Any:
    """The conjugate transpose of a matrix (a view)."""
    ndim = self._array.ndim
    if not ndim:
        warn("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().", once=True)
        return self.conj()
    if ndim != 2:
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if ndim > 2 else "")
        )
    return adjoint(self)


def _batch_h(self: Any) -> Any:
    """The conjugate transposes of matrices (a view)."""
    if not self._array.ndim:
        warn("Tensor.mH is deprecated on 0-D tensors. Consider using x.conj().", once=True)
        return self.conj()
    if self._array.ndim < 2:
        raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {self._array.ndim}-D tensor.")
    return adjoint(self)


methods["T"] = property(_reversed)
methods["mT"] = property(_matrix_transpose)
methods["H"] = property(_matrix_h)
methods["mH"] = property(_batch_h)


@public()
def movedim(input: Any, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to new places, the others kept in order."""
    ndim = input._array.ndim
    sources = source if isinstance(source, (tuple, list)) else (source,)
    targets = destination if isinstance(destination, (tuple, list)) else (destination,)
    if len(sources) != len(targets):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(sources)} dims) should contain the same number of dims as destination ({list(targets)} dims)"
        )
    moved = [axis_of(one, ndim) for one in sources]
    places = [axis_of(one, ndim) for one in targets]
    for label, given, found in (("source", sources, moved), ("destination", targets, places)):
        if len(set(found)) != len(found):
            raise RuntimeError(f"movedim: repeated dim in `{label}` ({list(given)})")
    if not ndim:
        return ops.alias(input)
    rest = iter([axis for axis in range(ndim) if axis not in moved])
    order = [moved[places.index(axis)] if axis in places else next(rest) for axis in range(ndim)]
    return ops.permute_dims(input, tuple(order))


alias("moveaxis", "movedim")


@public()
def transpose(input: Any, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    ndim = input._array.ndim
    return ops.transpose(input, axis_of(dim0, ndim), axis_of(dim1, ndim))


_are_axes, _axes = zip(one_axis("dim0"), one_axis("dim1"), strict=True)
plain_cases(
    "transpose",
    Case(
        "transpose",
        "input dim0 dim1",
        " and ".join(_are_axes),
        "x_x.swapaxes(axis0, axis1)",
        {"axis0": _axes[0], "axis1": _axes[1]},
    ),
)


@public(function=False)
def permute(input: Any, *dims: Any) -> Tensor:
    """The dimensions in another order."""
    return ops.permute_dims(input, _order(sizes_of(dims, "permute", "dims"), input._array.ndim))


@public("permute", method=False, out=False)
def permute_by_list(input: Any, dims: Any) -> Tensor:
    """The dimensions in another order."""
    return permute(input, one_list(dims))


@functools.lru_cache(256)
def _order(dims: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """An order of all dimensions as numbers from 0."""
    if len(dims) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering "
            f"of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(dims)}"
        )
    axes = tuple(axis_of(one, ndim) for one in dims)
    if len(set(axes)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return axes


_axes_of_all = {"axes": '_order(sizes_of(dims, "permute", "dims"), x_x.ndim)'}
_names = {"_order": _order, "sizes_of": sizes_of}
plain_cases("permute", Case("permute_dims", "input *dims", settings=_axes_of_all, names=_names), forms="method")
_axes_of_all = {"axes": '_order(sizes_of((dims,), "permute", "dims"), x_x.ndim)'}
plain_cases(
    "permute", Case("permute_dims", "input dims", "dims.__class__ is tuple", "", _axes_of_all, _names), forms="function"
)
alias("swapdims", "transpose")


@public()
def swapaxes(input: Any, axis0: int, axis1: int) -> Tensor:
    """Two dimensions swapped: :func:`transpose` with NumPy's names."""
    ndim = input._array.ndim
    return ops.transpose(input, axis_of(axis0, ndim), axis_of(axis1, ndim))
