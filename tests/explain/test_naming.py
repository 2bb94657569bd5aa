"""What things are called: elements of dicts, objects and lists; lives; expressions over several lines; whose line is told of."""

import threading

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain import page, terminal
from rushlight.explain.board_lines import notes_of
from rushlight.explain.folding import Board
from rushlight.explain.words import say


class Neuron:
    def __init__(self, n):
        self.w = torch.ones(n, requires_grad=True)
        self.rate = 0.1

    def __call__(self, x):
        return torch.tanh(self.w @ x)


class Layer:
    def __init__(self, n, m):
        self.neurons = [Neuron(n) for _ in range(m)]


def rows(story):
    return {row["name"]: row["why"] for row in story.recording["ledger"]}


def test_elements_of_dicts_objects_and_what_they_hold():
    x = torch.tensor([1.0, -1.0])
    params = {"a": torch.tensor(1.0, requires_grad=True), 3: torch.tensor(2.0, requires_grad=True)}
    layer = Layer(2, 2)
    with torch.explain() as story:
        z = params["a"] * params[3]
        z.backward()
        (layer.neurons[0](x) + layer.neurons[1](x)).backward()
    found = rows(story)
    assert found["z"] == "not_leaf"  # and not made of a leaf without a name
    for name in ('params["a"]', "params[3]", "layer.neurons[0].w", "layer.neurons[1].w"):
        assert found[name] == "accumulated", name
    told = str(story)
    assert 'to params["a"]: g * params[3] = 2' in told
    assert "layer.neurons[1].w.grad: None" in told and "self.w.grad" not in told


def test_a_list_of_what_has_names_is_told_once():
    w, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with torch.explain() as story:
        parameters = [w, b]
        sum(one.sum() for one in parameters).backward()
    assert {"w", "b"} <= rows(story).keys() and not any("[" in name for name in rows(story))


def test_elements_that_are_none_for_one_reason_are_one_line():
    w = torch.ones(2, requires_grad=True)
    with torch.explain() as story:
        history = []
        for i in range(6):
            loss = (w * i).sum()
            loss.backward()
            history.append(loss)
    assert sum(name.startswith("history[") for name in rows(story)) == 5  # the sixth is `loss`
    told = terminal.render(story.recording)
    assert "history[0…4]" in told and "history[1]" not in told
    assert "history[0…4]" in page.render(story.recording)


def test_a_weight_that_was_filled_before_it_had_a_name_has_its_name():
    with torch.explain() as story:
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.tensor([[1.0, 2.0], [3.0, 5.0]])).pow(2).sum().backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
    told = str(story)
    assert "net[1].weight.grad: None" in told and "net[1].weight·1 =" in told
    html = story.form(".html")
    assert not any(say(one).en in html for one in ("written unnamed", "written first"))  # what a module begins with is no step
    assert "<code>net[1].weight</code> is the next life of <code>net[1].weight</code>" not in html
    assert "₁.grad" not in told and " t6.grad" not in told
    assert told.count("4 gradients are set by the program") == 3  # twice by the clipping, once by zero_grad
    assert told.index("net[1].bias.grad = [") < told.index("net[1].weight·1 =")  # the optimizer read what had been written


def test_what_is_written_to_a_parameter_before_a_graph_uses_it_begins_no_life():
    with torch.explain() as story:
        net = nn.Linear(2, 1)
        with torch.no_grad():
            net.weight.fill_(0.5)
            net.weight.mul_(2)
        for _ in range(2):
            net(torch.tensor([[1.0, 2.0]])).sum().backward()
            with torch.no_grad():
                net.weight.sub_(0.1)
    told = str(story)
    assert "to net.weight.T: " in told and "to net.weight·1.T: " in told
    assert "Written in place · line" in told and "net.weight = [1 1]" in told and "fill_(0.5) =" not in told
    assert say("written first").en in story.form(".html")


def test_what_memory_held_before_a_module_filled_it_is_in_no_recording():
    modules = (
        "nn.LayerNorm(64), nn.BatchNorm1d(64), nn.PReLU(64), nn.MultiheadAttention(64, 2), nn.Embedding(3, 64, padding_idx=0)"
    )
    with torch.explain() as story:
        held = nn.ModuleList(eval(f"[{modules}]"))
        held[0](torch.ones(64)).sum().backward()
    begin = story.recording["events"][0]
    assert begin["op"] == "layer_norm" and all(one["kind"] != "write" for one in story.recording["events"])


def test_the_nodes_of_a_modules_hooks_are_called_so():
    with torch.explain() as story:
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        net[0].register_full_backward_hook(lambda module, grad_input, grad_output: None)
        y = net(torch.ones(1, 2, requires_grad=True))
        y.sum().backward()
    cards = [card for card in Board(story.recording).cards if card.kind == "op"]
    called = [None if card.caption is None else card.caption.en for card in cards]
    assert [one for one in called if one is not None] == ["hooks at net[0]", "hooks at net[0]"]
    assert "net[0] 的模块钩子" in story.form(".html")


def test_what_a_modules_hook_runs_says_whose_it_is():
    with torch.explain() as story:
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        net[0].register_forward_hook(lambda module, args, output: output * 2)
        net[1].register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] / 2,))
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
    told = " ".join(story.form(".txt").split())
    assert "· hook of net[1]: grad_output[0] / 2 = [0.5]" in told and "A module's hook on the output of net[1]" in told
    cards = [card for card in Board(story.recording).cards if card.caption is not None]
    assert [card.caption.en for card in cards] == ["output * 2 · hook of net[0]", "hooks at net[1]", "hooks at net[1]"]
    assert cards[0].caption.zh == "output * 2 · net[0] 的钩子"


def test_a_forward_that_is_replaced_is_no_hook():
    with torch.explain() as story:
        layer = nn.Identity()
        layer.register_forward_hook(lambda module, args, output: None)
        layer.forward = lambda x: x * 2
        layer(torch.ones(2, requires_grad=True)).sum().backward()
    (times,) = (event for event in story.recording["events"] if event.get("op") == "mul")
    assert "hook_of" not in times and story.recording["nodes"][times["node"]]["module"] == "layer"


def test_lives_count_from_the_first_with_a_name():
    with torch.explain() as story:
        x = torch.ones(2, requires_grad=True)
        y = torch.zeros(2).fill_(3.0).mul_(2.0)
        y.add_(x)
        y.sum().backward()
    labels = [one["label"] for one in story.recording["tensors"] if one["names"] and one["names"][0]["name"] == "y"]
    assert labels == ["y", "y.1"]


def test_a_leaf_is_called_the_same_in_all_its_lives():
    with torch.explain() as story:
        p = torch.tensor([1.0, 2.0], requires_grad=True)
        optimizer = torch.optim.SGD([p], lr=0.1)
        for _ in range(3):
            a, b = p
            optimizer.zero_grad()
            (a * b).backward()
            optimizer.step()
    assert "to p: stack(g, 0)" in str(story) and "to p·" not in str(story)


def test_a_chain_of_methods_over_several_lines():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = (
            x.pow(2)
            .mul(
                3,
            )
            .sum()
        )
        loss.backward()
    place = next(one for one in story.recording["places"] if one["target"] == "loss")
    assert place["text"] == "x.pow(2).mul(3).sum()"
    assert "x.pow(2).mul(3).sum()" in str(story)


def test_attributes_that_are_set_bind_no_name():
    with torch.explain() as story:
        net = nn.Linear(2, 2)
        for p in net.parameters():
            p.requires_grad = True
        net(torch.ones(2)).sum().backward()
    notes = notes_of(Board(story.recording), 0)
    assert all(note.name != "net.bias" for line in notes.values() for note in line)


def test_what_was_made_under_no_grad_is_told_at_its_own_line():
    def f(a):
        b = a * 2
        return b + 1

    with torch.explain() as story:
        a = torch.tensor(1.0, requires_grad=True)
        with torch.no_grad():
            up = f(a)
        a.sum().backward()
    row = next(row for row in story.recording["ledger"] if row["name"] == "up")
    assert row["why"] == "no_grad" and up is not None
    assert story.recording["places"][row["place"]]["statement"] == "return b + 1"


def test_pythons_library_is_no_program():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.explain() as story:
        loss = (x * x).sum()
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
    assert {one["name"] for one in story.recording["sources"]} <= {"test_naming.py"}


def test_ops_of_a_batch_are_told_by_the_nodes_that_they_made():
    def loss(w, x):
        return (w @ x) ** 2

    with torch.explain() as story:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        xs = torch.tensor([[1.0, 0.0], [0.5, 2.0]])
        torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, xs).sum().backward()
    nodes = story.recording["nodes"]
    for event in story.recording["events"]:
        if event["kind"] == "run":
            node = nodes[event["node"]]
            assert len(node["rules"]) == len(node["edges"]), node
    of_one_example = next(node for node in nodes if node["name"] == "DotBackward0")
    assert [rule["text"] for rule in of_one_example["rules"]] == ["g * x", "g * w"]


def test_what_a_function_of_the_package_begins_a_pass_at_is_no_expression_of_the_program():
    with torch.explain() as story:
        x = torch.tensor([2.0, 3.0])
        torch.autograd.functional.jacobian(lambda x: x * x, x)
    begin = next(event for event in story.recording["events"] if event["kind"] == "backward")
    assert story.recording["tensors"][begin["roots"][0]["tensor"]]["label"] == "(x * x)[0]"


def test_what_a_function_makes_for_itself_has_a_word():
    x, s = torch.ones(4, requires_grad=True), torch.ones((), requires_grad=True)
    with torch.explain() as story:
        y = nn.functional.dropout(x, 0.5)
        y.sum().backward()
    assert "to x: g * mask = " in str(story)
    with torch.explain() as story:
        mask = torch.ones(4)
        (nn.functional.dropout(x, 0.5) * mask).sum().backward()
    assert "to x: g * mask_ = " in str(story)
    with torch.explain() as story:
        drawn = torch.distributions.Normal(torch.zeros(()), s).rsample()
        drawn.backward()
    assert "to s: g * noise = " in str(story)


def test_two_without_a_name_in_one_call_are_not_taken_for_each_other():
    with torch.explain() as story:
        x, v = torch.ones(3, requires_grad=True), torch.ones(1, requires_grad=True)
        known = x.index_put((torch.tensor([0]),), v)
        unknown = x.index_put((torch.tensor([0]),), torch.tensor([2.0]))
        (known + unknown).sum().backward()
    texts = [[rule["text"] for rule in node["rules"]] for node in story.recording["nodes"] if node["op"] == "index_put"]
    assert texts == [
        ["cleared(g, torch.tensor([0]))", "index(g, torch.tensor([0]))"],
        ["cleared(g, inner)", "index(g, inner)"],
    ]


def test_a_parameter_is_not_called_by_the_loop_that_filled_it():
    net = torch.nn.Linear(2, 1)
    weights = [torch.ones(2, requires_grad=True) for _ in range(2)]
    with torch.explain() as story:
        with torch.no_grad():
            for p in net.parameters():
                p.fill_(0.5)
        sum((w * w).sum() for w in weights).backward()
        net(torch.ones(1, 2)).sum().backward()
    leaves = [event["tensor"] for event in story.recording["events"] if event["kind"] == "leaf"]
    assert {story.recording["tensors"][one]["label"] for one in leaves} == {
        "weights[0]", "weights[1]", "net.weight.1", "net.bias.1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("read", "names"),
    [
        (lambda m, i, k: m[0, 0, 1], ["m[0, 0]", "m[0]"]),
        (lambda m, i, k: m[i, 1, i], ["m[i, 1]", "m[i]"]),
        (lambda m, i, k: m[:, 1, 1:], ["m[:, 1]"]),
        (lambda m, i, k: m[:1, -1, 0], ["m[:1, -1]", "m[:1]"]),
        (lambda m, i, k: (m * 2)[0, 1], ["(m * 2)[0]", "m * 2"]),
        (lambda m, i, k: m[k, 0], ["m[:, 0]"]),  # done in another order than was written
        (lambda m, i, k: m[0, k, 1], ["m[0][:, 1]", "m[0]"]),
        (lambda m, i, k: m[..., 0, 1], ["m[:, 0]"]),
        (lambda m, i, k: m[..., 1:2, 1], ["m[:, 1:2]"]),
    ],
)
def test_steps_of_a_subscript_are_called_as_it_begins(read, names):
    m = torch.arange(12.0).reshape(2, 3, 2).requires_grad_()
    with torch.explain() as story:
        read(m, 1, torch.tensor([0, 1])).sum().backward()
    nodes = story.recording["nodes"]
    ran = [nodes[event["node"]] for event in story.recording["events"] if event["kind"] == "run"]
    assert [one["inputs"][0]["text"] for one in ran[1:]] == [*names, "m"]
