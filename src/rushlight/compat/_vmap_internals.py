"""torch._vmap_internals: the ``vmap`` that PyTorch's autograd uses for batches of gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.transforms.vmap import vmap as _batched


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """:func:`rushlight.func.vmap` by its inner name. ``allow_none_pass_through``: None among the results stays None."""
    if not allow_none_pass_through:
        return _batched(func, in_dims, out_dims)

    def call(*args: Any) -> Any:
        places: list[int] = []
        count = 0

        def without_none(*entries: Any) -> Any:
            nonlocal count
            results = func(*entries)
            results = results if isinstance(results, tuple) else (results,)
            count = len(results)
            places[:] = [place for place, one in enumerate(results) if one is not None]
            return tuple(results[place] for place in places)

        found = dict(zip(places, _batched(without_none, in_dims, out_dims)(*args), strict=False))
        everything = tuple(found.get(place) for place in range(count))
        return everything if count != 1 else everything[0]

    return call


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """The older public name of :func:`rushlight.func.vmap`."""
    warnings.warn("Please use torch.vmap instead of torch._vmap_internals.vmap.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)
