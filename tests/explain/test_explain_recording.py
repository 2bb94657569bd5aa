"""What explain records: values, contributions, names, lives, rules, errors, the ledger."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from explain.processes import forked

import rushlight as torch
from rushlight.autograd import interpreters
from rushlight.explain import page, terminal
from rushlight.explain.numerals import brief
from rushlight.explain.story import Story
from rushlight.explain.words import say

ROOT = Path(__file__).parents[2]


def kinds(story: Any) -> list[str]:
    return [event["kind"] for event in story.recording["events"]]


def why(story: Any) -> dict[str, str]:
    return {row["name"]: row["why"] for row in story.recording["ledger"]}


def test_tutorial() -> None:
    with torch.explain() as story:
        x = torch.ones(2, 2, requires_grad=True)
        y = x + 2
        z = y * y * 3
        out = z.mean()
        out.backward()
    recording = story.recording
    assert kinds(story) == ["op"] * 4 + ["backward", "run", "run", "run", "run", "leaf", "end"]
    square = next(
        node for node in recording["nodes"] if node["inputs"] and recording["places"][node["place"]]["text"] == "y * y"
    )
    assert [rule["text"] for rule in square["rules"]] == ["g * y", "g * y"]
    run = next(event for event in recording["events"] if event["kind"] == "run" and event["node"] == square["id"])
    assert [(one["number"], one["sum"]["data"][0][0]) for one in run["sent"]] == [(1, 2.25), (2, 4.5)]
    assert recording["jacobians"][0]["J"] == [[4.5] * 4]
    leaf = next(event for event in recording["events"] if event["kind"] == "leaf")
    assert (leaf["before"], leaf["after"]["data"]) == (None, [[4.5, 4.5], [4.5, 4.5]])
    assert why(story) == {"x": "accumulated", "y": "not_leaf", "z": "not_leaf", "out": "not_leaf"}
    assert not story._recording.failures
    json.dumps(recording, allow_nan=False)


def test_lives_and_jacobian_through_writes() -> None:
    with torch.explain() as story:
        m = torch.tensor([[2.0, 3.0]], requires_grad=True)
        n = torch.zeros(1, 2)
        n[0, 0] = m[0, 0] ** 2
        n[0, 1] = m[0, 1] ** 3
        n.backward(torch.tensor([[0.0, 1.0]]))
    labels = [tensor["label"] for tensor in story.recording["tensors"] if any(one["name"] == "n" for one in tensor["names"])]
    assert labels == ["n", "n.1", "n.2"]
    (found,) = story.recording["jacobians"]
    assert (found["v"], found["J"], found["vJ"]) == ([0.0, 1.0], [[4.0, 0.0], [0.0, 27.0]], [0.0, 27.0])


def test_ledger_tells_reasons_apart() -> None:
    with torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        plain = torch.ones(2)
        left = torch.ones(2, requires_grad=True)
        unused = torch.ones(2, requires_grad=True)
        unused * 1
        w = torch.ones(2, requires_grad=True) * 0.1
        with torch.no_grad():
            cut = x * 2  # noqa: F841 (the ledger finds it by name)
        kept = x * plain
        kept.retain_grad()
        (kept * w * left).sum().backward()
    assert why(story) | {"left": ""} == {
        "x": "accumulated", "plain": "no_requires_grad", "left": "", "unused": "not_reached", "w": "unnamed_leaf",
        "cut": "no_grad", "kept": "retained",
    }  # fmt: skip


def test_grad_gave_it_back() -> None:
    with torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        (g,) = torch.autograd.grad((x * x).sum(), x)
    assert g.tolist() == [2, 2]
    assert why(story)["x"] == "returned"


def test_left_out_by_inputs() -> None:
    with torch.explain() as story:
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        (a * b).sum().backward(inputs=[a])
    assert {name: why(story)[name] for name in "ab"} == {"a": "accumulated", "b": "left_out"}


def test_hook_shows_what_it_changed() -> None:
    with torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        y = x * 3
        y.register_hook(lambda g: g * 10)
        y.sum().backward()
    (hook,) = (event for event in story.recording["events"] if event["kind"] == "hook")
    assert (hook["before"]["data"], hook["after"]["data"], hook["changed"]) == ([1.0, 1.0], [10.0, 10.0], True)


def test_error_stands_at_its_node() -> None:
    story = torch.explain()
    with pytest.raises(RuntimeError, match="second time"), story:
        x = torch.ones(2, requires_grad=True)
        y = x.exp().sum()
        y.backward()
        y.backward()
    error = story.recording["events"][-1]
    assert error["kind"] == "error"
    assert story.recording["nodes"][error["node"]]["name"] == "ExpBackward0"


def test_reading_a_graph_leaves_it_whole() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = (x * x).sum()
    story = torch.explain(out)
    assert x.grad is None
    assert story.recording["jacobians"][0]["vJ"] == [2.0, 4.0]
    out.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_nothing_stays_behind() -> None:
    before = list(interpreters.stack.interpreters)
    with torch.explain():
        torch.ones(2) + 1
    assert list(interpreters.stack.interpreters) == before


def consistent(recording: dict[str, Any]) -> None:
    """Numbers are positions, and what they name is there."""
    for kind in ("tensors", "nodes", "places"):
        assert [one["id"] for one in recording[kind]] == list(range(len(recording[kind])))
    assert [event["n"] for event in recording["events"]] == list(range(len(recording["events"])))
    tensors, nodes = range(len(recording["tensors"])), range(len(recording["nodes"]))
    for event in recording["events"]:
        for number in (*(event.get("inputs") or ()), *(event.get("outputs") or ())):
            assert number is None or number in tensors
        assert event.get("node") is None or event["node"] in nodes
    for entry in recording["tensors"]:
        assert entry["identity"] in tensors and recording["tensors"][entry["identity"]]["identity"] == entry["identity"]
        assert all(0 <= name["at"] <= len(recording["events"]) for name in entry["names"])
    for node in recording["nodes"]:
        assert all(edge is None or edge["node"] is None or edge["node"] in nodes for edge in node["edges"])
        assert all(number in tensors for number in node["outputs"])


def test_of_a_long_program_the_first_and_the_last_events_are_kept() -> None:
    x = torch.ones(2, requires_grad=True)
    with Story(limit=2_000) as story:
        (x * 2).sum().backward()
        for number in range(9):
            x.grad = None
            y = x
            for _ in range(150):
                y = y * (1 + number / 100)
            y.sum().backward()
    recording = story.recording
    consistent(recording)
    assert not story._recording.failures
    limits, events = recording["limits"], recording["events"]
    assert len(events) <= limits["events"]
    assert limits["seen"]["op"] == 2 + 9 * 151 and limits["seen"]["backward"] == 10 and limits["seen"]["run"] == 2 + 9 * 151
    assert len(events) + limits["left_out"] == sum(limits["seen"].values())
    passes = [event["pass"] for event in events if event["kind"] == "backward"]
    assert passes[:3] == [0, 1, 2] and passes[-1] == 9
    last = [event for event in events if event["pass"] == 9]
    assert sum(event["kind"] == "run" for event in last) == 151  # the whole of it
    assert [event["kind"] for event in last[-2:]] == ["leaf", "end"]
    assert x.grad is not None and last[-2]["after"]["data"] == x.grad.tolist()
    assert why(story)["x"] == "accumulated"
    told = " ".join(terminal.render(recording).split())
    assert f"{limits['left_out']} operations and nodes in the middle were left out" in told
    assert "of 10" in told and f"x.grad: None → {brief(last[-2]['after']).en}" in told
    assert f"operations: {2 + 9 * 151} · backward passes: 10 · nodes run: {2 + 9 * 151}" in page.render(recording)


def test_of_a_very_long_program_the_last_pass_is_told_as_a_whole() -> None:
    x = torch.ones(2, requires_grad=True)
    with Story(limit=500) as story:
        for number in range(40):
            x.grad = None
            y = x
            for _ in range(60):
                y = y * (1 + number / 100)
            y.sum().backward()
    recording = story.recording
    consistent(recording)
    assert not story._recording.failures
    limits, events = recording["limits"], recording["events"]
    assert len(events) + limits["left_out"] == sum(limits["seen"].values())
    assert limits["seen"]["backward"] == 40 and limits["seen"]["run"] == limits["seen"]["op"] == 40 * 61
    last = [event for event in events if event["pass"] == 39]
    assert [event["kind"] for event in last] == ["backward", "leaf", "end"]
    assert x.grad is not None and last[1]["after"]["data"] == x.grad.tolist()
    for lang in ("en", "zh"):
        told = terminal.render(recording, lang)
        assert "".join(say("as a whole").plain(lang).split()) in "".join(told.split())
        assert f"x.grad: None → {brief(last[1]['after']).en}" in told
        assert page.render(recording, lang)


def test_of_a_pass_that_is_too_long_the_beginning_and_the_end_are_kept() -> None:
    x = torch.ones(2, requires_grad=True)
    with Story(limit=1_000) as story:
        y = x
        for _ in range(1_200):
            y = y + 1
        y.sum().backward()
    consistent(story.recording)
    events = story.recording["events"]
    kinds = [event["kind"] for event in events if event["pass"] == 0]
    assert kinds[0] == "backward" and kinds[-2:] == ["leaf", "end"]
    assert terminal.render(story.recording) and page.render(story.recording)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = forked(folder, *words)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)\n", "1 / 0\n", "raise KeyboardInterrupt\n", "not python\n"])
def test_program_ends_as_without_it(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.py").write_text("import sys\nprint('hello', sys.argv)\n" + ending)
    plain, explained = run(tmp_path, "a.py", "-x"), run(tmp_path, "explain", "-o", "a.json", "a.py", "-x")
    assert (explained.stdout, explained.stderr, explained.returncode) == (plain.stdout, plain.stderr, plain.returncode)
    program = json.loads((tmp_path / "a.json").read_text())["program"]
    assert program["arguments"] == ["-x"]
    assert (program["error"] is None) == (ending in ("", "raise SystemExit(3)\n"))


def test_the_command_that_pip_installs_is_no_part_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n")
    (tmp_path / "command").write_text(
        "import sys\nfrom rushlight.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "command", "explain", "-o", "a.txt", "a.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
    assert "rushlight.__main__" not in done.stdout
    assert done.stdout == run(tmp_path, "explain", "-o", "b.txt", "a.py").stdout
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()


def test_output_that_cannot_be_written_comes_first(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print('ran')\n")
    for path in ("no/such/a.json", "a.doc"):
        done = run(tmp_path, "explain", "-o", path, "a.py")
        assert (done.stdout, done.returncode) == ("", 1)
        assert "rushlight explain: " in done.stderr


def test_missing_script(tmp_path: Path) -> None:
    done = run(tmp_path, "explain", "-o", "a.json", "missing.py")
    assert done.returncode == run(tmp_path, "missing.py").returncode == 2
    assert json.loads((tmp_path / "a.json").read_text())["program"]["error"]["type"] == "FileNotFoundError"


def test_a_script_that_is_not_python_is_shown_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nnot (python\n")
    assert run(tmp_path, "explain", "-o", "a.json", "-o", "a.html", "a.py").returncode == 1
    recording = json.loads((tmp_path / "a.json").read_text())
    error = recording["program"]["error"]
    assert (error["type"], recording["places"][error["place"]]["line"]) == ("SyntaxError", 2)
    assert "Stops here" in (tmp_path / "a.html").read_text()


def test_a_program_that_is_interrupted_has_its_page_up_to_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import signal, time, torch\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's job in the background begins without it
        "x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "rushlight", "explain", "-o", "a.json", "a.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(300) in (130, -signal.SIGINT)
    recording = json.loads((tmp_path / "a.json").read_text())
    assert recording["program"]["error"]["type"] == "KeyboardInterrupt"
    assert [event["kind"] for event in recording["events"]][-2:] == ["end", "error"]


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\ntorch.ones(2, requires_grad=True).sum().backward()\n" + "# long\n" * 20000)
    command = [sys.executable, "-m", "rushlight", "explain", "a.py"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(300)) == (b"", 0)
    assert (tmp_path / "a.explain.html").exists()


def test_explain_alone_says_how_it_is_called(tmp_path: Path) -> None:
    done = run(tmp_path, "explain")
    assert (done.stdout, done.returncode) == ("", 2)
    assert "usage: rushlight explain" in done.stderr and "script" in done.stderr


@pytest.mark.parametrize("passes", ["0", "second", "", "1,,2"])
def test_passes_that_are_none(tmp_path: Path, passes: str) -> None:
    (tmp_path / "a.py").write_text("print('ran')\n")
    done = run(tmp_path, "explain", "--passes", passes, "a.py")
    assert (done.stdout, done.returncode) == ("", 2)
    assert "--passes" in done.stderr
    assert not (tmp_path / "a.explain.html").exists()
