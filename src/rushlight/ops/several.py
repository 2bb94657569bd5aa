"""The text of compiled ops that take a list of tensors, or give several results.

As in table.py, the text is what a person would write by hand for the op's form; what is out of the ordinary goes to
:mod:`rushlight.ops.dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Op


def forward_source(entry: Op, arguments: str, keep: Callable[[Op], list[str]], where: list[str]) -> str:
    """The function from Tensors to Tensors; ``keep`` writes what the node keeps and ``where`` keeps the line that made it, as for
    ops of one result."""
    names = [*entry.inputs, *(name for name, _ in entry.params)]
    general = f"return general(op, ({', '.join(names)},))"
    inputs = ", ".join(f"*{name}" if name == entry.variadic else name for name in entry.inputs)
    lines = [
        f"def call({arguments}):",
        f"    if special.active and (state.inference or unusual({inputs}{'' if entry.keeps_tensors else ', packs=False'})):",
        f"        {general}",
    ]
    add = lines.append
    for name in entry.inputs:
        lines += _list_input(entry, name, general) if name == entry.variadic else _input(entry, name, general)
    if entry.promote is not None:
        for name in entry.inputs[1:]:
            lines += [f"    if x_{name}.dtype is not x_{entry.inputs[0]}.dtype:", f"        {general}"]
    passed = ", ".join([*(f"x_{name}" for name in entry.inputs), *(name for name, _ in entry.params)])
    add("    try:")
    add(f"        outs = compute({passed})")
    add("    except Exception as error:")
    add(f"        return failed(op, ({', '.join(names)},), error, general)")
    flags = " or ".join(f"r_{name}" for name in entry.sources)
    add(f"    recorded = {f'({flags}) and state.grad_enabled' if flags else 'False'}")
    if entry.outputs == ["*"]:
        lines += _any_results(entry)
    elif len(entry.outputs) == 1:
        lines += _one_result()
    else:
        lines += _named_results(entry)
    if flags:
        add("    if recorded:")
        lines += _edges(entry)
        lines += ["        " + line for line in keep(entry)]
        add("        node.order = next_order()")
        if entry.keeps_tensors:
            lines += ["        " + line for line in where]
    add(f"    return {_returned(entry)}")
    return "\n".join(lines)


def _input(entry: Op, name: str, general: str) -> list[str]:
    kept = any(kind == "input" and what == name for kind, what, _ in entry.keep)
    body = [
        f"if {name}.__class__ not in plain:",
        f"    {general}",
        f"x_{name} = {name}._array",
        f"if {name}._base is not None and {name}._seen != {name}._counter[0]:",
        f"    refresh({name})",
        f"r_{name} = {name}._needs_grad",
    ]
    if kept:
        body += [f"s_{name} = {name}", f"v_{name} = {name}._counter[0]"]
    if name not in entry.optional:
        return ["    " + line for line in body]
    nothing = f"        x_{name} = {f's_{name} = v_{name} = ' if kept else ''}None"
    return [
        f"    if {name} is None:", nothing, f"        r_{name} = False", "    else:", *("        " + line for line in body)
    ]  # fmt: skip


def _list_input(entry: Op, name: str, general: str) -> list[str]:
    kept = any(kind == "input" and what == name for kind, what, _ in entry.keep)
    lines = [f"    x_{name} = []", f"    r_{name} = False"]
    if kept:
        lines += [f"    s_{name} = tuple({name})", f"    v_{name} = []"]
    lines += [
        f"    for each in {name}:",
        "        if each.__class__ not in plain:",
        "            if each is not None:",
        f"                {general}",
        f"            x_{name}.append(None)",
        *([f"            v_{name}.append(None)"] if kept else []),
        "            continue",
        "        if each._base is not None and each._seen != each._counter[0]:",
        "            refresh(each)",
        "        if each._needs_grad:",
        f"            r_{name} = True",
        f"        x_{name}.append(each._array)",
        *([f"        v_{name}.append(each._counter[0])"] if kept else []),
    ]
    if kept:
        lines.append(f"    v_{name} = tuple(v_{name})")
    return lines


def _edges(entry: Op) -> list[str]:
    if entry.variadic in entry.sources:
        return [
            "        edges = []",
            f"        for each in {entry.variadic}:",
            "            edges.append((each._edge or leaf_edge(each)) if each is not None and each._needs_grad else None)",
            "        node.next = tuple(edges)",
        ]
    parts = [f"({name}._edge or leaf_edge({name})) if r_{name} else None" for name in entry.sources]
    return [f"        node.next = ({', '.join(parts)},)"]


def _one_result() -> list[str]:
    return [
        "    out = outs if outs.__class__ is ndarray else asarray(outs)",
        "    result = new(Tensor)",
        "    result._array = out",
        "    result._counter = version = [0]",
        "    if recorded:",
        "        node = op.Node()",
        "        node.shape = out.shape",
        "        node.dtype = out.dtype",
        "        result._edge = (node, 0)",
        "        result._needs_grad = True",
    ]


def _any_results(entry: Op) -> list[str]:
    """Any number of results, all of one dtype: parts of the input, views or copies."""
    lines = ["    if recorded:", "        node = op.Node()", "        node.metas = metas = []"]
    if entry.view:
        first = entry.inputs[0]
        lines += [
            f"    version = {first}._counter",
            f"    base = {first} if {first}._base is None else {first}._base",
            "    seen = version[0]",
            "    made = 'several' if state.grad_enabled else 'no_grad'",
        ]
    lines += ["    results = []", "    number = 0", "    for out in outs:", "        result = new(Tensor)"]
    lines.append("        result._array = out")
    if entry.view:
        lines += [
            "        result._counter = version",
            "        result._base = base",
            "        result._seen = seen",
            "        result._made = made",
        ]
    else:
        lines.append("        result._counter = [0]")
    lines += [
        "        if recorded:",
        "            metas.append((out.shape, out.dtype))",
        "            result._edge = (node, number)",
        "            result._needs_grad = True",
        "            number += 1",
    ]
    if entry.view:
        lines += ["        elif made == 'no_grad' and base._needs_grad:", "            result._needs_grad = BORROWED"]
    lines.append("        results.append(result)")
    return lines


def _named_results(entry: Op) -> list[str]:
    lines = []
    for name in entry.outputs:
        lines += [
            f"    out_{name} = outs[{entry.outputs.index(name)}]",
            f"    if out_{name}.__class__ is not ndarray:",
            f"        out_{name} = asarray(out_{name})",
            f"    result_{name} = new(Tensor)",
            f"    result_{name}._array = out_{name}",
            f"    result_{name}._counter = [0]",
        ]
    targets = entry.differentiable
    lines += ["    if recorded:", "        node = op.Node()"]
    if len(targets) > 1:
        lines.append(f"        node.metas = [{', '.join(f'(out_{name}.shape, out_{name}.dtype)' for name in targets)}]")
    else:
        lines += [f"        node.shape = out_{targets[0]}.shape", f"        node.dtype = out_{targets[0]}.dtype"]
    for number, name in enumerate(targets):
        lines += [
            f"        if out_{name}.dtype.kind in 'fcV':",
            f"            result_{name}._edge = (node, {number})",
            f"            result_{name}._needs_grad = True",
        ]
    return lines


def _returned(entry: Op) -> str:
    if entry.outputs == ["*"]:
        return "tuple(results)"
    if len(entry.outputs) == 1:
        return "result"
    return "(" + ", ".join(f"result_{name}" for name in entry.outputs) + ")"


def output_words(name: str) -> list[str]:
    """The three items that a node keeps for one of several results: its array, its version list, its version."""
    return [f"out_{name}", f"result_{name}._counter", "0"]
