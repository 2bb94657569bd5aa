"""``vmap``: a function of single examples as a function of batches.

The function runs once, on tensors that look like one example and carry them all (batched_tensors.py). Where it does what can only be
done example by example (reads a number, writes in place, draws random numbers), it runs once for each instead, and the results
are stacked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..base.pytree import LEAF, TreeSpec, broadcast_prefix, tree_flatten, tree_unflatten
from ..ops.joining import stack
from ..ops.public import ops
from ..ops.signatures import Unsaid
from ..random import get_rng_state, set_rng_state
from ..tensor import Tensor
from . import creation, custom_functions, rules  # noqa: F401  (how functions and ops take a batch along)
from .batched_tensors import BatchedTensor, Level, has_level, left, rebatched, running
from .outlines import WITHIN_ANOTHER, NoFirstExample, Refused, Unbatchable, without_shape


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that applies ``func`` to each entry of a dimension of its arguments, and stacks the results.

    ``in_dims``     the dimension of each argument: a number for all, or a tuple (of trees) with a number or None for each;
                    an argument with None is given whole each time, and so are keyword arguments
    ``out_dims``    where the new dimension of each result stands
    ``randomness``  random numbers in ``func`` are an 'error', 'different' for each entry, or the 'same'

    ValueError where dimensions are missing or of different sizes.

    >>> import rushlight as torch
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.func.vmap(torch.dot)(x, x)
    tensor([ 5., 25.])
    >>> torch.func.vmap(torch.func.grad(lambda row: (row**2).sum()))(x)
    tensor([[2., 4.],
            [6., 8.]])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not all(one is None or isinstance(one, int) for one in tree_flatten(out_dims)[0]):
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
                "representing where in the outputs the vmapped dimension should appear."
            )
        given = _given(func, in_dims, args, kwargs)
        size = given.size
        if chunk_size is not None and chunk_size < size:
            parts, start = [], get_rng_state() if randomness == "same" else None
            for first in range(0, size, chunk_size):
                if start is not None:
                    set_rng_state(start)
                parts.append(_all(func, given.narrowed(first, min(chunk_size, size - first)), out_dims, randomness))
            return _joined(func, parts, out_dims)
        return _all(func, given, out_dims, randomness)

    return wrapped


def vectorized(func: Callable[..., Any], in_dims: Any = 0) -> Callable[..., Any]:
    """:func:`vmap` for functions of the package: what is refused inside of transforms is allowed in ``func``."""

    def wrapped(*args: Any) -> Any:
        return _all(func, _given(func, in_dims, args, {}), 0, "error", internal=True)

    return wrapped


class Given(NamedTuple):
    """The arguments of a call."""

    leaves: list[Any]
    dims: list[int | None]
    spec: TreeSpec
    kwargs: dict[str, Any]

    @property
    def size(self) -> int:
        return _size(self.leaves, self.dims)

    def call(self, func: Callable[..., Any], leaves: list[Any]) -> Any:
        return func(*tree_unflatten(leaves, self.spec), **self.kwargs)

    def narrowed(self, first: int, count: int) -> Given:
        """Some of the examples."""
        pairs = zip(self.leaves, self.dims, strict=True)
        return self._replace(leaves=[one if dim is None else one.narrow(dim, first, count) for one, dim in pairs])


def _given(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
    """The arguments with their dimensions, checked."""
    leaves, spec = tree_flatten(args)
    dims = _dims(f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)", in_dims, leaves, spec, args)
    return Given(leaves, dims, spec, kwargs)


def batch_size(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """How many examples a call of ``vmap(func, in_dims)`` has."""
    return _given(func, in_dims, args, kwargs).size


def _joined(func: Callable[..., Any], parts: list[Any], out_dims: Any) -> Any:
    flat = [tree_flatten(part) for part in parts]
    places = _out_dims(func, out_dims, flat[0][1], len(flat[0][0]))
    columns = zip(*(leaves for leaves, _ in flat), strict=True)
    joined = [
        column[0] if dim is None else ops.concat(list(column), dim % column[0].ndim)
        for column, dim in zip(columns, places, strict=True)
    ]
    return tree_unflatten(joined, flat[0][1])


def _all(func: Callable[..., Any], given: Given, out_dims: Any, randomness: str, internal: bool = False) -> Any:
    """The function on all examples."""
    size = given.size
    try:
        found = _at_once(func, given, out_dims, Level(size, randomness, internal))
    except NoFirstExample as error:
        raise IndexError(str(error)) from None
    if found is not None:
        return found
    leaves, dims = given.leaves, given.dims
    rows, out_spec = [], LEAF
    start = get_rng_state() if randomness != "different" else None
    for index in range(size or 1):
        if randomness == "same" and index:
            set_rng_state(start)
        if not size:  # the shapes of the results are those of an example of zeros
            leaves = _zeros(leaves, dims)
        result = given.call(func, _entries(leaves, dims, index))
        if randomness == "error" and index == 0 and not bool((get_rng_state() == start).all()):
            raise RuntimeError(creation.RANDOM)
        row, out_spec = tree_flatten(result)
        places = _out_dims(func, out_dims, out_spec, len(row))
        _check_results(func, row, places, None)
        rows.append(row)
    columns = list(zip(*rows, strict=True))
    stacked = [
        column[0] if place is None else stack(list(column), place) for column, place in zip(columns, places, strict=True)
    ]
    if not size:
        stacked = [one if place is None else one.narrow(place, 0, 0) for one, place in zip(stacked, places, strict=True)]
    return tree_unflatten(stacked, out_spec)


def _at_once(func: Callable[..., Any], given: Given, out_dims: Any, level: Level) -> Any:
    """What the function makes of all examples in one run; None where it has to run on each."""
    level.function = func
    try:
        with running(level):
            values = []
            for one, dim in zip(given.leaves, given.dims, strict=True):
                values.append(one if dim is None else entered(one, dim, level))
            level.inputs = [one for one in values if isinstance(one, Tensor)]
            result = given.call(func, values)
    except Unbatchable as error:
        _refuse_dynamic(error)
        if level.has_written:
            raise RuntimeError(f"vmap: {error} can only be done example by example, after an op in place") from error
        return _begun_anew(level)
    except (AttributeError, TypeError, ValueError):  # if not of what tensors are here, it comes again with single examples
        if level.has_written:
            raise
        return _begun_anew(level)
    outputs, spec = tree_flatten(result)
    places = _out_dims(func, out_dims, spec, len(outputs))
    _check_results(func, outputs, places, level)
    wholes = [one if place is None else left(one, place, level) for one, place in zip(outputs, places, strict=True)]
    return tree_unflatten(wholes, spec)


def _begun_anew(level: Level) -> None:
    if level.random_state is not None:
        set_rng_state(level.random_state)


# Functions the shape of whose results depends on numbers, and PyTorch's names for what they call.
_NUMBERS = {
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "allclose": "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if "
    "you need this feature.",
}
_LEFT_OUT = (type(None), Unsaid)  # where() with another is a choice
_DYNAMIC = {
    "where": "where",
    "nonzero": "nonzero",
    "argwhere": "nonzero",
    "masked_select": "masked_select",
    "bincount": "bincount",
}


def _is_mask(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_is_mask, value))
    return isinstance(value, BatchedTensor) and value._array.dtype.kind == "b"


def _is_truth(value: Any) -> bool:
    """Whether it is a mask without dimensions, whose number PyTorch asks for."""
    if isinstance(value, (tuple, list)):
        return any(map(_is_truth, value))
    return _is_mask(value) and not value._array.ndim


def entered(value: Any, dim: int, level: Level) -> Tensor:
    """An argument as it enters the level: an example of it."""
    example = rebatched(value.movedim(dim, 0) if dim else value, level)
    if example.level is level:
        example.origin = (value, dim)
    return example


def _refuse_dynamic(error: Unbatchable) -> None:
    """RuntimeError where the examples' results may differ in shape: then there is nothing to stack."""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        own = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in ("torch", "rushlight")
        if own and code.co_name in _NUMBERS:
            raise Refused(_NUMBERS[code.co_name]) from None
        if own and code.co_name in _DYNAMIC and isinstance(trace.tb_frame.f_locals.get("other"), _LEFT_OUT):
            raise Refused(without_shape(_DYNAMIC[code.co_name])) from None
        if own and code.co_filename.endswith("subscripts.py") and any(map(_is_mask, trace.tb_frame.f_locals.values())):
            if error.within_another and any(map(_is_truth, trace.tb_frame.f_locals.values())):
                raise Refused(WITHIN_ANOTHER) from None
            raise Refused(
                "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing "
                "with a boolean mask."
            ) from None
        trace = trace.tb_next


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", repr(func))


def _entries(leaves: list[Any], dims: list[int | None], index: int) -> list[Any]:
    return [one if dim is None else one.select(dim, index) for one, dim in zip(leaves, dims, strict=True)]


def _zeros(leaves: list[Any], dims: list[int | None]) -> list[Any]:
    """One entry of zeros along each mapped dimension, behind the tensor itself: so what comes of it needs a gradient too."""

    def longer(one: Any, dim: int) -> Any:
        entry = one.new_zeros([1 if axis == dim else length for axis, length in enumerate(one.shape)])
        return ops.concat([one, entry], dim) if one.requires_grad else entry

    return [one if dim is None else longer(one, dim) for one, dim in zip(leaves, dims, strict=True)]


def _dims(caller: str, in_dims: Any, leaves: list[Any], spec: TreeSpec, args: tuple[Any, ...]) -> list[int | None]:
    """The mapped dimension of each leaf of the arguments."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{caller}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"{caller.rpartition(', in_dims=')[0]})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over "
            "a function with no inputs. The latter is unsupported."
        )
    dims = broadcast_prefix(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{caller}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]!r} but inputs has structure {spec!r}."
        )
    found: list[int | None] = []
    for leaf, dim in zip(leaves, dims, strict=True):
        if dim is None:
            found.append(None)
            continue
        if not isinstance(dim, int):
            raise ValueError(f"{caller}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{caller}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        ndim = leaf._array.ndim
        if not -ndim <= dim < ndim:
            raise ValueError(
                f"{caller}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {ndim} so expected "
                f"in_dim to satisfy -{ndim} <= in_dim < {ndim}."
            )
        found.append(dim % ndim)
    return found


def _size(leaves: list[Any], dims: list[int | None]) -> int:
    sizes = [one._array.shape[dim] for one, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return int(sizes[0])


def _check_results(func: Callable[..., Any], row: list[Any], places: list[Any], level: Level | None) -> None:
    name = _name(func)
    for one, place in zip(row, places, strict=True):
        if place is None:
            if level is not None and isinstance(one, Tensor) and has_level(one, level):
                raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        elif not isinstance(one, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(one)}. Did you mean to set out_dims= to "
                "None for output?"
            )
        elif not -1 - one._array.ndim <= place <= one._array.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-1 - one._array.ndim}, {one._array.ndim}], but got {place})"
            )


def _out_dims(func: Callable[..., Any], out_dims: Any, spec: TreeSpec, count: int) -> list[Any]:
    places = broadcast_prefix(out_dims, spec)
    if places is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and spec.is_leaf():
        places = list(out_dims)
    if places is None or len(places) != count:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {tree_flatten(out_dims)[1]!r} but outputs has structure {spec!r}."
        )
    return places
