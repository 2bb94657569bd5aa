"""Slopes that one kernel gives, as ops, for backward passes that a compiled function records and nobody differentiates.

A rule that is read over Tensors is made of ops that can be differentiated again. Over arrays some are one kernel, which takes less
time than those ops do: so it is for such a pass too.
"""

from __future__ import annotations

from ..autograd import modes
from ..backend import attention
from ..backend import normalization as k
from ..backend.numpy import Array
from ..tensor import PLAIN, Tensor
from .table import op, tensors

Axes = tuple[int, ...]
Needs = tuple[bool, ...]
Given = Array | None


def _needed(slopes: tuple[Given, ...] | None) -> list[Array]:
    return [one for one in slopes or () if one is not None]


def _of_layer(g: Array, x: Array, weight: Given = None, axes: Axes = (), eps: float = 1e-5, needs: Needs = ()) -> list[Array]:
    return _needed(k.layer_norm_backward(g, x, weight, axes, eps, needs))


def _of_channels(g: Array, x: Array, weight: Given = None, eps: float = 1e-5, needs: Needs = ()) -> list[Array]:
    return _needed(k.batch_norm_backward(g, x, weight, eps, needs))


def _of_groups(g: Array, x: Array, weight: Given = None, groups: int = 1, eps: float = 1e-5, needs: Needs = ()) -> list[Array]:
    return _needed(k.group_norm_backward(g, x, weight, groups, eps, needs))


op("attention_slopes", attention.attention_backward, inputs="g query key value", outputs="for_query! for_key! for_value!")
op("layer_norm_slopes", _of_layer, inputs="g x weight", outputs="*")
op("batch_norm_slopes", _of_channels, inputs="g x weight", outputs="*")
op("group_norm_slopes", _of_groups, inputs="g x weight", outputs="*")


def at_once(*factors: Tensor | None, halves: bool = False) -> bool:
    """Whether slopes of these, None among them, may come of one kernel; ``halves``: one that takes them, whatever the third is of."""
    if not getattr(modes.state.task, "is_last", False):
        return False
    given = [one for one in factors if one is not None]
    kinds = [one._array.dtype for one in given]
    if halves and kinds[0].itemsize == 2 and kinds[0].kind in "fV":
        kinds = kinds[:2]
    elif kinds[0].char not in "fd":
        return False
    return all(kind is kinds[0] for kind in kinds) and all(
        type(one) in PLAIN and not one._of_batch and one._tangents is None for one in given
    )


def slopes(name: str, g: Tensor, x: Tensor, weight: Tensor | None, *rest: object) -> tuple[object, ...] | None:
    """Those of a norm to x, weight and bias, as far as needed, which is said last; None where they are to be put together of ops."""
    if not at_once(g, x, weight, halves=True):
        return None
    *options, needs = rest
    assert isinstance(needs, tuple)
    found = iter(getattr(tensors, name)(g, x, weight, *options, needs))
    return tuple(next(found) if need else None for need in needs)
