"""What is recorded beside the events: a node's own v^T J, chains, modules, stacks, bytes; and graphs that are only read."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain import page, svg, terminal
from rushlight.explain.frames import joined
from rushlight.explain.joined_jacobian import pieces_of
from rushlight.utils.checkpoint import checkpoint

SOURCES = Path(__file__).parents[2] / "src"


def runs(story):
    return [event for event in story.recording["events"] if event["kind"] == "run"]


def close(a, b):
    return np.asarray(a, float) == pytest.approx(np.asarray(b, float))


def test_a_nodes_own_matrix_takes_what_arrived_to_what_is_sent():
    with torch.explain() as story:
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = x @ x.T
        (y * y).mean().backward()
    found = [(event, local) for event in runs(story) for local in event["local"]]
    assert len(found) == 6  # mean, two of mul, two of mm, t
    for event, local in found:
        (sent,) = (one for one in event["sent"] if one["edge"] == local["edge"])
        assert close(np.asarray(local["v"]) @ np.asarray(local["J"]), local["vJ"])
        assert close(np.ravel(sent["value"]["data"]), local["vJ"])
    assert not torch.explain()._recording.failures


def test_large_nodes_and_hooked_ones_have_none():
    with torch.explain() as story:
        x = torch.ones(4, 4, requires_grad=True)
        y = torch.ones(2, requires_grad=True) * 2
        y.register_hook(lambda g: g * 2)
        ((x * 2).sum() + (y * 3).sum()).backward()
    names = {story.recording["nodes"][event["node"]]["name"] for event in runs(story) if event["local"]}
    assert names == {"AddBackward0", "SumBackward0", "MulBackward0"}
    assert [event["local"] for event in runs(story)].count([]) == 3


def test_a_chain_multiplies_from_the_left():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x + 2
        (y * y * 3).mean().backward()
    (whole,) = story.recording["jacobians"]
    rows = [whole["v"], *(link["row"] for link in whole["chain"])]
    assert len(rows) == 5
    for before, link, after in zip(rows, whole["chain"], rows[1:], strict=False):
        assert close(np.asarray(before) @ np.asarray(link["J"]), after)
    assert close(rows[-1], whole["vJ"])


def test_matrices_of_a_line_that_ran_twice_are_told_apart():
    with torch.explain() as story:
        z = torch.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(2):
            z = z * 5
        z.sum().backward()
    html = page.render(story.recording)
    assert re.findall(r"J of (z[^<]*)", html) == ["z.sum()", "z * 5 (2)", "z * 5 (1)"]


def test_a_graph_that_branches_is_no_chain():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x.sin() * x.cos()).sum().backward()
    assert story.recording["jacobians"][0]["chain"] == []


def whole_of(part):
    """The story of two parts of a program, one of which has a part in it, and the matrix of all by its leaves."""
    w = torch.tensor([[0.5, 2.0], [3.0, 0.1]], requires_grad=True)

    def scaled(a):
        return (a * w[0]).exp()

    with torch.explain() as story:
        x = torch.tensor([0.1, 0.2], requires_grad=True)
        h = part(lambda a, b: part(scaled, a.sin() * b) * w[1], x * 2, x)
        (part(scaled, h) * h + x.cos() * w[0]).backward(torch.tensor([1.0, 2.0]))
    assert not story._recording.failures
    tensors, whole = story.recording["tensors"], story.recording["jacobians"][0]
    return whole["pass"], [tensors[leaf]["label"] for leaf in whole["leaves"]], whole


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
def test_a_pass_around_the_passes_of_checkpoints_has_its_matrix():
    number, leaves, direct = whole_of(lambda function, *args: function(*args))
    again = whole_of(lambda function, *args: checkpoint(function, *args, use_reentrant=True))
    assert (number, leaves) == again[:2] == (0, ["w", "x"])
    assert close(direct["J"], again[2]["J"]) and close(direct["vJ"], again[2]["vJ"])


def test_what_a_hook_in_a_checkpoint_changes_is_in_no_matrix():
    def looked_at(a):
        if torch.is_grad_enabled():
            a.register_hook(lambda g: g * 2)
        return a.exp()

    with torch.explain() as story:
        x = torch.tensor([0.1, 0.2], requires_grad=True)
        checkpoint(looked_at, x, use_reentrant=True).sum().backward()
    assert [one["pass"] for one in story.recording["jacobians"]] == [1]  # the checkpoint's own alone


def test_no_matrix_is_read_of_what_a_large_checkpoint_was_given():
    x = torch.tensor([0.1, 0.2], requires_grad=True)

    def total():
        large = checkpoint(torch.tanh, x.expand(125_000, 2), use_reentrant=True)
        return large.sum() + checkpoint(torch.sum, x.expand(125_000, 2), use_reentrant=True)

    # Asked first: a row for each of 250,000 elements would be 250 GB.
    assert pieces_of([(total().grad_fn, 0)], [torch.ones(())]) is None
    with torch.explain() as story:
        total().backward()
    assert not story.recording["jacobians"] and not story._recording.failures


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.layers(x))


def test_modules_and_their_parameters_have_qualified_names():
    net = Net()
    with torch.explain() as story:
        net(torch.ones(4, 2)).sum().backward()
    recording = story.recording
    modules = {node["module"] for node in recording["nodes"] if node["variable"] is None}
    assert modules == {"net.layers[0]", "net.layers[1]", "net.head", ""}
    rows = {row["name"]: row["why"] for row in recording["ledger"]}
    assert rows["net.layers[0].weight"] == rows["net.head.bias"] == "accumulated"
    node = next(node for node in recording["nodes"] if node["module"] == "net.head" and node["op"] == "addmm")
    texts = [rule["text"] for rule in node["rules"]]
    assert texts[1] == "g @ net.head.weight"
    assert joined("net", "layers.0.weight") == "net.layers[0].weight"


def test_many_layers_fold_by_their_modules():
    net = nn.Sequential(
        *(nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU()) for _ in range(12))
    )
    with torch.explain() as story:
        net(torch.ones(1, 2)).sum().backward()
    text = svg.render(story.recording, "en")
    assert "module net[0]" in text and "module net[11]" in text


def test_parameters_that_were_stepped_keep_their_names_in_rules():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with torch.explain() as story:
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.ones(4, 2)).sum().backward()
            optimizer.step()
    texts = [node["rules"][1]["text"] for node in story.recording["nodes"] if node["op"] == "addmm"]
    assert texts == ["g @ net.weight", "g @ net.weight.1"] or texts == ["g @ net.weight", "g @ net.weight.2"]
    resets = [event for event in story.recording["events"] if event["kind"] == "reset"]
    assert len(resets) == 2
    assert "2 gradients are set by the program" in terminal.render(story.recording, "en")


def helper(x):
    return x * 2


def test_a_stack_leads_from_the_outermost_call_to_the_op():
    with torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        helper(x).sum()
    node = next(node for node in story.recording["nodes"] if node["op"] == "mul")
    texts = [story.recording["places"][place]["text"] for place in node["stack"]]
    assert texts == ["helper(x)", "x * 2"]
    assert node["stack"][-1] == node["place"]


def test_what_a_node_keeps_has_its_bytes():
    with torch.explain() as story:
        x = torch.ones(4, 2, requires_grad=True)
        c = torch.ones(2)
        y = x.exp()
        z = y * c
        z.sum().backward()
    kept = {
        node["op"]: [(one["text"], one["bytes"]) for one in node["saved"]] for node in story.recording["nodes"] if node["op"]
    }
    assert kept["exp"] == [("y", 32)]
    assert kept["mul"] == [("c", 8)]  # y itself is kept for nobody: c asks for no gradient
    assert [event["freed"] for event in runs(story)] == [0, 8, 32]


def test_a_graph_is_read_with_its_rules_and_places():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x + 2
    out = (y * y * 3).mean()
    story = torch.explain(out, torch.tensor(2.0))
    recording = story.recording
    assert [event["kind"] for event in recording["events"]] == ["backward", "run", "run", "run", "run", "end"]
    begin = recording["events"][0]
    assert (begin["how"], begin["roots"][0]["gradient"]["data"]) == ("dry", 2.0)
    square = next(event for event in runs(story) if len(event["sent"]) == 2)
    assert [rule["text"] for rule in recording["nodes"][square["node"]]["rules"]] == ["g * y", "g * y"]
    assert square["sent"][1]["sum"]["data"] == [18.0, 24.0]
    assert {row["name"]: row["why"] for row in recording["ledger"]}["x"] == "no_backward"
    assert x.grad is None
    assert not story._recording.failures
    for form in (page, svg, terminal):
        assert "y * y" in form.render(recording, "zh")
    out.backward()
    again = torch.explain(out)
    assert [len(event["sent"]) for event in runs(again)] == [1, 0, 0, 0] or [len(event["sent"]) for event in runs(again)] == [
        1,
        1,
        0,
        0,
    ]


def test_operands_that_keep_nothing_are_called_as_they_are_written():
    x, y = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    loss = ((x[0] - y).pow(2) * (-y + 1)).mean()
    texts = {}
    for node in torch.explain(loss).recording["nodes"]:
        texts.setdefault(node["name"], []).append(node["place"])
    places = torch.explain(loss).recording["places"]
    written = {name: [places[one]["text"] for one in found if one is not None] for name, found in texts.items()}
    assert (
        written["SubBackward0"] == ["x[0] - y"] and written["AddBackward0"] == ["-y + 1"] and written["NegBackward0"] == ["-y"]
    )
    assert written["SelectBackward0"] == ["x[0]"] and written["AccumulateGrad"] == []
    text = terminal.render(torch.explain(loss).recording)
    assert "to x[0] - y: g * 2 * (x[0] - y)" in text


def test_a_graph_that_is_read_shows_its_numbers():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 0.1
    y[1:].mul_(4)
    story = torch.explain(y.sum())
    texts = {node["name"]: node["rules"][0]["text"] for node in story.recording["nodes"] if node["rules"]}
    assert (texts["MulBackward0"], texts["CopySlices"]) == ("g * 0.1", "g where g[1:] = g[1:] * 4.0")


def test_what_a_pass_adds_is_no_write_of_the_programs():
    w = torch.ones(2, requires_grad=True)
    with torch.explain() as story:
        for _ in range(2):
            (w * w).sum().backward()
            w.grad.sum(), w.grad.zero_()
        w.grad.sum()
    writes = [event for event in story.recording["events"] if event["kind"] == "write"]
    values = [(one["op"], story.recording["tensors"][one["tensor"]]["value"]["data"]) for one in writes]
    assert values == [("zero_", [0, 0]), ("", [2, 2]), ("zero_", [0, 0])]


def test_reading_runs_no_hooks_and_no_functions_of_the_program():
    called = []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            called.append("backward")
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: called.append("hook"))
    story = torch.explain(Twice.apply(y).sum())
    assert called == []
    assert [len(event["sent"]) for event in runs(story)] == [1, 0, 0]


def test_two_runs_give_the_same_bytes(tmp_path):
    """Of the command, in processes that hash differently."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    written = []
    for seed in ("1", "2"):
        files = [f"out{suffix}" for suffix in (".html", ".svg", ".json", ".txt")]
        asked = [word for file in files for word in ("-o", file)]
        folder = tmp_path / seed
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-m", "rushlight", "explain", *asked, str(program)],
            check=True, cwd=folder, env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(SOURCES)},
        )  # fmt: skip
        written.append([(folder / file).read_bytes() for file in files])
    assert all(written[0])
    assert written[0] == written[1]


def writes_in(story):
    recording = story.recording
    found = [event for event in recording["events"] if event["kind"] == "write"]
    lines = [None if one["place"] is None else recording["places"][one["place"]]["statement"] for one in found]
    return [
        (one["op"], line, recording["tensors"][one["tensor"]]["value"]["data"]) for one, line in zip(found, lines, strict=True)
    ]


def test_a_write_has_its_own_value_and_not_what_numpy_writes_there_afterwards():
    with torch.explain() as story:
        x = torch.ones(2)
        x * 1
        x.add_(1)
        np.multiply(x.numpy(), 10, out=x.numpy())
        x * 1
    assert writes_in(story) == [("add_", "x.add_(1)", [2.0, 2.0])]


def test_a_write_through_a_mirror_says_what_wrote_and_where():
    with torch.explain() as story:
        z = torch.tensor([1 + 2j]).expand(2)
        z.conj().imag[:1].mul_(3)
        z * 1
    assert {(op, line) for op, line, _ in writes_in(story)} == {("mul_", "z.conj().imag[:1].mul_(3)")}


def test_nothing_is_written_to_what_is_dense_in_the_place_of_a_sparse_matrix():
    with torch.explain() as story:
        graph = torch.eye(2).to_sparse()
        graph @ torch.ones(2, 2, requires_grad=True)
        graph.mul_(2)
        torch.ones(2) * 1
    assert all(data is None for _, _, data in writes_in(story))


PROGRAM = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
step = torch.optim.Adam(net.parameters())
for _ in range(3):
    step.zero_grad()
    net(torch.ones(4, 2)).sum().backward()
    step.step()
"""
