"""Several forms are kept: what comes again is replayed, not recorded anew."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from forking import program_output

import rushlight as torch
from rushlight import nn
from rushlight._dynamo import config
from rushlight._dynamo.exc import FailOnRecompileLimitHit, RecompileError, Unsupported
from rushlight.compiled.function import WORTH


class Parts:
    """A step, and what it looks at."""

    def __init__(self) -> None:
        torch.manual_seed(3)
        self.net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.x, self.rate = torch.randn(5, 4), 1.0
        self.mode = ["square"]

    def step(self) -> Any:
        self.optimizer.zero_grad()
        out = self.net(self.x)
        loss = out.pow(2).mean() if self.mode[0] == "square" else out.abs().mean()
        (loss * self.rate).backward()
        self.optimizer.step()
        return loss.detach()


def train(parts: Parts, turn: int) -> None:
    parts.net.train(bool(turn % 2))


def rate(parts: Parts, turn: int) -> None:
    parts.rate = (0.5, 0.25)[turn % 2]


def shape(parts: Parts, turn: int) -> None:
    parts.x = inputs[turn % 3]


def entry(parts: Parts, turn: int) -> None:
    parts.mode[0] = ("square", "absolute")[turn % 2]


inputs = [torch.linspace(-1, 1, 4 * size).view(size, 4) for size in (3, 5, 8)]


def replaying(forms: Any) -> int:
    return sum(form.program is not None for form in forms)


@pytest.mark.parametrize("change, count", [(train, 2), (rate, 2), (shape, 3), (entry, 2)])
def test_what_changes_to_and_fro_is_replayed(change: Callable[[Parts, int], None], count: int) -> None:
    mine, its = Parts(), Parts()
    fast: Any = torch.compile(mine.step, backend="replay")
    fast._compiled.always = True
    begun = []
    for turn in range(16):
        for parts in (mine, its):
            change(parts, turn)
        torch.manual_seed(turn)
        left = fast()
        torch.manual_seed(turn)
        right = its.step()
        assert torch.allclose(left, right, rtol=1e-5)
        for one, other in zip(mine.net.state_dict().values(), its.net.state_dict().values(), strict=True):
            assert torch.allclose(one, other, rtol=1e-5, atol=1e-6)
        begun.append(sum(form.recordings for form in fast._compiled.forms))
    assert replaying(fast._compiled.forms) == len(fast._compiled.forms) == count
    assert begun[-1] == begun[10]  # recorded a few times each, and never again
    report = str(torch._dynamo.explain(fast)())
    assert f"{count} of up to 8 forms" in report and "did not do: the " in report


def test_what_was_used_last_is_tried_first() -> None:
    scale = 1.0
    fast: Any = torch.compile(lambda x: x * scale, backend="replay")
    fast._compiled.always = True
    x = torch.ones(2)
    for scale in (1.0, 2.0, 3.0, 1.0):
        for _ in range(3):
            assert fast(x).tolist() == [scale, scale]
    two, three, one = fast._compiled.forms
    assert fast._compiled.last is one and "variable 'scale' of a closure" in two.because and not one.because
    scale = 2.0
    assert fast(x).tolist() == [2.0, 2.0] and fast._compiled.forms == [three, one, two] and fast._compiled.last is two


def test_what_is_another_each_time_is_soon_left_as_it_is() -> None:
    scale = 0
    fast: Any = torch.compile(lambda x: x * scale, backend="replay")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for scale in range(WORTH):
            assert fast(torch.ones(1)).item() == scale
    (warning,) = caught
    assert "captured for 8 forms" in str(warning.message) and "the variable 'scale' of a closure" in str(warning.message)
    assert not fast._compiled.forms  # and is not looked at again


def test_a_form_that_has_paid_makes_room() -> None:
    scale = 0
    fast: Any = torch.compile(lambda x: x * scale, backend="replay", recompile_limit=2)
    fast._compiled.always = True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in range(4):
            for _ in range(WORTH + 5):
                assert fast(torch.ones(1)).item() == scale
    assert replaying(fast._compiled.forms) == 2


def test_the_limit_is_that_of_the_settings() -> None:
    def double(x: Any) -> Any:
        return x * 2

    assert config.recompile_limit == config.cache_size_limit == 8
    with config.patch(cache_size_limit=3), pytest.warns(UserWarning, match="captured for 3 forms"):
        fast: Any = torch.compile(double, backend="replay")
        for size, _ in itertools.product(range(5), range(3)):
            assert fast(torch.ones(size)).tolist() == [2.0] * size
    assert len(fast._compiled.forms) == 3 and config.recompile_limit == 8
    fast(torch.ones(9))
    assert len(fast._compiled.forms) == 4
    with config.patch("error_on_recompile", True), pytest.raises(RecompileError, match="double: argument 0: a tensor of shape"):
        fast(torch.ones(10))
    with config.patch({"fail_on_recompile_limit_hit": True, "recompile_limit": 2}), pytest.raises(FailOnRecompileLimitHit):
        fast(torch.ones(10))
    with config.patch(disable=True):
        assert fast(torch.ones(10)).sum().item() == 20.0 and len(fast._compiled.forms) == 4


def test_settings_that_are_not_there_and_errors_of_backends() -> None:
    def refuses(graph: Any, inputs: Any) -> Any:
        raise ValueError("no")

    fast = torch.compile(lambda x: x * 2, backend=refuses)
    with (
        config.patch(suppress_errors=True),
        pytest.warns(UserWarning, match=r"ValueError: no \(.*; the function runs as it is"),
    ):
        assert [fast(torch.ones(1)).item() for _ in range(3)] == [2.0] * 3
    for change in (lambda: config.nothing, lambda: setattr(config, "nothing", 1)):
        with pytest.raises(AttributeError, match=r"torch\._dynamo\.config\.nothing does not exist"):
            change()


def test_a_form_that_is_ready_goes_before_one_that_waits() -> None:
    net = nn.Linear(3, 2)
    fast: Any = torch.compile(lambda x: net(x).sum())
    for _ in range(6):
        net.zero_grad()  # the first pass of a step finds no .grad, the second one does
        for _ in range(2):
            fast(torch.ones(4, 3)).backward()
    assert len(fast._compiled.forms) == 2


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_what_was_given_up_once_is_tried_again_where_something_is_another() -> None:
    """An argument of another form, or another state, may do; and what cannot be captured costs little."""
    reads = [True]

    def program(x: Any) -> Any:
        if reads[0] or len(x) == 1:
            x.sum().item()
        return x * 2

    by_state: Any = torch.compile(program)
    for call in range(12):
        reads[0] = call < 5
        assert by_state(torch.ones(2)).tolist() == [2.0, 2.0]
    assert [form.program is not None for form in by_state._compiled.forms] == [False, True]
    by_form: Any = torch.compile(program)
    for size in (1, 1, 2, 2, 1, 2):
        assert by_form(torch.ones(size)).tolist() == [2.0] * size
    assert [form.program is not None for form in by_form._compiled.forms] == [False, True]
    reads[0] = True
    never: Any = torch.compile(program)
    for call in range(40):
        never(torch.ones(1 + call))
    assert sum(form.recordings for form in never._compiled.forms) == len(never._compiled.forms) <= 7  # at calls 1, 2, 4, 8, ...


def test_a_function_that_is_to_be_captured_whole_is_an_error_each_time() -> None:
    """Its second call was silent once."""
    whole = torch.compile(lambda x: x if x.sum() > 0 else -x, fullgraph=True)
    for _ in range(4):
        with pytest.raises(Unsupported, match=r"Tensor\.__bool__\(\) looks at a tensor's values"):
            whole(torch.ones(2))


def test_one_short_time_is_luck() -> None:
    fast: Any = torch.compile(lambda: (torch.ones(3) * 2 + 1).exp(), backend="replay")
    fast(), fast()
    (form,) = fast._compiled.forms
    form.as_it_is.times, form.ways[0].times = [1.0] * 6, [0.5] + [1.5] * 5
    form.is_decided()
    assert form.replays is False


def test_what_is_nearly_as_fast_is_timed_again_later() -> None:
    x = torch.ones(3)
    fast: Any = torch.compile(lambda: ((x * 2 + 1).tanh() * x).exp(), backend="replay")
    fast(), fast()
    (form,) = fast._compiled.forms
    (way,) = form.ways
    form.calls, form.as_it_is.times, way.times = 20, [1.0] * 6, [0.9] * 6
    assert not form.is_decided() and form.replays and form.again == 160
    form.calls = 159
    fast()
    assert form.replays is None, "it is being timed"
    form.as_it_is.times[6:], way.times[6:] = [0.8] * 6, [0.9] * 6
    assert not form.is_decided() and form.replays is False and form.again == 1280
    form.as_it_is.times[12:], way.times[12:] = [0.8] * 6, [0.9] * 6
    assert form.is_decided() and form.replays is False


def test_an_operator_that_another_program_is_the_first_to_use_is_no_change() -> None:
    code = """
import rushlight as torch
x = torch.ones(3)
fast = torch.compile(lambda: x * 2 - x / 4)
fast._compiled.always = True
fast(), fast(), fast()
1 - (1 * (1 / x)), x.reciprocal()
fast()
print(len(fast._compiled.forms), fast._compiled.forms[0].calls)
"""
    assert program_output(code).split() == ["1", "2"]
