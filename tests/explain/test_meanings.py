"""Every function that a rule's text calls is one that a reader knows, or a clause beside it says what it is."""

import builtins
import itertools
import re

import numpy as np
import pytest

import rushlight as torch
from rushlight.explain import page, terminal
from rushlight.explain.meanings import KNOWN, MEANINGS, functions_in, meanings
from rushlight.explain.rules import form_of
from rushlight.ops.table import table

SPACES = (torch, torch.nn.functional, torch.linalg, torch.special, torch.Tensor, np, np.linalg, builtins)
OF_MATHEMATICS = {"gamma", "matrix_exp"}
# What a text depends on, with all that it may be.
GIVEN = {
    "reduction": ["mean", "sum", "none"], "ord": [3, 0, 1, 2, float("inf")], "left": [True, False], "upper": [False, True],
    "exponent": [3, 0], "transposed": [False, True], "accumulate": [False, True], "p": [2, 0, 1, 3], "sparse": [False],
    "onesided": [True, False], "indices": [(0,), ()], "is_causal": [False, True], "weight": [True],
    "reduce": ["amax", "sum", "prod", "mean"], "include_self": [True, False], "reverse": [False, True], "transpose": [False, True],
    "unitriangular": [False, True], "adjoint": [False, True], "backwards": [False, True], "mode": ["mean", "max", "sum"],
    "but": [-1, 2], "by_frequency": [False, True], "is_complex": [False, True], "pos_weight": [None, True], "scales": [None, True],
    "keepdims": [False, True],
}  # fmt: skip


def all_texts():
    usual = {name: values[0] for name, values in GIVEN.items() if values[0] is not None}
    changes = [{name: one} for name, values in GIVEN.items() for one in values]
    changes += [{"reduce": one, "include_self": False} for one in GIVEN["reduce"]]
    for name, op in table.items():
        if not name.startswith("test_"):
            for source, change in itertools.product(op.sources, changes):
                text, kind = form_of(op, source, {**dict(op.params), **usual, **change})
                if kind in ("given", "rule"):
                    yield f"{name}.{source}", text


@pytest.fixture(scope="module")
def called():
    """The functions, with a rule that each is in."""
    return {word: where for where, text in all_texts() for word in functions_in(text)}


def test_each_function_is_known_or_explained(called):
    assert len(called) > 150
    assert {word: where for word, where in called.items() if word not in KNOWN and word not in MEANINGS} == {}


def test_what_is_known_is_public_and_what_is_explained_is_used(called):
    assert {word for word in KNOWN if not any(hasattr(one, word) for one in SPACES)} <= OF_MATHEMATICS
    assert KNOWN.isdisjoint(MEANINGS)
    assert {word for word in MEANINGS if word not in called and not re.match("interpolate_(linear|cubic)", word)} == set()


def test_each_clause_names_its_function_in_both_languages():
    for word, said in MEANINGS.items():
        for text in said:
            assert text.startswith(f"`{word}") and text.count("`") % 2 == 0, word
        assert re.search("[一-鿿]", said[1]), word


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("place(g, 0, 0)", "[0]"),
        ("place(g, 1, -1)", "[:, -1]"),
        ("place(g_, 0, slice(0, 2, 1))", "[0:2]"),
        ("place(g, 2, slice(1, 7, 3)) * y", "[:, :, 1:7:3]"),
    ],
)
def test_a_place_is_said_as_one_would_write_it(text, at):
    (said,) = meanings("place(g, axis, index)", text)
    assert said.plain("en") == f"place puts g into zeros at {at}"


def test_a_function_of_the_users_own_is_not_explained():
    assert meanings("g * y", "g * place(x)") == []


def test_a_story_says_it_beside_the_rule():
    with torch.explain() as story:
        x = torch.arange(4.0).requires_grad_()
        (x[0:2] * x[1:3]).sum().backward()
        x[2].backward()
    text = terminal.render(story.recording)
    lines = text.splitlines()
    (first,) = (at for at, line in enumerate(lines) if line.endswith("place puts g into zeros at [0:2]"))
    assert any("place(g, 0, slice(0, 2, 1))" in line for line in lines[first - 3 : first])
    assert text.count("into zeros at [1:3]") == text.count("into zeros at [2]") == 1
    assert "<code>place</code> puts g into zeros at <code>[1:3]</code>" in page.render(story.recording)
    assert "全零张量的 [2]" in terminal.render(story.recording, "zh")
    assert "place puts g into zeros at [0:2]" in str(torch.explain(x[0:2].sum()))
