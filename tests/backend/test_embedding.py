"""The gradient of an embedding: rows added where they belong, few or many at a place."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


@pytest.mark.parametrize("shape", [(3000,), (60, 50), (1,), (0,)])
@pytest.mark.parametrize("rows", [1, 40, 2500, 100_000])
@pytest.mark.parametrize("repeated", [0, 7, 2])  # every so many-th index is one and the same
def test_rows_are_added_where_they_belong(shape, rows, repeated):
    generator = np.random.default_rng(rows)
    indices = generator.integers(0, rows, shape)
    if repeated:
        indices.reshape(-1)[::repeated] = rows // 2
    g = generator.integers(-5, 6, (*shape, 4)).astype(np.float32)  # sums are exact in any order
    weight = torch.zeros(rows, 4, requires_grad=True)
    F.embedding(torch.from_numpy(indices), weight).backward(torch.from_numpy(g))
    expected = np.zeros((rows, 4), np.float32)
    np.add.at(expected, indices, g)
    assert (weight.grad.numpy() == expected).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_padding_frequencies_and_cotangents_of_one_number(dtype):
    indices = torch.tensor([[1, 1, 2], [4, 4, 4]])
    weight = torch.zeros(5, 3, requires_grad=True, dtype=dtype)
    F.embedding(indices, weight, padding_idx=2, scale_grad_by_freq=True).sum().backward()
    assert weight.grad.dtype is dtype and weight.grad[:, 0].tolist() == [0, 1, 0, 0, 1]
    weight.grad = None
    F.embedding(indices, weight, padding_idx=1).sum().backward()
    assert weight.grad[:, 2].tolist() == [0, 0, 1, 0, 3]


def test_rows_without_columns():
    weight = torch.zeros(5, 0, requires_grad=True)
    F.embedding(torch.tensor([1, 2]), weight).sum().backward()
    assert weight.grad.shape == (5, 0)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_the_last_offset_is_a_word_about_offsets_only(mode):
    weight = torch.arange(6.0).reshape(3, 2)
    rows = torch.tensor([[0, 2], [1, 1]])
    assert torch.equal(
        F.embedding_bag(rows, weight, mode=mode, include_last_offset=True), F.embedding_bag(rows, weight, mode=mode)
    )
    flat, ends = rows.reshape(-1), torch.tensor([0, 2, 4])
    assert torch.equal(
        F.embedding_bag(flat, weight, ends, mode=mode, include_last_offset=True), F.embedding_bag(rows, weight, mode=mode)
    )
    assert F.embedding_bag(flat, weight, ends[:1], mode=mode, include_last_offset=True).shape == (0, 2)
