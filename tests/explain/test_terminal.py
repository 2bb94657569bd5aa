"""The story as text."""

import copy
import io
import re

import pytest
from explain.long_loop import loop

import rushlight as torch
from rushlight.explain.columns import WIDTH, fitted, narrowed, width, wrapped
from rushlight.explain.story import Story
from rushlight.explain.terminal import render


def test_it_is_the_text_that_the_design_shows(tutorial):
    text = render(tutorial)
    for line in (
        "   4  y = x + 2                                y = [3 3; 3 3]       AddBackward0",
        "backward at line 7: out.backward()",
        "  starts at out with ∂out/∂out = 1",
        "  ├─ z.mean()                            MeanBackward0  g = 1",
        "  │     to z: g / n = [0.25 0.25; 0.25 0.25]",
        "  └─ x.grad: None → [4.5 4.5; 4.5 4.5]",
    ):
        assert line in text.splitlines(), line
    assert "to y: g * y = [2.25 2.25; 2.25 2.25]   no. 2, together" in text
    assert "Not a leaf: made by an operation (lines 4, 5, 6)" in text


def test_every_line_fits_80_columns_in_both_languages(recording):
    for lang in ("en", "zh"):
        text = render(recording, lang)
        assert max(width(line) for line in text.splitlines()) <= WIDTH
        assert text == render(copy.deepcopy(recording), lang)


def test_long_texts_and_values_are_wrapped_not_lost(tutorial):
    tutorial["sources"][0]["lines"][3] = "y = x + 2  # " + "长" * 90
    tutorial["tensors"][1]["value"] = {"shape": [8], "dtype": "float32", "data": [-1.2345e-30] * 8}
    text = render(tutorial)
    assert max(width(line) for line in text.splitlines()) <= WIDTH
    assert text.count("长") == 90


def test_no_line_begins_with_what_closes_a_sentence():
    for columns in range(20, 40):
        lines = wrapped("梯度，属于（那个）叶子张量。结果：" * 3, "  ", "    ", columns)
        assert not [line for line in lines if line.strip()[0] in "，。：）"] and max(map(width, lines)) <= columns


def test_a_view_whose_base_was_written_to_is_called_by_its_name():
    with torch.explain() as story:
        a = torch.ones(4, requires_grad=True)
        c = a * 2
        b = c[:2]
        c.mul_(3)
        (b * b).sum().backward()
        with torch.no_grad():
            a.data = a * 2
    text = str(story)
    assert "├─ b·1 after c.mul_(3)                 AsStridedBackward0" in text
    assert "a.data = a * 2" in text[text.index("a.grad: None") :]


def test_an_error_stands_where_it_happens(twice):
    text = render(twice)
    assert text.index("backward at line 14") < text.index("└─ Stops here: RuntimeError")
    assert "在这里出错停止：RuntimeError" in render(twice, "zh")


def test_a_long_loop_is_folded():
    text = render(loop(500))
    assert "rounds 3 to 499 of 500" in text
    assert len(text.splitlines()) < 60


def test_a_recording_of_nothing(tutorial):
    for name in ("sources", "places", "tensors", "nodes", "events", "jacobians", "ledger"):
        tutorial[name] = []
    assert render(tutorial) == "Nothing was recorded.\n"


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_narrow_terminal_has_all_of_it(recording, lang, columns):
    whole = render(recording, lang)
    narrow = narrowed(whole, columns)
    assert not [line for line in narrow.splitlines() if width(line) > columns]
    assert re.sub("[ \n│├└─]", "", narrow) == re.sub("[ \n│├└─]", "", whole)
    assert narrowed(whole, 80) == whole
    assert not [line for line in render(recording, lang, columns=columns).splitlines() if width(line) > columns]


def test_the_ledger_keeps_its_column_in_a_narrow_terminal(tutorial):
    assert render(tutorial, columns=50).splitlines()[-5:] == [
        "  y, z, out  None  Not a leaf: made by an",
        "             operation (lines 4, 5, 6). The",
        "             gradient passes through and is not",
        "             kept; .retain_grad() before backward",
        "             keeps it.",
    ]


def test_an_output_without_the_signs_gets_letters(tutorial, monkeypatch):
    story = Story()
    story.recording = tutorial
    for encoding in ("ascii", "latin-1", "gbk"):
        out = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr("sys.stdout", out)
        story.show()
        out.seek(0)
        text = out.read()
        assert "\n  starts at out with dout/dout = 1\n" in text and text.count("?") == 1  # "... and why is one None?"
    assert "└─ x.grad: None → [4.5" in text


def test_a_product_of_batches_tells_its_rule_and_not_the_views_around_it():
    with torch.explain() as story:
        att, v = torch.ones(1, 2, 3, requires_grad=True), torch.ones(1, 3, 4, requires_grad=True)
        (att @ v).sum().backward()
    text = str(story)
    assert "to att: g @ v.T = " in text and "to v: att.T @ g = " in text
    assert "to att: g = " in text  # where the views ran, behind v.grad


def test_columns():
    assert (width("∂y"), width("叶子"), fitted("abcdef", 4)) == (2, 4, "abc…")
    assert all(width(line) <= WIDTH for line in wrapped("x" * 500, "  ", "    "))


def test_the_last_of_a_pass_alone_closes_its_branch():
    with torch.explain() as story:
        x = torch.tensor(3.0, requires_grad=True)
        torch.autograd.grad(x**2, x, create_graph=True)
    lines = render(story.recording).splitlines()
    branches = [line[2] for line in lines if line[2:3] in ("├", "└")]
    assert branches == ["├", "├", "└"]


def test_many_nodes_of_one_call_tell_what_leaves_the_call():
    with torch.explain() as story:
        cell = torch.nn.LSTMCell(2, 2)
        h, c = cell(torch.ones(1, 2))
        (h * c).sum().backward()
    text = render(story.recording)
    assert "more values are sent within it" in text
    assert "to cell.weight_ih: g.T = " in text


def test_a_rule_deep_in_a_call_says_what_arrived_there():
    with torch.explain() as story:
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        (slope,) = torch.autograd.grad(x[0] ** 2, x, create_graph=True)
        slope.sum().backward()
    text = str(story)
    assert "g = [1 1]" in text and "to x[0]: g * x[0] ** 0 = 2   with g = 2" in text


def test_what_has_no_text_is_called_by_its_name():
    names = {"torch": torch}
    exec(
        "with torch.explain() as story:\n    x = torch.ones(2, requires_grad=True)\n    y = x.clamp(0, 1)\n    y.sum().backward()",
        names,
    )
    assert re.search(r"─ y +ClampBackward1", str(names["story"]))
