"""Derivatives as matrices: ``jacrev``, ``jacfwd`` and ``hessian``.

The rows (or columns) come from one pass over a batch of unit vectors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.pytree import tree_flatten, tree_unflatten
from ..ops.public import ops
from ..tensor import Tensor, wrap
from ..transforms.derivatives import _replaced, _selected, jvp_beside, vjp_beside
from ..transforms.vmap import vmap

Function = Callable[..., Any]


def _units(forms: Sequence[tuple[tuple[int, ...], np.dtype[Any]]], first: int, last: int) -> list[Tensor]:
    """The unit vectors from ``first`` to ``last`` of the space of tensors of these shapes and dtypes, along a dimension of their own."""
    found, start = [], 0
    for shape, dtype in forms:
        size = int(np.prod(shape))
        units = np.zeros((last - first, size), dtype)
        rows = np.arange(max(first, start), min(last, start + size))
        units[rows - first, rows - start] = 1
        found.append(wrap(units.reshape(last - first, *shape)))
        start += size
    return found


def _sizes(tensors: Sequence[Tensor]) -> list[int]:
    return [int(np.prod(one._array.shape)) for one in tensors]


def _refuse_complex(caller: str, what: str, tensors: Sequence[Any]) -> None:
    for index, one in enumerate(tensors):
        if isinstance(one, Tensor) and one._array.dtype.kind == "c":
            raise RuntimeError(
                f"{caller}: Expected all {what} to be real but received complex tensor at flattened input idx: {index}"
            )


def _of_units(function: Function, like: Sequence[Tensor], chunk_size: int | None, randomness: str = "error") -> list[Tensor]:
    """What ``function`` makes of all unit vectors, ``chunk_size`` of them at a time, stacked along dimension 0."""
    total = sum(_sizes(like))
    step = total if chunk_size is None else chunk_size
    parts, forms = [], [(one._array.shape, one._array.dtype) for one in like]
    for first in range(0, total or 1, step or 1):  # once for none of them too: what is made of them has a history
        units = _units(forms, first, min(first + step, total))
        if chunk_size == 1 and total:  # without a batch, so that nothing stands in the way of what has none
            parts.append([one.unsqueeze(0) for one in function(*(unit.select(0, 0) for unit in units))])
        else:
            parts.append(list(vmap(function, randomness=randomness)(*units)))
    columns = list(zip(*parts, strict=True))
    return [column[0] if len(column) == 1 else ops.concat(list(column), 0) for column in columns]


def jacrev(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:
    """A function that returns the Jacobian of ``func``, by one backward pass over a batch: a row for each element of its value.

    The Jacobian of a value of shape A by an argument of shape B has shape A + B.

    ``argnums``     by which argument, or arguments
    ``has_aux``     ``func`` returns (value, more): the new function returns (Jacobian, more)
    ``chunk_size``  how many rows at a time; all unless given

    RuntimeError for complex arguments or values, ValueError for a ``chunk_size`` below 1.

    >>> import rushlight as torch
    >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _refuse_complex("jacrev", "inputs", tree_flatten((args, kwargs))[0])
        chosen = _selected(args, argnums)
        found = vjp_beside((args, kwargs), lambda tree: func(*_replaced(args, argnums, tree), **kwargs), (chosen,), has_aux)
        outputs, out_spec = tree_flatten(found[0])
        _refuse_complex("jacrev", "outputs", outputs)
        inputs, in_spec = tree_flatten(chosen)

        def pull(*cotangents: Any) -> Any:
            return tuple(tree_flatten(found[1](tree_unflatten(cotangents, out_spec))[0])[0])

        rows = _of_units(pull, outputs, chunk_size)
        sizes = _sizes(outputs)
        columns = [row.split(sizes) for row in rows]  # several views, which PyTorch refuses to write to
        blocks = []
        for place, output in enumerate(outputs):
            parts = [
                column[place].view((*output._array.shape, *one._array.shape))
                for column, one in zip(columns, inputs, strict=True)
            ]
            blocks.append(tree_unflatten(parts, in_spec))
        answer = tree_unflatten(blocks, out_spec)
        return (answer, found[2]) if has_aux else answer

    return wrapper


def jacfwd(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """A function that returns the Jacobian of ``func``, by one forward pass over a batch: a column for each element of its
    argument.

    ``argnums, has_aux``  as in :func:`jacrev`
    ``randomness``        as in :func:`~torch.vmap`

    >>> import rushlight as torch
    >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _refuse_complex("jacfwd", "inputs", tree_flatten((args, kwargs))[0])
        chosen = _selected(args, argnums)
        inputs, in_spec = tree_flatten(chosen)
        seen: list[Any] = []

        def run(tree: Any) -> Any:
            return func(*_replaced(args, argnums, tree), **kwargs)

        def push(*tangents: Any) -> Any:
            _, slope, *rest = jvp_beside((args, kwargs), run, (chosen,), (tree_unflatten(tangents, in_spec),), False, has_aux)
            slopes, spec = tree_flatten(slope)
            _refuse_complex("jacfwd", "outputs", slopes)
            more, more_spec = tree_flatten(rest[0]) if has_aux else ([], None)
            seen[:] = [spec, len(slopes), more_spec]
            return (*slopes, *more)

        columns = _of_units(push, inputs, None, randomness)
        out_spec, count, more_spec = seen
        more = tree_unflatten([one[0] for one in columns[count:]], more_spec) if has_aux else None
        columns = columns[:count]
        blocks = []
        for column in columns:
            parts = []
            for one, part in zip(inputs, column.movedim(0, -1).split(_sizes(inputs), -1), strict=True):
                shape = (*column._array.shape[1:], *one._array.shape)
                parts.append(part.view(shape) if one._array.ndim else part.squeeze(-1))
            blocks.append(tree_unflatten(parts, in_spec))
        answer = tree_unflatten(blocks, out_spec)
        return (answer, more) if has_aux else answer

    return wrapper


def hessian(func: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that returns the second derivatives of ``func``: ``jacfwd(jacrev(func))``.

    >>> import rushlight as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
