"""What stands under each line of a program: every name that it binds has its value, in the graph or not, from the step where it is made."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from explain.test_bad_input import run
from explain.test_ledger import told
from explain.test_odd_programs import recorded

import rushlight as torch
from rushlight.explain import page, terminal
from rushlight.explain.folding import Board
from rushlight.explain.listing import listing
from rushlight.explain.states import States
from rushlight.explain.steps import Steps

PROGRAM = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
idle = torch.tensor([7.0])
xs = torch.ones(3, 2)
for step in range(4):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= w.grad / 4
    w.grad = None
    kept = loss.detach()
J, = torch.autograd.grad(w * 3, w, torch.eye(2), is_grads_batched=True)
each = torch.func.vmap(torch.func.grad(lambda w, x: (w * x).sum()), (None, 0))(w, xs)
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "a.py").write_text(PROGRAM)
    done = run(folder, "-m", "rushlight", "explain", "-o", "out.json", "a.py")
    assert done.returncode == 0, done.stderr
    return recorded(folder)


def test_every_name_of_a_program_has_its_last_value_in_its_line(recording: dict[str, object]) -> None:
    lines = terminal.render(recording).split("\n\n")[0]
    told = {
        line: re.findall(r"(\S+) = (\[[^\]]*\]|[\d.]+)", text)
        for line, text in re.findall(r"^ +(\d+)  (.*(?:\n {8}.*)*)", lines, re.M)
    }
    assert told["3"][-1] == ("idle", "[7]")
    assert told["4"][-1] == ("xs", "[1 1; 1 1; 1 1]")
    assert told["9"][-1] == ("w·4", "[0.0625 0.125]")
    assert told["11"][-1] == ("kept₄", "0.07812")
    assert told["12"][-1] == ("J", "[3 0; 0 3]")
    assert told["13"][-1] == ("each", "[1 1; 1 1; 1 1]")


def test_a_page_shows_them_from_their_step_on(recording: dict[str, object]) -> None:
    html = page.render(recording)
    lines = dict(re.findall(r'<div class="ln[ d\d]*"><i>(\d+)</i>(.*?)</div>', html))
    idle, written = lines["3"], lines["9"]
    assert "idle = [7]" in re.sub(r"<[^>]+>", "", idle.split("<p>")[1]) and "data-f" not in idle.split("<p>")[1]
    seen = re.findall(r'data-f="(\d+)"(?: data-t="(\d+)")?><span class="fw">(\S+) =', written)
    assert [name for _, _, name in seen] == ["w·1", "w·2", "w·4"]  # of many the first two and the last
    assert all(int(last) == int(later) for (_, last, _), (later, _, _) in pairwise(seen))
    assert seen[-1][1] == ""
    steps = html.count('class="step')
    assert all(1 < int(first) <= steps for first, _, _ in seen)


def test_a_value_stands_behind_a_long_name(tmp_path) -> None:
    name = "a_name_of_" + "eighty_" * 10
    recording = told(f"{name} = torch.ones(2, requires_grad=True)\n{name}.sum().backward()\n", tmp_path)
    found = re.findall(r'<span class="[fb]w">([^<]+) = ([^<]+)', page.render(recording))
    assert [value for _, value in found] == ["[1 1]", "[1 1]"] and all(len(short) <= 26 for short, _ in found)


def test_who_gives_gradients_back_is_called_as_the_program_calls_it(recording: dict[str, object]) -> None:
    text = " ".join(terminal.render(recording, "en", [1, 5, 6]).split())
    assert "autograd.grad at line 12" in text and "autograd.grad gives these back" in text
    assert "func.grad at line 13" in text and "func.grad gives these back" in text
    assert text.count("is_grads_batched: each row of v") == text.count("vmap: all examples go through together") == 1
    chinese = terminal.render(recording, "zh", [6])
    assert "func.grad" in chinese and "vmap：所有样本一起进行" in chinese


def test_a_line_shows_what_it_made_also_when_that_is_written_later() -> None:
    with torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        kept = torch.zeros(2)
        kept[0] = 5.0
        (x * kept).sum().backward()
    notes = re.findall(
        r"(kept(?:·1)?) = (\[[^\]]*\])", listing(States(Steps(Board(story.recording))), story.recording["sources"][0])
    )
    assert notes == [("kept", "[0 0]"), ("kept·1", "[5 0]")]
