"""What beginners' programs look like: cards that hang together as the program does, in a graph that fits its column."""

import pytest
from explain.beginners import ERRORS, PROGRAMS
from explain.test_ledger import told

from rushlight.explain import page, terminal
from rushlight.explain.board_lines import notes_of
from rushlight.explain.columns import width
from rushlight.explain.drawing import Drawing
from rushlight.explain.folding import Board
from rushlight.explain.states import States
from rushlight.explain.steps import Steps

COLUMN = 930  # pixels: what is this wide is drawn at three quarters in the column of a window of 1,600


def links(board):
    """By names or expressions: which card uses which."""
    called = [card.name or (card.caption.en if card.caption else card.text) for card in board.cards]
    return {(called[edge.source], called[edge.target], edge.wanted) for edge in board.edges}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_fits_its_column(beginners, name):
    drawing = Drawing(States(Steps(Board(beginners[name]))), None)
    assert drawing.body()[1] <= COLUMN


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_line_fits_80_columns(beginners, name):
    for lang in ("en", "zh"):
        assert not [line for line in terminal.render(beginners[name], lang).splitlines() if width(line) > 80]


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_told_at_its_line(beginners, name):
    recording = beginners[name]
    (error,) = (event for event in recording["events"] if event["kind"] == "error")
    assert recording["places"][error["place"]]["statement"] == ERRORS[name]
    steps = Steps(Board(recording))
    assert steps.all[steps.opening - 1].kind == "error"


def test_nothing_is_said_to_have_passed_where_no_pass_ran(beginners):
    text = terminal.render(beginners["leaf_written"])
    assert "made by an operation (line 4)" in text and "passes through" not in text and "No backward pass ran;" in text


def test_a_hook_and_a_reset_are_told_by_the_programs_names(beginners):
    titles = [step.title.plain("en") for step in Steps(Board(beginners["hooks"])).all]
    assert [one for one in titles if "hook" in one] == [
        "A hook on y · line 5 y.register_hook(lambda grad: grad.clamp(max=1.0))",
        'A hook on x · line 6 x.register_hook(lambda grad: print("arrived at x:", grad))',
    ]
    titles = [step.title.plain("en") for step in Steps(Board(beginners["line"])).all]
    assert "w.grad is set by the program · line 16 w.grad = None" in titles


def test_a_value_stands_under_the_line_that_binds_its_own_name(beginners):
    notes = notes_of(Board(beginners["pictures"]), 0)
    assert {note.name for note in notes[24]} == {"images", "labels"}


def test_a_function_of_the_programs_own_is_one_card_with_what_uses_it(beginners):
    board = Board(beginners["own_function"])
    assert links(board) == {("x", "y", True), ("y", "y.sum()", True)}
    (forward, *_) = Steps(board).all
    assert forward.title.plain("en") == "Forward · line 17 Cube.apply(x)"
    assert "CubeBackward" in forward.parts[1].said.plain("en")


def test_results_of_one_function_are_one_card_behind_what_they_are_made_of(beginners):
    board = Board(beginners["two_results"])
    assert links(board) == {
        ("x", "doubled", False), ("doubled", "a", False), ("x", "a", True), ("a", "c", True), ("a", "c * b", True),
        ("c", "c * b", True), ("c * b", "d", True),
    }  # fmt: skip
    card = next(card for card in board.cards if card.name == "a")
    assert [board.label(one) for one in card.others] == ["b"]


def test_what_a_loop_runs_over_is_a_card_and_each_round_has_its_own(beginners):
    board = Board(beginners["recurrent"])
    rows = next(card for card in board.cards if card.text == "for x in xs")
    assert [board.label(one) for one in (rows.tensor, *rows.others)] == ["x₁", "x₂", "x₃", "x₄", "x₅", "x₆"]
    assert board.tagged(rows)
    assert [board.called(edge) for edge in board.edges if edge.source == rows.id] == ["x₁", "x₂", "x₃", "x₄", "x₅", "x₆"]


def test_rounds_of_training_stand_beside_or_below_each_other(beginners):
    drawing = Drawing(States(Steps(Board(beginners["line"]))), None)
    losses = [drawing.corner[card.id] for card in drawing.board.cards if card.name.startswith("loss")]
    assert losses[0][1] == losses[1][1] < losses[2][1] and losses[0][0] < losses[1][0]
    assert {drawing.board.cards[one].name for one in drawing.tagged} == {"w", "b", "x", "t"}


def test_a_page_opens_where_the_first_pass_is_over(beginners):
    for name in PROGRAMS.keys() - ERRORS.keys():
        steps = Steps(Board(beginners[name]))
        assert steps.all[steps.opening - 1].kind in ("leaf", "end")
        assert steps.all[steps.opening - 1].number == 0
        assert f'data-open="{steps.opening}"' in page.render(beginners[name])


def test_matrices_of_folded_rounds_have_names(beginners):
    html = page.render(beginners["steps_too_long"])
    assert html.count("J of ((w * x - 1) ** 2).sum()<") == 4
    assert "J of <" not in html and "2 further passes" in html
    assert "1 further pass<" in page.render(beginners["xor"])


def test_leaves_of_a_wide_matrix_stand_in_the_order_of_the_program(beginners):
    html = page.render(beginners["xor"])
    heads = [one.split("</th>")[0].rsplit(">", 1)[1] for one in html.split('<th scope="colgroup"')[1:]]
    assert heads[:4] == ["net[0].weight", "net[0].bias", "net[2].weight", "net[2].bias"]


def test_what_a_round_takes_of_the_data_is_seen_from_its_own_step_on(tmp_path):
    text = (
        "w = torch.ones(2, requires_grad=True)\nX = torch.arange(8.0)\nfor i in range(0, 8, 2):\n    xb = X[i : i + 2]\n"
        "    (xb * w).sum().backward()\n"
    )
    states = States(Steps(Board(told(text, tmp_path))))
    cards = [card for card in states.board.cards if card.name.startswith("xb")]
    first = [states.cards[card.id].values[0].first for card in cards]
    assert [card.name for card in cards] == ["xb₁", "xb₂", "xb₃", "xb₄"]
    assert first == sorted(set(first)) and first[1] > 3


def test_a_folded_module_has_one_tag_for_its_own_parameters(beginners):
    html = page.render(beginners["blocks"])
    assert html.count('<tspan class="en">6 parameters</tspan>') == html.count("6 个参数") == 18  # of six blocks in three rounds
    assert html.count('class="nm">net[0].norm.weight</text>') == 1  # its card, with the value
