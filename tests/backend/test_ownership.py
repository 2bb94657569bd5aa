"""Memory that nobody else can see is written over and kept; any other is left as it is."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import blockwise
from rushlight.backend.ownership import has_own_memory

SHAPE = (64, blockwise.OVER // 64)
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


def watched(y: torch.Tensor) -> torch.Tensor:
    """With a hook on its node, which keeps it from writing over anything."""
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    return y


@pytest.fixture(params=OPS.values(), ids=OPS)
def case(request):
    """An op, a leaf, a cotangent, and what that becomes on its way back."""
    x, g = values().requires_grad_(), values(1)
    (expected,) = torch.autograd.grad(watched(request.param(x)), x, g.clone())
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


def test_one_number_everywhere_stays_one_number():
    x = values().requires_grad_()
    y = x * 3.0
    seen = []
    x.register_hook(lambda g: seen.append(g._array.strides))
    (y * 2.0).sum().backward()
    assert seen == [(0, 0)] and torch.equal(x.grad, torch.full(SHAPE, 6.0))
    x.grad[0, 0] = 1.0
    assert x.grad.sum().item() == 6 * x.numel() - 5


PRODUCTS = torch.matmul, lambda x, w: torch.addmm(torch.zeros(w.shape[1]), x, w)


@pytest.mark.parametrize("bias", [None, torch.zeros(SHAPE[0])], ids=["", "with bias"])
@pytest.mark.parametrize("rows", [1, 32, 300])
def test_a_layers_weight_keeps_its_gradient_as_it_comes(rows, bias):
    weight, x = values().requires_grad_(), torch.randn(rows, SHAPE[1], requires_grad=True)
    y = torch.nn.functional.linear(x, weight, bias)
    g = torch.randn(y.shape)
    (y * g).sum().backward()
    assert has_own_memory(weight.grad._array) and weight.grad.is_contiguous()
    torch.testing.assert_close(weight.grad, g.t() @ x.detach())
    torch.testing.assert_close(x.grad, g @ weight.detach())
    (alone,) = torch.autograd.grad((torch.nn.functional.linear(x.detach(), weight, bias) * g).sum(), weight)
    assert torch.equal(alone, weight.grad)


@pytest.mark.parametrize(
    "turned", [torch.t, lambda w: w.T, lambda w: w.mT, lambda w: w.permute(1, 0)], ids=["t", "T", "mT", "permute"]
)
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_weight_by_columns_does_so_too(product, turned):
    weight, x = values().requires_grad_(), torch.randn(300, SHAPE[1], requires_grad=True)
    g = torch.randn(300, SHAPE[0])
    (product(x, turned(weight)) * g).sum().backward()
    assert has_own_memory(weight.grad._array) and weight.grad.is_contiguous()
    torch.testing.assert_close(weight.grad, g.t() @ x.detach())
    torch.testing.assert_close(x.grad, g @ weight.detach())


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_weight_by_rows_does_so_too(product):
    weight, x = values().requires_grad_(), torch.randn(300, SHAPE[0], requires_grad=True)
    g = torch.randn(300, SHAPE[1])
    (product(x, weight) * g).sum().backward()
    assert has_own_memory(weight.grad._array) and weight.grad.is_contiguous()
    torch.testing.assert_close(weight.grad, x.detach().t() @ g)
    torch.testing.assert_close(x.grad, g @ weight.detach().t())


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
    assert has_own_memory(view)
