"""What steps say of nodes, beside their rules: what one keeps, what a pass itself computes, how views send on, where a leaf was made."""

import re

import pytest
from explain.test_ledger import told

from rushlight.explain import page, terminal
from rushlight.explain.folding import Board
from rushlight.explain.steps import Sentence, Steps

LEAF = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
FUNCTION = (
    "class Own(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        h = x.exp()\n        z = h * 2\n"
    "        ctx.save_for_backward({})\n        return z\n    @staticmethod\n    def backward(ctx, g):\n        return g * 5\n"
)
VIEWS = (
    LEAF + "base = torch.zeros(2)\nbase[:1] = x[:1] * 2\nview = base.view(2, 1)\nbase.clamp_(max=1)\nwith torch.no_grad():\n"
    "    x -= 0.1\nview.sum().backward()\n"
)


def steps_of(text, folder):
    return Steps(Board(told(text, folder)))


def said(step, lang="en"):
    return " ".join([step.title.plain(lang), *(part.said.plain(lang) for part in step.parts if isinstance(part, Sentence))])


def test_numbers_are_not_told_of_as_kept_and_freed(tmp_path):
    steps = steps_of(LEAF + "y = x * 2\ny.sum().backward()\n", tmp_path)
    (forward,) = (said(one) for one in steps.all if one.kind == "forward" and "x * 2" in said(one))
    (backward,) = (said(one) for one in steps.all if one.kind == "run" and "MulBackward0" in said(one))
    assert "keeps no tensor" in forward
    assert "freed" not in backward


@pytest.mark.parametrize(
    ("saved", "kept"), [("x", "x (8 B)"), ("z", "y (8 B)"), ("x, None, z", "x, y (16 B)"), ("h", "h (8 B)"), ("", None)]
)
def test_what_a_function_of_the_programs_own_keeps(tmp_path, saved, kept):
    steps = steps_of(FUNCTION.format(saved) + LEAF + "y = Own.apply(x)\ny.sum().backward()\n", tmp_path)
    (forward,) = (said(one) for one in steps.all if one.kind == "forward" and "OwnBackward" in said(one))
    (backward,) = (said(one) for one in steps.all if one.kind == "run" and "OwnBackward" in said(one))
    assert ("keeps no tensor" if kept is None else f"It keeps {kept}") in forward
    assert ("is freed" in backward) == (kept is not None)


def test_what_a_pass_computes_is_not_called_forward(tmp_path):
    steps = steps_of(FUNCTION.format("x") + LEAF + "Own.apply(x).sum().backward()\n", tmp_path)
    (step,) = (one for one in steps.all if "g * 5" in said(one))
    assert said(step).startswith("Computed in the pass · line")
    assert said(step, "zh").startswith("反向传播中计算")


def test_a_leaf_that_was_written_to_is_lit_where_it_was_made(tmp_path):
    steps = steps_of(VIEWS, tmp_path)
    (step,) = (one for one in steps.all if one.kind == "leaf")
    assert step.place is None  # which no operation did, and the write is not what runs


def test_views_are_told_in_words_and_each_node_once(tmp_path):
    steps = steps_of(VIEWS, tmp_path)
    told_of = {lang: [said(one, lang) for one in steps.all] for lang in ("en", "zh")}
    assert any("CopySlices" in one and "Written through a view" in one for one in told_of["en"])
    assert any("AsStridedBackward0" in one and "A view, after its base was written to" in one for one in told_of["en"])
    assert any("CopySlices" in one and "经由视图写入" in one for one in told_of["zh"])
    assert any("AsStridedBackward0" in one and "基张量被写入之后的视图" in one for one in told_of["zh"])
    assert not any(re.search(r"(ClampBackward1|AsStridedBackward0) → \1", one) for one in told_of["en"])
    (row,) = (one for one in steps.board.recording["ledger"] if one["name"] == "view")
    assert row["why"] == "not_leaf"  # the gradient passes through it


def test_each_matrix_of_a_chain_is_that_of_its_own_expression(tmp_path):
    recording = told(
        "x = torch.tensor(2.0, requires_grad=True)\n(slope,) = torch.autograd.grad(x**3, x, create_graph=True)\nslope.backward()\n",
        tmp_path,
    )
    html = page.render(recording)
    assert "J of x ** 2<" in html
    assert "J of x ** 2 * 3 (1)<" in html and "J of x ** 2 * 3 (2)<" in html  # times 3, and times the 1 of the first pass


def test_no_two_lines_of_a_text_are_empty(tmp_path):
    for text in (LEAF + "y = x * 2\n", LEAF + "(x * x).sum().backward()\n", "a = 1\n"):
        assert "\n\n\n" not in terminal.render(told(text, tmp_path))
