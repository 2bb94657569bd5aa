"""Why each `.grad` is what it is: every reason told apart, with the line that is the reason."""

import contextlib
import textwrap

import pytest
from explain.ledger_programs import CASES

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


@pytest.mark.parametrize("case", CASES)
def test_why_a_grad_is_what_it_is(case, tmp_path):
    text, name, code, statement = CASES[case]
    recording = told(text, tmp_path, code == "error" or "error of" in case)
    (row,) = (one for one in recording["ledger"] if one["name"] == name)
    place = None if row["place"] is None else recording["places"][row["place"]]["statement"]
    assert (row["why"], place) == (code, statement)
    assert (row["grad"] is None) == (code not in ("accumulated", "retained", "assigned"))


def test_every_reason_has_a_program_and_words():
    codes = {code for _, _, code, _ in CASES.values()}
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
