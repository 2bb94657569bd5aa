"""A graph that exists, read: a dry pass over its rules. Nothing of the program's is called, freed or accumulated."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.nodes import AccumulateGrad, Edge, Node
from ..autograd.views import CopySlices
from ..tensor import Tensor
from ..transforms.example_graph import beyond
from .entries import Entry
from .jacobian import is_readable
from .operands import place_operands
from .recording import Recording
from .rules import rule_texts
from .values import array_of, fitted
from .written import rules_of_write


def read(recording: Recording, roots: Sequence[Edge], seeds: Sequence[Any]) -> None:
    """Notes the nodes below the roots, and what each would send on; where a node has lost what it kept, or runs the program's
    own code, what comes behind it is not known."""
    nodes = _below(recording, roots)
    place_operands(recording, nodes)
    for node in reversed(nodes):  # what is nearer to the leaves has names first
        _describe(recording, node)
    listed = [
        {"tensor": recording.tensor_at(node, out), "node": recording.node(node), "out": out, "gradient": recording.value(seed)}
        for (node, out), seed in zip(roots, seeds, strict=True)
    ]
    _event(
        recording, "backward", None, how="dry", roots=listed, retain_graph=True, create_graph=False, inputs=None, batched=False,
        within=None, thread=threading.current_thread().name,
    )  # fmt: skip
    waiting: dict[Node, list[Any]] = {}
    counts: dict[Edge, int] = {}
    unknown: set[Node] = set()
    for edge, seed in zip(roots, seeds, strict=True):
        _add(waiting, *beyond(edge), seed._array if isinstance(seed, Tensor) else seed)
    for node in nodes:
        if not isinstance(node, AccumulateGrad):
            _pull(recording, node, waiting, counts, unknown)
    _event(recording, "end", None, returned=[])


def in_graph(recording: Recording, out: Tensor) -> set[int]:
    """The tensors that belong to the graph behind one: its results, its leaves, and what its nodes keep."""
    found = {recording.tensor(out)}
    for node in _below(recording, [out._edge]) if out._edge is not None else ():
        entry = recording.nodes[recording.node(node)]
        used = [entry["variable"], *(one["tensor"] for one in (*entry["inputs"], *entry["saved"]))]
        used += [edge["tensor"] for edge in entry["edges"] if edge is not None]
        found |= {*entry["outputs"], *(one for one in used if one is not None)}
    return found


def _event(recording: Recording, kind: str, place: int | None, **fields: Any) -> Any:
    event = recording.event(kind, place, **fields)
    if event is not None:
        event["pass"] = 0
    return event


def _below(recording: Recording, roots: Sequence[Edge]) -> list[Node]:
    found: dict[Node, None] = {}
    waiting = [beyond(edge)[0] for edge in roots]
    while waiting and len(found) < recording.limit:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [beyond(edge)[0] for edge in node.next if edge is not None]
    return sorted(found, key=lambda node: node.order)


def _describe(recording: Recording, node: Node) -> None:
    """A node's inputs and rules, as far as it kept them and its edges tell."""
    number = recording.node(node)
    entry, op = recording.nodes[number], getattr(node, "op", None)
    for edge, told in zip(node.next, entry["edges"], strict=True):
        if edge is not None and told is not None and told["node"] is None:
            told["node"] = recording.node(edge[0])
    if isinstance(node, CopySlices) and node.saved is not None and getattr(node.saved[0], "op", None) is not None:
        inner = node.saved[0]
        tensors, numbers, params = _kept(recording, inner)
        names = numbers | {name: recording.text_of(one) for name, one in tensors.items() if recording.tensors[one]["names"]}
        entry["rules"] = rules_of_write(node, _rules(inner, names, params | dict.fromkeys((*tensors, *numbers), True)))
        recording.replaced(number, set(names))
    if op is None or entry["inputs"]:
        return
    tensors, numbers, params = _kept(recording, node)
    for name, tensor in tensors.items():
        entry["saved"].append(
            {"name": name, "tensor": tensor, "text": recording.text_of(tensor), "bytes": _size(recording, tensor)}
        )
    for name, told in zip(op.sources, entry["edges"], strict=False):
        if told is not None and told["tensor"] is not None:
            tensors.setdefault(name, told["tensor"])
    names = dict(numbers)
    for name, text in numbers.items():
        entry["inputs"].append({"name": name, "tensor": None, "text": text})
    for name, tensor in tensors.items():
        text = recording.text_of(tensor)
        entry["inputs"].append({"name": name, "tensor": tensor, "text": text})
        if recording.tensors[tensor]["names"] or recording.tensors[tensor]["place"] is not None:
            names[name] = text
    entry["rules"] = _rules(node, names, params | dict.fromkeys((*tensors, *numbers), True))
    recording.replaced(number, set(names))


def _kept(recording: Recording, node: Node) -> tuple[dict[str, int], dict[str, str], dict[str, object]]:
    """What an op's node kept, by the op's names: tensors, numbers that were given in the place of some, and parameters."""
    op = getattr(node, "op", None)
    assert op is not None
    tensors: dict[str, int] = {}
    numbers: dict[str, str] = {}
    params: dict[str, object] = dict(op.params)
    position = 0
    for kind, name, _ in op.keep if node.saved is not None else ():
        value = node.saved[position] if node.saved is not None and position < len(node.saved) else None
        position += {"input": 2, "output": 3}.get(kind, 1)
        array = array_of(value)
        if array is not None and array.dtype.kind == "c":
            params["is_complex"] = True
        if kind == "input" and isinstance(value, Tensor):
            tensors[name] = recording.tensor(value)
        elif kind == "input" and isinstance(value, np.ndarray) and not value.ndim:
            numbers[name] = str(value)
        elif kind == "param":
            params[name] = value
    return tensors, numbers, params


def _size(recording: Recording, tensor: int) -> int:
    reference = recording._references[tensor]()
    return 0 if reference is None else int(reference._array.nbytes)


def _rules(node: Node, names: dict[str, str], told: dict[str, object]) -> list[Entry]:
    try:
        return rule_texts(node.op, names, told, len(node.next))  # type: ignore[attr-defined]
    except (KeyError, TypeError):  # a form that depends on what this node has not kept
        return []


def _add(waiting: dict[Node, list[Any]], node: Node, out: int, g: Any) -> Any:
    held = waiting.setdefault(node, [None] * (1 if node.metas is None else len(node.metas)))
    held[out] = g if held[out] is None else held[out] + g
    return held[out]


def _pull(
    recording: Recording, node: Node, waiting: dict[Node, list[Any]], counts: dict[Edge, int], unknown: set[Node]
) -> None:
    number = recording.node(node)
    arrived = waiting.pop(node, [None])
    is_known = node not in unknown and any(array_of(one) is not None for one in arrived)
    values = [recording.value(one) for one in arrived] if is_known else [None] * len(arrived)
    event = _event(recording, "run", recording.nodes[number]["place"], node=number, arrived=values, sent=[], freed=0, local=[])
    grads: tuple[Any, ...] | None = None
    if is_known and is_readable(node, several=True):
        try:
            grads = node.vjp(np.array(arrived[0]) if node.metas is None else list(arrived), node.next)
        except RuntimeError:  # what it kept was written over
            grads = None
    if grads is None:
        unknown.update(beyond(edge)[0] for edge in node.next if edge is not None)
        return
    for index, (one, edge) in enumerate(zip(grads, node.next, strict=True)):
        if one is None or edge is None:
            continue
        target, out = edge = beyond(edge)
        value = fitted(one, edge)
        if value is None:
            unknown.add(target)
            continue
        total = _add(waiting, target, out, value)
        counts[edge] = counts.get(edge, 0) + 1
        if event is not None and target not in unknown:
            event["sent"].append({
                "edge": index, "value": recording.value(value), "number": counts[edge], "sum": recording.value(total),
            })  # fmt: skip
