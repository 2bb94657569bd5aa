"""Sequences of different lengths: padded, packed, and back."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import rushlight as torch

from ...base.arguments import type_name
from ...ops.parameters import is_number
from ...tensor import Tensor

PackedSequence_ = namedtuple("PackedSequence_", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(PackedSequence_):
    """Sequences step by step: first all first elements, then all second ones, longest sequence first.

    ``batch_sizes[t]`` is how many sequences have an element t. Made by :func:`pack_padded_sequence`.
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should "
                "be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._replace(data=data)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to(*args, device="cpu", **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to(*args, **{"device": "cuda", **kwargs})

    def float(self) -> PackedSequence:
        return self.to(dtype=torch.float)

    def double(self) -> PackedSequence:
        return self.to(dtype=torch.double)

    def half(self) -> PackedSequence:
        return self.to(dtype=torch.half)

    def long(self) -> PackedSequence:
        return self.to(dtype=torch.long)

    def int(self) -> PackedSequence:
        return self.to(dtype=torch.int)

    def short(self) -> PackedSequence:
        return self.to(dtype=torch.short)

    def char(self) -> PackedSequence:
        return self.to(dtype=torch.int8)

    def byte(self) -> PackedSequence:
        return self.to(dtype=torch.uint8)

    def pin_memory(self) -> PackedSequence:
        return type(self)(self.data.pin_memory(), self.batch_sizes, self.sorted_indices, self.unsorted_indices)

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
    if not isinstance(batch_first, bool):
        raise TypeError(
            f"_pack_padded_sequence(): argument 'batch_first' (position 3) must be bool, not {type_name(batch_first)}"
        )
    data, counts = torch._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, counts, order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The padded sequences of a packed one, and their lengths."""
    steps = sequence.batch_sizes.size(0)
    if total_length is not None and total_length < steps:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {steps}"
        )
    padded, lengths = torch._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, total_length or steps
    )
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
    if not hasattr(sequences, "__iter__"):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    sequences = tuple(sequences)
    for place, sequence in enumerate(sequences):
        if not isinstance(sequence, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(sequence)}")
    if not isinstance(batch_first, bool):
        raise TypeError(f"pad_sequence(): argument 'batch_first' (position 2) must be bool, not {type_name(batch_first)}")
    if not is_number(padding_value):
        raise TypeError(f"pad_sequence(): argument 'padding_value' (position 3) must be float, not {type_name(padding_value)}")
    if not isinstance(padding_side, str):
        raise TypeError(f"pad_sequence(): argument 'padding_side' (position 4) must be str, not {type_name(padding_side)}")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if not sequences[0].ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
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
    steps = torch.arange(padded_sequences.size(1))
    return [sequence[steps < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths."""
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed one."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
