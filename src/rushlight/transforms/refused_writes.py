"""What PyTorch's ``vmap`` says to ops in place that it cannot do."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from ..autograd.write_errors import output_error
from ..tensor import Tensor
from . import dynamic_layers
from .batched_tensors import BatchedTensor, Level, innermost
from .outlines import Refused

# As PyTorch refuses to write for all examples into one tensor: by a rule of several ops, of one, by the shape; others by fallback.
_ARITHMETIC = frozenset(
    "inplace_arithmetic sub_ mul_ multiply_ div_ divide_ true_divide_ copy_ masked_fill_ clamp_min_ clamp_max_ "
    "logical_and_ logical_or_ logical_xor_".split()
)
_OF_ONE = frozenset("fill_ index_add_ index_fill_ index_put_ scatter_add_ scatter_reduce_".split())
_BROADCAST = frozenset(
    "add_ atan2_ arctan2_ copysign_ gcd_ lcm_ bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_".split()
)


def _levels(value: object) -> list[Level]:
    """The levels of which a tensor is an example, outermost first."""
    found: list[Level] = []
    while isinstance(value, BatchedTensor):
        if not value.shared:
            found.append(value.level)
        value = value.whole
    return sorted(found, key=dynamic_layers.place)


def _shapes(self: Tensor, args: tuple[object, ...], level: Level) -> tuple[list[int], list[int]]:
    """The shape that PyTorch would write to and the one that it would write, with the dimensions of the batches in front."""
    own, levels = self._array.shape, _levels(self)
    wanted = np.broadcast_shapes(own, *[one._array.shape for one in args if isinstance(one, Tensor)])
    every = sorted({*levels, level}, key=dynamic_layers.place)
    have = [one.size if one in levels else 1 for one in every]
    have = have if every[0] in levels else have[1:]
    padding = [1] * (len(wanted) - len(own)) if have else []
    return [*have, *padding, *own], [*[one.size for one in every], *wanted]


def fitting(self: Tensor, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is written to examples, without dimensions of size 1 that these lack in front: a batch is given them."""

    def fitted(one: Any) -> Any:
        more = one._array.ndim - self._array.ndim if isinstance(one, Tensor) else 0
        return one.reshape(one._array.shape[more:]) if more > 0 and {*one._array.shape[:more]} == {1} else one

    return tuple(map(fitted, args))


def refuse_larger(name: str, self: Tensor, args: tuple[object, ...], level: Level) -> None:
    """RuntimeError where an op in place would need its tensor to be of a level that only others are of, or larger."""
    own = _levels(self)
    lacking = level if level not in own else next((one for arg in args for one in _levels(arg) if one not in own), None)
    if lacking is not None:
        raise Refused(larger(name, self, args, lacking))
    if level is innermost() and (name in _ARITHMETIC or name in _BROADCAST):  # further out it is a batch that is written
        with contextlib.suppress(ValueError):  # shapes that do not go together have an error of their own
            have, wanted = _shapes(self, args, level)
            if have != wanted:
                raise Refused(str(output_error(have, wanted)))


def larger(name: str, self: Tensor, args: tuple[object, ...], level: Level) -> str:
    """What PyTorch says where an op in place is given examples, and its tensor is one for all."""
    if name in _BROADCAST:
        return str(output_error(*_shapes(self, args, level)))
    called = "inplace arithmetic" if name in _ARITHMETIC else name if name in _OF_ONE else f"aten::{name}"
    where = f"at level {level.level}" if called.startswith("aten") else "in a vmap"
    return (
        f"vmap: {called}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
        f"elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {where}. "
        f"Please try to use out-of-place operators instead of {called}. If said operator is being called inside the PyTorch "
        "framework, please file a bug report instead."
    )
