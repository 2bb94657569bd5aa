"""torch._functorch.vmap: vmap under PyTorch's private name, and the form that says of each result whether it is a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.tensor import Tensor
from rushlight.transforms import batched_tensors, dynamic_layers
from rushlight.transforms.vmap import entered, vmap
from rushlight.utils._pytree import broadcast_prefix, tree_flatten, tree_unflatten

from .._C._functorch import _add_batch_dim as _add_batch_dim
from .._C._functorch import _remove_batch_dim as _remove_batch_dim

__all__ = ["restore_vmap", "vmap"]
_broadcast_to_and_flatten = broadcast_prefix


def _get_name(func: Callable[..., Any]) -> str:
    """What messages call a function."""
    return getattr(func, "__name__", None) or repr(func)


def _maybe_remove_batch_dim(name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None) -> Any:
    """A result as it leaves a level; ValueError for what is no tensor and was to be stacked."""
    if out_dim is None:
        level: Any = dynamic_layers.state.stack[vmap_level - 1]
        if isinstance(batched_output, Tensor) and batched_tensors.has_level(batched_output, level):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return batched_output
    if not isinstance(batched_output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(batched_output)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    return _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)


def restore_vmap(func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str) -> Callable[..., Any]:
    """``func`` over a batch; gives (results, dimensions), a dimension being None for what is the same for all examples.

    >>> import rushlight as torch
    >>> from rushlight._functorch.vmap import restore_vmap
    >>> restore_vmap(lambda x, y: (x + 1, y), (0, None), 2, "error")(torch.zeros(2), torch.ones(1))
    ((tensor([1., 1.]), tensor([1.])), (0, None))
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = tree_flatten(args)
        dims = broadcast_prefix(in_dims, spec)
        if dims is None:
            raise ValueError(f"in_dims={in_dims} is not compatible with the structure of the arguments")
        level = batched_tensors.Level(batch_size, randomness)
        with dynamic_layers.entered(level):
            given = [one if dim is None else entered(one, dim, level) for one, dim in zip(leaves, dims, strict=True)]
            outputs, out_spec = tree_flatten(func(*tree_unflatten(given, spec), **kwargs))
            found = [_left(one, level) for one in outputs]
        values, places = [value for value, _ in found], [place for _, place in found]
        return tree_unflatten(values, out_spec), tree_unflatten(places, out_spec)

    return wrapped


def _left(value: Any, level: batched_tensors.Level) -> tuple[Any, int | None]:
    if isinstance(value, Tensor) and batched_tensors.has_level(value, level):
        origin = value.origin if isinstance(value, batched_tensors.BatchedTensor) and value.level is level else None
        return origin or (batched_tensors.along(value, level), 0)
    return value, None
