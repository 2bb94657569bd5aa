"""What the ledger says of programs as they are asked about in forums, with the line, in both languages."""

import re

import pytest
from explain.forum_programs import FORUM

from rushlight.explain import terminal
from rushlight.explain.folding import Board
from rushlight.explain.ledger_words import rows_of, why

MARK = re.compile(r"#: (.*)")


def wanted(text):
    """The names that a program marks, each with the code and the line that is the reason."""
    found = {}
    for number, line in enumerate(text.splitlines(), 2):  # behind `import torch`
        mark = MARK.search(line)
        for one in mark[1].split(", ") if mark else ():
            name, code = one.split()
            found[name] = code, None if line.startswith("#:") else number
    return found


@pytest.mark.parametrize("name", FORUM)
def test_the_reason_is_the_one_that_the_program_marks(forum, name):
    recording, places = forum[name], forum[name]["places"]
    rows = {row["name"]: row for row in recording["ledger"]}
    told = {one: (rows[one]["why"], rows[one]["place"]) for one in wanted(FORUM[name])}
    lines = {one: (code, None if place is None else places[place]["line"]) for one, (code, place) in told.items()}
    assert lines == wanted(FORUM[name])


def test_a_decision_is_told_in_both_languages(forum):
    recording = forum["if on value"]
    board = Board(recording)
    (said,) = (why(board, row) for row in rows_of(recording["ledger"]) if row.name == "x")
    assert said.plain("en").startswith("It asks, but its value only decided which lines run: Python read it there (line 4)")
    assert said.plain("zh").startswith("它要求了梯度，但它的值只决定了运行哪些语句：Python 在那里读取了它（第 4 行）")
    assert "a decision is no part of the graph" in " ".join(terminal.render(recording).split())
