"""The text of the function that runs an op's rules on a cotangent: opens what was kept, then calls the rules that are needed.

In it ``k_<name>`` is what was kept, ``v_<name>`` its version then, ``l_<output>`` the list that the version of an output is in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd import saved_attributes
from .many_text import with_many

if TYPE_CHECKING:
    from .table import Op, Rule


def rules_source(entry: Op, over_tensors: bool) -> str:
    """The text of ``vjp(node, g, edges)``; over tensors the rules record themselves."""
    lines = ["def vjp(node, g, edges):"]
    if entry.keep:
        lines += _unpacked(entry)
        for kind, name, _ in sorted(entry.keep, key=lambda kept: saved_attributes.opened_as(entry, *kept[:2])):
            if kind == "input":
                lines += _opened_input(entry, name, over_tensors)
            elif kind == "output":
                lines += _opened_output(entry, name, over_tensors)
    if not over_tensors:
        lines += _scalars(entry, [name for kind, name, _ in entry.keep if kind in ("input", "output")])
    if entry.joint is not None:
        lines.append(f"    return {_call(entry.joint, 'rule_joint')}")
    elif entry.variadic in entry.sources:
        lines.append(f"    return {_call(entry.rules[entry.variadic], f'rule_{entry.variadic}')}")
    else:
        lines += _each_where_needed(entry, over_tensors)
    return "\n".join(lines if over_tensors else with_many(entry, lines))


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of a plain function's parameters with their defaults (``inspect.signature`` takes ten times as long)."""
    function = inspect.unwrap(function)
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    given = [inspect.Parameter.empty] * (len(names) - len(defaults)) + list(defaults)
    return dict(zip(names, given, strict=True))


def _unpacked(entry: Op) -> list[str]:
    """What was kept by name. For views made in no_grad alone nothing may have been kept, and nothing is missing then."""
    targets = []
    for kind, name, _ in entry.keep:
        marks = {"input": "kv", "output": "klv"}.get(kind, "k")
        targets += [f"{mark}_{name}" for mark in marks]
    return [
        "    saved = node.saved",
        "    if saved is None:",
        *([] if entry.keeps_a_tensor_anyhow else ["        if not any(node.next):", "            return (None,) * len(edges)"]),
        "        raise node.freed()",
        f"    {', '.join(targets)}, = saved",
    ]


def _opened_input(entry: Op, name: str, over_tensors: bool) -> list[str]:
    if name == entry.variadic:
        return [f"    k_{name} = {'tensor_of_list' if over_tensors else 'array_of_list'}(node, k_{name}, v_{name})"]
    position = entry.sources.index(name) if name in entry.sources else -1
    if not over_tensors:
        return [
            f"    if v_{name} is not None:",
            f"        if k_{name}._counter[0] == v_{name}:",
            f"            k_{name} = k_{name}._array",
            "        else:",
            f"            k_{name} = array_of(node, {position}, k_{name}, v_{name})",
        ]
    lines = [f"    if v_{name} is not None:", f"        k_{name} = tensor_of(node, {position}, k_{name}, v_{name})"]
    if entry.promote is not None:
        lines += [f"    elif k_{name} is not None:", f"        k_{name} = k_{name}.item()"]
    return lines


def _opened_output(entry: Op, name: str, over_tensors: bool) -> list[str]:
    arguments = f"(node, {entry.outputs.index(name)}, k_{name}, l_{name}, v_{name})"
    if over_tensors:
        return [f"    if l_{name} is not None:", f"        k_{name} = output_tensor{arguments}"]
    return [f"    if l_{name} is not None and l_{name}[0] != v_{name}:", f"        k_{name} = output_array{arguments}"]


def _call(rule: Rule, label: str) -> str:
    """A rule called with what its parameters name."""
    words = []
    for name in parameters(rule):
        if name in ("g", "xp", "edges"):
            words.append(name)
        elif name == "needs":
            words.append("tuple([edge is not None for edge in edges])")
        else:
            words.append(f"k_{name}")
    return f"{label}({', '.join(words)})"


def _each_where_needed(entry: Op, over_tensors: bool) -> list[str]:
    """One rule for each input; over tensors in the order of PyTorch's names: so the nodes that they record come in its order."""
    results = {
        name: f"{_call(entry.rules[name], f'rule_{name}')} if edges[{index}] is not None else None"
        for index, name in enumerate(entry.sources)
    }
    if not over_tensors:
        return [f"    return ({', '.join(results.values())},)"]
    in_order = sorted(results, key=lambda name: saved_attributes.saved_name(entry, "input", name))
    return [
        *(f"    g_{name} = {results[name]}" for name in in_order),
        f"    return ({', '.join(f'g_{name}' for name in results)},)",
    ]


def _scalars(entry: Op, opened: list[str]) -> list[str]:
    """Of 0-dim arrays NumPy makes scalars, which among themselves are ten times as fast."""
    rules = entry.rules.values() if entry.joint is None else [entry.joint]
    if not opened or entry.promote is None or any("xp" in parameters(rule) for rule in rules):
        return []
    each = [f"        if k_{name} is not None:\n            k_{name} = k_{name}[()]" for name in opened]
    return ["    if g.__class__ is not ndarray:", *each]
