"""Modules and functions traced by torch.fx: graphs, generated code, surgery, copies and errors."""

import copy
import operator
import pickle

import torch
import torch.nn.functional as F
from torch import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("shift", torch.full((2,), 0.5))

    def forward(self, x, factor: float = 2.0, *, flag=True):
        h = self.layers(x) * self.scale + self.shift
        a, b = h.chunk(2, dim=-1)
        z = F.relu(torch.cat([a, b], dim=1), inplace=True)[:, None, 1:]
        n = z.shape[0]
        return {"z": z.view(n, -1) ** 2, "n": (z.size(0), F.dropout(z, 0.5, self.training)), "f": F.gelu(1 - h) @ h.t()}


torch.manual_seed(0)
net = Net().eval()
with torch.no_grad():
    for parameter in net.parameters():
        parameter.fill_(0.25)
traced = fx.symbolic_trace(net)
print(traced)
print(traced.graph)
x = torch.ones(3, 4)
print(traced(x)["z"], torch.equal(traced(x)["f"], net(x)["f"]))
for other in (copy.deepcopy(traced), pickle.loads(pickle.dumps(traced))):
    print(other.code == traced.code, torch.equal(other(x)["z"], traced(x)["z"]))


def f(x, y=1):
    torch.sin(x)
    return torch.relu(x + y) * 2


gm = fx.symbolic_trace(f)
gm.graph.eliminate_dead_code()
for node in gm.graph.nodes:
    if node.target is torch.relu:
        with gm.graph.inserting_after(node):
            new = gm.graph.call_function(torch.sigmoid, (node,))
        print(node.replace_all_uses_with(new, lambda user: user is not new), node.users)
gm.graph.lint()
gm.recompile()
print(gm.code, gm(torch.tensor(1.0)))
print(fx.replace_pattern(gm, lambda a: torch.sigmoid(a), lambda a: torch.tanh(a).neg()), gm.code)


class Minus(fx.Transformer):
    def call_function(self, target, args, kwargs):
        return super().call_function(operator.sub if target is operator.add else target, args, kwargs)


print(Minus(gm).transform().code, fx.Interpreter(gm).run(torch.tensor(1.0)))
for bad in (lambda x: x if x > 0 else -x, lambda x: [i + 1 for i in x], lambda x: len(x), lambda x: float(x)):
    try:
        fx.symbolic_trace(bad)
    except Exception as error:
        print(type(error).__name__, error)


def products(a, b):
    spelled = torch.einsum("ij,jk->ik", (a, b)) + torch.einsum("ij,jk", a, b) + torch.einsum(a, [0, 1], b, [1, 2])
    return spelled + torch.tensordot(a, b, 1) + torch.norm(a, 2, 0)


print(fx.symbolic_trace(products).graph)
