"""All that ``explain`` says, in English and in Chinese: one table, so that no form says it otherwise."""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

LANGUAGES = ("en", "zh")
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

# What stands between backquotes is code. A name in braces is filled in by `say`.
TABLE: dict[str, tuple[str, str]] = {
    # the page
    "title": ("What backward did in `{name}`", "反向传播在 `{name}` 里做了什么"),
    "title of a block": ("What backward did", "反向传播做了什么"),
    "counts": (
        "operations: {ops} · backward passes: {passes} · nodes run: {runs}",
        "运算：{ops} · 反向传播：{passes} 次 · 运行的节点：{runs}",
    ),
    "forward values": ("forward: values", "前向：数值"),
    "backward gradients": ("backward: gradients", "反向：梯度"),
    "leaf": ("leaf", "叶子张量"),
    "legend g": ("{g}: what arrived at a node", "{g}：到达节点的梯度"),
    "legend ?": ("{sign}: not written yet", "{sign}：还没有写入"),
    "no gradient wanted": ("dashed: no gradient wanted", "虚线：不要求梯度"),
    "keys": ("← → step · Home End · space plays", "← → 逐步 · Home End · 空格播放"),
    "language": ("Language", "语言"),
    "time": ("Step", "步骤"),
    "ticks": ("All steps", "所有步骤"),
    "first": ("First step", "第一步"),
    "back": ("Step back", "上一步"),
    "play": ("Play or pause", "播放或暂停"),
    "next": ("Next step", "下一步"),
    "last": ("Last step", "最后一步"),
    "your program": ("Your program", "你的程序"),
    "printed": ("It printed", "程序的输出"),
    "graph": ("The graph", "计算图"),
    "steps": ("Step by step", "逐步查看"),
    "skip": ("Skip to the steps", "跳到各步骤"),
    "page": ("The page: {name}", "页面：{name}"),
    "no events": ("Nothing was recorded.", "没有记录到任何运算。"),
    # cards
    "keeps": ("keeps {names}", "保存 {names}"),
    "freed": ("freed: {names}", "已释放：{names}"),
    "not kept": ("value not kept", "没有保留数值"),
    "module hooks": ("hooks at {text}", "{text} 的模块钩子"),
    "hook's": ("{what} · hook of {name}", "{what} · {name} 的钩子"),
    "after": ("after {text}", "在 {text} 之后"),
    "rounds": ("rounds {first} to {last} of {of}", "第 {first} 到 {last} 轮，共 {of} 轮"),
    "recorded rounds": ("rounds {first} to {last} of {of} recorded", "第 {first} 到 {last} 轮，共记录 {of} 轮"),
    "round": ("round {first} of {of}", "第 {first} 轮，共 {of} 轮"),
    "parameters": ("{count} parameters", "{count} 个参数"),
    "module": ("module {name}", "模块 {name}"),
    "more": ("{count} more operations", "另外 {count} 个运算"),
    "operations": ("{count} operations, folded", "{count} 个运算，已折叠"),
    "card": ("{name}, go to its step", "{name}，转到对应的步骤"),
    # steps
    "forward": ("Forward", "前向"),
    "forward again": ("Forward, computed again", "前向，重新计算"),
    "forward within": ("Computed in the pass", "反向传播中计算"),
    "backward": ("Backward", "反向"),
    "line": ("line {line}", "第 {line} 行"),
    "times": ("{count} nodes", "{count} 个节点"),
    "leaves behind": ("It leaves behind `{node}`.", "留下节点 `{node}`。"),
    "keeps nothing": ("It keeps no tensor: its derivative needs none.", "不保存张量：求导时用不到。"),
    "keeps for": ("It keeps `{names}`{size}: its derivative will need that.", "保存 `{names}`{size}：求导时要用。"),
    "wants none": ("No gradient is wanted here, so nothing is remembered.", "这里不要求梯度，所以什么也不记录。"),
    "written": ("Written in place: `{after}` is the next life of `{before}`.", "原地写入：`{after}` 是 `{before}` 的下一个版本。"),
    "written unnamed": ("Written in place, before it had this name.", "原地写入：那时它还没有这个名字。"),
    "written first": ("Written in place, before a graph used it.", "原地写入：那时计算图还没有用到它。"),
    "through a view": (
        "Written through a view: where the view looks, g goes by the rule of what was written; elsewhere it goes on as it came.",
        "经由视图写入：视图看到的那部分 g 按写入运算的规则传递，其余部分原样传下去。",
    ),
    "view renewed": (
        "A view, after its base was written to: each element of g goes to where it lies in the base.",
        "基张量被写入之后的视图：g 的每个元素回到它在基张量中的位置。",
    ),
    "cut no_grad": ("Made under `no_grad`: it has no history.", "在 `no_grad` 下得到：不在计算图里。"),
    "cut inference_mode": ("Made under `inference_mode`: it has no history.", "在 `inference_mode` 下得到：不在计算图里。"),
    "cut detach": ("Cut off by `detach`: it has no history.", "被 `detach` 切断：不在计算图里。"),
    "cut data": ("Taken by `.data`: it has no history.", "由 `.data` 取出：不在计算图里。"),
    "cut not_differentiable": ("This result has no derivative: it has no history.", "这个结果不可导：不在计算图里。"),
    "begins": ("Backward begins", "反向传播开始"),
    "grad begins": ("`{how}` begins", "`{how}` 开始"),
    "dry begins": ("The rules alone: nothing runs and nothing is freed", "只看求导规则：什么也不运行，什么也不释放"),
    "starts from one": ("One number asks no weights: it starts from `{name}` = 1.", "结果只有一个数，不需要权重：从 `{name}` = 1 开始。"),
    "starts from v": (
        "The program gave the weights v of the output's elements. What comes is vᵀ·J.",
        "程序为输出的每个元素给出了权重 v。得到的是向量–雅可比积 vᵀ·J。",
    ),
    "retains": ("`retain_graph`: what the nodes keep stays for another pass.", "`retain_graph`：节点保存的值留给下一次反向传播。"),
    "creates": ("`create_graph`: the pass itself is recorded.", "`create_graph`：反向传播本身也被记录到计算图里。"),
    "rows": (
        "`is_grads_batched`: each row of v is a pass of its own, and all go through together.",
        "`is_grads_batched`：v 的每一行各是一次反向传播，它们一起进行。",
    ),
    "examples": (
        "`vmap`: all examples go through together; they are the first dimension of what is shown.",
        "`vmap`：所有样本一起进行；显示的值中，第一维是样本。",
    ),
    "within": ("It runs within pass no. {number}, which waits for it.", "它在第 {number} 次反向传播内部运行，后者等它结束。"),
    "resumes": ("Pass no. {number} goes on: {where}", "第 {number} 次反向传播继续：{where}"),
    "arrived": ("arrived: {name}", "到达：{name}"),
    "nothing arrived": ("Nothing arrived here.", "没有梯度到达这里。"),
    "to": ("to {name}", "给 {name}"),
    "contribution": ("contribution no. {number}; together", "第 {number} 份梯度；合计"),
    "contribution alone": ("contribution no. {number}", "第 {number} 份梯度"),
    "elements": ("elements", "元素个数"),
    "product": ("the same as a product vᵀ·J", "同样的计算，写成向量–雅可比积 vᵀ·J"),
    "done": ("Done: what was kept here is freed{size}.", "完成：这里保存的值已释放{size}。"),
    "stays": ("What was kept here stays.", "这里保存的值仍然留着。"),
    "at leaf": ("Arrived at the leaf `{name}`", "到达叶子张量 `{name}`"),
    "before": ("before", "之前"),
    "arrives": ("arrived", "到达"),
    "now": ("now", "现在"),
    "leaf first": (
        "`{name}` is a leaf and asks for a gradient, so what arrived stays in `{slot}`.",
        "`{name}` 是要求梯度的叶子张量，到达的梯度存入 `{slot}`。",
    ),
    "leaf adds": ("`{slot}` was not empty: what arrived is added to it.", "`{slot}` 里已有梯度：到达的梯度累加上去。"),
    "hook": ("A hook on {name}", "{name} 上的钩子"),
    "hook node": ("A hook before {name}", "{name} 之前的钩子"),
    "hook post": ("A hook behind {name}: on what it sends", "{name} 之后的钩子：作用于它送出的梯度"),
    "hook accumulated": ("A hook behind {name}, when the gradient is there", "{name} 累积之后的钩子"),
    "hook module node": ("A module's hook on the output of {name}", "{name} 的输出上的模块钩子"),
    "hook module post": ("A module's hook on the input of {name}", "{name} 的输入上的模块钩子"),
    "hook wrote": ("The hook wrote to what is there.", "钩子改写了这里的值。"),
    "hook changed": ("The hook gave back another gradient.", "钩子返回了另一个梯度。"),
    "hook looked": ("The hook looked and changed nothing.", "钩子只看了看，没有改动。"),
    "reset": ("`{slot}` is set by the program", "程序设置了 `{slot}`"),
    "resets": ("{count} gradients are set by the program", "程序设置了 {count} 个梯度"),
    "reset none": ("Now it is None: the next gradient begins anew.", "现在是 None：之后的梯度重新累积。"),
    "reset value": ("Now it holds this, and the next gradient is added to it.", "现在是这个值，之后的梯度会累加上去。"),
    "ends": ("The pass ends", "反向传播结束"),
    "returned": ("`{how}` gives these back; no `.grad` is written.", "`{how}` 直接返回这些梯度，不写入任何 `.grad`。"),
    "stops": ("Stops here: `{type}`", "在这里出错停止：`{type}`"),
    "freed before": (
        "What this node had kept was freed by the pass before. The first backward would have needed `retain_graph=True`.",
        "这个节点保存的值已被上一次反向传播释放。要再做一次，第一次反向传播就得用 `retain_graph=True`。",
    ),
    # what an error says beyond PyTorch's own text
    "note made": ("`{node}` was recorded at line {line}: `{text}`", "`{node}` 是在第 {line} 行记录的：`{text}`"),
    "note saved": ("`{node}` of line {line} kept it for backward: `{text}`", "第 {line} 行的 `{node}` 为反向传播保存了它：`{text}`"),
    "note changed": ("Line {line} wrote over it (`{op}`): `{text}`", "第 {line} 行的 `{op}` 改写了它：`{text}`"),
    "note copy": (
        "To keep both, change a copy (`x.clone()`) or use the operation that makes a new tensor.",
        "如果两个值都要，就改写一份副本（`x.clone()`），或改用会得到新张量的运算。",
    ),
    "note nothing": (
        "Nothing it was computed from has `requires_grad=True`, or it was computed under `no_grad`, or detached.",
        "它所依赖的张量都没有 `requires_grad=True`，或者它是在 `no_grad` 下算出的，或者已被 `detach` 切断。",
    ),
    "note gradient of op": (
        "`{name}.grad` is None: `{name}` is the result of an op, and gradients are kept in leaves. A step changes the leaf itself: "
        "`with torch.no_grad(): {name} -= lr * {name}.grad`.",
        "`{name}.grad` 是 None：`{name}` 是运算的结果，而梯度只保存在叶子张量里。更新参数要直接改写叶子张量："
        "`with torch.no_grad(): {name} -= lr * {name}.grad`。",
    ),
    "note gradient early": (
        "`{name}.grad` is None: no backward pass has come to it yet.",
        "`{name}.grad` 是 None：还没有反向传播到达它。",
    ),
    "note gradient unasked": ("`{name}.grad` is None: `{name}` does not require one.", "`{name}.grad` 是 None：`{name}` 没有要求梯度。"),
    "note meant": ("Did you mean: `{name}`?", "是不是想写 `{name}`？"),
    "folded forward": ("Forward, folded: {what}", "前向，已折叠：{what}"),
    "folded backward": ("Backward, folded: {what}", "反向，已折叠：{what}"),
    "folded": ("{count} events are not shown one by one.", "{count} 个事件不逐个显示。"),
    "folded one": ("1 event is not shown.", "1 个事件不显示。"),
    "passes": ("passes {first} to {last} of {of}", "第 {first} 到 {last} 次反向传播，共 {of} 次"),
    "pass left out": ("pass {number} of {of}", "第 {number} 次反向传播，共 {of} 次"),
    "steps left out": ("{count} steps", "{count} 步"),
    "not recorded": ("{count} events came after the recording was full.", "记录已满，之后还有 {count} 个事件。"),
    "gap": ("Left out", "略去"),
    "left out": (
        "{count} operations and nodes in the middle were left out: the recording keeps the first and the last.",
        "中间的 {count} 个运算和节点没有保存：记录只保留最前面和最后面的部分。",
    ),
    "as a whole": (
        "What follows is the last pass as a whole: where it begins, what arrives in each leaf, and its end.",
        "下面是最后一次反向传播的概况：从哪里开始，每个叶子张量得到什么，以及它的结束。",
    ),
    # below
    "v J": ("v, J, vᵀ·J", "v、J、vᵀ·J"),
    "matrix within": (" · within pass no. {number}", " · 在第 {number} 次反向传播内部"),
    "v J text": (
        "The whole program as one matrix: row i, column k is how much element i of the result moves when element k of the leaf "
        "does. Backward never builds this matrix. It multiplies v into it from the left, node by node.",
        "把整个程序看成一个矩阵（雅可比矩阵 J）：第 i 行第 k 列表示叶子张量的第 k 个元素变化时，结果的第 i 个元素变化多少。"
        "反向传播从不构造这个矩阵，而是让 v 从左边一个节点一个节点地乘过去。",
    ),
    "further pass": ("1 further pass", "另外 1 次反向传播"),
    "further passes": ("{count} further passes", "另外 {count} 次反向传播"),
    "from left": ("Why from the left?", "为什么从左边乘？"),
    "from left text": (
        "Each node has a small matrix of its own. Multiplying from the left, only a row of numbers is ever carried along; "
        "multiplying the matrices first would carry whole matrices.",
        "每个节点都有自己的小矩阵。从左边乘，一路上只需带着一行数；如果先把矩阵彼此相乘，就得一直带着整个矩阵。",
    ),
    "J of": ("J of {name}", "{name} 的 J"),
    "so far": ("so far", "目前的结果"),
    "ledger": ("Where is each .grad, and why is one None?", "每个 .grad 在哪里？为什么是 None？"),
    "name": ("name", "名字"),
    "why": ("why", "原因"),
    "heading": ("{of}: ", "{of}："),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
    # why a .grad is what it is
    "why accumulated": ("A leaf that asks for a gradient: what arrives is added here.", "要求梯度的叶子张量：到达的梯度累加在这里。"),
    "why accumulated_again": (
        "A leaf that asks for a gradient: what several passes brought is added up here; nothing set it to None between them.",
        "要求梯度的叶子张量：几次反向传播的梯度都累加在这里，其间没有清零。",
    ),
    "why accumulated_zero": (
        "A leaf that asks for a gradient. What arrived is 0: the derivative is 0 on the way{where}.",
        "要求梯度的叶子张量。到达的梯度是 0：传递途中有导数为 0{where}。",
    ),
    "why accumulated_infinite": (
        "A leaf that asks for a gradient. What arrived is not finite: it came to be so on the way{where}.",
        "要求梯度的叶子张量。到达的梯度不是有限数，是在传递途中变成这样的{where}。",
    ),
    "why retained": ("Not a leaf, but `.retain_grad()` kept its gradient.", "不是叶子张量，但 `.retain_grad()` 保留了它的梯度。"),
    "why not_leaf": (
        "Not a leaf: made by an operation{where}. The gradient passes through and is not kept; `.retain_grad()` before backward "
        "keeps it.",
        "不是叶子张量：由运算得到{where}。梯度只经过它，不会保留；想保留就在 backward 之前调用 `.retain_grad()`。",
    ),
    "why not_leaf_unused": (
        "Not a leaf: made by an operation{where}. No gradient came this way, and `.retain_grad()` would be needed to keep one.",
        "不是叶子张量：由运算得到{where}。没有梯度经过它；即使有，也要先调用 `.retain_grad()` 才会保留。",
    ),
    "why not_leaf_no_pass": (
        "Not a leaf: made by an operation{where}. No backward pass ran; to keep its gradient, `.retain_grad()` must come before one.",
        "不是叶子张量：由运算得到{where}。没有运行过反向传播；想保留梯度，还要先调用 `.retain_grad()`。",
    ),
    "why retained_late": (
        "`.retain_grad()` was called when the gradient had passed; it must come before backward.",
        "调用 `.retain_grad()` 时梯度已经传过去了；要在 backward 之前调用。",
    ),
    "why no_requires_grad": ("Nobody asked: `requires_grad` is False{where}.", "没有要求梯度：`requires_grad` 是 False{where}。"),
    "why not_floating": (
        "Whole numbers and truth values have no gradient: only floating and complex dtypes can ask for one{where}.",
        "整数和布尔值没有梯度：只有浮点和复数类型才能要求梯度{where}。",
    ),
    "why of_numbers": (
        "Made of plain numbers (`.item()`, `.numpy()`, `float()`), which carry no history{where}.",
        "由普通的数得到（`.item()`、`.numpy()`、`float()`），它们不带计算图{where}。",
    ),
    "why frozen": ("Its `requires_grad` was set to False{where}.", "它的 `requires_grad` 被设为 False{where}。"),
    "why no_grad": ("Made under `no_grad`{where}, so it has no history.", "在 `no_grad` 下得到{where}，所以不在计算图里。"),
    "why inference_mode": (
        "Made under `inference_mode`{where}, so it has no history.",
        "在 `inference_mode` 下得到{where}，所以不在计算图里。",
    ),
    "why detached": ("Cut off from its history by `detach` or `.data`{where}.", "被 `detach` 或 `.data` 从计算图上切断{where}。"),
    "why not_reached": ("It asks{where}, but no path leads from the result to it.", "它要求了梯度{where}，但计算图里没有从结果通到它的路径。"),
    "why cut_off": (
        "It asks, but on the way from it to the result the history was cut{where}: by `detach`, `.data`, `no_grad`, plain numbers "
        "(`.item()`, `.numpy()`), an index, a copy or an operation without a derivative.",
        "它要求了梯度，但从它到结果的路径上，计算图被切断了{where}：由 `detach`、`.data`、`no_grad`、普通的数（`.item()`、`.numpy()`）、"
        "索引、复制或不可导的运算造成。",
    ),
    "why decided": (
        "It asks, but its value only decided which lines run: Python read it there{where}, and a decision is no part of the graph.",
        "它要求了梯度，但它的值只决定了运行哪些语句：Python 在那里读取了它{where}，而这样的判断不在计算图里。",
    ),
    "why asked_late": (
        "It was told to ask{where} only after it had been used; the operations before remember nothing of it.",
        "它在使用之后才要求梯度{where}；之前的运算没有记录它。",
    ),
    "why nothing_sent": (
        "A path leads to it, but a node on the way sent None instead of a gradient{where}.",
        "有路径通到它，但路径上有一个节点返回了 None，没有传下梯度{where}。",
    ),
    "why unnamed_leaf": (
        "Not the leaf: an operation made it from one that has no name{where}, and the gradient is that one's. "
        "`.requires_grad_()` behind the operation makes the result the leaf.",
        "不是叶子张量：由一个没有名字的叶子张量运算得到{where}，梯度属于那个叶子张量。"
        "在运算之后再调用 `.requires_grad_()`，结果才是叶子张量。",
    ),
    "why rebound": (
        "The name was bound to a new tensor{where}; the earlier one has the gradient.",
        "这个名字后来绑定到了新的张量{where}；梯度在原来的那个张量上。",
    ),
    "why assigned": ("The program itself wrote what is there{where}.", "这里的值由程序自己写入{where}。"),
    "why not_differentiable": (
        "Made by an operation that has no derivative{where}, so it has no history.",
        "由不可导的运算得到{where}，所以不在计算图里。",
    ),
    "why reset": ("There was one, and the program set it to None{where}.", "曾经有梯度，程序把它设成了 None{where}。"),
    "why returned": (
        "The call gave the gradient back{where}, as `autograd.grad` does, and wrote none.",
        "这次调用直接返回了梯度{where}，和 `autograd.grad` 一样，没有写入 `.grad`。",
    ),
    "why returned_none": (
        "`autograd.grad` was asked for it and gave None: the result does not depend on it{where}.",
        "`autograd.grad` 对它返回了 None：结果不依赖它{where}。",
    ),
    "why left_out": ("Left out: `inputs=` did not name it{where}.", "没有算它的梯度：`inputs=` 没有列出它{where}。"),
    "why no_backward": ("No backward pass ran.", "没有运行过反向传播。"),
    "why error": ("An error came first{where}: no gradient got here.", "程序先出错了{where}，梯度还没有传到这里。"),
    "at line": (" (line {line})", "（第 {line} 行）"),
    "at lines": (" (lines {lines})", "（第 {lines} 行）"),
    "as above": ("As above.", "同上。"),
    # a notebook
    "step through": ("Step through it", "逐步查看"),
    "as text": ("As text", "文字形式"),
    # the terminal
    "pass": ("backward", "反向传播"),
    "sends": ("{to}: {x}", "{to}：{x}"),
    "at": ("{how} at line {line}: {text}", "{how}，第 {line} 行：{text}"),
    "with": ("with {name} = {value}", "其中 {name} = {value}"),
    "inside": ("{count} more values are sent within it", "内部还传递了另外 {count} 个值"),
    "writes": ("Written in place · {where}", "原地写入 · {where}"),
    "again": ("computed again: {name}", "重新计算：{name}"),
    "dry": ("the rules alone, nothing runs", "只看求导规则，什么也不运行"),
    "records": ("recorded: {name}", "被记录：{name}"),
    "starts at": ("starts at {name} with {g} = {value}", "从 {name} 开始，{g} = {value}"),
    "together": ("no. {number}, together {value}", "第 {number} 份，合计 {value}"),
    "numbers": ("{count} numbers", "{count} 个数"),
    "summary of one": ("all {value}", "全是 {value}"),
    "summary": ("mean {mean}, {min} to {max}", "均值 {mean}，{min} 到 {max}"),
    "summary unwritten": ("{count} not written yet", "{count} 个还没有写入"),
    "summary nonfinite": ("{count} not finite", "{count} 个不是有限数"),
}  # fmt: skip


class Said(NamedTuple):
    """A sentence in both languages; backquotes mark code."""

    en: str
    zh: str

    def plain(self, lang: str) -> str:
        """Without the marks of code.

        >>> say("leaves behind", node="AddBackward0").plain("en")
        'It leaves behind AddBackward0.'
        """
        return (self.zh if lang == "zh" else self.en).replace(MARK, "")

    def html(self) -> str:
        """Both languages, each in an element that the page's switch shows or hides.

        >>> say("now").html()
        '<span class="en">now</span><span class="zh" lang="zh">现在</span>'
        """
        if self.en == self.zh:
            return coded(self.en)
        return f'<span class="en">{coded(self.en)}</span><span class="zh" lang="zh">{coded(self.zh)}</span>'


MARK = "\x1f"  # stands for the backquotes of the table, which a program's text may hold too


def say(key: str, **names: object) -> Said:
    """A sentence of the table with its names filled in; KeyError for one that is not there.

    >>> say("line", line=5)
    Said(en='line 5', zh='第 5 行')
    """
    said = []
    for lang, text in enumerate(TABLE[key]):
        filled = {name: one[lang] if isinstance(one, Said) else one for name, one in names.items()}
        said.append(text.replace("`", MARK).format(**filled))
    return Said(*said)


def literal(text: str, code: bool = False) -> Said:
    """A text that is the same in both languages."""
    text = f"{MARK}{text}{MARK}" if code and text else text
    return Said(text, text)


def joined(parts: list[Said], between: str = " · ") -> Said:
    """Several, one behind the other; a Chinese full stop has its space in itself."""
    return Said(between.join(one.en for one in parts), between.join(one.zh for one in parts).replace("。 ", "。"))


def legible(text: str) -> str:
    """Without what no document may hold: control characters, halves of surrogates.

    >>> legible("a\\x1b[1mb")
    'a\ufffd[1mb'
    """
    return UNFIT.sub("\ufffd", text)


def coded(text: str) -> str:
    """HTML of a text with marks of code."""
    pieces = text.split(MARK)
    return "".join(
        f"<code>{escape(one)}</code>" if number % 2 else escape(one, quote=False) for number, one in enumerate(pieces)
    )
