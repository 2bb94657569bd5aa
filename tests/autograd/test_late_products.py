"""The gradient of a weight that every step of a loop uses: multiplied out once, at the end of the pass."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd.graph import observers
from rushlight.backend import late_products
from rushlight.backend.late_products import LateProducts

STEPS, BATCH, WIDTH = 6, 4, 80


@pytest.fixture(autouse=True)
def _nobody_looks_on():
    before, observers.present = observers.present, False
    yield
    observers.present = before or observers.present


def _loop(seed=0, steps=STEPS):
    generator = np.random.default_rng(seed)
    weight = torch.from_numpy(generator.standard_normal((WIDTH, WIDTH)) * 0.1).requires_grad_()
    inputs = torch.from_numpy(generator.standard_normal((steps, BATCH, WIDTH)))
    state = torch.zeros(BATCH, WIDTH, dtype=torch.float64)
    for x in inputs:
        state = torch.tanh(state @ weight + x)
    return weight, state.square().sum()


def _expected(seed=0, steps=STEPS):
    """The same, with somebody looking on: each product at once."""
    weight, loss = _loop(seed, steps)
    observers.present = True
    loss.backward()
    observers.present = False
    return weight.grad


def _counted(monkeypatch):
    calls = []
    summed = LateProducts.summed
    monkeypatch.setattr(LateProducts, "summed", lambda self: calls.append(len(self.lefts)) or summed(self))
    return calls


def test_one_product_for_all_steps(monkeypatch):
    expected = _expected()
    calls = _counted(monkeypatch)
    weight, loss = _loop()
    loss.backward()
    assert calls == [STEPS]
    torch.testing.assert_close(weight.grad, expected)


def test_what_waits_is_bounded(monkeypatch):
    expected = _expected(steps=40)
    calls = _counted(monkeypatch)
    monkeypatch.setattr(late_products, "_KEPT", 12 * BATCH * WIDTH)
    weight, loss = _loop(steps=40)
    loss.backward()
    assert max(calls) <= 8 and sum(calls) == 40
    torch.testing.assert_close(weight.grad, expected)


def test_twice_and_beside_what_is_no_product():
    weight, loss = _loop()
    total = loss + (weight * 3).sum() + weight[0].sum()
    total.backward(retain_graph=True)
    expected = _expected() + 3
    expected[0] += 1
    torch.testing.assert_close(weight.grad, expected)
    total.backward()
    torch.testing.assert_close(weight.grad, 2 * expected)


def test_grad_returns_arrays():
    weight, loss = _loop()
    (g,) = torch.autograd.grad(loss, weight, retain_graph=True)
    torch.testing.assert_close(g, _expected())
    (recorded,) = torch.autograd.grad(loss, weight, create_graph=True)
    torch.testing.assert_close(recorded, g)


def test_hooks_and_anomaly_detection_see_tensors():
    expected = _expected()
    weight, loss = _loop()
    seen = []
    weight.register_hook(seen.append)
    loss.backward()
    torch.testing.assert_close(seen[0], expected)
    observers.present = False
    weight, loss = _loop()
    with torch.autograd.set_detect_anomaly(True):
        loss.backward()
    torch.testing.assert_close(weight.grad, expected)


def test_a_factor_that_is_another_leafs_gradient():
    factor = torch.zeros(BATCH, WIDTH, requires_grad=True)
    factor.grad = torch.ones(BATCH, WIDTH)
    weight = torch.zeros(WIDTH, WIDTH, requires_grad=True)
    ((factor.grad @ weight).sum() + factor.sum()).backward()
    assert torch.equal(factor.grad, torch.full((BATCH, WIDTH), 2.0))
    assert torch.equal(weight.grad, torch.full((WIDTH, WIDTH), float(BATCH)))


def test_an_error_on_the_way_leaves_what_is_complete():
    expected = _expected()
    other = torch.ones(2, requires_grad=True)
    spoilt = other.exp()
    squares = (spoilt * spoilt).sum()
    weight, loss = _loop()  # recorded later, so its turn comes before the error
    total = loss + squares
    with torch.no_grad():
        spoilt.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        total.backward()
    torch.testing.assert_close(weight.grad, expected)
    assert other.grad is None
