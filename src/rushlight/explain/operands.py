"""Places of nodes that keep nothing, and so know none, in a graph that is only read: ``y - 1`` in ``(y - 1).pow(2)``, which the
program's text tells where an operand is written as its node's op is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..autograd.nodes import Node
from ..transforms.example_graph import beyond
from .entries import name_of

if TYPE_CHECKING:
    from .recording import Recording

SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul", ast.USub: "neg",
}  # fmt: skip
WRITTEN = {  # what is written where nodes have these names
    "rsub": ("sub",), "mm": ("matmul",), "mv": ("matmul",), "dot": ("matmul",), "bmm": ("matmul",),
    "view": ("reshape", "flatten", "view"), "permute": ("T", "permute"), "t": ("T", "t"), "cat": ("cat", "concat"),
    "tocopy": ("to", "float", "double"), "select": ("[]",), "slice": ("[]",),
}  # fmt: skip


def place_operands(recording: Recording, nodes: Sequence[Node]) -> None:
    """Gives nodes a place that are an operand, the only one of its kind, of an expression whose place is known; the last come first."""
    for node in nodes:
        entry = recording.nodes[recording.node(node)]
        if entry["place"] is None:
            entry["place"] = _assigned(recording, entry["outputs"])
        if entry["place"] is None:
            continue
        for number in entry["outputs"]:
            recording.tensors[number]["place"] = entry["place"]
        expression = _expression(recording, entry["place"])
        if expression is None or not _is_written(node, expression):
            continue
        parts = _operands(expression)
        behind = [beyond(edge)[0] if edge is not None else None for edge in node.next]
        is_paired = isinstance(expression, ast.BinOp) and len(behind) == len(parts)
        for at, one in enumerate(behind):
            if one is None or not _lacks_place(recording, one):
                continue
            found = [part for part in (parts[at : at + 1] if is_paired else parts) if _is_written(one, part)]
            rivals = [] if is_paired else [other for other in behind if other not in (None, one)]
            if len(found) == 1 and not any(_is_written(other, found[0]) for other in rivals):
                recording.nodes[recording.node(one)]["place"] = recording.places.part(entry["place"], found[0])


def _assigned(recording: Recording, tensors: list[int]) -> int | None:
    """The statement that a node's result has its name from: nodes that keep nothing do not know their place."""
    for name in (one for number in tensors for one in recording.tensors[number]["names"]):
        place = recording.places.assignment(name["scope"], name["name"], False)
        if place is not None:
            return place
    return None


def _lacks_place(recording: Recording, node: Node) -> bool:
    entry = recording.nodes[recording.node(node)]
    named = any(recording.tensors[one]["names"] for one in entry["outputs"])
    return entry["place"] is None and entry["variable"] is None and not named


def _expression(recording: Recording, place: int) -> ast.expr | None:
    try:
        return ast.parse(recording.places.places[place]["text"], mode="eval").body
    except SyntaxError:  # a whole statement, or a line of several
        return None


def _operands(expression: ast.expr) -> list[ast.expr]:
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if isinstance(expression, ast.UnaryOp):
        return [expression.operand]
    if isinstance(expression, ast.Subscript | ast.Attribute):
        return [expression.value]
    if isinstance(expression, ast.Call):
        receiver = [expression.func.value] if isinstance(expression.func, ast.Attribute) else []
        return [*receiver, *expression.args, *(one.value for one in expression.keywords)]
    return []


def _is_written(node: Node, expression: ast.expr) -> bool:
    """Whether an expression is of the op that a node is of."""
    stem = name_of(node).partition("Backward")[0].lower()
    if isinstance(expression, ast.BinOp | ast.UnaryOp):
        word = SIGNS.get(type(expression.op), "")
    elif isinstance(expression, ast.Subscript):
        word = "[]"
    elif isinstance(expression, ast.Call):
        word = expression.func.attr if isinstance(expression.func, ast.Attribute) else getattr(expression.func, "id", "")
    else:
        word = expression.attr if isinstance(expression, ast.Attribute) else ""
    return word in WRITTEN.get(stem, ()) or word.replace("_", "") == stem
