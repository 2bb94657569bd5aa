"""Packed sequences: the elements of padded ones that are there, step by step."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..backend import packing as k
from ..tensor import new_tensor
from .public import ops, public
from .table import op

op("pack_padded", k.pack, node="PackPaddedSequenceBackward0", kind="linear",
   padded=lambda g, xp, padded_shape, is_there, batch_first: xp.pad_packed(g, padded_shape, is_there, batch_first))  # fmt: skip
op("pad_packed", k.pad, node="CopySlices", kind="linear",
   packed=lambda g, xp, is_there, batch_first: xp.pack_padded(g, is_there, batch_first))  # fmt: skip


@public(method=False, out=False)
def _pack_padded_sequence(input: Any, lengths: Any, batch_first: bool) -> tuple[Any, Any]:
    """The elements (T, N, ...) within ``lengths``, which decrease, and how many sequences have each step.

    >>> import rushlight as torch
    >>> torch._pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1]), False)
    (tensor([1, 2, 3]), tensor([2, 1]))
    """
    if not input._array.size:
        raise RuntimeError("Cannot pack empty tensors.")
    sizes = lengths._array
    steps, count = input._array.shape[1::-1] if batch_first else input._array.shape[:2]
    if sizes.size != count:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {sizes.size} (batch_size={count})")
    if (sizes <= 0).any():
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
            "need ONNX exportability."
        )
    is_there = np.arange(int(sizes[0]))[:, None] < sizes
    return ops.pack_padded(input, is_there[:steps], bool(batch_first)), new_tensor(is_there.sum(1))


@public(method=False, out=False)
def _pad_packed_sequence(
    data: Any, batch_sizes: Any, batch_first: bool, padding_value: float, total_length: int = -1
) -> tuple[Any, Any]:
    """The padded sequences (T, N, ...) of a packed one, and their lengths.

    >>> import rushlight as torch
    >>> torch._pad_packed_sequence(torch.tensor([1, 2, 3]), torch.tensor([2, 1]), False, 0.0)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """
    counts = batch_sizes._array
    steps = counts.size
    if total_length > 0:
        if total_length < steps:
            raise RuntimeError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    lengths = (counts[:, None] > np.arange(counts[0])).sum(0)
    rest = data._array.shape[1:]
    padded = data.new_full((steps, int(counts[0]), *rest), padding_value)
    start = done = 0
    for count, run in itertools.groupby(counts.tolist()):  # steps of equally many sequences are written at once, as in PyTorch
        length = len(list(run))
        part = ops.slice(data, 0, start, start + length * count, 1)
        place = ops.slice(ops.slice(padded, 0, done, done + length, 1), 1, 0, count, 1)
        place.copy_(ops.view(part, (length, count, *rest)))
        start, done = start + length * count, done + length
    return padded.transpose(0, 1) if batch_first else padded, new_tensor(lengths)
