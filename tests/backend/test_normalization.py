"""Batch and group norm of many numbers in single precision, beside the same in double precision."""

from __future__ import annotations

import pytest

import rushlight as torch

SHAPES = [(128, 100), (16, 16, 16, 16), (4, 3, 50, 50), (300, 40, 7), (2, 3000, 3), (1, 16, 64, 64), (5000, 2), (64, 8, 20, 20)]


def passed(x, weight, bias, g, dtype):
    """What batch norm gives, and what it gives back, all in double precision."""
    leaves = [None if one is None else one.to(dtype, copy=True).requires_grad_() for one in (x, weight, bias)]
    mean, var = torch.zeros(x.shape[1], dtype=dtype), torch.ones(x.shape[1], dtype=dtype)
    y = torch.nn.functional.batch_norm(leaves[0], mean, var, *leaves[1:], training=True)
    y.backward(g.to(dtype))
    results = y.detach(), mean, var, *(leaf.grad for leaf in leaves if leaf is not None)
    return [one.double() for one in results]


def assert_close(got, want):
    for one, other in zip(got, want, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=2e-6 * float(other.abs().max()) + 1e-9)


@pytest.mark.parametrize("has_weights", [True, False])
@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1.0), (5.0, 2.0), (1000.0, 1.0), (0.0, 1e-3), (-3e4, 10.0)])
@pytest.mark.parametrize("shape", SHAPES)
def test_is_what_double_precision_gives(shape, offset, scale, has_weights):
    torch.manual_seed(0)
    x, g = torch.randn(shape) * scale + offset, torch.randn(shape)
    weight, bias = (torch.randn(shape[1]), torch.randn(shape[1])) if has_weights else (None, None)
    assert_close(passed(x, weight, bias, g, torch.float32), passed(x, weight, bias, g, torch.float64))


@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_that_are_all_the_same_become_the_bias(shape):
    x, bias = torch.full(shape, 12345.678), torch.randn(shape[1])
    y = torch.nn.functional.batch_norm(x, None, None, torch.ones(shape[1]), bias, training=True)
    want = bias.view(-1, *(1,) * (len(shape) - 2)).expand(shape)
    torch.testing.assert_close(y, want, atol=1e-4, rtol=0.0)


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
@pytest.mark.parametrize("shape", [(128, 100), (16, 16, 16, 16)])
def test_a_channel_that_is_not_finite_leaves_the_others_alone(shape, number):
    x = torch.randn(shape)
    want = torch.nn.functional.batch_norm(x, None, None, training=True)
    x[3, 5] = number
    y = torch.nn.functional.batch_norm(x, None, None, training=True)
    others = [channel for channel in range(shape[1]) if channel != 5]
    assert torch.equal(y[:, others], want[:, others]) and y[:, 5].isnan().all()


@pytest.mark.parametrize("has_weights", [True, False])
@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1.0), (5.0, 2.0), (0.0, 1e-3)])
@pytest.mark.parametrize(
    ("shape", "groups"), [((8, 16, 16, 16), 4), ((8, 16, 16, 16), 16), ((4, 6, 900), 1), ((64, 64, 4), 8), ((300, 20), 5)]
)
def test_groups_are_what_double_precision_gives(shape, groups, offset, scale, has_weights):
    torch.manual_seed(0)
    x, g = torch.randn(shape) * scale + offset, torch.randn(shape)
    weights = [torch.randn(shape[1]), torch.randn(shape[1])] if has_weights else [None, None]
    results = []
    for dtype in (torch.float32, torch.float64):
        leaves = [None if one is None else one.to(dtype, copy=True).requires_grad_() for one in (x, *weights)]
        y = torch.nn.functional.group_norm(leaves[0], groups, *leaves[1:])
        y.backward(g.to(dtype))
        results.append([one.double() for one in (y.detach(), *(leaf.grad for leaf in leaves if leaf is not None))])
        again = [leaf for leaf in leaves[1:] if leaf is not None][::-1]
        for leaf in again:  # each alone
            y = torch.nn.functional.group_norm(x.to(dtype), groups, *leaves[1:])
            assert torch.equal(torch.autograd.grad(y, leaf, g.to(dtype))[0], leaf.grad)
    assert_close(*results)


def test_a_stretched_cotangent_and_what_needs_none():
    x, weight, bias = torch.randn(64, 100, requires_grad=True), torch.randn(100, requires_grad=True), torch.randn(100)
    torch.nn.functional.batch_norm(x, None, None, weight, bias, training=True).sum().backward()
    torch.testing.assert_close(x.grad, torch.zeros(64, 100), atol=1e-5, rtol=0.0)
    torch.testing.assert_close(weight.grad, torch.zeros(100), atol=1e-4, rtol=0.0)
    x.grad = None
    torch.nn.functional.batch_norm(x, None, None, weight.detach(), bias, training=True)[0].sum().backward()
    assert x.grad.abs().sum() > 0


def test_twice():
    module, x = torch.nn.BatchNorm2d(4), torch.randn(16, 4, 10, 10)
    for _ in range(2):
        module(x)
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    torch.testing.assert_close(module.running_mean, 0.19 * mean)
    torch.testing.assert_close(module.running_var, 0.81 + 0.19 * var)
