"""A leaf keeps memory that nobody else can see; any other is left as it is."""

import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend.ownership import has_own_memory

SHAPE = (64, 256)
OPS = {
    "with a number": lambda x: x * 3.0,
    "with a constant": lambda x: x * torch.linspace(-1, 1, SHAPE[0] * SHAPE[1]).reshape(SHAPE),
    "of a constant": lambda x: torch.linspace(-1, 1, SHAPE[0] * SHAPE[1]).reshape(SHAPE) * x,
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "to a fraction": lambda x: x.abs() ** 0.25,
    "softmax": lambda x: x.softmax(-1),
    "softmax along columns": lambda x: x.softmax(0),
}


def values(seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(SHAPE).astype(np.float32))


@pytest.fixture(params=OPS.values(), ids=OPS)
def case(request):
    """An op, a leaf, a cotangent, and what that becomes on its way back."""
    x, g = values().requires_grad_(), values(1)
    (expected,) = torch.autograd.grad(request.param(x), x, g.clone())
    return request.param, x, g, expected


def test_a_gradient_of_the_users(case):
    op, x, g, expected = case
    before = g.clone()
    op(x).backward(g)
    assert torch.equal(g, before) and torch.equal(x.grad, expected)
    flat = g.reshape(-1)
    op(x).reshape(-1).backward(flat)
    assert torch.equal(g, before) and torch.equal(x.grad, 2 * expected)


def test_a_gradient_that_only_the_pass_holds(case):
    op, x, g, expected = case
    for shape in (SHAPE, (-1,), (SHAPE[0], 2, -1)):
        x.grad = None
        (op(x).reshape(shape) * g.reshape(shape)).sum().backward()
        torch.testing.assert_close(x.grad, expected)


def test_a_gradient_that_others_see(case):
    op, x, g, expected = case
    seen = []
    y = op(x)
    at_y, at_x = torch.autograd.grad((y * g).sum(), (y, x), retain_graph=True)
    y.register_hook(seen.append)
    y.retain_grad()
    (y * g).sum().backward()
    torch.testing.assert_close(at_x, expected)
    torch.testing.assert_close(x.grad, expected)
    for each in (at_y, *seen, y.grad):
        assert torch.equal(each, g)


def test_two_uses_of_a_result_and_two_passes(case):
    op, x, g, expected = case
    y = op(x)
    total = (y * g + y.reshape(-1).reshape(SHAPE) * g).sum()
    total.backward(retain_graph=True)
    torch.testing.assert_close(x.grad, 2 * expected)
    total.backward()
    torch.testing.assert_close(x.grad, 4 * expected)


def test_one_number_everywhere_is_copied():
    x = values().requires_grad_()
    x.sum().backward()
    x.grad[0, 0] = 7.0
    assert x.grad.sum().item() == x.numel() + 6


class Twice(torch.autograd.Function):
    """A sum whose gradients lie in one place."""

    @staticmethod
    def forward(ctx, u, w):
        return u.reshape(-1) + w

    @staticmethod
    def backward(ctx, g):
        copy = g.clone()
        return copy.reshape(SHAPE), copy.reshape(-1)


def test_two_leaves_with_gradients_in_one_place():
    u, w = values().requires_grad_(), values(1).reshape(-1).clone().requires_grad_()
    Twice.apply(u, w).backward(torch.ones(w.numel()))
    u.grad.add_(1)
    assert torch.equal(u.grad, torch.full(SHAPE, 2.0)) and torch.equal(w.grad, torch.ones(w.numel()))


def test_views():
    kept = np.ones((4, 6))
    foreign = [
        kept.reshape(-1),
        np.ones((4, 6))[:2],
        np.ones((4, 6)).T,
        np.ones((4, 6))[::-1],
        np.broadcast_to(np.ones(6), (4, 6)),
        np.frombuffer(b"12345678", np.float64),
    ]
    assert has_own_memory(kept)
    assert not any(map(has_own_memory, foreign))
    view = np.ones((4, 6)).reshape(-1)
    other = view.reshape(3, 8)
    assert not has_own_memory(view) and not has_own_memory(other)
    del other
    assert has_own_memory(view) == getattr(sys, "_is_gil_enabled", lambda: True)()  # else counts say nothing
