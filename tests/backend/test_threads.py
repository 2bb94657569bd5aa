"""Threads of kernels and of BLAS: how many there are, and that what they share comes out as on one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import threads

needs_blas = pytest.mark.skipif(not threads._blas.counts(), reason="this BLAS cannot be told how many threads to use")


def blas_counts():
    return [count.get() for count in threads._blas.counts()]


@pytest.fixture(autouse=True)
def usual_counts():
    before = torch.get_num_threads(), blas_counts()
    yield
    torch.set_num_threads(before[0])
    for count, usual in zip(threads._blas.counts(), before[1], strict=True):
        count.set(usual)


@needs_blas
def test_set_num_threads_governs_blas_and_products_leave_its_count_alone():
    for count in (1, 3):
        torch.set_num_threads(count)
        assert torch.get_num_threads() == count and blas_counts() == [count]
        x = torch.rand(400, 400, requires_grad=True)
        (x @ x).sum().backward()
        assert blas_counts() == [count]


@needs_blas
def test_the_last_to_leave_restores_the_count():
    torch.set_num_threads(3)
    with threads.blas_threads(1):
        assert blas_counts() == [1]
        with threads.blas_threads(2):  # what others lowered stays low
            assert blas_counts() == [1]
        torch.set_num_threads(2)
    assert blas_counts() == [2]


# The first two are a little larger than what is left to BLAS to share out; of batches it shares out each that is large for it.
@pytest.mark.parametrize("shapes", [((300, 150), (150, 140)), ((20, 900), (900, 300)), ((4, 90, 80), (4, 80, 90))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_large_products_are_the_same_on_any_number_of_threads(shapes, dtype):
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-8, 8, shape).astype(dtype) for shape in shapes)  # sums of these are exact
    expected = a.astype(np.complex128) @ b.astype(np.complex128)
    for count in (1, 2, 5):
        torch.set_num_threads(count)
        x, y = torch.from_numpy(a), torch.from_numpy(b)
        assert (np.asarray(x @ y) == expected).all()
        turned = torch.from_numpy(np.ascontiguousarray(a.swapaxes(-1, -2))).transpose(-1, -2)
        assert (np.asarray(turned @ y) == expected).all()


def test_large_products_of_several_threads_at_once():
    torch.set_num_threads(4)
    a = torch.arange(200 * 150).reshape(200, 150).remainder(7).float()
    expected = np.asarray(a) @ np.asarray(a).T
    wrong = []

    def work():
        for _ in range(5):
            if not (np.asarray(a @ a.T.clone()) == expected).all():
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.parametrize(("wanted", "count"), [("3", 3), ("1", 1), ("none", None), ("0", None), ("", None)])
def test_omp_num_threads_says_how_many(wanted, count, monkeypatch):
    usual = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    monkeypatch.setenv("OMP_NUM_THREADS", wanted)
    assert threads._processors() == (usual if count is None else count)


def test_it_says_so_as_the_package_is_imported():
    program = "import rushlight; print(rushlight.get_num_threads())"
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout == "3\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_fork_may_happen_while_a_kernel_runs():
    inside, done = threading.Event(), threading.Event()

    def hold():
        with threads.blas_threads(1), threads._blas.lock:
            inside.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        x = torch.rand(200, 200)
        os._exit(0 if (x @ x).shape == (200, 200) else 1)
    done.set()
    holder.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
