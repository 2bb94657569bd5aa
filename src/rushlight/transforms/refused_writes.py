"""What PyTorch's ``vmap`` says to ops in place that it cannot do."""

from __future__ import annotations

import numpy as np

from ..tensor import Tensor
from .batched_tensors import Level

# As PyTorch refuses to write for all examples into one tensor: by a rule of several ops, of one, by the shape; others by fallback.
_ARITHMETIC = frozenset(
    "inplace_arithmetic sub_ mul_ multiply_ div_ divide_ true_divide_ copy_ masked_fill_ clamp_min_ clamp_max_ "
    "logical_and_ logical_or_ logical_xor_".split()
)
_OF_ONE = frozenset("fill_ index_add_ index_fill_ index_put_ scatter_add_ scatter_reduce_".split())
_BROADCAST = frozenset(
    "add_ atan2_ arctan2_ copysign_ gcd_ lcm_ bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_".split()
)


def larger(name: str, self: Tensor, args: tuple[object, ...], level: Level) -> str:
    """What PyTorch says where an op in place is given examples, and its tensor is one for all."""
    if name in _BROADCAST:
        shapes = [one._array.shape for one in (self, *args) if isinstance(one, Tensor)]
        whole = [level.size, *np.broadcast_shapes(*shapes)]
        return f"output with shape {list(self._array.shape)} doesn't match the broadcast shape {whole}"
    called = "inplace arithmetic" if name in _ARITHMETIC else name if name in _OF_ONE else f"aten::{name}"
    where = f"at level {level.level}" if called.startswith("aten") else "in a vmap"
    return (
        f"vmap: {called}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
        f"elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {where}. "
        f"Please try to use out-of-place operators instead of {called}. If said operator is being called inside the PyTorch "
        "framework, please file a bug report instead."
    )
