"""Further programs of beginners: values that go on as numbers, as an index or in a copy, and gradients that are 0, not finite, or too much."""

TWO = "x = torch.tensor([1.5, 2.5], requires_grad=True)\n"
W = "w = torch.ones(2, requires_grad=True)\n"
MORE_CASES = {
    "only asked": (TWO + W + "if x.sum() > 0:\n    (w * 2).sum().backward()", "x", "decided", "if x.sum() > 0:"),
    "int cast": (
        "x = torch.ones(2, requires_grad=True)\ny = x.int()\n" + W + "(w * y).sum().backward()",
        "x",
        "cut_off",
        "y = x.int()",
    ),
    "int cast, y": (
        "x = torch.ones(2, requires_grad=True)\ny = x.int()\n" + W + "(w * y).sum().backward()",
        "y",
        "not_differentiable",
        "y = x.int()",
    ),
    "long index": (
        TWO + "w = torch.ones(3, requires_grad=True)\nw[x.long()].sum().backward()",
        "x",
        "cut_off",
        "w[x.long()].sum().backward()",
    ),
    "argmax index": (
        TWO + "w = torch.ones(3, requires_grad=True)\nw[x.argmax()].backward()",
        "x",
        "cut_off",
        "w[x.argmax()].backward()",
    ),
    "argmax one step": (
        TWO + "w = torch.ones(3, requires_grad=True)\ni = x.argmax()\nw[i].backward()",
        "x",
        "cut_off",
        "i = x.argmax()",
    ),
    "argmax one step, i": (
        TWO + "w = torch.ones(3, requires_grad=True)\ni = x.argmax()\nw[i].backward()",
        "i",
        "not_differentiable",
        "i = x.argmax()",
    ),
    "topk indices": (
        TWO + "w = torch.ones(3, requires_grad=True)\nv, i = x.topk(1)\nw[i].sum().backward()",
        "x",
        "cut_off",
        "v, i = x.topk(1)",
    ),
    "topk indices, i": (
        TWO + "w = torch.ones(3, requires_grad=True)\nv, i = x.topk(1)\nw[i].sum().backward()",
        "i",
        "not_differentiable",
        "v, i = x.topk(1)",
    ),
    "topk indices, v": (
        TWO + "w = torch.ones(3, requires_grad=True)\nv, i = x.topk(1)\nw[i].sum().backward()",
        "v",
        "not_leaf_unused",
        "v, i = x.topk(1)",
    ),
    "argsort": (TWO + W + "(w[torch.argsort(x)]).sum().backward()", "x", "cut_off", "(w[torch.argsort(x)]).sum().backward()"),
    "round": (TWO + "y = x.round()\ny.sum().backward()", "x", "accumulated_zero", "y = x.round()"),
    "sign": (TWO + "y = torch.sign(x)\ny.sum().backward()", "x", "accumulated_zero", "y = torch.sign(x)"),
    "floor": (
        TWO + "loss = (torch.floor(x) ** 2).sum()\nloss.backward()",
        "x",
        "accumulated_zero",
        "loss = (torch.floor(x) ** 2).sum()",
    ),
    "compare float": (
        TWO + "acc = (x > 2).float().mean()\n" + W + "(w * acc).sum().backward()",
        "x",
        "cut_off",
        "acc = (x > 2).float().mean()",
    ),
    "compare float, acc": (
        TWO + "acc = (x > 2).float().mean()\n" + W + "(w * acc).sum().backward()",
        "acc",
        "not_differentiable",
        "acc = (x > 2).float().mean()",
    ),
    "compare mask": (TWO + W + "w[x > 2].sum().backward()", "x", "cut_off", "w[x > 2].sum().backward()"),
    "eq": (TWO + "y = (x == 2.5)\n" + W + "torch.where(y, w, 0.).sum().backward()", "x", "cut_off", "y = (x == 2.5)"),
    "eq, y": (
        TWO + "y = (x == 2.5)\n" + W + "torch.where(y, w, 0.).sum().backward()",
        "y",
        "not_differentiable",
        "y = (x == 2.5)",
    ),
    "zero relu": (
        "x = torch.tensor([-1.5, -2.5], requires_grad=True)\ntorch.relu(x).sum().backward()",
        "x",
        "accumulated_zero",
        "torch.relu(x).sum().backward()",
    ),
    "times zero": (
        "x = torch.ones(2, requires_grad=True)\n(x * 0).sum().backward()",
        "x",
        "accumulated_zero",
        "(x * 0).sum().backward()",
    ),
    "clamp": (TWO + "x.clamp(max=1.0).sum().backward()", "x", "accumulated_zero", "x.clamp(max=1.0).sum().backward()"),
    "numpy round": (
        TWO + "a = x.detach().numpy()\nb = torch.from_numpy(a * 2)\nb.requires_grad_()\nb.sum().backward()",
        "x",
        "cut_off",
        "a = x.detach().numpy()",
    ),
    "item": (TWO + "s = x.sum().item()\n" + W + "(w * s).sum().backward()", "x", "cut_off", "s = x.sum().item()"),
    "fstring": (
        TWO + "s = float(f'{x.sum():.2f}')\n" + W + "(w * s).sum().backward()",
        "x",
        "cut_off",
        "s = float(f'{x.sum():.2f}')",
    ),
    "tolist": (
        TWO + "s = torch.tensor([v * 2 for v in x.tolist()], requires_grad=True)\ns.sum().backward()",
        "x",
        "cut_off",
        "s = torch.tensor([v * 2 for v in x.tolist()], requires_grad=True)",
    ),
    "torch.tensor(x)": (
        TWO + "y = torch.tensor(x, requires_grad=True)\ny.sum().backward()",
        "x",
        "cut_off",
        "y = torch.tensor(x, requires_grad=True)",
    ),
    "torch.tensor list": (
        TWO + "y = torch.tensor([x[0] * 2, x[1]])\n" + W + "(y * w).sum().backward()",
        "x",
        "cut_off",
        "y = torch.tensor([x[0] * 2, x[1]])",
    ),
    "torch.tensor list, y": (
        TWO + "y = torch.tensor([x[0] * 2, x[1]])\n" + W + "(y * w).sum().backward()",
        "y",
        "of_numbers",
        "y = torch.tensor([x[0] * 2, x[1]])",
    ),
    "torch.tensor loss": (
        TWO + "loss = torch.tensor((x * 2).sum().item(), requires_grad=True)\nloss.backward()",
        "x",
        "cut_off",
        "loss = torch.tensor((x * 2).sum().item(), requires_grad=True)",
    ),
    "as_tensor": (
        TWO + "y = torch.as_tensor(x.tolist(), dtype=torch.float32).requires_grad_()\ny.sum().backward()",
        "x",
        "cut_off",
        "y = torch.as_tensor(x.tolist(), dtype=torch.float32).requires_grad_()",
    ),
    "no_grad compute": (
        TWO + "with torch.no_grad():\n    y = x * 2\n" + W + "(w * y).sum().backward()",
        "x",
        "cut_off",
        "y = x * 2",
    ),
    "no_grad compute, y": (
        TWO + "with torch.no_grad():\n    y = x * 2\n" + W + "(w * y).sum().backward()",
        "y",
        "no_grad",
        "y = x * 2",
    ),
    "no_grad function": (
        "@torch.no_grad()\ndef f(x):\n    return x * 2\n" + TWO + W + "(w * f(x)).sum().backward()",
        "x",
        "cut_off",
        "return x * 2",
    ),
    "set_grad_enabled": (
        TWO + "torch.set_grad_enabled(False)\ny = x * 2\ntorch.set_grad_enabled(True)\nx.sum().backward()",
        "y",
        "no_grad",
        "y = x * 2",
    ),
    "to double": (
        "x = torch.ones(2, requires_grad=True).to(torch.float64)\nx.sum().backward()",
        "x",
        "unnamed_leaf",
        "x = torch.ones(2, requires_grad=True).to(torch.float64)",
    ),
    "times one": (
        "x = torch.ones(2, requires_grad=True) * 1\nx.sum().backward()",
        "x",
        "unnamed_leaf",
        "x = torch.ones(2, requires_grad=True) * 1",
    ),
    "reshape leaf": (
        "w = torch.randn(4, requires_grad=True).reshape(2, 2)\nw.sum().backward()",
        "w",
        "unnamed_leaf",
        "w = torch.randn(4, requires_grad=True).reshape(2, 2)",
    ),
    "cuda-like": (
        "w = torch.randn(4, requires_grad=True).to('cpu').double()\nw.sum().backward()",
        "w",
        "unnamed_leaf",
        "w = torch.randn(4, requires_grad=True).to('cpu').double()",
    ),
    "rebound double": (TWO + "x = x.double()\n(x * 2).sum().backward()", "x", "rebound", "x = x.double()"),
    "requires late": (
        "x = torch.ones(2)\ny = x * 2\nx.requires_grad_()\n" + W + "(y * w).sum().backward()",
        "x",
        "asked_late",
        "x.requires_grad_()",
    ),
    "requires = attr late": (
        "x = torch.ones(2)\ny = (x * 2).sum()\nx.requires_grad = True\ny.requires_grad_()\ny.backward()",
        "x",
        "asked_late",
        "x.requires_grad = True",
    ),
    "another output": (
        TWO + W + "a = (x * 2).sum()\nb = (w * 3).sum()\nb.backward()",
        "a",
        "not_leaf_unused",
        "a = (x * 2).sum()",
    ),
    "view replaced": (
        TWO + "v = x[:1]\nv = v.detach()\nv.requires_grad_()\nv.sum().backward()",
        "x",
        "cut_off",
        "v = v.detach()",
    ),
    "deepcopy net": (
        "import copy\nnet = torch.nn.Linear(2, 1)\nother = copy.deepcopy(net)\nother(torch.ones(1, 2)).sum().backward()",
        "net.weight",
        "cut_off",
        "other = copy.deepcopy(net)",
    ),
    "functional update": (
        TWO + "for i in range(2):\n    x = x - 0.1 * x\nx.sum().backward()",
        "x",
        "rebound",
        "x = x - 0.1 * x",
    ),
    "functional update grad": (
        TWO
        + "for i in range(2):\n    loss = (x * x).sum()\n    loss.backward()\n    x = (x - 0.1 * x.grad).detach()\n    x.requires_grad_()",
        "x",
        "rebound",
        "x = (x - 0.1 * x.grad).detach()",
    ),
    "hook zeros": (
        TWO + "y = x * 2\ny.register_hook(lambda g: torch.zeros_like(g))\ny.sum().backward()",
        "x",
        "accumulated_zero",
        "y.register_hook(lambda g: torch.zeros_like(g))",
    ),
    "leaf hook zeros": (
        TWO + "x.register_hook(lambda g: g * 0)\n(x * 2).sum().backward()",
        "x",
        "accumulated_zero",
        "x.register_hook(lambda g: g * 0)",
    ),
    "clone detach loop": (
        TWO + "h = x\nfor i in range(3):\n    h = (h * 2).clone().detach()\n" + W + "(h * w).sum().backward()",
        "x",
        "cut_off",
        "h = (h * 2).clone().detach()",
    ),
    "clone detach loop, h": (
        TWO + "h = x\nfor i in range(3):\n    h = (h * 2).clone().detach()\n" + W + "(h * w).sum().backward()",
        "h",
        "detached",
        "h = (h * 2).clone().detach()",
    ),
    "loss.data": (
        TWO + "loss = (x * 2).sum().data\nloss.requires_grad_()\nloss.backward()",
        "x",
        "cut_off",
        "loss = (x * 2).sum().data",
    ),
    "detach then require": (
        TWO + "y = (x * 2).detach().requires_grad_()\ny.sum().backward()",
        "x",
        "cut_off",
        "y = (x * 2).detach().requires_grad_()",
    ),
    "new tensor": (
        TWO + "y = torch.zeros(2)\nfor i in range(2):\n    y[i] = x[i].item()\n" + W + "(y * w).sum().backward()",
        "x",
        "cut_off",
        "y[i] = x[i].item()",
    ),
    "copy data": (
        TWO + "y = torch.zeros(2)\ny.data.copy_(x)\n" + W + "(y * w).sum().backward()",
        "x",
        "cut_off",
        "y.data.copy_(x)",
    ),
    "fill from": (
        TWO + "y = torch.full((2,), x[0].item())\n" + W + "(y * w).sum().backward()",
        "x",
        "cut_off",
        "y = torch.full((2,), x[0].item())",
    ),
    "fill from, y": (
        TWO + "y = torch.full((2,), x[0].item())\n" + W + "(y * w).sum().backward()",
        "y",
        "of_numbers",
        "y = torch.full((2,), x[0].item())",
    ),
    "numpy mean": (
        "import numpy as np\n" + TWO + "m = np.mean(x.detach().numpy())\n" + W + "(w * float(m)).sum().backward()",
        "x",
        "cut_off",
        "m = np.mean(x.detach().numpy())",
    ),
    "detached features": (
        "enc = torch.nn.Linear(2, 2)\nhead = torch.nn.Linear(2, 1)\nfeat = enc(torch.ones(1, 2)).detach()\nhead(feat).sum().backward()",
        "enc.weight",
        "cut_off",
        "feat = enc(torch.ones(1, 2)).detach()",
    ),
    "no_grad features": (
        "enc = torch.nn.Linear(2, 2)\nhead = torch.nn.Linear(2, 1)\nwith torch.no_grad():\n"
        "    feat = enc(torch.ones(1, 2))\nhead(feat).sum().backward()",
        "enc.weight",
        "cut_off",
        "feat = enc(torch.ones(1, 2))",
    ),
    "nan": (
        "x = torch.tensor([0.0, 1.0], requires_grad=True)\nx.sqrt().sum().backward()",
        "x",
        "accumulated_infinite",
        "x.sqrt().sum().backward()",
    ),
    "twice accumulates": (TWO + "(x * 2).sum().backward()\n(x * 2).sum().backward()", "x", "accumulated_again", None),
    "eval mode dropout": (
        "d = torch.nn.Dropout(1.0)\n" + TWO + "d(x).sum().backward()",
        "x",
        "accumulated_zero",
        "d(x).sum().backward()",
    ),
    "gumbel/multinomial": (
        TWO + "i = torch.multinomial(torch.softmax(x, 0), 1)\n" + W + "w[i].sum().backward()",
        "x",
        "cut_off",
        "i = torch.multinomial(torch.softmax(x, 0), 1)",
    ),
    "one_hot": (
        TWO + "o = torch.nn.functional.one_hot(x.argmax(), 2).float()\n" + W + "(o * w).sum().backward()",
        "x",
        "cut_off",
        "o = torch.nn.functional.one_hot(x.argmax(), 2).float()",
    ),
    "one_hot, o": (
        TWO + "o = torch.nn.functional.one_hot(x.argmax(), 2).float()\n" + W + "(o * w).sum().backward()",
        "o",
        "not_differentiable",
        "o = torch.nn.functional.one_hot(x.argmax(), 2).float()",
    ),
    "bool": (TWO + "y = x.bool().float()\n" + W + "(y * w).sum().backward()", "x", "cut_off", "y = x.bool().float()"),
    "bool, y": (
        TWO + "y = x.bool().float()\n" + W + "(y * w).sum().backward()",
        "y",
        "not_differentiable",
        "y = x.bool().float()",
    ),
    "x.grad.data zero": (TWO + "(x * 2).sum().backward()\nx.grad.data.zero_()", "x", "assigned", None),
    "set grad then": (TWO + "(x * 2).sum().backward()\nx.grad = x.grad * 0", "x", "assigned", "x.grad = x.grad * 0"),
    "x.new_tensor": (TWO + "y = x.new_tensor(x)\n" + W + "(y * w).sum().backward()", "x", "cut_off", "y = x.new_tensor(x)"),
    "x.new_tensor, y": (
        TWO + "y = x.new_tensor(x)\n" + W + "(y * w).sum().backward()",
        "y",
        "of_numbers",
        "y = x.new_tensor(x)",
    ),
    "custom none": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n        return a * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g.new_zeros(g.shape)\n"
        + TWO
        + "F.apply(x).sum().backward()",
        "x",
        "accumulated_zero",
        "F.apply(x).sum().backward()",
    ),
    "mark_non_diff": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n        b = a * 2\n"
        "        ctx.mark_non_differentiable(b)\n        return b\n    @staticmethod\n    def backward(ctx, g):\n        return g\n"
        + TWO
        + "y = F.apply(x)\n"
        + W
        + "(y * w).sum().backward()",
        "x",
        "cut_off",
        "b = a * 2",
    ),
    "mark_non_diff, y": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n        b = a * 2\n"
        "        ctx.mark_non_differentiable(b)\n        return b\n    @staticmethod\n    def backward(ctx, g):\n        return g\n"
        + TWO
        + "y = F.apply(x)\n"
        + W
        + "(y * w).sum().backward()",
        "y",
        "not_differentiable",
        "y = F.apply(x)",
    ),
    "ema": (
        "net = torch.nn.Linear(2, 1)\nema = [p.clone().detach() for p in net.parameters()]\n"
        "net(torch.ones(1, 2)).sum().backward()\ne0 = ema[0]",
        "e0",
        "detached",
        "ema = [p.clone().detach() for p in net.parameters()]",
    ),
    "target copy": (
        "net = torch.nn.Linear(2, 1)\ntgt = torch.nn.Linear(2, 1)\ntgt.load_state_dict(net.state_dict())\n"
        "x = torch.ones(1, 2)\nwith torch.no_grad():\n    q = tgt(x)\n((net(x) - q) ** 2).sum().backward()",
        "tgt.weight",
        "cut_off",
        "q = tgt(x)",
    ),
    "target copy, q": (
        "net = torch.nn.Linear(2, 1)\ntgt = torch.nn.Linear(2, 1)\ntgt.load_state_dict(net.state_dict())\n"
        "x = torch.ones(1, 2)\nwith torch.no_grad():\n    q = tgt(x)\n((net(x) - q) ** 2).sum().backward()",
        "q",
        "no_grad",
        "q = tgt(x)",
    ),
    "max idx": (TWO + "i = x.max(0)[1]\n" + W + "w[i].backward()", "x", "cut_off", "i = x.max(0)[1]"),
    "max idx, i": (TWO + "i = x.max(0)[1]\n" + W + "w[i].backward()", "i", "not_differentiable", "i = x.max(0)[1]"),
    "gather index": (
        TWO + W + "w.gather(0, x.sort().indices).sum().backward()",
        "x",
        "cut_off",
        "w.gather(0, x.sort().indices).sum().backward()",
    ),
    "embedding idx": (
        TWO + "e = torch.nn.Embedding(4, 2)\ne(x.long()).sum().backward()",
        "x",
        "cut_off",
        "e(x.long()).sum().backward()",
    ),
}
# Of `x` only the shape is used, or a number that goes nowhere, or a name that has another value since.
NOT_LOST = [
    TWO + W + "(w * torch.zeros_like(x)).sum().backward()",
    TWO + W + "y = torch.ones(x.shape) * len(x)\n(w * y).sum().backward()",
    TWO + W + "s = x.sum().item()\nt = s + 1\nw.sum().backward()",
    TWO + W + "y = x.detach()\ny = w * 2\ny.sum().backward()",
    TWO + W + "y = x.tolist()\ny = w * 2\ny.sum().backward()",
    TWO + W + "w[: x.shape[0]].sum().backward()",
    TWO + W + "if x.sum() > 0:\n    print('positive')\n(w * 2).sum().backward()",
]
