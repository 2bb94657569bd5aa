"""Sequences of different lengths: padded, packed, and back."""

from __future__ import annotations

from collections import namedtuple
from itertools import pairwise
from typing import Any

import rushlight as torch

from ...tensor import Tensor

PackedSequence_ = namedtuple(
    "PackedSequence_", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"], defaults=(None, None)
)


class PackedSequence(PackedSequence_):
    """Sequences step by step: first all first elements, then all second ones, longest sequence first.

    ``batch_sizes[t]`` is how many sequences have an element t. Made by :func:`pack_padded_sequence`.
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._replace(data=data)

    def cpu(self) -> PackedSequence:
        return self

    def float(self) -> PackedSequence:
        return self.to(dtype=torch.float)

    def double(self) -> PackedSequence:
        return self.to(dtype=torch.double)

    def half(self) -> PackedSequence:
        return self.to(dtype=torch.half)

    @property
    def is_cuda(self) -> bool:
        return False

    def is_pinned(self) -> bool:
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes an order."""
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation)
    inverse.scatter_(0, permutation, torch.arange(0, permutation.numel()))
    return inverse


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    """Packs padded sequences (T, N, ...) of the given lengths.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils.rnn import pack_padded_sequence
    >>> pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), [2, 1])
    PackedSequence(data=tensor([1, 2, 3]), batch_sizes=tensor([2, 1]), sorted_indices=None, unsorted_indices=None)
    """
    lengths = torch.as_tensor(lengths, dtype=torch.int64)
    if enforce_sorted:
        order = None
    else:
        lengths, order = torch.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    sizes = lengths.tolist()
    if batch_first:
        input = input.transpose(0, 1)
    if not sizes:
        raise RuntimeError("Expected `len(lengths)` to be equal to batch_size, but got 0")
    if len(sizes) != input.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={input.size(1)})"
        )
    if any(size <= 0 for size in sizes):
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if any(one < two for one, two in pairwise(sizes)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
            "need ONNX exportability."
        )
    counts = [sum(size > step for size in sizes) for step in range(sizes[0])]
    data = torch.cat([input[step, :count] for step, count in enumerate(counts)])
    return PackedSequence(data, torch.tensor(counts), order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The padded sequences of a packed one, and their lengths."""
    counts = sequence.batch_sizes.tolist()
    steps = len(counts)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    data = sequence.data
    rows = []
    for part in data.split(counts):
        missing = counts[0] - part.size(0)
        filling = data.new_full((missing, *data.shape[1:]), padding_value)
        rows.append(torch.cat([part, filling]) if missing else part)
    if steps > len(counts):
        rows += [data.new_full((counts[0], *data.shape[1:]), padding_value)] * (steps - len(counts))
    padded = torch.stack(rows)
    lengths = torch.tensor([sum(count > number for count in counts) for number in range(counts[0])])
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    """Sequences (L, ...) of different lengths as one (T, N, ...) tensor.

    >>> import rushlight as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(1)], batch_first=True)
    tensor([[1., 1.],
            [1., 0.]])
    """
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    sequences = tuple(sequences)
    if padding_side not in ("left", "right"):
        raise RuntimeError("Expected padding_side to be left or right")
    longest = max(sequence.size(0) for sequence in sequences)
    rows = []
    for sequence in sequences:
        missing = longest - sequence.size(0)
        if missing:
            filling = sequence.new_full((missing, *sequence.shape[1:]), padding_value)
            sequence = torch.cat([filling, sequence] if padding_side == "left" else [sequence, filling])
        rows.append(sequence)
    return torch.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded tensor."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [sequence[: int(length)] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths."""
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed one."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
