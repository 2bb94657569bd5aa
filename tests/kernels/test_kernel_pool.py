"""The threads of the compiled kernels: how many, when they sleep, and what a fork, Python's lock and interpreters do to them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from kernel_checks import TRIED

import rushlight as torch
from rushlight import kernels

native = kernels.native
if native is None:
    pytest.skip("the extension is not built, or is switched off", allow_module_level=True)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


@pytest.fixture(autouse=True)
def usual_count():
    before = native.threads()
    yield
    native.set_threads(before)


def large(rows=600):
    return np.random.default_rng(0).standard_normal((rows, 1024)).astype(np.float32)


def softmax(x):
    out = np.empty_like(x)
    assert native.softmax(out, x, x.shape[1], 1)
    return out


def run(script, **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.parametrize("count", [1, 3])
def test_set_num_threads_and_its_variable(count, monkeypatch):
    monkeypatch.setattr(kernels, "_processors_of_group", lambda: 1 << 16)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(count)
        assert native.threads() == count
    finally:
        torch.set_num_threads(before)
    said = run(
        "import rushlight; from rushlight import kernels; print(kernels.native.threads(), kernels._processors_of_group())",
        OMP_NUM_THREADS=str(count),
    )
    threads, most = map(int, said.split())
    assert threads == min(count, most)


def test_the_control_group_is_the_limit(monkeypatch):
    monkeypatch.setattr(kernels, "_processors_of_group", lambda: 2)
    for count, found in ((1, 1), (2, 2), (64, 2)):
        kernels.set_threads(count)
        assert native.threads() == found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_threads_are_made_when_wanted_and_no_more_than_said():
    said = run(
        """
import os, threading, time, numpy as np, rushlight
from rushlight import kernels
def count(): return len(os.listdir("/proc/self/task"))
native, x = kernels.native, np.ones((2000, 1024), np.float32)
out = np.empty_like(x)
one = threading.Thread(target=int)  # a sanitizer's own comes with the first
one.start()
one.join()
while os.path.exists(f"/proc/self/task/{one.native_id}"): time.sleep(0.001)  # joined before the kernel lets it go
native.set_threads(1)
native.softmax(out, x, 1024, 1)
first = count()
native.set_threads(3)
native.sigmoid(out[:1], x[:1])
few = count()
for _ in range(4): native.softmax(out, x, 1024, 1)
print(few - first, count() - first)
"""
    )
    assert said.split() == ["0", "2"]


def test_python_goes_on_while_a_kernel_runs():
    native.set_threads(2)
    x, ticks, stopped = large(20_000 // TRIED**2), [0], threading.Event()
    out = np.empty_like(x)

    def tick():
        while not stopped.is_set():
            ticks[0] += 1
            time.sleep(0)

    other = threading.Thread(target=tick)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(100)  # the lock goes to the other thread only where it is given away
    try:
        other.start()
        went = 0
        for _ in range(20):  # on a busy machine the other thread may not get a processor
            before = ticks[0]
            native.softmax(out, x, x.shape[1], 1)
            went = max(went, ticks[0] - before)
            if went > 10:
                break
    finally:
        stopped.set()
        sys.setswitchinterval(usual)
        other.join()
    assert went > 10


def test_idle_threads_sleep():
    """What the process has of the processors after a job, helpers that had nothing to do included."""
    native.set_threads(4)
    x = large()
    used = []
    for _ in range(5):
        softmax(x)
        before = time.process_time()
        time.sleep(0.1)
        used.append(time.process_time() - before)
    assert min(used) < 0.01


def test_callers_of_many_threads_get_what_one_gets():
    native.set_threads(4)
    arrays = [large(100 + 50 * number) for number in range(8)]
    expected, wrong = [softmax(x).tobytes() for x in arrays], []

    def work(number):
        wrong.extend(1 for _ in range(10) if softmax(arrays[number]).tobytes() != expected[number])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for count in (1, 3, 8, 2, 4) * 3:  # whoever changes the count meanwhile changes no result
        native.set_threads(count)
        time.sleep(0.002)
    for worker in workers:
        worker.join()
    assert not wrong


@needs_fork
@pytest.mark.filterwarnings("ignore:This process")
def test_a_fork_while_other_threads_run_kernels():
    native.set_threads(3)
    x, stopped = large(), threading.Event()
    expected = softmax(x).tobytes()

    def work():
        while not stopped.is_set():
            softmax(x)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        for _ in range(10):
            child = os.fork()
            if not child:
                os._exit(0 if softmax(x).tobytes() == expected and softmax(x).tobytes() == expected else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert softmax(x).tobytes() == expected
    finally:
        stopped.set()
        for worker in workers:
            worker.join()


@needs_fork
@pytest.mark.filterwarnings("ignore:This process")
def test_a_child_of_a_child_has_threads_too():
    native.set_threads(3)
    x = large()
    expected = softmax(x).tobytes()
    child = os.fork()
    if not child:
        softmax(x)
        grandchild = os.fork()
        if not grandchild:
            os._exit(0 if softmax(x).tobytes() == expected else 1)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_interpreters_beside_one_another_share_the_pool():
    """NumPy is for one interpreter of a process only, the loops are for all: they take any buffer."""
    said = run(
        f"""
import threading
try: import _interpreters as interpreters
except ImportError: import _xxsubinterpreters as interpreters
script = '''
import array, importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader("_native", {native.__file__!r})
native = importlib.util.module_from_spec(importlib.util.spec_from_loader("_native", loader))
loader.exec_module(native)
x, out = array.array("f", [0.0] * 400_000), array.array("f", [1.0] * 400_000)
native.set_threads(3)
for _ in range(20):
    assert native.sigmoid(out, x) and set(out) == {{0.5}}
    out[7] = 2.0
'''
made = [interpreters.create() for _ in range(3)]
failures = []
def work(one):
    try:
        failed = interpreters.run_string(one, script)
    except Exception as error:
        failed = error
    failures.extend([failed] if failed else [])
workers = [threading.Thread(target=work, args=(one,)) for one in made]
for worker in workers: worker.start()
for worker in workers: worker.join()
for one in made: interpreters.destroy(one)
print(failures)
"""
    )
    assert said == "[]\n"
