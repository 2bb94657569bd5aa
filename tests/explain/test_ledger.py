"""Why each `.grad` is what it is: every reason told apart, with the line that is the reason."""

import contextlib
import textwrap

import pytest
from explain.ledger_programs import CASES
from explain.more_ledger_programs import MORE_CASES, NOT_LOST

import rushlight as torch
from rushlight.explain.words import TABLE


def told(text, folder, expect_error=False):
    """The recording of a program's text."""
    path = folder / "program.py"
    path.write_text("with story:\n" + textwrap.indent(text, "    ") + "\n")
    names = {"torch": torch, "story": torch.explain()}
    with pytest.raises(RuntimeError) if expect_error else contextlib.nullcontext():
        exec(compile(path.read_text(), str(path), "exec"), names)
    assert not names["story"]._recording.failures
    return names["story"].recording


ALL = CASES | MORE_CASES


@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
@pytest.mark.parametrize("case", ALL)
def test_why_a_grad_is_what_it_is(case, tmp_path):
    text, name, code, statement = ALL[case]
    recording = told(text, tmp_path, code == "error" or "error of" in case)
    (row,) = (one for one in recording["ledger"] if one["name"] == name)
    place = None if row["place"] is None else recording["places"][row["place"]]["statement"]
    assert (row["why"], place) == (code, statement)
    assert (row["grad"] is None) == (not code.startswith(("accumulated", "retained", "assigned")) or code == "retained_late")


@pytest.mark.parametrize("text", NOT_LOST)
def test_what_only_looks_lost_is_not_called_so(text, tmp_path):
    recording = told(text, tmp_path)
    assert [row["why"] for row in recording["ledger"] if row["name"] == "x"] == ["not_reached"]


def test_every_reason_has_a_program_and_words():
    assert len(ALL) == len(CASES) + len(MORE_CASES)
    codes = {code for _, _, code, _ in ALL.values()}
    assert {key.removeprefix("why ") for key in TABLE if key.startswith("why ")} == codes


def test_a_reset_is_an_event_with_its_line(tmp_path):
    recording = told(CASES["set to None and come again"][0], tmp_path)
    (event,) = (one for one in recording["events"] if one["kind"] == "reset")
    assert recording["places"][event["place"]]["statement"] == "x.grad = None"
    assert event["to"] is None
    leaves = [one for one in recording["events"] if one["kind"] == "leaf"]
    assert [one["before"] for one in leaves] == [None, None]


def test_data_written_begins_a_new_life(tmp_path):
    recording = told("x = torch.ones(2, requires_grad=True)\nx * 1\nx.data = x.data * 0.5", tmp_path)
    (write,) = (one for one in recording["events"] if one["kind"] == "write")
    assert recording["tensors"][write["tensor"]]["value"]["data"] == [0.5, 0.5]
    assert recording["tensors"][write["tensor"]]["requires_grad"]
