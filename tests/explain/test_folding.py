"""Cards by expression, rounds of loops, passes, modules."""

import linecache

import pytest
from explain.conftest import stored
from explain.long_loop import loop

import rushlight as torch
from rushlight.explain import page, svg
from rushlight.explain.board_lines import sources_of
from rushlight.explain.drawing import Drawing
from rushlight.explain.folding import MOST, Board
from rushlight.explain.states import States
from rushlight.explain.steps import Steps


def titles(board):
    return [card.caption.en if card.caption else " = ".join(filter(None, (card.name, card.text))) for card in board.cards]


def test_a_card_for_each_expression(tutorial):
    board = Board(tutorial)
    assert titles(board) == ["x", "y = x + 2", "y * y", "z = y * y * 3", "out = z.mean()"]
    assert [card.kind for card in board.cards] == ["leaf", "op", "op", "op", "op"]
    assert [(edge.source, edge.target, len(edge.uses)) for edge in board.edges] == [(0, 1, 1), (1, 2, 2), (2, 3, 1), (3, 4, 1)]


def test_several_ops_of_one_expression_are_one_card(jacobian):
    board = Board(jacobian)
    reads = [card for card in board.cards if card.text == "m[0, 0]"]
    assert len(reads) == 1 and len(reads[0].nodes) == 2
    assert [card.name for card in board.cards if card.written] == ["n·1", "n·2"]


def test_an_op_that_its_call_writes_to_is_part_of_the_call():
    """A vector times a matrix is PyTorch's product of matrices, and a squeeze in place of what that made."""
    x, w, b = torch.ones(5), torch.ones(5, 3, requires_grad=True), torch.ones(3)
    with torch.explain() as story:
        z = torch.matmul(x, w) + b
        z.sum().backward()
    board = Board(story.recording)
    assert [title for title in titles(board) if "matmul" in title] == ["torch.matmul(x, w)", "z = torch.matmul(x, w) + b"]
    assert not [title for title in titles(board) if "Backward" in title]


def test_a_view_whose_base_was_written_to_is_one_card_with_the_node_that_it_was_given():
    m = torch.tensor([2.0, 3.0], requires_grad=True)
    with torch.explain() as story:
        n = m * 1
        first, rest = n[0], n[:]
        rest += 1
        out = (n * first).sum()
        out.backward()
    board = Board(story.recording)
    assert not [title for title in titles(board) if "Backward" in title]
    card = next(card for card in board.cards if card.name == "first·1")
    assert [board.cards[edge.source].name for edge in board.edges if edge.target == card.id and edge.wanted] == ["n", "n·1"]
    assert [board.cards[edge.target].text for edge in board.edges if edge.source == card.id and edge.wanted] == ["n * first"]
    arrived = States(Steps(board)).cards[card.id].arrived
    assert [span.value["data"] for span in arrived] == [7.0]


def test_edges_that_a_fold_has_passed_on_are_passed():
    states = States(Steps(Board(loop(40))))
    folds = {card.id for card in states.board.cards if card.kind == "fold"}
    edges = [edge for edge in states.board.edges if edge.target in folds and states.board.cards[edge.source].kind == "op"]
    assert edges and all(use in states.passed for edge in edges for use in edge.uses)
    assert not any(use in states.rides for edge in edges for use in edge.uses)


def test_what_wants_no_gradient_is_data(twice):
    board = Board(twice)
    assert {card.name for card in board.cards if not card.wanted} == {"w"}
    assert all(not edge.wanted for edge in board.edges if board.cards[edge.source].name == "w")


def test_rounds_of_a_loop_are_folded_and_named():
    board = Board(loop(40))
    assert len(board.cards) < MOST
    folds = [card for card in board.cards if card.kind == "fold"]
    assert [(card.caption.en, card.caption.zh, card.count) for card in folds] == [
        ("rounds 3 to 39 of 40", "第 3 到 39 轮，共 40 轮", 74)
    ]
    assert [card.name for card in board.cards if card.kind == "op"] == ["y₁", "y₂", "y₃", "y₄", "y₇₉", "y₈₀"]


def test_few_rounds_are_not_folded():
    board = Board(loop(MOST // 2))
    assert not [card for card in board.cards if card.kind == "fold"]
    assert len(board.cards) == MOST + 1


def test_a_leaf_used_often_is_a_tag():
    board = Board(loop(40))
    assert [card.name for card in board.cards if board.tagged(card)] == ["x"]
    assert not [card for card in Board(loop(2)).cards if Board(loop(2)).tagged(card)]


def test_modules_are_folded_by_their_qualified_names():
    recording = loop(60)
    for node in recording["nodes"][1:]:
        node["stack"] = [node["id"]]  # called from as many lines
        node["place"] = None
        node["op"] = f"op{node['id']}"
        node["module"] = "net.first.a" if node["id"] < 50 else "net.second"
    for event in recording["events"]:
        event["place"] = None
        if event["kind"] == "op":
            event["op"] = f"op{event['node']}"
    captions = [card.caption.en for card in Board(recording).cards if card.kind == "fold"]
    assert captions == ["module net.first.a", "module net.second"]


def test_edges_go_from_earlier_cards_to_later_ones(recording):
    board = Board(recording)
    assert all(edge.source < edge.target for edge in board.edges)
    assert len({(edge.source, edge.target, edge.wanted) for edge in board.edges}) == len(board.edges)
    for tensor, card in board.card_of_tensor.items():
        assert 0 <= card < len(board.cards) and 0 <= tensor < len(board.tensors)


def test_every_node_that_ran_is_in_a_step(recording):
    steps = Steps(Board(recording))
    told = {number for step in steps.all for number in step.events}
    kinds = ("run", "leaf", "error", "hook", "reset", "backward")
    assert told >= {event["n"] for event in recording["events"] if event["kind"] in kinds}


def test_passes_between_are_one_step():
    steps = Steps(Board(loop(3, passes=400)))
    folds = [step for step in steps.all if step.kind == "fold"]
    assert [step.title.en for step in folds] == ["passes 3 to 399 of 400"]
    assert [step.number for step in steps.all if step.kind == "begin"] == [0, 1, 399]


def test_steps_are_bounded():
    steps = Steps(Board(loop(18, passes=5)), most=100)
    assert len(steps.all) == 101
    assert steps.all[50].title.en == "Forward, folded: 126 steps"  # of 36 ops, and five passes of 38 steps


def test_the_parts_of_a_training_loop():
    board = Board(stored("training"))
    fold = next(card for card in board.cards if card.kind == "fold")
    assert fold.caption.en == "rounds 3 to 10 of 11"
    assert [step.title.en for step in Steps(board).all if step.kind == "fold"] == [
        "passes 3 to 10 of 11"  # its rounds begin before the first of them: one step for both
    ]


def test_a_graph_that_was_only_read(tutorial):
    read = {**tutorial, "events": []}
    board = Board(read)
    assert titles(board)[-1] == "out = z.mean()"
    assert [(edge.source, edge.target) for edge in board.edges] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    steps = Steps(board).all
    assert [step.title.plain("en").split()[0] for step in steps] == [
        "MeanBackward0",
        "MulBackward0",
        "MulBackward0",
        "AddBackward0",
    ]
    assert [part.said.plain("en") for part in steps[2].parts] == ["to y: g * y", "to y: g * y"]


@pytest.mark.parametrize(
    ("passes", "folded", "begun"),
    [
        (None, ["passes 3 to 6 of 7"], [0, 1, 6]),
        (["first", 4, "last"], ["passes 2 to 3 of 7", "passes 5 to 6 of 7"], [0, 3, 6]),
        ([1, 2, 3, 4, 5, 6], ["pass 7 of 7"], [0, 1, 2, 3, 4, 5]),
        ([99], ["passes 1 to 7 of 7"], []),
    ],
)
def test_passes_that_are_asked_for_are_shown(passes, folded, begun):
    steps = Steps(Board(loop(2, 7)), passes=passes)
    assert [step.title.en for step in steps.all if step.kind == "fold"] == folded
    assert [step.number for step in steps.all if step.kind == "begin"] == begun


def test_a_graph_that_was_read_shows_the_text_that_it_comes_from():
    """As in a notebook, where every cell is a text of its own."""
    names = {}
    for cell, text in (
        ("cell_1", "import rushlight as torch\nx = torch.ones(2, requires_grad=True)\ny = x * x\n"),
        ("cell_2", "w = torch.ones(2, requires_grad=True)\nstory = torch.explain((w * w).sum())\n"),
    ):
        linecache.cache[cell] = (len(text), None, text.splitlines(True), cell)
        exec(compile(text, cell, "exec"), names)
    board = Board(names["story"].recording)
    assert [one["name"] for one in sources_of(board)] == ["cell_2"]
    assert "cell_1" not in page.render(board.recording) and "operations: 2" in page.render(board.recording)
    assert "x * x" not in str(names["story"])


def test_an_expression_is_one_place_however_warm_python_is(tmp_path):
    """An index in a loop is called from another instruction once Python has seen its kind."""
    path = tmp_path / "warm.py"
    path.write_text("for i in range(30):\n    (x[i % 2 : 2] * w).sum().backward()\n")
    w = torch.ones(1, requires_grad=True)
    with torch.explain() as story:
        exec(compile(path.read_text(), str(path), "exec"), {"x": torch.ones(2), "w": w})
    places = story.recording["places"]
    spans = [(one["line"], one["col"], one["end_col"]) for one in places if one["source"] is not None]
    assert len(spans) == len(set(spans))
    assert "rounds 3 to 29 of 30" in titles(Board(story.recording))


CELL = """
import rushlight as torch
from rushlight import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.inner = nn.LayerNorm(2), nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Linear(2, 2))

    def forward(self, x):
        return x + self.inner(self.norm(x))

cell, head = nn.LSTMCell(2, 3), nn.Linear(3, 1)
net = nn.Sequential(*[Block() for _ in range(4)])
"""


def story_of(tmp_path, name, text):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    with torch.explain() as story:
        exec(compile(text, str(path), "exec"), {})
    return story.recording


def test_a_call_that_binds_two_names_is_one_round(tmp_path):
    loop = "    h, c = cell(x[t], (h, c))\n    losses.append(head(h).pow(2).mean())\n"
    begin = "x, h, c, losses = torch.ones(12, 1, 2), torch.zeros(1, 3), torch.zeros(1, 3), []\nfor t in range(12):\n"
    board = Board(story_of(tmp_path, "cell", CELL + begin + loop + "torch.stack(losses).sum().backward()\n"))
    assert "rounds 3 to 11 of 12" in titles(board)
    assert "h₂ = cell(x[t], (h, c))" in titles(board) and "c₂ = cell(x[t], (h, c))" in titles(board)
    told = [step.title.en for step in Steps(board).all if step.kind == "fold"]
    assert told == ["Forward, folded: rounds 3 to 11 of 12", "Backward, folded: rounds 3 to 11 of 12"]
    assert "6 parameters" in svg.render(board.recording)  # the rounds between have one tag for them


def test_modules_within_a_module_are_folded_with_it(tmp_path):
    text = "for _ in range(2):\n    net(torch.ones(3, 2)).sum().backward()\n"
    board = Board(story_of(tmp_path, "net", CELL + text), most=10)
    assert [one for one in titles(board) if one.startswith("module")] == [f"module net[{at}]" for at in range(4)] * 2


def test_many_parameters_stand_below_the_graph(tmp_path):
    text = "for _ in range(4):\n    net(torch.ones(3, 2)).sum().backward()\n"
    drawn = Drawing(States(Steps(Board(story_of(tmp_path, "net", CELL + text)))), "en")
    assert min(drawn.row[number][1] for number in drawn.row) > max(box.y + box.height for box in drawn.laid.boxes)
    assert drawn.width < 1000


def test_what_a_call_makes_on_the_way_is_called_by_its_mathematics(tmp_path):
    """A product of a batch is one of its rows: what its rule is told with is `x`, not the product."""
    text = "import rushlight as torch\nx, w = torch.ones(1, 2, 3), torch.ones(3, 2, requires_grad=True)\n(x @ w).sum().backward()\n"
    recording = story_of(tmp_path, "batch", text)
    product = next(one for one in recording["nodes"] if one["op"] == "mm")
    assert [rule["text"] for rule in product["rules"] if rule["text"]][-1] == "x.T @ g"
    assert [one["text"] for one in product["saved"]] == ["x"]
