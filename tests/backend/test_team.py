"""Elementwise work on large arrays: shared out to threads, and written over what nobody else can see."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import blockwise, team

LONG = team.LARGE // 4 + 3  # of float32, and no multiple of a number of threads
SIZES = [100, blockwise.OVER // 4 + 1, LONG]


@pytest.fixture(autouse=True)
def _threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def _leaf(size, seed=0, dtype=np.float32):
    return torch.from_numpy(np.random.default_rng(seed).random(size).astype(dtype)).requires_grad_()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(LONG,), (3, LONG // 2)])
def test_the_parts_make_a_whole(dtype, shape):
    u, w = _leaf(shape, 0, dtype), _leaf(shape, 1, dtype)
    x, y = u.detach().numpy().astype(np.float64), w.detach().numpy().astype(np.float64)
    inner = np.tanh(x * y)
    outer = 1 / (1 + np.exp(-inner - x))
    g = outer * (1 - outer)
    through = g * (1 - inner * inner)
    for count in (1, 3, 4):
        torch.set_num_threads(count)
        u.grad = w.grad = None
        t = (u * w).tanh()
        (t + u).sigmoid().sum().backward()
        np.testing.assert_allclose(t.detach().numpy(), inner, rtol=2e-6)
        np.testing.assert_allclose(u.grad.numpy(), through * y + g, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(w.grad.numpy(), through * x, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", SIZES)
def test_no_cotangent_that_anybody_holds_is_written_over(size):
    u, w = _leaf(size), _leaf(size, 1)
    seen = []
    y = u * w
    z = y * 2.0
    y.register_hook(seen.append)
    y.retain_grad()
    given = torch.full((size,), 3.0)
    z.backward(given)
    assert torch.equal(given, torch.full((size,), 3.0))
    assert torch.equal(seen[0], torch.full((size,), 6.0)) and torch.equal(y.grad, seen[0])
    assert torch.equal(u.grad, 6 * w.detach()) and torch.equal(w.grad, 6 * u.detach())


@pytest.mark.parametrize("size", SIZES)
def test_neither_those_that_hooks_of_nodes_and_captures_see(size):
    u, w = _leaf(size), _leaf(size, 1)
    y = u * w
    seen = []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.extend([outputs[0].clone(), outputs[0], inputs[1]]))
    at_y, at_w = torch.autograd.grad((y * 2.0).sum(), (y, w))
    assert torch.equal(seen[0], seen[1]) and torch.equal(seen[0], torch.full((size,), 2.0))
    assert torch.equal(at_y, seen[0]) and torch.equal(at_w, seen[2])


@pytest.mark.parametrize("size", SIZES)
def test_one_cotangent_for_two_products(size):
    u, w = _leaf(size), _leaf(size, 1)
    a, b = u * w, u * w.exp()
    (a + b).backward(torch.ones(size))
    x, y = u.detach(), w.detach()
    torch.testing.assert_close(u.grad, y + y.exp())
    torch.testing.assert_close(w.grad, x + x * y.exp())
    u.grad = None
    (u * u).sum().backward()
    assert torch.equal(u.grad, 2 * x)


@pytest.mark.parametrize("size", SIZES)
def test_a_graph_that_is_kept_runs_again(size):
    u, w = _leaf(size), _leaf(size, 1)
    total = ((u * w) * (u * w)).sum()
    total.backward(retain_graph=True)
    once = u.grad.clone()
    total.backward()
    torch.testing.assert_close(u.grad, 2 * once)


def test_callers_at_once():
    u = _leaf(LONG)
    expected = u.detach().numpy() * u.detach().numpy() + u.detach().numpy()

    def right(_):
        return all(np.array_equal((u * u + u).detach().numpy(), expected) for _ in range(5))

    with ThreadPoolExecutor(4) as callers:
        assert all(callers.map(right, range(4)))


def test_the_sum_does_not_depend_on_whether_the_team_is_free():
    u = _leaf(LONG).detach()
    free = u.sum().item()
    with team._team.lock:
        assert u.sum().item() == free


def test_an_error_of_any_part_is_the_callers():
    line = np.arange(3 << 17)

    def work(part):
        if (1 << 17) + 5 in part:
            raise KeyError("in the second part")
        return part.sum()

    with pytest.raises(KeyError, match="second"):
        team.run(work, line)
    assert team.run(len, line) == [1 << 17] * 3


def test_a_thread_has_enough_to_do():
    torch.set_num_threads(64)
    assert [team.size(np.empty(size << 18, np.float32)) for size in (0, 1, 3, 7)] == [1, 1, 3, 7]
    assert team.run(len, np.empty(100)) is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_fork_has_a_team_of_its_own():
    u = _leaf(LONG).detach()
    expected = (u * u).numpy()
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal((u * u).numpy(), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_stretched_numbers_and_what_cannot_be_shared_out():
    u = _leaf((LONG,))
    (u * u).sum().backward()  # the cotangent is one number, seen everywhere
    assert torch.equal(u.grad, 2 * u.detach())
    x = np.random.default_rng(0).random((2, LONG)).astype(np.float32)
    for a, b in [(x[:, ::2], x[:, ::2]), (x.T, x.T), (x, x[0]), (x, x.astype(np.float64)), (x, x[:1, :1])]:
        np.testing.assert_array_equal(blockwise.spread(np.multiply, a, b), a * b)
        np.testing.assert_array_equal((torch.from_numpy(a) * torch.from_numpy(b)).numpy(), a * b)


def test_accumulated_and_rectified():
    u = _leaf((LONG,))
    shifted = u - 0.5
    for _ in range(2):
        torch.relu(shifted).sum().backward(retain_graph=True)
    assert torch.equal(u.grad, 2.0 * (u.detach() > 0.5))
    assert torch.relu(torch.full((LONG,), -0.0)).signbit().all() == torch.relu(torch.tensor(-0.0)).signbit()


def test_what_lies_half_in_what_is_written_is_read_before():
    w = torch.from_numpy(np.random.default_rng(0).random(2 * LONG).astype(np.float32))
    before = w.numpy().copy()
    for _ in range(5):
        w.data[8:].add_(w[:-8])
        before[8:] = before[8:] + before[:-8]
        np.testing.assert_array_equal(w.numpy(), before)
