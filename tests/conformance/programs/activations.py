"""nn.functional's activations and small layers: values and gradients."""

import torch
import torch.nn.functional as F

x = torch.tensor([-3.0, -1.0, -0.25, 0.5, 2.0, 7.0], dtype=torch.float64, requires_grad=True)
activations = {
    "relu": F.relu,
    "relu6": F.relu6,
    "leaky_relu": F.leaky_relu,
    "leaky 0.2": lambda t: F.leaky_relu(t, 0.2),
    "elu": F.elu,
    "elu 2": lambda t: F.elu(t, alpha=2.0),
    "selu": F.selu,
    "gelu": F.gelu,
    "gelu tanh": lambda t: F.gelu(t, approximate="tanh"),
    "silu": F.silu,
    "softplus": F.softplus,
    "softplus beta": lambda t: F.softplus(t, beta=2, threshold=3),
    "softsign": F.softsign,
    "hardtanh": F.hardtanh,
    "threshold": lambda t: F.threshold(t, 0.1, 20),
    "logsigmoid": F.logsigmoid,
    "sigmoid": F.sigmoid,
    "tanh": F.tanh,
    "normalize": lambda t: F.normalize(t, dim=0),
    "log_softmax": lambda t: F.log_softmax(t, 0),
    "cube": lambda t: t.pow(3) * torch.sigmoid(t),
}
for name, f in activations.items():
    y = f(x)
    weights = torch.arange(1.0, 1 + y.numel(), dtype=torch.float64)
    (g,) = torch.autograd.grad(y, x, weights, create_graph=True)
    second = ""
    if name not in ("relu", "relu6", "leaky_relu", "leaky 0.2", "hardtanh", "threshold"):
        second = f"{torch.autograd.grad(g.sum(), x)[0].abs().sum().item():.3f}"
    print(name, [f"{v + 0.0:.4f}" for v in y.tolist()], [f"{v + 0.0:.4f}" for v in g.tolist()], second)

w = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
b = torch.tensor([0.5, -0.5, 1.0], requires_grad=True)
out = F.linear(torch.tensor([[1.0, -1.0], [2.0, 0.5]]), w, b)
out.backward(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
print(out, w.grad, b.grad)
table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
rows = F.embedding(torch.tensor([[0, 2], [2, 2]]), table)
rows.sum().backward()
print(rows, table.grad, F.one_hot(torch.tensor([0, 2]), 3))
torch.manual_seed(0)
print(F.dropout(torch.ones(8), 0.5, training=False), F.dropout(torch.ones(4), 0.0), F.dropout(torch.ones(4), 1.0))
z = torch.tensor([-1.0, 1.0])
print(F.relu(z, inplace=True) is z, z, F.relu_(torch.tensor([-2.0, 2.0])), torch.relu_(torch.tensor([-3.0])))
print(F.pad(torch.arange(4.0).view(2, 2), (1, 0, 0, 1)), F.pad(torch.tensor([1.0]), (1, 1), value=2.0))
