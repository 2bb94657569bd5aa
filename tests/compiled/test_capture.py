"""Recording what a program does with tensors."""

from __future__ import annotations

import gc
import itertools
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.compiled.capture import known_functions, trace
from rushlight.compiled.capture.bytecode import looks_at_values
from rushlight.compiled.capture.recorder import Recorder
from rushlight.compiled.capture.watching import Watch, uncollected
from rushlight.kernels import chains


def recorded(program: Callable[[], Any], *before: torch.Tensor) -> Recorder:
    recorder = Recorder(before)
    uncollected(Watch(recorder).of, program)  # as torch.compile does: another test may have left a callback of the collector's
    return recorder


def kinds(recorder: Recorder) -> list[str]:
    return [one.op if isinstance(one, trace.Apply) else type(one).__name__ for one in recorder.trace.instructions]


def test_a_step_is_a_line_of_instructions_and_runs_as_without() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    recorder = recorded(lambda: (x * x).sum().backward(), x)
    assert recorder.failure is None
    assert kinds(recorder)[:3] == ["Input", "mul", "sum_all"]
    assert kinds(recorder)[-1] == "Accumulate"
    assert x.grad is not None and x.grad.tolist() == [2.0, 4.0]


def test_a_write_makes_new_values_of_the_tensor_and_of_its_views() -> None:
    x = torch.zeros(2, 2)
    row = x[0]

    def program() -> None:
        x.add_(1)
        (row * 2).sum()

    recorder = recorded(program, x, row)
    instructions = recorder.trace.instructions
    (write,) = [one for one in instructions if isinstance(one, trace.Write)]
    (again,) = [one for one in instructions if isinstance(one, trace.Again)]
    assert again.after == write.out
    (product,) = [one for one in instructions if isinstance(one, trace.Apply) and one.op == "mul"]
    assert product.inputs[0] == trace.Ref(again.out)


def test_what_was_saved_before_a_write_is_a_copy() -> None:
    x = torch.ones(2, requires_grad=True)

    def program() -> None:
        y = x * 3
        y.mul_(y.detach() + 1)
        y.sum().backward()

    recorder = recorded(program, x)
    assert recorder.failure is None
    assert "Write" in kinds(recorder)


def test_what_is_not_understood_is_told_with_its_line() -> None:
    x = torch.ones(2)
    for program in (lambda: x.sum().item(), lambda: bool(x.sum() > 1), lambda: str(x), lambda: x.tolist(), lambda: x.numpy()):
        failure = recorded(program, x).failure
        assert failure is not None and __file__ in failure.place
    hidden = torch.ones(2)
    failure = recorded(lambda: x + hidden, x).failure
    assert failure is not None and "nothing in the trace has made" in failure.reason


def test_a_built_in_function_that_may_answer_otherwise_ends_it() -> None:
    x = torch.ones(2)
    failure = recorded(lambda: x * time.perf_counter(), x).failure
    assert failure is not None and failure.reason.startswith("perf_counter()")


def test_what_the_collector_calls_is_no_part_of_a_program() -> None:
    def looks(phase: str, info: dict[str, int]) -> None:
        time.perf_counter()  # as hypothesis does from its first test on

    x = torch.ones(2, requires_grad=True)
    before = gc.get_threshold()
    gc.callbacks.append(looks)
    try:
        gc.set_threshold(1)
        assert recorded(lambda: (x * 3).exp().sum().backward(), x).failure is None
        assert not torch._dynamo.explain(lambda: (x * 3).exp().sum())().break_reasons
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(looks)


def test_creation_is_called_anew_and_two_recordings_agree() -> None:
    x = torch.ones(2, 2)

    def program() -> None:
        torch.randn(2, 2) @ x

    first, second = recorded(program, x), recorded(program, x)
    assert any(isinstance(one, trace.Host) for one in first.trace.instructions)
    assert first.trace.same_as(second.trace)
    assert not first.trace.same_as(recorded(lambda: torch.randn(2, 2) @ x @ x, x).trace)
    assert "host randn" in str(first.trace)


def test_the_functions_that_are_known_are_there() -> None:
    root = Path(torch.__file__).parent
    there: dict[str, set[str]] = {}

    def names(code: types.CodeType) -> Iterator[str]:
        yield code.co_qualname
        for one in code.co_consts:
            if isinstance(one, types.CodeType):
                yield from names(one)

    for path in root.rglob("*.py"):
        room = ".".join(path.relative_to(root).with_suffix("").parts)
        there[room] = set(names(compile(path.read_text(), str(path), "exec")))
    lists = known_functions.LOOKS_AT_NO_VALUE, known_functions.SPECIAL, known_functions.ANEW, known_functions.SETS_STATE
    for where in itertools.chain(*lists):
        room, _, name = where.partition(":")
        assert name in there.get(room, ()), where
    assert all(f"tensors.creation.{room}" in there for room in known_functions.CREATION)


def test_while_nothing_is_recorded_nobody_looks_on() -> None:
    from rushlight.autograd import interpreters, modes

    before = list(interpreters.stack.interpreters), modes.special.active
    recorded(lambda: torch.ones(2) * 2)
    assert (list(interpreters.stack.interpreters), modes.special.active) == before


@pytest.mark.parametrize(
    "looks", ["array = x._array\n    return array.item()", "return x._array.item()", "a = x._array; b = 1; return bool(a) + b"]
)
def test_what_looks_at_values_is_seen_on_every_python(looks: str) -> None:
    space: dict[str, types.FunctionType] = {}
    exec(f"def looking(x):\n    {looks}\ndef of_form(x):\n    array = x._array\n    return array.shape, array.dtype", space)
    assert looks_at_values(space["looking"].__code__)
    assert not looks_at_values(space["of_form"].__code__)


@pytest.mark.parametrize(
    ("write", "itself"),
    [
        (lambda w: w.sub_(w * 0.5), True),
        (lambda w: w.sub_(w.flip(0) * 0.5), True),
        (lambda w: w.sub_(w.t() * 0.5), False),
        (lambda w: w.sub_(w * 0.5 + w[:1]), False),
    ],
)
def test_a_chain_writes_by_itself_where_nothing_else_is_read_there(write: Callable[[Any], Any], itself: bool) -> None:
    w, its = (torch.arange(40.0 * 40).reshape(40, 40) / 7 for _ in range(2))
    fast: Any = torch.compile(lambda: write(w) * 2, fullgraph=True, backend="replay")
    fast._compiled.always = True
    for _ in range(5):
        fast()
        write(its)
        assert torch.equal(w, its) and w._version == its._version
    if chains.STEPS:
        assert ("copyto" not in fast._compiled.forms[-1].program.text) == itself
