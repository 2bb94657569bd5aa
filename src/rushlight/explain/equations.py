"""A node's rule with numbers in it: g × y = what is sent on."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from .entries import Entry, Value
from .folding import Board
from .meanings import meanings
from .words import Said, literal, say

SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"  # of `h₁₅`, which Python takes for no name
LETTERS = str.maketrans(SUBSCRIPTS, "ꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹ")
BACK = str.maketrans("ꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹ", SUBSCRIPTS)
SIGNS: dict[type[ast.operator], str] = {ast.Mult: "×", ast.Div: "÷", ast.MatMult: "@"}


@dataclass
class Figure:
    """A value with what it is below; `color` is f (forward), b (backward), n (neither) or words (the caption alone)."""

    value: Value | None
    caption: Said
    color: str = "n"


def equation(board: Board, node: Entry, sent: Entry, arrived: list[Value | None], to: Said) -> tuple[str, list[Figure | str]]:
    """The rule as text, and its figures: what arrived, what it is taken with, what is sent.

    Where the rule is a product or a quotient of `g` and one thing, that is written; else the things it names stand before an arrow.
    """
    index = sent["edge"]
    text = board.rule(node, index)
    words = [board.word(node, index, "g" if len(arrived) == 1 else f"g{number}") for number in range(len(arrived))]
    came = [Figure(one, literal(word), "b") for word, one in zip(words, arrived, strict=True) if one]
    figures: list[Figure | str] = list(came)
    result = Figure(sent["value"], to, "b")
    try:
        tree = ast.parse(text.translate(LETTERS), mode="eval").body
    except (SyntaxError, ValueError):
        tree = None
    if isinstance(tree, ast.Name) and tree.id == words[0]:
        return text, [*figures, "=", result]
    if isinstance(tree, ast.BinOp) and len(came) == 1 and type(tree.op) in SIGNS:
        sides = [tree.left, tree.right]
        other = [side for side in sides if not (isinstance(side, ast.Name) and side.id == words[0])]
        if len(other) == 1:
            operand = _operand(board, node, index, _written(text, other[0]))
            if operand is not None:
                pair: list[Figure | str] = [*came, operand] if other[0] is tree.right else [operand, *came]
                return text, [pair[0], SIGNS[type(tree.op)], pair[1], "=", result]
    if tree is not None:
        named = [(_written(text, part), part.col_offset) for part in ast.walk(tree) if isinstance(part, ast.expr)]
        at = dict(reversed(named))
        told = came + [one for one in _named(board, node, index, list(at)) if one.value is not None]
        figures = [*sorted(told, key=lambda one: at.get(one.caption.en, 0))]  # as the rule names them
    return text, [*figures, "→", result]


def meant(board: Board, node: Entry, index: int) -> list[Said]:
    """What the functions in an edge's rule mean, where not everybody knows."""
    found = node["rules"][index] if index < len(node["rules"]) else None
    return [] if found is None or not found["generic"] else meanings(found["generic"], board.rule(node, index))


def of_views(node: Entry) -> Said | None:
    """What no rule says: how a write through a view, or a view of what was written to, sends on what arrives."""
    if node["name"] == "CopySlices":
        return say("through a view")
    return say("view renewed") if node["op"] == "as_strided" and not node["rules"] else None


def _written(text: str, part: ast.expr) -> str:
    """What stands in a rule for a part of it."""
    return (ast.get_source_segment(text.translate(LETTERS), part) or "").translate(BACK)


def _operand(board: Board, node: Entry, index: int, text: str) -> Figure | None:
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if text == board.word(node, index, "n"):
        edge = node["edges"][index]
        tensor = None if edge is None else edge["tensor"]
        if tensor is None:
            return None
        count = math.prod(board.tensors[tensor]["shape"])
        return Figure({"shape": [], "dtype": "int64", "data": count}, say("elements"), "f")
    number = _number(text)
    if number is not None:
        return Figure(number, literal(text), "f")
    value = _values(board, node, index).get(text)
    return None if value is None else Figure(value, literal(text), "f")


def _number(text: str) -> Value | None:
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return {"shape": [], "dtype": "", "data": found} if isinstance(found, int | float) else None


def _values(board: Board, node: Entry, index: int) -> dict[str, Value | None]:
    """What the rule's names stand for; a value of the graph only while it was not written over since is what was kept."""
    values = {}
    for one in [*node["inputs"], *node["saved"]]:
        if one["tensor"] is not None:
            value = board.tensors[one["tensor"]]["value"]
            values[board.told(one["text"])] = values[board.label(one["tensor"])] = value
    if node["outputs"]:
        out = board.tensors[node["outputs"][0]]
        values[board.word(node, index, "out")] = out["value"]
        values.setdefault(out["label"], out["value"])
    return values


def _named(board: Board, node: Entry, index: int, segments: list[str]) -> list[Figure]:
    values = _values(board, node, index)
    return [Figure(values[one], literal(one), "f") for one in segments if one in values]
