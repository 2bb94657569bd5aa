"""Copies of arrays in rows with gaps between them keep every bit."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import rows

DTYPES = [np.float32, np.float64, np.int32, np.int64, np.uint8, np.float16, np.complex64, np.complex128, np.bool_]
VIEWS = {
    "transposed": lambda x: x.swapaxes(1, 2),
    "the last axis moved": lambda x: x.transpose(2, 0, 1),
    "part of the rows": lambda x: x[:, :, 3:20],
    "every other row": lambda x: x[:, ::2],
    "backwards": lambda x: x[:, ::-1],
    "rows backwards": lambda x: x[:, :, ::-1],
    "stretched": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "in order": lambda x: x,
    "one number": lambda x: x[0, 0, 0],
    "nothing": lambda x: x[:0].swapaxes(0, 1),
}


@pytest.fixture(autouse=True)
def _by_words(monkeypatch):
    """As on processors and for sizes where that is quicker."""
    monkeypatch.setattr(rows, "_FROM", 2)
    monkeypatch.setattr(rows, "_LINE", 4)


def values(dtype) -> np.ndarray:
    """Random bits: nan that signal, subnormal numbers and -0.0 are among them."""
    octets = np.random.default_rng(0).integers(0, 256, 4 * 6 * 24 * np.dtype(dtype).itemsize, np.uint8)
    octets = octets & 1 if dtype is np.bool_ else octets
    found = octets.view(dtype).reshape(4, 6, 24)
    if found.dtype.kind == "f":
        found[0, 0, :2] = -0.0, np.inf
    return found


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_copies(view, dtype):
    x = view(values(dtype))
    copy = rows.contiguous(x)
    assert same_bits(copy, x) and copy.flags.c_contiguous and not np.shares_memory(copy, x)
    flat = rows.reshaped(x, (-1,))
    assert same_bits(flat, x.reshape(-1)) and np.shares_memory(flat, x) == np.shares_memory(x.reshape(-1), x)
    out = np.empty_like(copy)
    rows.write(out, x)
    assert same_bits(out, x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_joined(axis, dtype):
    x = values(dtype)
    for parts in ([x, x], [x], np.split(x, 2, axis), [x.swapaxes(0, 0), x[:, :, :].copy("F")], [x[:, :, ::-1], x]):
        assert same_bits(rows.joined(parts, axis), np.concatenate(parts, axis))
    with pytest.raises(ValueError, match="must match exactly"):
        rows.joined([x, x[:2, :3, :5].copy()], axis)


def test_joined_of_two_dtypes():
    one, other = values(np.int32), values(np.int64)
    assert same_bits(rows.joined([one, other], 1), np.concatenate([one, other], 1))


def test_gradients_of_what_is_copied():
    x = torch.randn(6, 5, 8, requires_grad=True)
    weight = torch.randn(5, 48)
    (x.transpose(0, 1).reshape(5, 48) * weight).sum().backward()
    assert torch.equal(x.grad, weight.reshape(5, 6, 8).transpose(0, 1))
    first, second = torch.randn(6, 5, 8, requires_grad=True), torch.randn(6, 5, 8, requires_grad=True)
    (torch.cat([first, second], 1).transpose(0, 1).contiguous().view(-1) * torch.arange(480.0)).sum().backward()
    both = torch.arange(480.0).view(10, 6, 8).transpose(0, 1)
    assert torch.equal(first.grad, both[:, :5]) and torch.equal(second.grad, both[:, 5:])
