"""Public functions and methods with arguments that do not fit; `make arguments` makes more calls and holds them against PyTorch."""

from __future__ import annotations

import sys

import pytest
from argument_calls import calls, parameters_of, public_names
from arguments import Outcome, outcomes_of, run_all, verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory as Linux has them")
NAMES = public_names()
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_call_ends_the_process(part: int) -> None:
    names = NAMES[part::PARTS]
    found = [(verdict(ours, None), ours) for ours, _ in outcomes_of(names, 2, seed=1, together=40)]
    assert len(found) == 2 * len(names) > 400
    assert [one for word, one in found if word in ("crash", "hang", "inner error")] == []


def test_names_that_are_asked() -> None:
    assert len(NAMES) > 1900
    assert {"torch.add", "torch.Tensor.view", "torch.nn.functional.conv2d", "torch.nn.Linear", "torch.optim.Adam"} < {*NAMES}
    assert parameters_of("torch.Tensor.add_")[0] == "other"
    assert calls("torch.add", 5, 1) == calls("torch.add", 5, 1) != calls("torch.add", 5, 2)


def test_what_a_call_does_is_told() -> None:
    lines = [
        "torch.ones(2)",
        "torch.add('a', 1)",
        "__import__('os').abort()",
        "torch.ones(2).view(2**62)",
        "torch.full((2**31,), 1.0).numel()",
        "torch.ones(3).__sizeof__.__self__.undefined",
    ]
    found = run_all("rushlight", lines)
    assert [one.line for one in found] == lines
    kinds = [one.kind for one in found]
    assert kinds[0] == "ok" and kinds[1] == "TypeError" and kinds[3:] == ["RuntimeError", "RuntimeError", "AttributeError"]
    assert found[2] == Outcome(lines[2], "crash", "exit status -6")


def test_verdicts() -> None:
    ok, wrong = Outcome("f()", "ok"), Outcome("f()", "TypeError")
    assert verdict(ok, wrong) == "accepted" and verdict(wrong, ok) == "refused" and verdict(wrong, wrong) == "fine"
    assert verdict(Outcome("f()", "RuntimeError"), wrong) == "other kind"
    assert verdict(Outcome("f()", "SystemError"), None) == "inner error"
    assert verdict(Outcome("f()", "hang"), Outcome("f()", "hang")) == "PyTorch hang"
    assert verdict(Outcome("f()", "hang"), wrong) == "hang" and verdict(Outcome("f()", "crash"), None) == "crash"
    assert verdict(Outcome("f()", "ok", "ValueError when looked at"), None) == "broken result"
