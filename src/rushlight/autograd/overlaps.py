"""Memory in which elements of a tensor, or of two tensors, lie in one place, and writes into it.

PyTorch refuses to write into a tensor that is stretched, along a stride of 0. Where elements meet in other ways, as after
``as_strided``, it writes row by row, and a row reads what those before it have written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..backend import norms
from ..backend import numpy as backend
from ..base.strides import is_stretched
from ..tensor import Tensor, new_tensor
from . import modes
from .mirrors import in_one_memory, mirrors_by_counter, where_it_is
from .write_errors import check_result, refuse_kept_integers, refuse_operands

# What goes element by element, so that it can be written in parts.
BY_ELEMENT = frozenset(
    "abs_ absolute_ acos_ acosh_ add_ addcdiv_ addcmul_ asin_ asinh_ atan_ atan2_ atanh_ bitwise_and_ bitwise_left_shift_ "
    "bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ copy_ copysign_ cos_ "
    "cosh_ deg2rad_ digamma_ div_ divide_ eq_ erf_ erfc_ erfinv_ exp_ exp2_ expm1_ fix_ float_power_ floor_ floor_divide_ fmod_ "
    "frac_ gcd_ ge_ greater_ gt_ heaviside_ hypot_ igamma_ igammac_ i0_ lcm_ ldexp_ le_ lerp_ less_ lgamma_ log_ log10_ log1p_ "
    "log2_ logical_and_ logical_not_ logical_or_ logical_xor_ logit_ lt_ mul_ multiply_ nan_to_num_ ne_ neg_ negative_ "
    "nextafter_ not_equal_ polygamma_ pow_ rad2deg_ reciprocal_ relu_ remainder_ round_ rsqrt_ sgn_ sigmoid_ sign_ sin_ sinc_ "
    "sinh_ sqrt_ square_ sub_ subtract_ tan_ tanh_ true_divide_ trunc_ xlogy_ celu_ elu_ hardtanh_ leaky_relu_ relu6_ selu_ "
    "threshold_".split()
)
# These may write into a tensor that overlaps itself, an expanded one say.
INTO_OVERLAP = frozenset({"fill_", "zero_", "masked_fill_", "index_put_", "index_fill_", "tril_", "triu_"})
REFUSE_FIRST = frozenset("addcdiv_ sub_ lerp_ renorm_ cumsum_ cumprod_ sign_ floor_ ceil_ trunc_ pow_".split())
_REFUSED_LAST = re.compile(r"not implemented for|must match the size of")
# What they write depends on the order of places, so not even the very tensor may be read. They look at memory after shapes and
# dtypes and before the places; but for two of them, after the dimension and at once.
BY_PLACE = frozenset("index_add_ index_copy_ index_reduce_ scatter_ scatter_add_ scatter_reduce_ put_ index_put_".split())
_OF_PLACES = re.compile(
    r"out of bounds for|out of range(?! \(expected)|not implemented for|argument must be either add or|cannot be converted"
)
_AFTER_MEMORY = {"index_copy_": re.compile(r"^(?!Dimension)"), "index_put_": re.compile("^(?!too many)")}
WHATEVER_IS_READ = frozenset({"fill_", "masked_fill_", "masked_scatter_", "addmv_", "index_fill_"})


def _refuse_first(call: Callable[[], object]) -> None:
    """The error of an op that comes before that for memory: not of what its elements are."""
    try:
        call()
    except Exception as error:
        if _REFUSED_LAST.search(str(error)) is None:
            raise


def overlap_error() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation."
    )


def overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether several elements lie in one place of memory, as in an expanded tensor."""
    if array.flags.c_contiguous or not array.size:
        return False
    pairs = sorted((stride, size) for size, stride in zip(array.shape, array.strides, strict=True) if size > 1)
    reach = array.itemsize
    for stride, size in pairs:
        if stride < reach:
            return True
        reach = stride * (size - 1) + reach
    return False


def check_memory(tensor: Tensor, inputs: Iterable[Any] = (), wholly: bool = False) -> None:
    """Raises PyTorch's errors for a tensor that is stretched, or that overlaps partly (``wholly`` too) one of the ``inputs`` of a write
    into it."""
    if is_stretched(tensor._array):
        raise overlap_error()
    if tensor._of_batch:
        return  # the write into the batch behind it looks
    check_shared(tensor, inputs, wholly)


def check_turned(tensor: Tensor) -> None:
    """The error for a conjugate or negative of a stretched tensor, into which PyTorch copies what it has written elsewhere."""
    if (tensor._conjugate or tensor._negated) and is_stretched(tensor._array):
        raise overlap_error()


def check_shared(tensor: Tensor, inputs: Iterable[object], wholly: bool = True) -> None:
    for value in inputs:
        if isinstance(value, Tensor) and (value._conjugate or value._negated):
            continue  # of which the write reads a copy
        if wholly and value is tensor:
            raise shared_error()
        if isinstance(value, Tensor) and in_one_memory(tensor, value):
            _check_overlap(tensor._array, value._array, wholly)


def check_copied(tensor: Tensor, source: Tensor) -> None:
    """The error for a copy between tensors that lie in one memory in PyTorch, where one is the other's conjugate or negative."""
    if not mirrors_by_counter:
        return
    (whose, written), (from_where, read) = where_it_is(tensor), where_it_is(source)
    if whose is from_where:
        _check_overlap(written, read, False)


def _check_overlap(written: np.ndarray[Any, Any], read: np.ndarray[Any, Any], wholly: bool) -> None:
    same_layout = not wholly and written.size == read.size and written.strides == read.strides
    same_layout = same_layout and written.itemsize == read.itemsize  # the part of a single complex number is less than it
    if same_layout and backend.address(written) == backend.address(read):
        return
    if without_gaps(written) and without_gaps(read) and np.may_share_memory(written, read):
        raise shared_error()


def same_elements(written: np.ndarray[Any, Any], read: np.ndarray[Any, Any]) -> bool:
    """Whether both arrays lie in the same way in the same place."""
    alike = written.shape == read.shape and written.strides == read.strides and written.dtype == read.dtype
    return alike and backend.address(written) == backend.address(read)


def shared_error() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )


def without_gaps(array: np.ndarray[Any, Any]) -> bool:
    """Whether the elements fill one stretch of memory, in whatever order, each in a place of its own."""
    reach = array.itemsize
    for stride, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size == 1:
            continue
        if stride != reach:
            return False
        reach *= size
    return True


def lies_as(g: np.ndarray[Any, Any], leaf: np.ndarray[Any, Any]) -> bool:
    """Whether a gradient of another shape than its leaf has by now lies as that does: then it is the gradient as it is."""
    pairs = zip(g.shape, g.strides, leaf.strides, strict=False)  # where the leaf has fewer, PyTorch reads those it had
    return (not leaf.size or without_gaps(leaf)) and all(size == 1 or step == own for size, step, own in pairs)


def copied_back(array: np.ndarray[Any, Any]) -> bool:
    """Whether matrices do not lie one behind another, but for repeated ones along the outermost dimension: PyTorch takes a copy of
    them, and writes that back."""
    if array.ndim < 4 or array.flags.c_contiguous:
        return False
    reach = math.prod(array.shape[-2:]) * array.itemsize
    for axis in reversed(range(array.ndim - 2)):
        if axis == 0 and (not array.strides[0] or array.shape[0] == 1):
            continue
        if array.strides[axis] != reach:
            return True
        reach *= array.shape[axis]
    return False


def write_changes(name: str, array: backend.Array, values: backend.Array, *args: object, **kwargs: object) -> None:
    """Writes what is new into an array that overlaps itself: where nothing is new, an older write must not come back."""
    if name in _BY_PLACES and _BY_PLACES[name](array, *args, **kwargs):
        return
    same = (array == values) | ((array != array) & (values != values))
    np.copyto(array, values, where=~same)


def _put_at(array: backend.Array, indices: Iterable[Tensor | None], values: Tensor, accumulate: bool = False) -> bool:
    """What meets in a place is written, or added, one after another."""
    places = [None if one is None else one._array for one in indices]
    masked = [one.astype(np.bool_) if one is not None and one.dtype == np.uint8 else one for one in places]
    return _meet(
        array, tuple(slice(None) if one is None else one for one in masked), values._array, "sum" if accumulate else None
    )


def _put_flat(array: backend.Array, index: Tensor, source: Tensor, accumulate: bool = False) -> bool:
    places = np.unravel_index(index._array.ravel() % max(array.size, 1), array.shape)
    return _meet(array, places, source._array.ravel(), "sum" if accumulate else None)


def _put_rows(
    array: backend.Array, dim: int, index: Tensor, source: Tensor, reduce: str | None = None, include_self: bool = True
) -> bool:
    """Slices along a dimension, a slice after another."""
    if not include_self or not array.ndim:
        return False
    along, rows_ = np.moveaxis(array, dim, 0), source._array
    return _meet(along, (index._array.ravel(),), np.moveaxis(rows_, dim, 0) if rows_.ndim else rows_, reduce)


def _add_rows(array: backend.Array, dim: int, index: Tensor, source: Tensor, alpha: complex = 1) -> bool:
    return _put_rows(array, dim, index, new_tensor(np.asarray(source._array * alpha, array.dtype)), "sum")


def _scatter(
    array: backend.Array, dim: int, index: Tensor, src: Tensor | complex, reduce: str | None = None, include_self: bool = True
) -> bool:
    """Places along a dimension, one line along it after another."""
    if not include_self or not array.ndim:
        return False
    if not index._array.size:
        return True
    where = np.moveaxis(index._array, dim, -1)
    key: list[Any] = list(np.indices(where.shape, sparse=True))
    key[-1] = where
    values = np.asarray(src._array if isinstance(src, Tensor) else src, array.dtype)
    if values.ndim:
        values = np.moveaxis(values[tuple(map(slice, index._array.shape))], dim, -1)
    return _meet(np.moveaxis(array, dim, -1), tuple(key), values, reduce)


def _scatter_add(array: backend.Array, dim: int, index: Tensor, src: Tensor) -> bool:
    return _scatter(array, dim, index, src, "sum")


def _fill_places(array: backend.Array, mask: Tensor, source: Tensor) -> bool:
    """Row by row, whatever the strides; what is read may have been written before."""
    places = np.flatnonzero(np.broadcast_to(mask._array, array.shape))
    values = source._array.ravel()
    if np.may_share_memory(array, values):
        for place, number in enumerate(places):
            array.flat[number] = values[place]
    else:
        array.flat[places] = values[: places.size]
    return True


_MEET = {
    "sum": np.add, "add": np.add, "prod": np.multiply, "multiply": np.multiply, "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip


def _meet(array: backend.Array, key: tuple[Any, ...], values: backend.Array, reduce: str | None) -> bool:
    """Writes values one after another, or what ``reduce`` makes of each and of what is there; whether it can."""
    if reduce is None:
        array[key] = values
    elif reduce in _MEET:
        _MEET[reduce].at(array, key, values)
    else:
        return False
    return True


# Where what is written depends on what was written before.
_BY_PLACES: dict[str, Callable[..., bool]] = {
    "index_put_": _put_at, "put_": _put_flat, "index_copy_": _put_rows, "index_reduce_": _put_rows, "index_add_": _add_rows,
    "scatter_": _scatter, "scatter_reduce_": _scatter, "scatter_add_": _scatter_add, "masked_scatter_": _fill_places,
}  # fmt: skip


def _is_read(self: Tensor, read: Iterable[object]) -> bool:
    return any(isinstance(value, Tensor) and in_one_memory(self, value) for value in read)


def check_write(
    function: Callable[..., Tensor], name: str, self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """PyTorch's errors for memory that a write meets twice; whether only what changes is to be written."""
    if name in BY_PLACE:
        return _check_places(function, name, self, args, kwargs)
    if name == "copy_" and is_stretched(self._array):
        return True  # of the very elements, as copy_ has looked
    overlapping = name in INTO_OVERLAP and overlaps_itself(self._array)
    if overlapping:
        check_turned(self)
    if name == "masked_scatter_" and not is_stretched(self._array):
        overlapping = overlaps_itself(self._array) or _is_read(self, args[1:])
    if overlapping and name[:3] == "tri":
        overlapping = not (copied_back(self._array) and is_stretched(self._array))
    if not overlapping:
        if name in REFUSE_FIRST and overlaps_itself(self._array):
            _refuse_first(lambda: function(self.detach(), *args, **kwargs))
        check_memory(self, () if name in WHATEVER_IS_READ else args)
        in_parts = name in BY_ELEMENT or (name in _IN_ORDER and not (name == "renorm_" and self.requires_grad))
        if not in_parts and overlaps_itself(self._array):
            raise overlap_error()
    else:
        self._warn_of_overlap(name)
    return overlapping


def _check_places(
    function: Callable[..., Tensor], name: str, self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """:func:`check_write` of what writes by place: what meets otherwise than along a stride of 0 is written."""
    by_tensors = name == "index_put_"
    read = (*args[1:2], *args[0]) if by_tensors else args
    meets = overlaps_itself(self._array)
    if not meets and not _is_read(self, read):
        return False
    error = None
    try:
        function(self.detach(), *args, **kwargs)
    except Exception as found:
        error = found
    if error is not None and _AFTER_MEMORY.get(name, _OF_PLACES).search(str(error)) is None:
        raise error
    if not by_tensors:
        check_memory(self, read, True)
    elif (
        args[1]._array.size != 1
        or args[2:3] == (True,)
        or any(one is not None and one._array.dtype.char not in "?B" for one in args[0])
    ):
        check_shared(self, read)  # by one mask PyTorch fills, and does not look
    if error is not None:
        raise error
    if meets:
        self._warn_of_overlap(name)
    return meets


def result_for(
    self: Tensor,
    function: Callable[..., Tensor],
    name: str,
    before: Tensor,
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> Tensor:
    """What ``function`` makes of a stand-in for ``self``, which it fits, or the stand-in; else PyTorch's error."""
    if modes.special.hidden and before._array.dtype.kind in "bui":
        before._made = "stand-in"  # whose history a write goes on with, where other ops refuse that of integers
    try:
        result = function(before, *args, **kwargs)
        if before._made == "stand-in":
            refuse_kept_integers(before, result)
        if result is not before:
            check_result(self, result)
    except RuntimeError as error:
        if name in BY_ELEMENT:
            refuse_operands(name, self, (*args, *kwargs.values()), error)
        raise
    return result


def write_in_parts(
    inplace: Callable[..., Tensor],
    function: Callable[..., Tensor],
    name: str,
    self: Tensor,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> bool:
    """``inplace`` of an op that goes element by element, for a tensor whose elements meet: a part after another, none of which
    overlaps itself. Where that is recorded each part is a write of its own, so gradients are those of all of them; says whether."""
    array = self._array
    check_result(self, function(new_tensor(array.copy()), *args, **kwargs))  # for the errors of the whole
    recorded = modes.state.grad_enabled and any(
        getattr(value, "requires_grad", False) for value in (self, *args, *kwargs.values())
    )
    if not recorded:
        if name in _IN_ORDER:
            _IN_ORDER[name](function, array, *args, **kwargs)
        else:
            write_rows(function, self, (new_tensor(array), *args), kwargs)
        return False
    version = self._counter[0]
    for index in _lines(array, *args) if name in _IN_ORDER else rows(array):
        self._counter[0] = version  # all are one write
        if self._base is not None:
            self._seen = -1  # its place is after the part before
        given, named = ((0,), kwargs) if name in _IN_ORDER else _parts(array.shape, index, args, kwargs)
        inplace(function, name, self[index], *given, **named)
    return True


def write_rows(function: Callable[..., Tensor], target: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Writes what an op that goes element by element makes of its arguments into a tensor whose elements meet, a part after another."""
    array = target._array
    for index in rows(array):
        given, named = _parts(array.shape, index, args, kwargs)
        array[index] = function(*given, **named)._array


def _write_lines(function: Callable[..., Tensor], array: np.ndarray, dim: int, **kwargs: object) -> None:
    """Writes what an op makes of each line along a dimension into an array whose lines meet, one after another."""
    for index in _lines(array, dim):
        line = array[index]
        line[...] = function(new_tensor(line), 0, **kwargs)._array


def _lines(array: np.ndarray, dim: int) -> Iterator[tuple[Any, ...]]:
    """The indices of the lines along a dimension, in the order in which PyTorch writes them."""
    others = [axis for axis in _slowest_first(array) if axis != dim % array.ndim]
    for index in np.ndindex(*(array.shape[axis] for axis in others)):
        yield _at(others, index, array.ndim)


def _scale_slices(function: Callable[..., Tensor], array: np.ndarray, p: float, dim: int, maxnorm: float) -> None:
    """``renorm_``: the norms are those from before, the products go element by element."""
    scale = np.broadcast_to(norms.renorm_scale(array, float(p), dim % array.ndim, float(maxnorm)), array.shape)
    for index in rows(array):
        array[index] = norms.scaled(array[index], scale[index])


# What is written in an order of its own; the last only where nothing is recorded.
_IN_ORDER: dict[str, Callable[..., None]] = {
    "cumsum_": _write_lines, "cumprod_": _write_lines, "renorm_": _scale_slices,
}  # fmt: skip


def _parts(
    shape: tuple[int, ...], index: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """What belongs to a part of a tensor of a shape, of each argument that is a tensor."""

    def part(value: Any) -> Any:
        return value.expand(shape)[index] if hasattr(value, "_array") else value

    return [part(value) for value in args], {key: part(value) for key, value in kwargs.items()}


def rows(array: np.ndarray[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """The indices of parts of an array that do not overlap themselves, in the order in which PyTorch writes them: along the
    longest strides first, and the more elements first among equals."""
    slowest = _slowest_first(array)
    for count in range(array.ndim + 1):
        outer = slowest[:count]
        if not overlaps_itself(array[_at(outer, (0,) * count, array.ndim)]):
            break
    for index in np.ndindex(*(array.shape[axis] for axis in outer)):
        yield _at(outer, index, array.ndim)


def _slowest_first(array: np.ndarray) -> list[int]:
    return sorted(range(array.ndim), key=lambda axis: (-array.strides[axis], -array.shape[axis]))


def _at(axes: Iterable[int], index: tuple[int, ...], ndim: int) -> tuple[Any, ...]:
    """The index of a given index along given dimensions."""
    found = dict(zip(axes, index, strict=True))
    return tuple(found.get(axis, slice(None)) for axis in range(ndim))


def like_base(g: np.ndarray[Any, Any], strides: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A copy of ``g`` with the memory layout of a base with ``strides``."""
    if g.strides == strides and g.flags.c_contiguous:
        return g.copy()
    span = 1 + sum((size - 1) * abs(stride) for size, stride in zip(g.shape, strides, strict=True)) // g.itemsize
    if 0 in g.shape or any(stride < 0 or stride % g.itemsize for stride in strides):
        return g.copy()
    whole = backend.strided(np.zeros(span, g.dtype), g.shape, strides)
    if is_stretched(whole):
        raise overlap_error()
    whole[...] = g
    return whole


Geometry = tuple[tuple[int, ...], tuple[int, ...], int, tuple[int, ...], np.dtype[Any]]


def geometry(base: Tensor, view: Tensor) -> Geometry:
    """How the view lies in its base: shape, strides and offset in bytes; the base's strides; the view's dtype."""
    array, whole = view._array, base._array
    offset = backend.address(array) - backend.address(whole) if array.size else 0
    if not 0 <= offset <= whole.nbytes:  # of other memory, by a `.data` that was set: each lies in its own
        begins: Any = view.storage_offset() * array.itemsize  # type: ignore[attr-defined]
        offset = begins - base.storage_offset() * whole.itemsize  # type: ignore[attr-defined]
    return array.shape, array.strides, offset, whole.strides, array.dtype
