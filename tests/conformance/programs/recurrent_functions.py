"""torch.rnn_tanh, rnn_relu, gru and lstm, their cells, and what they refuse."""

import torch

torch.manual_seed(0)
torch.set_printoptions(precision=3)
GATES = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}
x, h = torch.randn(2, 3), torch.randn(2, 4)


def weights(gates, width, bias, layers=1, directions=1):
    made = []
    for layer in range(layers):
        for _ in range(directions):
            inputs = width if layer == 0 else 4 * directions
            made += [torch.randn(4 * gates, inputs) * 0.5, torch.randn(4 * gates, 4) * 0.5]
            made += [torch.randn(4 * gates), torch.randn(4 * gates)] if bias else []
    return [each.requires_grad_() for each in made]


def show(name, outputs, leaves):
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    print(name, [tuple(each.shape) for each in outputs], outputs[-1].grad_fn.name())
    total = sum((each * each).sum() for each in outputs)
    first = torch.autograd.grad(total, leaves, create_graph=True)
    second = torch.autograd.grad(sum((each * each).sum() for each in first), leaves[:1])
    print(outputs[0].detach(), [round(each.sum().item(), 2) for each in first], round(second[0].sum().item(), 1))


for kind, gates in GATES.items():
    state = (h, h.flip(0)) if kind == "lstm" else h
    for bias in (False, True):
        own = weights(gates, 3, bias)
        show(kind + "_cell", getattr(torch, kind + "_cell")(x, state, *own), own)

sequence = torch.randn(5, 2, 3, dtype=torch.float64)
packed = torch.nn.utils.rnn.pack_sequence([torch.randn(size, 3, dtype=torch.float64) for size in (4, 4, 1)])
for kind, gates in GATES.items():
    for layers, both, first in ((1, False, False), (2, True, True)):
        directions = 2 if both else 1
        own = [each.detach().double().requires_grad_() for each in weights(gates, 3, both, layers, directions)]
        state = torch.randn(layers * directions, 2, 4, dtype=torch.float64)
        state = (state, state.flip(0)) if kind == "lstm" else state
        data = sequence.transpose(0, 1) if first else sequence
        out = getattr(torch, kind)(data, state, own, both, layers, 0.0, True, both, first)
        show(kind, out, own)
        state = torch.zeros(layers * directions, 3, 4, dtype=torch.float64)
        state = (state, state) if kind == "lstm" else state
        out = getattr(torch, kind)(packed.data, packed.batch_sizes, state, own, both, layers, 0.0, True, both)
        show(kind + ", packed", out, own)
short = [torch.randn(16, 3).double(), torch.randn(16, 2).double(), torch.randn(2, 4).double()]
out, last, cell = torch.lstm(
    input=sequence, hx=(torch.zeros(1, 2, 2).double(), torch.zeros(1, 2, 4).double()), params=short, has_biases=False,
    num_layers=1, dropout=0.5, train=False, bidirectional=False, batch_first=False,
)  # fmt: skip
print(out, last.shape, cell.shape)

w, u = torch.randn(4, 3), torch.randn(4, 4)
for call in (
    lambda: torch.rnn_tanh_cell(x, h),
    lambda: torch.rnn_tanh_cell(x, h[:1], w, u),
    lambda: torch.rnn_tanh_cell(x, h[:, :2], w, u),
    lambda: torch.rnn_tanh_cell(x, h[0], w, u),
    lambda: torch.rnn_relu_cell(x[:, :2], h, w, u),
    lambda: torch.gru_cell(x, h, w, u),
    lambda: torch.gru_cell(x, (h,), w, u),
    lambda: torch.lstm_cell(x, h, w, u),
    lambda: torch.lstm_cell(x, (h,), w, u),
    lambda: torch.lstm_cell(x, (h, h[:1]), torch.randn(16, 3), torch.randn(16, 4)),
    lambda: torch.lstm_cell(x[0], (h, h), torch.randn(16, 3), torch.randn(16, 4)),
    lambda: torch.gru(x),
    lambda: torch.gru(sequence, h.double(), [w.double(), u.double()], False, 1, 0.0, False, False, False),
    lambda: torch.rnn_tanh(sequence, h[None].double(), [w.double()], False, 1, 0.0, False, False, False),
    lambda: torch.rnn_relu(sequence, h[None], [w, u], False, 1, 0.0, False, False, False),
    lambda: torch.lstm(sequence, (h[None],), [w, u], False, 1, 0.0, False, False, False),
):
    try:
        print(call())
    except (RuntimeError, TypeError, IndexError) as error:
        print(type(error).__name__, str(error))
