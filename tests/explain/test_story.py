"""What a story tells of programs that do more than one plain pass: each a small program, and what must be told of it."""

import re
import sys
import threading
import warnings

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain import page, svg, terminal
from rushlight.explain.folding import Board
from rushlight.explain.states import States
from rushlight.explain.steps import Steps
from rushlight.explain.story import Story
from rushlight.utils.checkpoint import checkpoint


class Told:
    """A story's recording, asked by names."""

    def __init__(self, story):
        assert not story._recording.failures
        self.recording = story.recording
        self.events = story.recording["events"]
        self.nodes = story.recording["nodes"]
        for kind in ("sources", "places", "tensors", "nodes"):
            assert [one["id"] for one in self.recording[kind]] == list(range(len(self.recording[kind])))
        for lang in ("en", "zh"):  # every story can be shown
            assert terminal.render(self.recording, lang) and page.render(self.recording, lang)

    def of(self, kind, number=None):
        return [event for event in self.events if event["kind"] == kind and number in (None, event["pass"])]

    def ran(self, number):
        return [self.nodes[event["node"]]["name"] for event in self.of("run", number)]

    def ops(self, number=None):
        return [event["op"] for event in self.events if event["kind"] == "op" and event["pass"] == number]

    def label(self, tensor):
        return self.recording["tensors"][tensor]["label"]


def test_a_pass_that_makes_a_graph_is_recorded_and_walked_again():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        slope.sum().backward()
    told = Told(story)
    assert [event["create_graph"] for event in told.of("backward")] == [True, False]
    assert told.ran(0) == ["SumBackward0", "PowBackward0"]
    made = [event["node"] for event in told.of("op", 0) if event["node"] is not None]
    walked = [event["node"] for event in told.of("run", 1)]
    assert [told.nodes[one]["name"] for one in made] == ["PowBackward0", "MulBackward1", "MulBackward0"]
    assert walked[1:] == made[::-1]  # behind the sum, from the last to the first
    assert told.of("end", 0)[0]["returned"][0]["data"] == [3.0, 12.0]
    assert told.of("leaf", 1)[0]["after"]["data"] == [6.0, 12.0]


def test_third_derivatives():
    with torch.explain() as story:
        x = torch.tensor(2.0, requires_grad=True)
        y = x**4
        for _ in range(3):
            (y,) = torch.autograd.grad(y, x, create_graph=True)
    told = Told(story)
    assert [event["returned"][0]["data"] for event in told.of("end")] == [32.0, 48.0, 48.0]
    made = {event["node"] for number in (0, 1) for event in told.of("op", number)}
    assert made & {event["node"] for event in told.of("run", 2)}


def test_a_batch_of_gradients_has_all_examples():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        torch.autograd.grad(x * x, x, torch.eye(3), is_grads_batched=True)
    told = Told(story)
    (run,) = told.of("run")
    assert run["arrived"][0]["data"] == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert run["sent"][1]["sum"]["data"] == told.of("end")[0]["returned"][0]["data"]
    assert told.of("end")[0]["returned"][0]["data"] == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


def inner(x):
    return (x * x).sin()


def test_the_second_forward_of_a_checkpoint():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        checkpoint(inner, x, use_reentrant=False).sum().backward()
    told = Told(story)
    assert told.ops() == ["mul", "sin", "sum_all"]
    assert told.ops(0) == ["mul"]  # ends as soon as what is needed is there
    assert told.ran(0) == ["SumBackward0", "SinBackward0", "MulBackward0"]


def test_a_checkpoint_that_runs_a_pass_inside_of_the_pass():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        checkpoint(inner, x, use_reentrant=True).sum().backward()
    told = Told(story)
    assert told.ops(0) == ["mul", "sin"]
    assert [event["pass"] for event in told.events if event["kind"] in ("backward", "end")] == [0, 1, 1, 0]
    assert told.ran(0) == ["SumBackward0", "CheckpointFunctionBackward"]
    assert told.ran(1) == ["SinBackward0", "MulBackward0"]
    assert told.of("run", 1)[0]["arrived"][0]["data"] == [1.0, 1.0]


def test_each_thread_has_passes_of_its_own():
    def work(number):
        x = torch.full((2,), float(number), requires_grad=True)
        (x * x).sum().backward()

    with torch.explain() as story:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    told = Told(story)
    for number in range(4):
        assert told.ran(number) == ["SumBackward0", "MulBackward0"]
        assert len(told.of("leaf", number)) == 1
    assert sorted(event["after"]["data"][0] for event in told.of("leaf")) == [2.0, 4.0, 6.0, 8.0]


def power(x, times):
    return x if times == 1 else x * power(x, times - 1)


def test_recursion_shows_in_the_stack():
    with torch.explain() as story:
        x = torch.tensor(2.0, requires_grad=True)
        power(x, 4).backward()
    told = Told(story)
    depths = [len(told.nodes[event["node"]]["stack"]) for event in told.of("op")]
    assert depths == [4, 3, 2]
    assert [event["arrived"][0]["data"] for event in told.of("run")] == [1.0, 2.0, 4.0]
    assert told.of("leaf")[0]["after"]["data"] == 32.0


def test_several_roots():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a, b = x * 3, x.exp()
        torch.autograd.backward([a, b], [torch.tensor([1.0, 0.5]), torch.zeros(2)])
    told = Told(story)
    (begun,) = told.of("backward")
    assert [(told.label(one["tensor"]), one["gradient"]["data"]) for one in begun["roots"]] == [
        ("a", [1.0, 0.5]),
        ("b", [0.0, 0.0]),
    ]
    assert [event["sent"][0]["number"] for event in told.of("run")] == [1, 2]
    assert told.of("leaf")[0]["after"]["data"] == [3.0, 1.5]
    (whole,) = told.recording["jacobians"]
    assert len(whole["J"]) == 4
    assert [told.label(one) for one in whole["roots"]] == ["a", "b"]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


def test_a_function_of_the_programs_own():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        Cube.apply(x).sum().backward()
    told = Told(story)
    assert told.ran(0) == ["SumBackward0", "CubeBackward"]
    assert told.ops(0) == ["mul", "pow_number", "mul"]  # what its backward did
    node = told.nodes[told.of("run")[1]["node"]]
    assert told.recording["places"][node["place"]]["text"] == "Cube.apply(x)"
    assert told.of("run")[1]["sent"][0]["value"]["data"] == [3.0, 12.0]


def test_what_hooks_changed():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        x.register_hook(lambda g: g + 1)
        y.register_hook(lambda g: g * 10)
        y.grad_fn.register_prehook(lambda gs: (gs[0] - 1,))
        y.grad_fn.register_hook(lambda sent, arrived: None)
        y.sum().backward()
    told = Told(story)
    hooks = [(event["on"], event["before"]["data"], event["after"]["data"], event["changed"]) for event in told.of("hook")]
    assert hooks == [
        ("tensor", [1.0, 1.0], [10.0, 10.0], True),
        ("node", [10.0, 10.0], [9.0, 9.0], True),
        ("post", [18.0, 18.0], [18.0, 18.0], False),
        ("leaf", [18.0, 18.0], [19.0, 19.0], True),
    ]


def test_a_gradient_that_is_retained():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        z = y * y
        y.retain_grad()
        z.sum().backward()
    told = Told(story)
    rows = {row["name"]: row for row in told.recording["ledger"]}
    assert rows["y"]["why"] == "retained"
    assert rows["y"]["grad"]["data"] == [4.0, 8.0]
    assert (rows["z"]["why"], rows["z"]["grad"]) == ("not_leaf", None)
    assert next(one for one in told.recording["tensors"] if one["label"] == "y")["retains_grad"]


def test_modules_fold_by_their_names():
    torch.manual_seed(0)
    net = nn.Sequential(*(nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Tanh()) for _ in range(12)))
    with torch.explain() as story:
        net(torch.ones(1, 2)).sum().backward()
    told = Told(story)
    modules = {node["module"] for node in told.nodes}
    assert {f"net[{block}][{layer}]" for block in range(12) for layer in range(4)} <= modules
    assert "net[3]" in page.render(told.recording, "en")


def test_an_error_stands_at_its_step():
    with pytest.raises(RuntimeError, match="modified by an inplace operation"), torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        z = y * 2
        y.add_(1)
        z.sum().backward()
    told = Told(story)
    (error,) = told.of("error")
    assert told.nodes[error["node"]]["name"] == "ExpBackward0"
    before = told.events[error["n"] - 1]
    assert (before["kind"], before["node"]) == ("run", error["node"])  # it is the last that began
    assert "modified by an inplace operation" in " ".join(terminal.render(told.recording, "en").split())


def test_an_error_of_forward_is_where_the_story_ends():
    with pytest.raises(RuntimeError), torch.explain() as story:
        x = torch.ones(2, 3, requires_grad=True)
        y = x * 2
        y @ y
    told = Told(story)
    assert [event["kind"] for event in told.events] == ["op", "error"]
    assert told.recording["places"][told.events[1]["place"]]["statement"] == "y @ y"


def test_a_program_that_never_calls_backward():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        y.detach().sum()
    told = Told(story)
    assert told.ops() == ["mul", "detach", "sum_all"]
    assert not told.of("backward")
    assert {row["name"]: row["why"] for row in told.recording["ledger"]}["x"] == "no_backward"


def test_a_graph_that_was_there_before():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    with torch.explain() as story:
        y.sum().backward()
    told = Told(story)
    assert told.ran(0) == ["SumBackward0", "MulBackward0"]
    assert told.of("leaf")[0]["after"]["data"] == [2.0, 4.0]


def test_a_graph_of_before_that_nothing_ran_of_is_not_on_the_board():
    x = torch.ones(2, requires_grad=True)
    other = (x * 2).exp()  # noqa: F841 (of another cell of a notebook)
    with torch.explain() as story:
        y = x * 3
        y.sum().backward()
    assert [card.name or card.text for card in Board(Told(story).recording).cards if card.nodes] == ["x", "y", "y.sum()"]


def test_a_leaf_of_before_has_the_gradient_that_it_had():
    x, w = torch.ones(2, requires_grad=True), torch.tensor([2.0, 7.0], requires_grad=True)
    (x * w).sum().backward()
    with torch.explain() as story:
        y = x * 3
    read = torch.explain(x * 3)
    for one in (story, read):
        picture = re.sub("<[^>]*>", " ", svg.render(Told(one).recording))
        assert "x.grad" in picture and "2 7" in picture and "None" not in picture
    assert y is not None


def test_what_is_asked_wrongly_is_said():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not int"):
        torch.explain(3)
    with pytest.raises(RuntimeError, match="gradient has a shape of"):
        torch.explain(x * 2, torch.ones(3))
    with torch.explain() as story:
        for form in (str, Story.show, Story._repr_mimebundle_):
            with pytest.raises(RuntimeError, match="behind the with block"):
                form(story)


def test_what_cannot_be_written_leaves_the_file_that_is_there(tmp_path):
    (tmp_path / "a.png").write_text("mine")
    with pytest.raises(ValueError, match="none of the forms"):
        torch.explain().save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_text() == "mine"


def test_of_a_graph_that_is_read_only_its_own_is_told():
    x = torch.ones(2, requires_grad=True)
    other = x * 2  # noqa: F841 (a name that has nothing to do with it)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    data = torch.tensor([3.0, 4.0])
    loss = (w.sin() * data).sum()
    told = Told(torch.explain(loss))
    assert {row["name"] for row in told.recording["ledger"]} == {"w", "data", "loss"}
    board = Board(told.recording)
    assert {card.name for card in board.cards if card.kind == "leaf"} == {"w"}
    assert "x" not in {card.name for card in board.cards} and "other" not in {card.name for card in board.cards}


def test_without_the_programs_text_nodes_have_their_own_names():
    names = {"torch": torch}
    exec("x = torch.ones(2, requires_grad=True)\nout = (x * x).sum()\nstory = torch.explain(out)", names)
    told = Told(names["story"])
    board = Board(told.recording)
    assert [card.text for card in board.cards] == ["", "MulBackward0", "SumBackward0"]
    exec("story = torch.explain(x.sin() * x)", names)
    board = Board(Told(names["story"]).recording)
    assert [board.kept(one) for one in board.nodes[board.cards[-1].nodes[0]]["saved"]] == ["x", "SinBackward0"]
    exec("with torch.explain() as story:\n    y = (x * x).sum()\n    y.backward()", names)
    told = Told(names["story"])
    html = page.render(told.recording)
    assert "MulBackward0" in terminal.render(told.recording) and ">?<" not in html and "/∂<" not in html


def test_what_a_rule_recorded_is_told_as_mathematics():
    with torch.explain() as story:
        x = torch.tensor(2.0, requires_grad=True)
        (slope,) = torch.autograd.grad(x**3 - 2 * x, x, create_graph=True)
        slope.backward()
    told = Told(story)
    (entry,) = (one for one in told.recording["tensors"] if one["names"] and one["names"][0]["name"] == "slope")
    assert entry["text"] == "-1 * 2 + x ** 2 * 3"
    assert "recorded: slope = -1 * 2 + x ** 2 * 3 = 10" in terminal.render(told.recording)


def test_what_an_index_recorded_is_told_as_in_the_rules():
    with torch.explain() as story:
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        (slope,) = torch.autograd.grad(x[0] ** 2, x, create_graph=True)
        slope.sum().backward()
    text = terminal.render(Told(story).recording)
    assert "slope = place(x[0] ** 1 * 2, 0, 0) = [4 0]" in text and "embed" not in text


def test_gradients_that_two_passes_added_up_are_not_the_programs_own_writing():
    with torch.explain() as story:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        with torch.no_grad():
            w -= 0.1
        (w * w).sum().backward()
    told = Told(story)
    assert told.of("reset") == []
    assert [row["why"] for row in told.recording["ledger"] if row["name"] == "w"] == ["accumulated_again"]
    text = terminal.render(told.recording)
    assert "w.grad: [2 4] + [1.8 3.8] = [3.8 7.8]" in text
    assert "w·1 = [0.9 1.9]" in text


def test_a_parameter_does_not_rename_what_the_caller_wrote_out():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clamp(min=0) * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = Doubled.apply(x * 3)
        y.sum().backward()
    told = Told(story)
    labels = [one["label"] for one in told.recording["tensors"]]
    assert labels.count("x") == 1
    assert "x * 3" in labels
    (made,) = (one for one in told.recording["tensors"] if one["label"] == "y")
    assert told.recording["places"][made["place"]]["text"] == "Doubled.apply(x * 3)"
    assert not made["leaf"]


def test_what_has_no_name_is_called_as_it_is_written():
    with torch.explain() as story:
        ws = [torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)]
        a = torch.ones(2, requires_grad=True) * 3
        b = nn.functional.mse_loss(ws[0] + ws[1], torch.zeros(2))
        (a.sum() + b).backward()
    labels = {one["label"] for one in Told(story).recording["tensors"]}
    assert {"ws[0]", "ws[1]", "torch.ones(2, requires_grad=True)", "torch.zeros(2)"} <= labels
    assert [row["name"] for row in story.recording["ledger"] if row["name"].startswith("ws")] == ["ws[0]", "ws[1]"]


def test_an_error_says_its_notes_in_both_languages():
    with pytest.raises(RuntimeError), torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        y = torch.exp(x)
        y += 1
        y.sum().backward()
    error = story.recording["events"][-1]
    assert error["kind"] == "error" and any("changed by add_" in note for note in error["notes"])
    assert "wrote over it (add_): y += 1" in " ".join(terminal.render(story.recording, "en").split())
    assert "改写了它：y += 1" in "".join(terminal.render(story.recording, "zh").split("\n"))
    assert "freed: out" not in page.render(story.recording)  # the node that failed has freed nothing


def test_a_sparse_gradient_is_there_with_its_parts():
    with torch.explain() as story:
        sparse = torch.eye(2).to_sparse().requires_grad_()
        torch.sparse.mm(sparse, torch.ones(2, 2)).sum().backward()
    (leaf,) = (event for event in story.recording["events"] if event["kind"] == "leaf")
    assert (leaf["after"]["shape"], leaf["after"]["data"], leaf["after"]["layout"]) == ([2, 2], None, "sparse_coo")
    assert {name: one["data"] for name, one in leaf["after"]["parts"].items()} == {"indices": [[0, 1]] * 2, "values": [2, 2]}
    assert [row["why"] for row in story.recording["ledger"] if row["name"] == "sparse"] == ["accumulated"]


def test_what_classes_of_their_own_send_is_summed_as_the_engine_does():
    """Recordings that added up plain numbers alone had the last of the two."""
    with warnings.catch_warnings(), torch.explain() as story:
        warnings.simplefilter("ignore")
        x = torch.masked.masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False]), requires_grad=True) * 1
        x.circle = x  # it has itself, too
        (x * 2 + x * 3).sum().backward()
    runs = [event for event in story.recording["events"] if event["kind"] == "run"]
    target = runs[-1]
    edges = {event["n"]: story.recording["nodes"][event["node"]]["edges"] for event in runs}
    sums = [one["sum"] for event in runs for one in event["sent"] if edges[event["n"]][one["edge"]]["node"] == target["node"]]
    assert len(sums) == 2 and sums[-1] == target["arrived"][0] and sums[-1]["parts"]["_masked_data"]["data"][0] == 5


def test_what_is_made_of_frozen_weights_has_no_derivative_to_lack():
    with torch.explain() as story:
        layer = torch.nn.Linear(2, 2).requires_grad_(False)
        features = layer(torch.ones(1, 2)).relu()
        torch.nn.Linear(2, 1)(features).sum().backward()
    assert [row["why"] for row in story.recording["ledger"] if row["name"] == "features"] == ["no_requires_grad"]


def test_a_graph_that_was_read_shows_what_would_arrive_at_a_leaf():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * 3 + w).sum()
    states = States(Steps(Board(torch.explain(loss).recording)))
    assert all(one.arrived for one in states.cards)  # also where the value itself was not kept
    leaf = next(one for card, one in zip(states.board.cards, states.cards, strict=True) if card.kind == "leaf")
    assert (leaf.arrived[-1].value or {})["data"] == [4, 4] and leaf.arrived[-1].label == "∂loss/∂w"
    assert leaf.grads[-1].value is None and w.grad is None


def test_what_threads_do_at_once_is_all_told():
    leaves = [torch.ones(2, requires_grad=True) for _ in range(2)]

    def work(leaf):
        for _ in range(200):
            (leaf * 2).sum().backward()

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # a thread comes in between while an op of the other's runs
    try:
        with torch.explain() as story:
            threads = [threading.Thread(target=work, args=(leaf,)) for leaf in leaves]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(usual)
    passes = [event["thread"] for event in story.recording["events"] if event["kind"] == "backward"]
    assert sorted(map(passes.count, set(passes))) == [200, 200]
