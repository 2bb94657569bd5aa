"""What a reader is told of programs that are out of the ordinary, in both languages: each would be false, or nothing, else."""

import pytest
from explain.test_ledger import told

from rushlight.explain import page, terminal
from rushlight.explain.folding import Board
from rushlight.explain.steps import Steps

LEAF = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
FUNCTION = "class Own(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n    @staticmethod\n"
CHECKPOINT = (
    "from rushlight.utils.checkpoint import checkpoint\ndef block(x):\n    h = x.exp()\n    return h * h\n"
    + LEAF
    + "out = checkpoint(block, x, use_reentrant={}).sum()\nout.backward()\n"
)
HOOKS = (
    LEAF
    + "y = x * 2\nx.register_hook(lambda g: g + 1)\ny.register_hook(lambda g: g * 10)\ny.grad_fn.register_prehook(lambda gs: (gs[0] - 1,))\n"
    "y.grad_fn.register_hook(lambda sent, arrived: (sent[0] * 3, None))\ndef double(p):\n    p.grad.mul_(2)\n"
    "x.register_post_accumulate_grad_hook(double)\nnet = torch.nn.Linear(2, 1)\n"
    "net.register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,))\nnet.register_full_backward_pre_hook(lambda m, go: (go[0] * 5,))\n"
    "out = net(y).sum()\nout.backward()\n"
)
NESTED = (
    "w = torch.tensor(0.5, requires_grad=True)\nfor epoch in range({}):\n    total = torch.tensor(0.0)\n    for i in range(20):\n"
    "        e = w * i - 1\n        total = total + e * e\n    total.backward()\n    w.grad = None\n"
)
THREADS = (
    "import threading\n" + LEAF + "turn = threading.Barrier(2)\ndef work(k):\n    y = x * k\n"
    "    y.register_hook(lambda g: [turn.wait(), None][1])\n"
    "    y.sum().backward()\nthreads = [threading.Thread(target=work, args=(k,)) for k in (2, 3)]\n"
    "for one in threads:\n    one.start()\nfor one in threads:\n    one.join()\n"
)  # fmt: skip

# The program, whether it ends in an error, and sentences that are there in English and in Chinese.
CASES = {
    "lives of views": (
        LEAF + "y = x * 2\nv = y[:1]\nv.mul_(10)\ny += 1\n(y * y).sum().backward()\n",
        False,
        ["y·1 = [20 4]", "v·1 = [20]", "y·2 = [21 5]", "v·2 = [21]", "g * y·2"],
        ["y·1 = [20 4]", "v·2 = [21]"],
    ),
    "several roots": (
        LEAF + "a, b = x * 3, x.exp()\ntorch.autograd.backward([a, b], [torch.ones(2), torch.zeros(2)])\n",
        False,
        ["starts at a with v = [1 1]", "starts at b with v = [0 0]"],
        ["从 a 开始，v = [1 1]", "从 b 开始，v = [0 0]"],
    ),
    "a batch of cotangents": (
        LEAF + "torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)\n",
        False,
        ["each row of v is a pass of its own", "[2 0; 0 4]"],
        ["v 的每一行各是一次反向传播"],
    ),
    "a pass that is recorded": (
        "x = torch.tensor(2.0, requires_grad=True)\n(d,) = torch.autograd.grad(x**3, x, create_graph=True)\nd.backward()\n",
        False,
        ["recorded: d = x ** 2 * 3 = 12", "create_graph: the pass itself is recorded", "to x: g * 2 * x = 12", "x.grad: None → 12"],
        ["被记录：d = x ** 2 * 3 = 12", "反向传播本身也被记录到计算图里"],
    ),
    "a function of the program's own": (
        FUNCTION + "    def backward(ctx, g):\n        return g * 5\n" + LEAF + "y = Own.apply(x)\ny.sum().backward()\n",
        False,
        ["OwnBackward", "line 8: g * 5 = [5 5]", "x.grad: None → [5 5]"],
        ["第 8 行：g * 5 = [5 5]"],
    ),
    "hooks": (
        HOOKS,
        False,
        [
            "A module's hook on the output of net", "A module's hook on the input of net", "A hook on y · line 5",
            "A hook before MulBackward0 · line 6", "A hook behind MulBackward0: on what it sends · line 7", "A hook on x · line 4",
            "A hook behind x.grad, when the gradient is there · line 8", "The hook wrote to what is there.",
        ],
        [
            "net 的输出上的模块钩子", "net 的输入上的模块钩子", "y 上的钩子 · 第 5 行", "MulBackward0 之前的钩子 · 第 6 行",
            "MulBackward0 之后的钩子：作用于它送出的梯度 · 第 7 行", "x.grad 累积之后的钩子 · 第 8 行", "钩子改写了这里的值。",
        ],
    ),
    "a gradient that is retained": (
        LEAF + "y = x * 2\ny.retain_grad()\n(y * y).sum().backward()\n",
        False,
        ["y  [4 8]  Not a leaf, but .retain_grad() kept its gradient."],
        ["保留了它的梯度"],
    ),
    "a checkpoint": (
        CHECKPOINT.format(False),
        False,
        ["computed again: x.exp() = [2.718 7.389]", "x.grad: None → [14.78 109.2]"],
        ["重新计算：x.exp() = [2.718 7.389]"],
    ),
    "a checkpoint with a pass of its own": (
        CHECKPOINT.format(True),
        False,
        [
            "computed again: h * h", "It runs within pass no. 1, which waits for it.", "x_.grad: None → [14.78 109.2]",
            "Pass no. 1 goes on: line 8 out.backward() └─ x.grad", "x.grad: None → [14.78 109.2]",
        ],
        ["重新计算：h * h", "后者等它结束", "第 1 次反向传播继续"],
    ),
    "modules": (
        "net = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()) for _ in range(30)))\n"
        "net(torch.ones(1, 2)).sum().backward()\n",
        False,
        ["module net[0]", "module net[29]"],
        ["模块 net[0]", "模块 net[29]"],
    ),
    "loops in loops": (
        NESTED.format(3),
        False,
        ["Forward, folded: rounds 3 to 19 of 20", "Forward, folded: round 2 of 3", "Backward, folded: rounds 3 to 19 of 20"],
        ["前向，已折叠：第 3 到 19 轮，共 20 轮", "第 2 轮，共 3 轮"],
    ),
    "many loops in loops": (
        NESTED.format(9),
        False,
        ["Forward, folded: rounds 3 to 19 of 20", "Forward, folded: rounds 2 to 8 of 9"],
        ["第 2 到 8 轮，共 9 轮"],
    ),
    "recursion": (
        "def power(x, n):\n    return x if n == 1 else x * power(x, n - 1)\n"
        "x = torch.tensor(2.0, requires_grad=True)\ny = power(x, 4)\ny.backward()\n",
        False,
        ["x * power(x, n - 1)", "to x: g * (x * x * x) = 8", "to x: g * x = 8   no. 4, together 32"],
        ["第 4 份，合计 32"],
    ),
    "threads in turns": (THREADS, False, ["goes on: line 8 y.sum().backward() ├─"], ["次反向传播继续"]),
    "marks": (
        LEAF + "d, e = x.detach(), x.data\nwith torch.no_grad():\n    f = x * 2\nwith torch.inference_mode():\n    h = x * 3\n"
        "(x * d * e * f).sum().backward()\n",
        False,
        ["Cut off from its history by detach or .data (line 3)", "Made under no_grad (line 5)", "Made under inference_mode (line 7)"],
        ["在 no_grad 下得到（第 5 行）", "在 inference_mode 下得到（第 7 行）"],
    ),
    "an error in a function's backward": (
        FUNCTION + "    def backward(ctx, g):\n        return g @ torch.ones(7)\n" + LEAF + "Own.apply(x).sum().backward()\n",
        True,
        ["Stops here: RuntimeError · line 8 g @ torch.ones(7)", "An error came first (line 8)"],
        ["在这里出错停止：RuntimeError · 第 8 行 g @ torch.ones(7)"],
    ),
    "an error in a hook": (
        LEAF + "y = x * 2\ndef look(g):\n    raise RuntimeError('not what I expected')\ny.register_hook(look)\ny.sum().backward()\n",
        True,
        ["Stops here: RuntimeError · line 5 raise RuntimeError", "not what I expected"],
        ["在这里出错停止：RuntimeError · 第 5 行"],
    ),
    "an error in a checkpoint": (
        CHECKPOINT.format(True).replace("return h * h", "h = h * h\n    h.register_hook(fail) if h.requires_grad else None\n    return h")
        .replace("def block", "def fail(g):\n    raise RuntimeError('deep inside')\ndef block"),
        True,
        ["Stops here: RuntimeError · line 4 raise RuntimeError('deep inside')"],
        ["在这里出错停止"],
    ),
    "no backward": (
        LEAF + "y = x * 2\n",
        False,
        ["x  None  No backward pass ran.", "y  None  Not a leaf: made by an operation (line 3). No backward pass ran;"],
        ["没有运行过反向传播。", "由运算得到（第 3 行）。没有运行过反向传播"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_told(case, tmp_path):
    text, fails, english, chinese = CASES[case]
    recording = told(text, tmp_path, fails)
    board = Board(recording)
    for lang, sentences in (("en", english), ("zh", chinese)):
        shown = " ".join(terminal.render(recording, lang).split())
        titles = [one.caption.plain(lang) for one in board.cards if one.caption is not None]
        for sentence in sentences:
            assert " ".join(sentence.split()) in shown or sentence in titles, (lang, sentence, shown)
        assert shown.count("deep inside") <= 3  # in the program, the title and the sentence: an error that goes on is one
    assert page.render(recording)


def test_what_a_batch_threw_away_is_not_told(tmp_path):
    recording = told(CASES["a batch of cotangents"][0], tmp_path)
    assert "recorded:" not in terminal.render(recording)
    assert [event["batched"] for event in recording["events"] if event["kind"] == "backward"] == [True]
    assert [event["create_graph"] for event in recording["events"] if event["kind"] == "backward"] == [False]
    assert [event["op"] for event in recording["events"] if event["kind"] == "op"] == ["mul"]


def test_the_leaves_of_a_pass_in_a_pass_are_its_own(tmp_path):
    recording = told(CASES["a checkpoint with a pass of its own"][0], tmp_path)
    leaves = [event for event in recording["events"] if event["kind"] == "leaf"]
    assert len({event["tensor"] for event in leaves}) == 2
    assert [event["within"] for event in recording["events"] if event["kind"] == "backward"] == [None, 0]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_a_hook_of_a_pass_that_is_recorded_comes_behind_what_arrived(tmp_path):
    text = LEAF + "x.register_hook(lambda g: g * 3)\n"
    text += (
        "x.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', p.grad * 2))\nx.prod().backward(create_graph=True)\n"
    )
    recording = told(text, tmp_path)
    kinds = [event["kind"] for event in recording["events"] if event["kind"] in ("leaf", "reset")]
    assert kinds == ["leaf", "reset"]
    (leaf,) = (event for event in recording["events"] if event["kind"] == "leaf")
    assert (leaf["before"], leaf["arrived"]["data"], leaf["after"]["data"]) == (None, [6.0, 3.0], [6.0, 3.0])


@pytest.mark.parametrize(
    ("case", "line"), [("an error in a hook", "raise RuntimeError"), ("an error in a function's backward", "torch.ones(7)")]
)
def test_the_step_of_an_error_lights_the_line_that_raised(tmp_path, case, line):
    recording = told(CASES[case][0], tmp_path, True)
    step = Steps(Board(recording)).all[-1]
    assert step.kind == "error"
    assert line in recording["places"][step.place]["statement"]
