"""Padding of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import modes
from ..backend import padding as k
from ..backend.checked_convert import checked_number
from ..backend.memory_formats import keeping
from ..backend.numpy import Array, Shape
from ..base.arguments import type_name
from ..tensor import Tensor, new_tensor
from .integer_arguments import whole_numbers
from .parameters import is_number
from .public import ops, public
from .table import op

_surrounded = keeping(k.constant_pad)


def _constant_pad(x: Array, padding: Shape, value: complex = 0) -> Array:
    """Where nothing is added, what is left lies as it did."""
    kernel: Callable[..., Array] = _surrounded if max(padding, default=0) > 0 else k.constant_pad
    return kernel(x, padding, value)


op("constant_pad", _constant_pad, node="ConstantPadNdBackward0",
   x=lambda g, xp, padding: xp.constant_pad(g, tuple(-width for width in padding), 0))  # fmt: skip

_NODES = {}
for _mode, _label in (("reflect", "Reflection"), ("replicate", "Replication")):
    for _rank in (1, 2, 3):
        _NODES[_mode, _rank] = f"{_label}Pad{_rank}DBackward0"
for (_mode, _rank), _node in _NODES.items():
    op(f"{_mode}_pad{_rank}", keeping(k.mirrored_pad), node=_node, kind="linear",  # x is kept, as in PyTorch
       x=lambda g, xp, x, padding, mode: xp.beside_zeros(xp.mirrored_pad_adjoint(g, padding, mode), x))  # fmt: skip
op("mirrored_pad", k.mirrored_pad, node="ReflectionPadBackward0", kind="linear",
   x=lambda g, xp, padding, mode: xp.mirrored_pad_adjoint(g, padding, mode))  # fmt: skip
op("mirrored_pad_adjoint", k.mirrored_pad_adjoint, node="ReflectionPadBackwardBackward0", kind="linear",
   g=lambda g, xp, padding, mode: xp.mirrored_pad(g, padding, mode))  # fmt: skip


@public(method=False)
def constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Tensor:
    """A constant around the input: (before, after) for the last dimension, then for the one before it, ..."""
    widths = tuple(pad)
    shape = input._array.shape
    if len(widths) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(widths)}")
    if len(widths) > 2 * len(shape):
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(widths)}while the input has {len(shape)}dimensions."
        )
    for i in range(len(widths) // 2):
        if shape[-1 - i] + min(widths[2 * i], 0) + min(widths[2 * i + 1], 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    if max(widths, default=0) > 0:
        checked_number(value.item() if isinstance(value, Tensor) else value, input._array)
    return ops.constant_pad(input, widths, value)


@public(space="torch.nn.functional", out=False)
def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Pads the last dimensions, with a constant or with what is in the input ('reflect', 'replicate', 'circular').

    ``pad`` is (before, after) for the last dimension, then for the one before it, and so on; negative widths take off.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.pad(torch.tensor([[1.0, 2.0]]), (1, 0), value=9.0)
    tensor([[9., 1., 2.]])
    """
    widths = whole_numbers("pad", "pad", 2, pad, single=False)
    if value is not None and (isinstance(value, complex) or not is_number(value)):
        raise TypeError(f"pad(): argument 'value' (position 4) must be float, not {type_name(value)}")
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    array = input._array
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) > 2 * array.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(widths)} and input of dimension {array.ndim}"
        )
    if mode == "constant":
        if value is not None and array.dtype.kind in "iu" and max(widths, default=0) > 0:
            checked_number(float(value), array)  # which C++ has it as
        return constant_pad_nd(input, widths, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    rank = len(widths) // 2
    if not rank <= array.ndim - 1 <= rank + 1 or rank > 3:
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {array.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        _check_circular(array.shape, widths)
        return _circular(input, widths)
    word = "reflection" if mode == "reflect" else "replication"
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{word}_pad{rank}d\" not implemented for 'Bool'")
    _check_mirrored(array.shape, widths, mode, word, rank)
    return getattr(ops, f"{mode}_pad{rank}")(input, widths, mode)


def _check_circular(shape: tuple[int, ...], widths: tuple[int, ...]) -> None:
    for i in range(len(widths) // 2):
        size, before, after = shape[-1 - i], widths[2 * i], widths[2 * i + 1]
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if before + after + size < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")


def _circular(input: Any, widths: tuple[int, ...]) -> Any:
    """What PyTorch does: the input copied into the middle of new memory, whose ends are then copied from within it."""
    shape = list(input._array.shape)
    axes = [(len(shape) - 1 - i, widths[2 * i], widths[2 * i + 1]) for i in range(len(widths) // 2)]
    for axis, before, after in axes:
        shape[axis] += before + after
    in_transforms = modes.state.transforms  # where what is written into has to be a batch as the input is
    out = input.new_empty(shape) if in_transforms else new_tensor(np.empty(shape, input._array.dtype))
    inner, kept = out, input
    for axis, before, after in axes:
        inner = ops.slice(inner, axis, max(before, 0), shape[axis] - max(after, 0), 1)
        kept = ops.slice(kept, axis, max(-before, 0), kept._array.shape[axis] - max(-after, 0), 1)
    inner.copy_(kept)
    for axis, before, after in axes:
        start, stop = max(before, 0), shape[axis] - max(after, 0)
        if before > 0:
            ops.slice(out, axis, 0, before, 1).copy_(ops.slice(out, axis, stop - before, stop, 1))
        if after > 0:
            ops.slice(out, axis, stop, shape[axis], 1).copy_(ops.slice(out, axis, start, start + after, 1))
    return out


def _check_mirrored(shape: tuple[int, ...], widths: tuple[int, ...], mode: str, word: str, rank: int) -> None:
    if 0 in shape[-rank:] or 0 in shape[len(shape) - rank - 1 :]:
        expected = f"{rank + 1}D or {rank + 2}D (batch mode)"
        raise RuntimeError(
            f"Expected {expected} tensor with possibly 0 batch size and other non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    for i in range(rank):
        size, before, after = shape[-1 - i], widths[2 * i], widths[2 * i + 1]
        if mode == "reflect" and (before >= size or after >= size):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {len(shape) - 1 - i} of input {list(shape)}"
            )
    padded = [shape[-1 - i] + widths[2 * i] + widths[2 * i + 1] for i in range(rank)][::-1]
    if max(padded) < 1:
        names = "DHW"[-rank:]
        have = [f"{name}: {size}" for name, size in zip(names, shape[-rank:], strict=True)]
        sizes = f"{have[0]} {have[1]}, {have[2]}" if rank == 3 else ", ".join(have)
        space = " " if rank == 2 and mode == "replicate" else ""
        wanted = " ".join(f"{name}: {size}" for name, size in zip(names, padded, strict=True))
        raise RuntimeError(f"input ({sizes}{space}) is too small. Calculated output {wanted}")
    if min(padded) < 0:
        whole = [*shape[:-rank], *padded]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(padded)}: {whole}")
