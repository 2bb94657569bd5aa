"""The nodes of composites, and their order, as in PyTorch's log (tests/conformance/test_explain.py holds whole programs)."""

import pytest

import rushlight as torch
from rushlight.autograd.handles import observers


@pytest.fixture
def ran(caplog, monkeypatch):
    """What a pass runs, by PyTorch's log."""
    monkeypatch.setattr(observers, "present", False)

    def of(out):
        with caplog.at_level("DEBUG", logger="torch.autograd.graph"):
            caplog.clear()
            out.backward()
        return [record.getMessage().split()[1].lstrip("<").rpartition(".")[2] for record in caplog.records]

    return of


def test_a_cell_of_an_lstm_squashes_its_gates_first(ran):
    cell = torch.nn.LSTMCell(2, 2)
    names = ran(cell(torch.ones(1, 2))[0].sum())
    assert names[:11] == [
        "SumBackward0", "MulBackward0", "TanhBackward0", "AddBackward0", "MulBackward0", "MulBackward0", "SigmoidBackward0",
        "TanhBackward0", "SigmoidBackward0", "SigmoidBackward0", "UnsafeSplitBackward0",
    ]  # fmt: skip


def test_the_first_pass_that_is_logged_shows_leaves_where_they_are_complete(ran):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = (x * 2).exp()
    assert ran((y * w).sum()) == [
        "SumBackward0", "MulBackward0", "AccumulateGrad", "ExpBackward0", "MulBackward0", "AccumulateGrad",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (torch.tanh, ["TanhBackwardBackward0", "MulBackward0", "MulBackward0", "MulBackward1", "TanhBackward0"]),
        (
            torch.reciprocal,
            [
                "MulBackward0",
                "NegBackward0",
                "MulBackward0",
                "AddBackward0",
                "MulBackward0",
                "MulBackward0",
                "ReciprocalBackward0",
            ],
        ),
        (lambda x: 2**x, ["MulBackward0", "MulBackward1", "PowBackward2"]),
    ],
)
def test_rules_over_tensors_record_what_pytorchs_do(ran, function, names):
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    assert ran(second.sum()) == ["SumBackward0", *names, "AccumulateGrad"]


def test_what_lies_in_one_row_already_is_not_viewed():
    x = torch.arange(3.0, requires_grad=True)
    node, names = x.repeat_interleave(2).grad_fn, []
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    assert names[:-1] == ["ViewBackward0", "CloneBackward0", "ExpandBackward0", "UnsqueezeBackward0"]


def test_what_attention_gives_lies_in_memory_as_the_query_does():
    assert torch.nn.functional.scaled_dot_product_attention(
        *(torch.ones(4, 2, 3, 5).permute(1, 2, 0, 3) for _ in range(3))
    ).stride() == (15, 5, 30, 1)
