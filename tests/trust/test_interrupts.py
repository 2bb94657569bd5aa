"""Interrupts at places that are chosen: optimizers that go parameter by parameter, recordings and replays of torch.compile."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import interpreters, modes
from rushlight.backend.interrupts import came_by_a_signal
from rushlight.compiled.capture import watching
from rushlight.compiled.capture.recorder import Recorder
from rushlight.compiled.capture.watching import Watch
from rushlight.compiled.replay.program import Program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


class TooLate(Exception):
    """What a handler of SIGALRM raises."""


def stop(number: int, frame: Any) -> None:
    raise TooLate


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGALRM, stop)
    yield
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGALRM, before[1])


def interrupting(call: Callable[..., Any], at: int = 1, number: int = signal.SIGINT) -> Callable[..., Any]:
    """A function that gets a signal before its call number ``at``."""
    calls = [0]

    def called(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        if calls[0] == at:
            signal.raise_signal(number)
        return call(*args, **kwargs)

    return called


# Optimizers.


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGALRM])
def test_a_step_of_lbfgs_that_is_interrupted_has_not_been(search: str | None, at: int, number: int) -> None:
    def make() -> tuple[Any, Any, Callable[[], Any]]:
        x = torch.tensor([3.0, -2.0], requires_grad=True)
        optimizer = torch.optim.LBFGS([x], lr=0.3, max_iter=4, line_search_fn=search)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (x**4).sum() + (x - 1).square().sum()
            loss.backward()
            return loss

        return x, optimizer, closure

    plain, optimizer, closure = make()
    expected = [plain.tolist()]
    for _ in range(3):
        optimizer.step(closure)
        expected.append(plain.tolist())
    x, optimizer, closure = make()
    for count in range(2):
        with pytest.raises((KeyboardInterrupt, TooLate)):
            optimizer.step(interrupting(closure, at, number))
        assert x.tolist() == expected[count]
        optimizer.step(closure)
        assert x.tolist() == expected[count + 1]


def test_an_error_of_the_closure_leaves_lbfgs_the_state_that_it_had() -> None:
    x = torch.tensor([3.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([x], max_iter=4)

    def closure() -> Any:
        if optimizer.state[x].get("n_iter"):
            raise ZeroDivisionError
        (g,) = torch.autograd.grad((x**4).sum(), x)
        x.grad = g
        return (x.detach() ** 4).sum()

    with pytest.raises(ZeroDivisionError):
        optimizer.step(closure)
    assert optimizer.state[x] == {} and x.item() != 3.0  # the place that was asked for, as in PyTorch
    x.grad = None
    optimizer.step(lambda: torch.autograd.backward((x**2).sum()) or (x**2).sum().detach())


def test_a_step_of_sparse_adam_is_finished_first(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [torch.nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False, sparse=True) for _ in range(2)]
    optimizer = torch.optim.SparseAdam([each.weight for each in rows], lr=0.5)
    for each in rows:
        each(torch.tensor([0])).sum().backward()
    monkeypatch.setattr(optimizer, "_step_rows", interrupting(optimizer._step_rows, at=2))
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert [round(each.weight[0, 0].item(), 3) for each in rows] == [0.5, 0.5]


def test_averages_of_a_model_are_finished_first() -> None:
    model = torch.nn.Linear(2, 2)
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=interrupting(lambda mean, new, count: new, at=2))
    average.update_parameters(model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(7.0)
    with pytest.raises(KeyboardInterrupt):
        average.update_parameters(model)
    assert all((parameter == 7).all() for parameter in average.module.parameters()) and average.n_averaged == 2


# torch.compile.


@pytest.mark.parametrize("at", [1, 2, 4, 7])
def test_a_recording_that_is_interrupted_is_made_again(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    x = torch.ones(2, 3)
    compiled, expected = torch.compile(inner, fullgraph=True), inner(x)
    monkeypatch.setattr(Recorder, "before_op", interrupting(Recorder.before_op, at))
    seen = 0
    for _ in range(8):
        try:
            assert torch.allclose(compiled(x), expected)
        except KeyboardInterrupt:
            seen += 1
    assert seen == 1


def test_a_program_whose_first_calls_fail_is_recorded_later() -> None:
    calls = [0]

    def program(x: Any) -> Any:
        calls[0] += 1
        if calls[0] < 3:
            raise ZeroDivisionError
        return (x * 2).sin()

    compiled = torch.compile(program)
    x = torch.ones(3)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            compiled(x)
    assert compiled(x).tolist() == (x * 2).sin().tolist()


def test_a_replay_on_trial_leaves_what_the_program_has_written(monkeypatch: pytest.MonkeyPatch) -> None:
    weight, other = torch.zeros(3), torch.zeros(3)

    def program() -> Any:
        weight.add_(1.0)
        other.add_(2.0)
        return weight.sum()

    compiled = torch.compile(program)
    plain = Program.run

    def run(self: Program, tensors: Any) -> Any:
        weight._array[0] = 5.0  # half of it
        raise KeyboardInterrupt

    monkeypatch.setattr(Program, "run", run)
    count = 0
    with pytest.raises(KeyboardInterrupt):
        for count in range(1, 6):  # noqa: B007
            compiled()
    monkeypatch.setattr(Program, "run", plain)
    assert weight.tolist() == [count] * 3 and other.tolist() == [2 * count] * 3
    assert compiled().item() == 3 * (count + 1)


def test_what_a_handler_raises_ends_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = torch.compile(lambda x: (x * 2).sin())
    x = torch.ones(3)
    for _ in range(20):
        compiled(x)
    plain = Program.run

    def run(self: Program, tensors: Any) -> Any:
        monkeypatch.setattr(self, "function", interrupting(self.function, 1, signal.SIGALRM))
        return plain(self, tensors)

    monkeypatch.setattr(Program, "run", run)
    fresh = torch.compile(lambda x: (x * 2).sin())
    with pytest.raises(TooLate):
        for _ in range(4):
            fresh(x)


def test_errors_of_handlers_are_told_from_others() -> None:
    with pytest.raises(TooLate) as error:
        signal.raise_signal(signal.SIGALRM)
    assert came_by_a_signal(error.value)
    with pytest.raises(ZeroDivisionError) as other:
        raise ZeroDivisionError
    assert not came_by_a_signal(other.value)


@pytest.mark.usefixtures("nothing_else_special")
@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("owner, name", [(Watch, "_begin"), (Watch, "_end"), (watching, "held")])
def test_nothing_of_a_recording_stays_behind(at: int, owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, name, interrupting(getattr(owner, name), at))
    compiled, x, seen = torch.compile(lambda x: (x * 2).sin()), torch.ones(3), 0
    before, unusual = list(interpreters.stack.interpreters), set(modes.special.active)
    for _ in range(8):
        try:
            assert compiled(x).tolist() == (x * 2).sin().tolist()
        except KeyboardInterrupt:
            seen += 1
        assert sys.getprofile() is None and gc.isenabled()
        assert modes.special.active == unusual and interpreters.stack.interpreters == before and not watching._lock.locked()
    assert seen == 1


def test_a_mode_that_a_held_interrupt_saw_begin_ends_with_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, unusual = modes.Mark.__init__, set(modes.special.hidden)

    def begin(self: modes.Mark, hidden: bool = False) -> None:
        plain(self, hidden)
        signal.raise_signal(signal.SIGINT)  # its handler is given this frame, which knows the mark

    compiled = torch.compile(lambda x: (x * 2).sin())
    gc.disable()  # the mark is not to wait for it
    try:
        with monkeypatch.context() as patch:
            patch.setattr(modes.Mark, "__init__", begin)
            try:
                compiled(torch.ones(3))
            except KeyboardInterrupt:
                assert not modes.special.hidden - unusual
            else:
                pytest.fail("nothing has come")
    finally:
        gc.enable()
