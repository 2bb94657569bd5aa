"""Programs that end with a `.grad` that is None, or is not what one expects: each with the name, the reason, and the line of it."""

# text of the program, the name asked for, the code of the reason, the statement that is the reason or None
LEAF = "x = torch.ones(2, requires_grad=True)\n"
CASES = {
    "accumulated": (LEAF + "(x * x).sum().backward()", "x", "accumulated", None),
    "retained": (LEAF + "y = x * 3\ny.retain_grad()\ny.sum().backward()", "y", "retained", None),
    "retained, not reached": (LEAF + "y = x * 3\ny.retain_grad()\nx.sum().backward()", "y", "not_reached", "y = x * 3"),
    "not a leaf": (LEAF + "y = x * 3\ny.sum().backward()", "y", "not_leaf", "y = x * 3"),
    "made of named leaves only": (
        LEAF + "y = x * torch.ones(2, requires_grad=True)\ny.sum().backward()",
        "y",
        "not_leaf",
        "y = x * torch.ones(2, requires_grad=True)",
    ),
    "nobody asked": ("a = torch.ones(2)\n" + LEAF + "(a * x).sum().backward()", "a", "no_requires_grad", "a = torch.ones(2)"),
    "asked later": ("a = torch.ones(2)\nb = a + 1\na.requires_grad_()\n(a * 2).sum().backward()", "a", "accumulated", None),
    "asked and took it back": (LEAF + "y = x * 2\nx.requires_grad_(False)\n", "x", "frozen", "x.requires_grad_(False)"),
    "frozen": (
        "net = torch.nn.Linear(2, 2)\nfor p in net.parameters():\n    p.requires_grad = False\n"
        + LEAF
        + "net(x).sum().backward()",
        "net.weight",
        "frozen",
        "p.requires_grad = False",
    ),
    "frozen module": (
        "net = torch.nn.Linear(2, 2)\nnet.requires_grad_(False)\n" + LEAF + "net(x).sum().backward()",
        "net.bias",
        "frozen",
        "net.requires_grad_(False)",
    ),
    "no_grad": (LEAF + "with torch.no_grad():\n    y = x * 2\nx.sum().backward()", "y", "no_grad", "y = x * 2"),
    "inference_mode": (
        LEAF + "with torch.inference_mode():\n    y = x * 2\nx.sum().backward()",
        "y",
        "inference_mode",
        "y = x * 2",
    ),
    "made of what was made under no_grad": (
        LEAF + "with torch.no_grad():\n    y = x * 2\nz = y + 1\nx.sum().backward()",
        "z",
        "no_grad",
        "y = x * 2",
    ),
    "detach": (LEAF + "d = (x * 2).detach()\n(x * d).sum().backward()", "d", "detached", "d = (x * 2).detach()"),
    "torch.detach": (LEAF + "d = torch.detach(x)\n(x * d).sum().backward()", "d", "detached", "d = torch.detach(x)"),
    "data": (LEAF + "d = x.data\n(x * d).sum().backward()", "d", "detached", "d = x.data"),
    "made of what was detached": (
        LEAF + "d = x.detach()\ne = d * 5\n(x * e).sum().backward()",
        "e",
        "detached",
        "d = x.detach()",
    ),
    "detached in place": (LEAF + "y = x * 2\ny.detach_()\n(x * y).sum().backward()", "y", "detached", "y.detach_()"),
    "cut on the way by detach_": (
        LEAF + "y = x * 2\nz = y.detach_()\nw = torch.ones(2, requires_grad=True)\n(w * z).sum().backward()",
        "x",
        "cut_off",
        "z = y.detach_()",
    ),
    "a loss made anew of its number": (
        LEAF + "loss = torch.tensor((x * x).sum().item(), requires_grad=True)\nloss.backward()",
        "x",
        "cut_off",
        "loss = torch.tensor((x * x).sum().item(), requires_grad=True)",
    ),
    "a leaf of numbers that a list holds": (
        LEAF + "y = torch.tensor(x.tolist(), requires_grad=True)\n(y * 2).sum().backward()",
        "x",
        "cut_off",
        "y = torch.tensor(x.tolist(), requires_grad=True)",
    ),
    "copied by torch.tensor": (
        "import warnings\nwarnings.simplefilter('ignore')\n"
        + LEAF
        + "y = torch.tensor(x * 2)\ny.requires_grad_()\ny.sum().backward()",
        "x",
        "cut_off",
        "y = torch.tensor(x * 2)",
    ),
    "through an array and back": (
        "import numpy as np\n" + LEAF + "y = torch.from_numpy(np.exp(x.detach().numpy())).requires_grad_()\ny.sum().backward()",
        "x",
        "cut_off",
        "y = torch.from_numpy(np.exp(x.detach().numpy())).requires_grad_()",
    ),
    "given back by a transform": (
        LEAF + "g = torch.func.grad(lambda x: (x * x).sum())(x)",
        "x",
        "returned",
        "g = torch.func.grad(lambda x: (x * x).sum())(x)",
    ),
    "given back by a transform of a batch": (
        LEAF + "xs = torch.ones(3, 2)\ng = torch.func.vmap(torch.func.grad(lambda x, s: (x * s).sum()), (None, 0))(x, xs)",
        "x",
        "returned",
        "g = torch.func.vmap(torch.func.grad(lambda x, s: (x * s).sum()), (None, 0))(x, xs)",
    ),
    "given back as a Jacobian": (
        LEAF + "J = torch.autograd.functional.jacobian(lambda x: x * x, x)",
        "x",
        "returned",
        "J = torch.autograd.functional.jacobian(lambda x: x * x, x)",
    ),
    "a network that only its copy stands for": (
        "import copy\nnet = torch.nn.Linear(2, 1)\nnet(torch.ones(2))\nother = copy.deepcopy(net)\nother(torch.ones(2)).sum().backward()",
        "net.weight",
        "cut_off",
        "other = copy.deepcopy(net)",
    ),
    "one of a list": (
        "ws = [torch.ones(2, requires_grad=True) for _ in range(3)]\nws[2] * 1\n(ws[0] * ws[1]).sum().backward()",
        "ws[2]",
        "not_reached",
        "ws = [torch.ones(2, requires_grad=True) for _ in range(3)]",
    ),
    "detach of what asks for nothing": (
        "a = torch.ones(2)\nd = a.detach()\n" + LEAF + "(x * d).sum().backward()",
        "d",
        "no_requires_grad",
        "d = a.detach()",
    ),
    "no derivative": (LEAF + "m = x.argmax()\nx.sum().backward()", "m", "not_differentiable", "m = x.argmax()"),
    "not reached": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nw * 2\nx.sum().backward()",
        "w",
        "not_reached",
        "w = torch.ones(2, requires_grad=True)",
    ),
    "cut on the way": (
        LEAF + "y = (x * 2).detach().requires_grad_()\n(y * 3).sum().backward()",
        "x",
        "cut_off",
        "y = (x * 2).detach().requires_grad_()",
    ),
    "cut on the way by data": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nh = x * 2\ny = h.data * w\ny.sum().backward()",
        "x",
        "cut_off",
        "y = h.data * w",
    ),
    "cut on the way by no_grad": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nwith torch.no_grad():\n    h = x * 2\n(h.exp() * w).sum().backward()",
        "x",
        "cut_off",
        "h = x * 2",
    ),
    "cut on the way by what has no derivative": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nm = x > 0.5\n(w * m).sum().backward()",
        "x",
        "cut_off",
        "m = x > 0.5",
    ),
    "asked when it had been used": (
        "a = torch.ones(2)\n" + LEAF + "y = a * x\na.requires_grad_()\ny.sum().backward()",
        "a",
        "asked_late",
        "a.requires_grad_()",
    ),
    "frozen when it had been used": (
        LEAF + "w = torch.ones(2, requires_grad=True)\ny = x * w\nw.requires_grad_(False)\ny.sum().backward()",
        "w",
        "frozen",
        "w.requires_grad_(False)",
    ),
    "of whole numbers": (
        "n = torch.arange(2)\n" + LEAF + "(n * x).sum().backward()",
        "n",
        "not_floating",
        "n = torch.arange(2)",
    ),
    "of a number that was taken out": (
        LEAF + "y = (x * 2).sum()\nz = torch.tensor(y.item() * 3)\n(x * z).sum().backward()",
        "z",
        "of_numbers",
        "z = torch.tensor(y.item() * 3)",
    ),
    "of an array": (
        LEAF + "y = x * 2\na = y.detach().numpy() + 1\nz = torch.tensor(a)\n(x * z).sum().backward()",
        "z",
        "of_numbers",
        "z = torch.tensor(a)",
    ),
    "of the array of a network": (
        "net = torch.nn.Linear(2, 2)\na = torch.ones(2)\n"
        + LEAF
        + "z = torch.tensor(net(a).detach().numpy())\n(x * z).sum().backward()",
        "z",
        "of_numbers",
        "z = torch.tensor(net(a).detach().numpy())",
    ),
    "cut on the way by numbers": (
        "net = torch.nn.Linear(2, 2)\na = torch.ones(2)\n"
        + LEAF
        + "z = torch.tensor(net(a).detach().numpy())\n(x * z).sum().backward()",
        "net.weight",
        "cut_off",
        "z = torch.tensor(net(a).detach().numpy())",
    ),
    "of numbers that nothing asks for": (
        LEAF + "n = 2.0\nz = torch.tensor(float(n))\n(x * z).sum().backward()",
        "z",
        "no_requires_grad",
        "z = torch.tensor(float(n))",
    ),
    "not a leaf, and no pass": (LEAF + "y = x * 3", "y", "not_leaf_no_pass", "y = x * 3"),
    "not a leaf, and no pass led there": (LEAF + "y = x * 3\nx.sum().backward()", "y", "not_leaf_unused", "y = x * 3"),
    "not a leaf, and an error of its node": (
        LEAF + "y = x.exp()\nz = y * y\ny.mul_(2)\nz.sum().backward()",
        "y",
        "not_leaf_unused",
        "y = x.exp()",
    ),
    "not a leaf since it was written to": (
        LEAF + "y = torch.zeros(2)\ny[0] = x[0]\ny += 1\ny.sum().backward()",
        "y",
        "not_leaf",
        "y[0] = x[0]",
    ),
    "retained too late": (LEAF + "y = x * 3\ny.sum().backward()\ny.retain_grad()", "y", "retained_late", None),
    "a function that gives None": (
        "class Cut(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return None\n" + LEAF + "y = Cut.apply(x)\ny.sum().backward()",
        "x",
        "nothing_sent",
        "y = Cut.apply(x)",
    ),
    "a function on the way that gives None": (
        "class Cut(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return None\n"
        + LEAF
        + "y = Cut.apply(x * 3)\ny.sum().backward()",
        "x",
        "nothing_sent",
        "y = Cut.apply(x * 3)",
    ),
    "asked for, and not in the graph": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nw * 1\ntorch.autograd.grad((x * x).sum(), [x, w], allow_unused=True)",
        "w",
        "returned_none",
        "torch.autograd.grad((x * x).sum(), [x, w], allow_unused=True)",
    ),
    "a hook set it to None": (
        LEAF + "def forget(p):\n    p.grad = None\nx.register_post_accumulate_grad_hook(forget)\n(x * x).sum().backward()",
        "x",
        "reset",
        "p.grad = None",
    ),
    "a step that binds the name anew": (
        LEAF + "for step in range(2):\n    (x * x).sum().backward()\n    if step == 0:\n        x = x - 0.1 * x.grad\n",
        "x",
        "rebound",
        "x = x - 0.1 * x.grad",
    ),
    "in another thread": (
        "import threading\n" + LEAF + "def work():\n    (x * x).sum().backward()\nt = threading.Thread(target=work)\n"
        "t.start()\nt.join()",
        "x",
        "accumulated",
        None,
    ),
    "no_grad in another thread": (
        "import threading\n" + LEAF + "made = []\ndef work():\n    with torch.no_grad():\n        made.append(x * 2)\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\ny = made[0]\nx.sum().backward()",
        "y",
        "no_grad",
        "made.append(x * 2)",
    ),
    "an error in a hook": (
        LEAF + "y = x * 2\ndef look(g):\n    raise RuntimeError('no')\ny.register_hook(look)\ny.sum().backward()",
        "x",
        "error",
        "raise RuntimeError('no')",
    ),
    "an error in a function's backward": (
        "class Bad(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g @ torch.ones(7)\n"
        + LEAF
        + "Bad.apply(x).sum().backward()",
        "x",
        "error",
        "return g @ torch.ones(7)",
    ),
    "unnamed leaf": (
        "w = torch.ones(2, requires_grad=True) * 0.1\nw.sum().backward()",
        "w",
        "unnamed_leaf",
        "w = torch.ones(2, requires_grad=True) * 0.1",
    ),
    "unnamed leaf, two steps on": (
        "w = (torch.ones(2, requires_grad=True) * 0.1).exp()\nw.sum().backward()",
        "w",
        "unnamed_leaf",
        "w = (torch.ones(2, requires_grad=True) * 0.1).exp()",
    ),
    "bound anew by an operation": (LEAF + "x.sum().backward()\nx = x * 0.9", "x", "rebound", "x = x * 0.9"),
    "bound anew to another leaf": (
        LEAF + "x.sum().backward()\nx = torch.zeros(2, requires_grad=True)\nx + 1",
        "x",
        "rebound",
        "x = torch.zeros(2, requires_grad=True)",
    ),
    "bound to what has another name before": (
        LEAF + "y = x\nfor i in range(2):\n    y = y * 2\ny.sum().backward()",
        "y",
        "not_leaf",
        "y = y * 2",
    ),
    "set to None": (LEAF + "x.sum().backward()\nx.grad = None", "x", "reset", "x.grad = None"),
    "deleted": (LEAF + "x.sum().backward()\ndel x.grad", "x", "reset", "del x.grad"),
    "zero_grad": (
        LEAF + "opt = torch.optim.SGD([x], lr=0.1)\nx.sum().backward()\nopt.step()\nopt.zero_grad()",
        "x",
        "reset",
        "opt.zero_grad()",
    ),
    "zeroed in place": (LEAF + "x.sum().backward()\nx.grad.zero_()", "x", "assigned", "x.grad.zero_()"),
    "zeroed by an optimizer": (
        LEAF + "opt = torch.optim.SGD([x], lr=0.1)\nx.sum().backward()\nopt.zero_grad(set_to_none=False)",
        "x",
        "assigned",
        "opt.zero_grad(set_to_none=False)",
    ),
    "given a gradient": (LEAF + "x * 1\nx.grad = torch.ones(2)", "x", "assigned", "x.grad = torch.ones(2)"),
    "set to None and come again": (LEAF + "x.sum().backward()\nx.grad = None\nx.sum().backward()", "x", "accumulated", None),
    "given back": (
        LEAF + "g, = torch.autograd.grad((x * x).sum(), x)",
        "x",
        "returned",
        "g, = torch.autograd.grad((x * x).sum(), x)",
    ),
    "given back for what is no leaf": (
        LEAF + "y = x * 2\ng, = torch.autograd.grad((y * y).sum(), y)",
        "y",
        "returned",
        "g, = torch.autograd.grad((y * y).sum(), y)",
    ),
    "left out": (
        LEAF + "a = torch.ones(2, requires_grad=True)\n(a * x).sum().backward(inputs=[a])",
        "x",
        "left_out",
        "(a * x).sum().backward(inputs=[a])",
    ),
    "no backward": (LEAF + "y = (x * x).sum()", "x", "no_backward", None),
    "error before backward": (LEAF + "y = x * 2\ny @ torch.ones(3)\ny.sum().backward()", "x", "error", "y @ torch.ones(3)"),
    "error in backward": (LEAF + "y = x.exp()\ny.mul_(2)\ny.sum().backward()", "x", "error", "y.sum().backward()"),
    "error that was caught": (
        LEAF + "y = x * 2\ntry:\n    y.backward()\nexcept RuntimeError:\n    pass",
        "x",
        "no_backward",
        None,
    ),
    "error between passes": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nx.sum().backward()\nz = w * 2\nz @ torch.ones(3)",
        "w",
        "error",
        "z @ torch.ones(3)",
    ),
    "error of another tensor": (
        LEAF + "w = torch.ones(2, requires_grad=True)\nw * 2\nx.sum().backward()\nx @ torch.ones(3)",
        "w",
        "not_reached",
        "w = torch.ones(2, requires_grad=True)",
    ),
    "names of a function": (
        "def main():\n    x = torch.ones(2, requires_grad=True)\n    y = x * 2\n    y.sum().backward()\nmain()",
        "y",
        "not_leaf",
        "y = x * 2",
    ),
}
