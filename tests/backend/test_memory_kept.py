"""Memory kept for reuse: never shared by accident, bounded, and given back when asked."""

from __future__ import annotations

import random
import sys
import threading
from itertools import pairwise

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F

glibc = pytest.mark.skipif(torch.memory_stats()["in_use"] == 0, reason="this C library does not say what it keeps")


def span(array):
    first = array.__array_interface__["data"][0]
    return first, first + array.nbytes


def check_disjoint(tensors):
    """No two live tensors overlap, and each still holds the one number it was filled with."""
    spans = sorted((*span(tensor.numpy()), value) for tensor, value in tensors)
    for (_, end, _), (start, _, _) in pairwise(spans):
        assert end <= start
    for tensor, value in tensors:
        assert (tensor.numpy() == value).all()


def churn(seed, steps=300):
    """Makes and drops tensors of many sizes, some held through a view, an array or a DLPack copy only."""
    rng = random.Random(seed)
    live = []
    for step in range(steps):
        value = float(seed * steps + step)
        size = rng.choice([10_000, 30_000, 100_000, 300_000])
        tensor = torch.full((size,), value) * 1
        how = rng.randrange(4)
        if how == 1:
            tensor = tensor[: size // 2]
        elif how == 2:
            tensor = torch.from_numpy(tensor.numpy()[size // 3 :])
        elif how == 3:
            tensor = torch.from_dlpack(tensor.view(-1)[1:])
        live.append((tensor, value))
        while len(live) > 12:
            live.pop(rng.randrange(len(live)))
        if step % 25 == 0:
            check_disjoint(live)
    check_disjoint(live)


def test_live_tensors_never_share_a_block_by_accident():
    churn(1)


def test_nor_do_tensors_of_several_threads():
    failures = []

    def work(seed):
        try:
            churn(seed, 120)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def results(rng):
    """New tensors of the kernels that work in memory of their own, in parts or on threads, with gradients among them."""
    x = torch.full((4, 3, 24, 24), float(rng.randrange(1, 9)), requires_grad=True)
    w = torch.full((8, 3, 5, 5), 0.5, requires_grad=True)
    words, table = torch.tensor([[1, 2, 2], [5, 1, 0]]), torch.full((400, 64), 2.0, requires_grad=True)
    seen = F.conv2d(x, w, padding=2)
    y = F.max_pool2d(seen, 2)
    square = torch.full((300, 300), 2.0, requires_grad=True)
    total = y.sum() + F.embedding(words, table).mean(1).square().sum() + (square @ square).tanh().sum()
    total = total + torch.sigmoid(torch.cat([x.reshape(-1)] * 20)).sum()
    total.backward()
    return [seen.detach(), y.detach(), x.grad, w.grad, table.grad, square.grad, (square @ square).detach()]


class Crowd:
    """Tensors that threads make, hold in several ways, hand to each other, write to and drop."""

    def __init__(self):
        self.lock = threading.Lock()
        self.held = []
        self.failures = []

    def take(self, rng):
        with self.lock:
            return self.held.pop(rng.randrange(len(self.held))) if self.held else None

    def give(self, rng, tensor):
        """``tensor`` as it is, as an array, a view or a DLPack import, with a copy of what is in it."""
        holder = rng.choice([
            lambda: tensor,
            lambda: tensor.numpy(),
            lambda: tensor.reshape(-1)[tensor.numel() // 3 :],
            lambda: torch.from_dlpack(tensor),
            lambda: np.from_dlpack(tensor.reshape(-1)[1:]),
            lambda: memoryview(tensor.numpy()),
        ])()  # fmt: skip
        with self.lock:
            self.held.append((holder, np.array(np.asarray(holder))))

    def work(self, seed, steps=25):
        rng = random.Random(seed)
        try:
            for step in range(steps):
                for tensor in results(rng) if step % 3 == 0 else [torch.full((rng.randrange(20_000, 90_000),), 1.0 * step)]:
                    self.give(rng, tensor)
                for _ in range(rng.randrange(1, 6)):
                    got = self.take(rng)
                    if got is None:
                        break
                    holder, copy = got
                    assert (np.asarray(holder) == copy).all()
                    if rng.random() < 0.5 and not isinstance(holder, memoryview) and np.asarray(holder).flags.writeable:
                        holder[...] = float(seed)  # nobody else may see this
                        self.give(rng, holder if torch.is_tensor(holder) else torch.from_numpy(holder))
                if step % 10 == seed % 10:
                    torch.empty_cache()
        except BaseException as error:
            self.failures.append(error)


@pytest.mark.parametrize("workers", [1, 5])
def test_what_one_thread_makes_no_other_thread_writes_over(workers):
    crowd = Crowd()
    threads = [threading.Thread(target=crowd.work, args=(seed,)) for seed in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not crowd.failures
    arrays = [(np.asarray(holder), copy) for holder, copy in crowd.held]
    assert len(arrays) > 5
    assert all((array == copy).all() for array, copy in arrays)
    spans = sorted(span(array) for array, _ in arrays)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_gradients_of_large_tensors_own_their_memory():
    x, y = (torch.rand(200_000, requires_grad=True) for _ in range(2))
    (x + y).backward(torch.ones(200_000))
    ((x * 2 + y).tanh() + x).sum().backward()
    arrays = [x.detach().numpy(), y.detach().numpy(), x.grad.numpy(), y.grad.numpy()]
    spans = sorted(map(span, arrays))
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    slope = 1 - np.tanh(arrays[0] * 2 + arrays[1]) ** 2
    np.testing.assert_allclose(arrays[2], 2 + 2 * slope, rtol=1e-5)
    np.testing.assert_allclose(arrays[3], 1 + slope, rtol=1e-5)


@glibc
def test_freed_memory_is_kept_within_the_limit_and_given_back():
    torch.empty_cache()
    before = torch.memory_stats()
    blocks = [torch.ones(1 << 20) for _ in range(8)]
    assert torch.memory_stats()["in_use"] >= before["in_use"] + 8 * (4 << 20)
    del blocks
    after = torch.memory_stats()
    assert after["kept"] <= before["kept"] + (40 << 20) and after["limit"] > 0
    assert after["in_use"] < before["in_use"] + (8 << 20)


@glibc
def test_reuse_takes_no_new_pages():
    import resource

    def step():
        return (torch.ones(1 << 20) * 2).sum()

    for _ in range(5):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        step()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 2000  # 2 x 1024 pages each, if they were fresh


def test_fraction_is_checked():
    for wrong in (-0.1, 1.5):
        with pytest.raises(ValueError, match="between 0 and 1"):
            torch.set_memory_fraction(wrong)
    torch.set_memory_fraction(0)
    assert torch.memory_stats()["limit"] == 0
    torch.set_memory_fraction(1 / 8)
    assert torch.memory_stats()["limit"] > 0 or not sys.platform.startswith("linux")


def test_gradients_that_meet_are_added_without_touching_anything_held():
    n = 50_000
    x = torch.rand(n, requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(g))
    given = torch.full((n,), 3.0)
    (y + y * y + y).backward(given)
    assert (given == 3).all()
    first = seen[0].clone()
    (x.exp() + x * 3 + x).sum().backward()
    assert (seen[0] == first).all()
    data = x.detach().numpy()
    expected = 3 * 2 * (2 + 4 * data) + np.exp(data) + 4
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5)
