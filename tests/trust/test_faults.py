"""What goes wrong from outside: Ctrl-C, exceptions in hooks, processes that die, disks that are full. `make faults` does more of it."""

from __future__ import annotations

import contextlib
import errno
import gc
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import interrupted_steps, memory_of_steps, threads_of_mixed_work
from trainings import SMALL, TRAININGS

import rushlight as torch
from rushlight.backend.interrupts import held
from rushlight.utils._python_dispatch import TorchDispatchMode

SOURCE = str(Path(torch.__file__).parents[1])
posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


# Ctrl-C.


@pytest.fixture
def nothing_hears_collections() -> Iterator[None]:
    """Hypothesis times collections of garbage in a callback, where Python drops what a handler of a signal raises."""
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks.extend(callbacks)


# Of an interrupt that comes while it closes a generator Python only tells.
@posix
@pytest.mark.filterwarnings("ignore:Exception ignored in. <generator:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("nothing_hears_collections")
@pytest.mark.parametrize("name", TRAININGS)
def test_an_interrupted_step_leaves_everything_whole(name: str) -> None:
    torch.set_num_threads(2)
    seen = interrupted_steps(TRAININGS[name], 12 if name in SMALL else 3, seed=7)
    assert seen and [one for one in seen if one.wrong] == []


@posix
def test_an_interrupt_waits_until_what_is_held_is_done() -> None:
    done = []

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append(sum(range(1000)))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            held(held, work)
        assert done == [499500]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with pytest.raises(ZeroDivisionError):
            held(lambda: 1 // 0)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        held(work)
        assert done == [499500] * 2
    finally:
        signal.signal(signal.SIGINT, before)


# Exceptions in hooks.


class Mistake(Exception):
    pass


def fails(*args: Any) -> Any:
    raise Mistake


class Doubled(torch.autograd.Function):
    fault = ""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        if Doubled.fault == "forward":
            raise Mistake
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        if Doubled.fault == "backward":
            raise Mistake
        return g * 2


class Net(torch.nn.Module):
    """Two layers, a custom function between them, and an optimizer; a step gives the loss."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.first, self.last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        self.at_inner: list[Callable[[Any], Any]] = []

    def forward(self, x: Any) -> Any:
        inner = Doubled.apply(self.first(x)).tanh()
        for look in self.at_inner:
            look(inner)
        return self.last(inner)

    def train_once(self) -> float:
        self.optimizer.zero_grad()
        loss = self(torch.arange(6.0).reshape(2, 3)).square().sum()
        loss.backward()
        self.optimizer.step(fails if Doubled.fault == "closure" else None)
        return loss.item()


def _failing(mode: Any, name: str) -> Any:
    """A mode that fails at the third op that it sees."""
    seen = []

    def method(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        seen.append(func)
        if len(seen) == 3:
            raise Mistake
        return func(*args, **(kwargs or {}))

    return type("Failing", (mode,), {name: method})()


def _around(net: Net, context: Any) -> Any:
    plain = net.forward

    def forward(x: Any) -> Any:
        with context:
            return plain(x)

    net.forward = forward  # type: ignore[method-assign]
    return contextlib.ExitStack()


def _set_fault(where: str) -> Any:
    Doubled.fault = where
    return contextlib.ExitStack()


def _at_inner(net: Net, look: Callable[[Any], Any]) -> Any:
    net.at_inner.append(look)
    return contextlib.ExitStack()


def _at_leaf(net: Net) -> Any:
    """The node of a leaf, which lives as long as somebody holds it."""
    node = torch.autograd.graph.get_gradient_edge(net.last.weight).node
    net.at_inner.append(lambda inner: node and None)
    return node


HOOKS: dict[str, Callable[[Net], Any]] = {
    "of a leaf": lambda net: net.first.weight.register_hook(fails),
    "of a result": lambda net: _at_inner(net, lambda inner: inner.register_hook(fails)),
    "behind accumulation": lambda net: net.first.bias.register_post_accumulate_grad_hook(fails),
    "before a node": lambda net: _at_inner(net, lambda inner: inner.grad_fn.register_prehook(fails)),
    "behind a node": lambda net: _at_inner(net, lambda inner: inner.grad_fn.register_hook(fails)),
    "of several gradients": lambda net: torch.autograd.graph.register_multi_grad_hook([net.first.weight, net.last.bias], fails),
    "packing": lambda net: _around(net, torch.autograd.graph.saved_tensors_hooks(fails, lambda x: x)),
    "unpacking": lambda net: _around(net, torch.autograd.graph.saved_tensors_hooks(lambda x: x, fails)),
    "before a module": lambda net: net.last.register_forward_pre_hook(fails),
    "behind a module": lambda net: net.first.register_forward_hook(fails),
    "before a module's backward": lambda net: net.last.register_full_backward_pre_hook(fails),
    "behind a module's backward": lambda net: net.last.register_full_backward_hook(fails),
    "before a step": lambda net: net.optimizer.register_step_pre_hook(fails),
    "behind a step": lambda net: net.optimizer.register_step_post_hook(fails),
    "a function mode": lambda net: _around(net, _failing(torch.overrides.TorchFunctionMode, "__torch_function__")),
    "a dispatch mode": lambda net: _around(net, _failing(TorchDispatchMode, "__torch_dispatch__")),
    "before any module": lambda net: torch.nn.modules.module.register_module_forward_pre_hook(fails),
    "behind any module": lambda net: torch.nn.modules.module.register_module_forward_hook(fails),
    "before any module's backward": lambda net: torch.nn.modules.module.register_module_full_backward_pre_hook(fails),
    "behind any module's backward": lambda net: torch.nn.modules.module.register_module_full_backward_hook(fails),
    "before any step": lambda net: torch.optim.optimizer.register_optimizer_step_pre_hook(fails),
    "behind a leaf's node": lambda net: _at_leaf(net).register_hook(fails),
    "before a leaf's node": lambda net: _at_leaf(net).register_prehook(fails),
    "a closure": lambda net: _set_fault("closure"),
    "a function forward": lambda net: _set_fault("forward"),
    "a function backward": lambda net: _set_fault("backward"),
    "at the end of the pass": lambda net: _at_inner(
        net,
        lambda inner: inner.register_hook(lambda g: torch.autograd.Variable._execution_engine.queue_callback(fails)),
    ),
}


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("kind", HOOKS)
def test_an_exception_in_a_hook(kind: str) -> None:
    plain = Net()
    losses = [plain.train_once() for _ in range(4)]
    net = Net()
    assert net.train_once() == losses[0]
    before = [parameter.detach().clone() for parameter in net.parameters()]
    handle = HOOKS[kind](net)
    with pytest.raises(Mistake):
        net.train_once()
    if hasattr(handle, "remove"):
        handle.remove()
    Doubled.fault = ""
    net.at_inner.clear()
    net.__dict__.pop("forward", None)
    assert torch.is_grad_enabled() and np.geterr()["over"] == "warn"
    stepped = kind == "behind a step"
    same = [torch.equal(one, other) for one, other in zip(before, net.parameters(), strict=True)]
    assert same == [not stepped] * 4
    assert [net.train_once() for _ in range(2)] == losses[1 + stepped : 3 + stepped]


# Saving.

SAVES = """
import sys
import rushlight as torch
print("ready", flush=True)
number = 0
while True:
    values = torch.full((100_000,), float(number))
    torch.save({"number": number, "values": values}, sys.argv[1], _use_new_zipfile_serialization=sys.argv[2] == "zip")
    number += 1
"""


@posix
@pytest.mark.parametrize("form", ["zip", "legacy"])
def test_what_is_killed_while_it_saves_leaves_a_whole_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    torch.save({"number": -1.0, "values": torch.full((100_000,), -1.0)}, path)
    draw = random.Random(5)
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVES, str(path), form], env={**os.environ, "PYTHONPATH": SOURCE}, stdout=subprocess.PIPE
        )
        assert process.stdout is not None and process.stdout.readline()
        time.sleep(draw.uniform(0, 0.1))
        process.kill()
        process.wait()
        process.stdout.close()
        got = torch.load(path)
        assert (got["values"] == got["number"]).all()


def _in_child(work: Callable[[], None]) -> int:
    """The exit status of a forked process that does this work: 0 where it raised nothing."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@posix
@pytest.mark.parametrize("form", ["zip", "legacy"])
def test_a_full_disk_leaves_the_old_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    torch.save([1], path)

    def save() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        with pytest.raises(OSError) as error:
            torch.save(torch.ones(100_000), path, _use_new_zipfile_serialization=form == "zip")
        assert error.value.errno == errno.EFBIG

    assert _in_child(save) == 0
    assert torch.load(path) == [1] and os.listdir(tmp_path) == ["state.pt"]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder beside those of pytest, which each of its sessions closes again to all but their owner."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@posix
@pytest.mark.parametrize("form", ["zip", "legacy"])
def test_a_folder_that_may_not_be_written_to(form: str, place: Path) -> None:
    path, open_path = place / "inner" / "state.pt", place / "inner" / "open.pt"
    path.parent.mkdir()
    torch.save([1], path)
    torch.save([1] * 1000, open_path)
    path.chmod(0o444)
    open_path.chmod(0o666)
    path.parent.chmod(0o555)

    def save() -> None:
        for folder in place.parents:
            with contextlib.suppress(PermissionError):
                folder.chmod(folder.stat().st_mode | 0o055)
        place.chmod(0o755)
        if not os.geteuid():
            os.seteuid(65534)
        for name in (path, path.parent / "new.pt"):
            with pytest.raises(RuntimeError, match=r"\. open file failed with strerror: Permission denied$"):
                torch.save([2], name)
        torch.save([2], open_path)  # in place, as in PyTorch

    assert _in_child(save) == 0
    assert torch.load(path) == [1] and torch.load(open_path) == [2]
    path.parent.chmod(0o755)


# Processes and threads.


def _backward_of_something_large() -> tuple[float, float]:
    x = torch.ones(1_200_000, requires_grad=True)
    (x.sin() * x).sum().backward()
    return x.grad.min().item(), x.grad.max().item()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_begun_with_work_in_flight(way: str) -> None:
    if way not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork here")
    torch.set_num_threads(2)
    expected = _backward_of_something_large()
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            _backward_of_something_large()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        context = multiprocessing.get_context(way)
        for _ in range(3 if way == "fork" else 1):
            with context.Pool(1) as pool:
                assert pool.apply_async(_backward_of_something_large).get(120) == expected
    finally:
        ended.set()
        for thread in threads:
            thread.join(300)


def test_threads_of_mixed_work() -> None:
    torch.set_num_threads(2)
    wrong, rounds, _ = threads_of_mixed_work(1.5, seed=3)
    assert wrong == [] and rounds > 0


def test_memory_stays_flat_over_steps() -> None:
    grown, garbage = memory_of_steps(200)
    assert garbage == 0
    assert grown < 4_000_000
