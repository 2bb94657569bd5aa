"""Sparse inputs of gradcheck: a function of their values takes the place of the function of the tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops.public import ops
from ..tensor import wrap
from .creation import laid_out
from .tensors import SparseTensor


def by_values(func: Callable[..., Any], inputs: tuple[Any, ...], masked: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function and its inputs, each sparse one that needs a gradient replaced by its values: those that it has if
    ``masked``, else all elements of the dense tensor."""
    patterns: dict[int, SparseTensor] = {}
    given: list[Any] = list(inputs)
    for index, one in enumerate(inputs):
        if isinstance(one, SparseTensor) and one.requires_grad:
            pattern = one.detach()
            pattern = pattern.coalesce() if pattern.is_sparse else pattern
            if not masked:
                block = pattern._held.shape[1:] if pattern._layout.name.startswith("sparse_bs") else None
                everywhere = laid_out(np.ones_like(one._array), one._layout, one.sparse_dim(), block)
                pattern = everywhere.with_values(pattern.dense_array()[everywhere.coordinates()])
            patterns[index] = pattern
            given[index] = wrap(pattern._held.copy()).requires_grad_()

    def of_values(*arguments: Any) -> Any:
        points = list(arguments)
        for index, pattern in patterns.items():
            values = points[index]
            whole = ops.put_at(values, pattern.coordinates(), pattern._array.shape)
            points[index] = pattern.with_values(values._array, whole._edge)
        return func(*points)

    return of_values, tuple(given)
